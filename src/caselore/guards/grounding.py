"""Checks that every value of a text stands verbatim in one of its sources.

A *value* is a number with its unit, a version, a flag, a path, a setting, an identifier, a name,
a command in backticks, a URL or a quoted string: in short, each token that is not a plain word
of prose (`values.py`). A value is *grounded* when a source holds the very same characters as a
whole token:

    500      is not grounded by 5000, 1,500, 500.5, -500, >=500, v500 or "500 ms"
    30 s     is grounded by 30s and 30 s, not by 30 m, 30 ms or 30 seconds
    v1.2.3   is not grounded by v1.2.4, v1.2.3-rc1 or 1.2.3
    DB_URL   is not grounded by db_url, DB_URL_2 or a name in which a letter is only alike

Case counts, and so does every character: nothing is folded before the comparison but the blank
between a number and its unit, and blanks inside a quotation. A changed value that no longer
looks like one (an identifier in lower case, a word with an invisible or look-alike letter) is
found by its likeness to a token of the sources.

Must not know where texts come from, and must not accept what it cannot find.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from caselore.guards import normalise
from caselore.guards.values import Value, is_unit, is_wide, kind_of, tokens, values
from caselore.guards.words import COUNTS, MEASURES

__all__ = ["Value", "grounded", "stands", "ungrounded", "values", "without"]

# What may touch a whole token from the left and from the right, given the character beyond it.
_BLOCKS_LEFT = frozenset("._-/\\+~^$€£#%&@−–‑") - {"@"}
_BLOCKS_RIGHT = frozenset("_/\\+~^$#%&@")
_SEPARATORS = re.compile(r"[-_.]")
_NEXT_WORD = re.compile(r"[\s-]{0,2}([A-Za-zµ%°]+(?:/s)?)")


def ungrounded(text: str, sources: Iterable[str]) -> tuple[Value, ...]:
    """Give the values of a text that stand verbatim in none of the sources."""
    texts = tuple(sources)
    missing = [value for value in values(text) if not grounded(value, texts)]
    return (*missing, *_disguised(text, texts))


def grounded(value: Value, sources: Iterable[str]) -> bool:
    """Say whether a value stands verbatim, as a whole token, in one of the sources."""
    if not value.normal:  # a quotation of blanks holds nothing that could be wrong
        return True
    if value.kind == "number":
        return any(_stands_counted(value.normal, source) for source in sources)
    if value.kind in ("command", "quoted"):
        return any(stands(value.normal, " ".join(source.split())) for source in sources)
    return any(stands(value.normal, source) for source in sources)


def without(text: str, part: str) -> str:
    """Give a text without the places where it holds `part` as whole tokens, a line end for each.

    What is left is a writer's own words around a literal quotation. A place stays where the words
    behind it would add to its last value, as a unit does to a number.
    """
    at = text.find(part) if part else -1
    while at >= 0:
        end = at + len(part)
        added = _NEXT_WORD.match(text, end) if part[-1].isdigit() else None
        whole = _opens(text, at, part) and _closes(text, end, part)
        if whole and not (added and is_unit(added.group(1))):
            text, at = f"{text[:at]}\n{text[end:]}", at - len(part)
        at = text.find(part, at + len(part))
    return text


def stands(text: str, source: str) -> bool:
    """Say whether a text occurs in a source with nothing of the same token around it."""
    at = source.find(text)
    while at >= 0:
        if _opens(source, at, text) and _closes(source, at + len(text), text):
            return True
        at = source.find(text, at + 1)
    return False


def _opens(source: str, at: int, text: str) -> bool:
    """Say whether a whole token may start here."""
    if at == 0 or not _continues(text[0]):
        return at == 0 or not _glued(source[at - 1], text[0])
    before, beyond = source[at - 1], source[at - 2] if at > 1 else " "
    if _continues(before) or before in _BLOCKS_LEFT:
        return False
    if before in ",:":
        return not beyond.isdigit()
    return not (
        before in "<>=!≥≤≈±" and text[0].isdigit() and (before != "=" or beyond in "<>!~^")
    )


def _closes(source: str, at: int, text: str) -> bool:
    """Say whether a whole token may end here."""
    if at >= len(source):
        return True
    after, beyond = source[at], source[at + 1] if at + 1 < len(source) else " "
    if not _continues(text[-1]):
        return not (_glued(after, text[-1]) or (text[-1] in "=:" and _continues(after)))
    if after == "@" or (after == ":" and "/" in text):  # left-pad@1.3.0, src/app.py:12
        return beyond.isdigit() or not _continues(beyond)
    if _continues(after) or after in _BLOCKS_RIGHT:
        return False
    if after in ".-–‑−":
        return not _continues(beyond)
    if after in ",:":
        return not (beyond.isdigit() or (after == ":" and beyond == "/"))
    return True


def _continues(char: str) -> bool:
    """Say whether a character is part of a word, seen or unseen; wide scripts set no blanks."""
    if char.isascii():
        return char.isalnum() or char == "_"
    return not is_wide(char) and (char.isalnum() or kind_of(char) in ("hidden", "mixed"))


def _glued(one: str, other: str) -> bool:
    """Say whether two signs at the rim of a token belong together, as in `--` or `()`."""
    return (one == other and one in "-=<>+/\\_.$#") or (_continues(one) and other in "-/\\.$#+_")


def _stands_counted(normal: str, source: str) -> bool:
    """Say whether a number stands in a source with its unit, or bare where it is bare."""
    number, _, unit = normal.partition(" ")
    if unit:
        pattern = _with_unit(number, unit)
        return any(
            _opens(source, hit.start(), number) and _closes(source, hit.end(), unit)
            for hit in pattern.finditer(source)
        )
    return any(_bare_number(source, at, number) for at in _occurrences(number, source))


@lru_cache(maxsize=512)
def _with_unit(number: str, unit: str) -> re.Pattern[str]:
    forms = {unit, unit.removesuffix("s"), unit + "s"} if unit.lower() in COUNTS else {unit}
    either = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    return re.compile(rf"{re.escape(number)}[^\S\n]?-?(?:{either})")


def _occurrences(text: str, source: str) -> Iterable[int]:
    at = source.find(text)
    while at >= 0:
        yield at
        at = source.find(text, at + 1)


def _bare_number(source: str, at: int, number: str) -> bool:
    """Say whether a number stands here whole and without a unit of measure behind it."""
    end = at + len(number)
    if not (_opens(source, at, number) and _closes(source, end, number)):
        return False
    following = _NEXT_WORD.match(source, end)
    return not (following and following.group(1) in MEASURES and number[-1].isdigit())


def _disguised(text: str, sources: tuple[str, ...]) -> Iterable[Value]:
    """Find words that are a token of a source in another case or in look-alike letters."""
    exact, folded, structured = _shapes(sources)
    for token in tokens(text):
        if token.text in exact or kind_of(token.text, opens=token.opens) != "plain":
            continue
        fold = _fold(token.text)
        if fold in structured or (not token.text.isascii() and fold in folded):
            yield Value("changed", token.text, fold, token.first, token.last)


@lru_cache(maxsize=64)
def _shapes(sources: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Give the tokens of the sources, their folded forms, and those that have a shape to lose."""
    exact = {token.text for source in sources for token in tokens(source)}
    folded = {_fold(text) for text in exact}
    structured = {_fold(text) for text in exact if _has_shape(text)}
    structured |= {_fold(_SEPARATORS.sub("", text)) for text in exact if _has_separators(text)}
    return frozenset(exact), frozenset(folded), frozenset(structured)


def _has_shape(text: str) -> bool:
    """Say whether a token is an identifier by more than capitals alone."""
    inner = any(char.isupper() for char in text[1:]) and any(char.islower() for char in text)
    return inner or any(char.isdigit() or char == "_" for char in text)


def _has_separators(text: str) -> bool:
    """Say whether a token is an identifier that separators hold together."""
    return _SEPARATORS.search(text) is not None and kind_of(text) == "identifier"


def _fold(text: str) -> str:
    return normalise.skeleton(normalise.revealed(text)).casefold()
