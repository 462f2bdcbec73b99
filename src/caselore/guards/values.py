"""Extracts the values of a text: every token that is not a plain word of prose.

Must not guess: what cannot be told from prose is a value, and what is odd to the eye is one too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from caselore.guards import normalise
from caselore.guards.words import (
    AFFIXES,
    COUNTS,
    MEASURES,
    NUMBER_WORDS,
    PLAIN_ACRONYMS,
    PLAIN_DOTTED,
    PLAIN_SLASHED,
)


@dataclass(frozen=True, slots=True)
class Value:
    """One value: its kind, its text, the form that is compared, where it starts and ends."""

    kind: str
    text: str
    normal: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a text without the punctuation around it."""

    text: str
    first: int
    opens: bool  # stands at the start of a sentence or a line

    @property
    def last(self) -> int:
        """Give the offset behind the token."""
        return self.first + len(self.text)


LONGEST = 400  # characters of a token that is looked at; a longer one must stand as it is
UNITS = MEASURES | COUNTS
LONG_UNITS = tuple(sorted(unit for unit in UNITS if len(unit) > 4))

_RUN = re.compile(r"\S+")
_LEAD = "([{\"'`“”‘’«»*,;:!?|…"
_TRAIL = ")]}>\"'`“”‘’«»*.,;:!?|…"
_DASHES = "-‐‑‒–—―−"
_SPAN = re.compile(
    r"`(?P<command>[^`\n]{1,500})`|\"(?P<a>[^\"\n]{1,300})\"|“(?P<b>[^”\n]{1,300})”|«(?P<c>[^»\n]{1,300})»"
    r"|(?<!\w)'(?P<d>[^'\n]{1,300})'(?!\w)|(?<!\w)‘(?P<e>[^’\n]{1,300})’(?!\w)"
)
_STOP = re.compile(r"[,;:!?)\]}]")
_NUMBER = re.compile(
    r"[<>=!~^≥≤≈±+\-−]*[$€£#]?\d[\d.,:_/×]*(?P<unit>(?:[A-Za-zµ%°][A-Za-zµ%°/]*)?)\+?"
)
_VERSION = re.compile(
    r"[<>=!~^]*[vV]?\d+(?:\.(?:\d+|[xX*]))+(?:[-+.~]?[0-9A-Za-z][0-9A-Za-z.+-]*)?"
)
_COUNTED = re.compile(r"(\d[\d.,]*)[-‑]([A-Za-z]+)")
_SETTING = re.compile(r"[-\w.$\[\]]+(?::=|[=:])[^=:/\s][^\s]*")
_FLAG = re.compile(rf"[{_DASHES}]{{1,2}}[^\W\d][\w.-]*(?:=.*)?")
_PLAIN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]{1,2})?")
_SPLIT = re.compile(  # a comparison stays whole: `>=3.5` is another value than `3.5`
    r"[,;()\[\]{}|&\"'`“”‘’]+|(?<![<>!~^=])==?(?!=)|[<>](?![=\d])|:(?!/)|(?<=\w)[–—](?=\w)"
)
_WIDE_CHAR = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WIDE = re.compile(rf"{_WIDE_CHAR.pattern}+|[^{_WIDE_CHAR.pattern[1:]}+")


def tokens(text: str) -> Iterator[Token]:
    """Give the tokens of a text in order; punctuation around them is left out."""
    opens = True
    end = 0
    for run in _RUN.finditer(text):
        opens = opens or "\n" in text[end : run.start()]
        for part in _WIDE.finditer(run.group()):
            token = _bare(part.group(), run.start() + part.start(), opens)
            if token.text:
                yield token
                opens = False
        opens = opens or run.group()[-1] in ".!?:;•" or run.group() in _DASHES + "*#"
        end = run.end()


def _bare(run: str, first: int, opens: bool) -> Token:
    """Strip the punctuation around a run, but not what belongs to a value."""
    left = run.lstrip(_LEAD)
    if left[:1] == "<" and not re.match(r"<[=\d]", left):
        left = left.lstrip("<")
    core = left.rstrip(_TRAIL)
    if left[len(core) :].startswith(")") and core.count("(") > core.count(")"):
        core += ")"
    core = core.removesuffix("'s").removesuffix("’s")
    quoted = len(run) > len(left) and run[len(run) - len(left) - 1] in "\"'`“‘«"
    return Token(core, first + len(run) - len(left), opens or quoted)


def values(text: str) -> tuple[Value, ...]:
    """Extract the values of a text in order of their start, each with its kind.

    Kinds: number (with its unit), version, flag, path, setting, identifier, name, command (in
    backticks), url, quoted, and for what the eye cannot tell `hidden` and `mixed`.
    """
    found = [*_spans(text), *_token_values(text)]
    return tuple(sorted(found, key=lambda value: (value.first, -value.last)))


def _spans(text: str) -> Iterator[Value]:
    """Give the spans in backticks and in quotation marks."""
    for span in _SPAN.finditer(text):
        kind = "command" if span.group("command") else "quoted"
        group = next(name for name, part in span.groupdict().items() if part)
        inner = span.group(group)
        yield Value(kind, inner, " ".join(inner.split()), span.start(group), span.end(group))


def _token_values(text: str) -> Iterator[Value]:
    end = Token("", 0, True)
    for token, after in pairwise([*tokens(text), end]):
        apart = _STOP.search(text[token.last : after.first])  # "in #1017, run it": no unit
        yield from _of_token(token, end if apart else after)


def _of_token(token: Token, after: Token) -> Iterator[Value]:
    """Give the values of one token; a compound gives itself and its parts."""
    kind = kind_of(token.text, opens=token.opens)
    if kind == "number" or (kind == "plain" and token.text.lower() in NUMBER_WORDS):
        value = _counted(token, after)
        if value:
            yield value
        return
    if kind == "plain":
        return
    yield Value(kind, token.text, token.text, token.first, token.last)
    if kind in ("setting", "flag", "identifier"):
        yield from _parts(token)


def _parts(token: Token) -> Iterator[Value]:
    """Give the values between the separators of a compound."""
    pieces = list(_SPLIT.finditer(token.text))
    if not pieces:
        return
    starts = [0, *(piece.end() for piece in pieces)]
    ends = [*(piece.start() for piece in pieces), len(token.text)]
    for first, last in zip(starts, ends, strict=True):
        part = _bare(token.text[first:last], token.first + first, False)
        if part.text and part.text != token.text:
            yield from _of_token(part, Token("", 0, True))


def _counted(token: Token, after: Token) -> Value | None:
    """Give a number with the unit that follows it; a number word is a value only with a unit."""
    glued = _COUNTED.fullmatch(token.text)
    if glued and glued.group(2).lower() in UNITS:
        normal = f"{glued.group(1)} {glued.group(2)}"
        return Value("number", token.text, normal, token.first, token.last)
    match = _NUMBER.fullmatch(token.text)
    has_unit = bool(match and match.group("unit"))
    if not has_unit and not after.opens and is_unit(after.text):
        text = f"{token.text} {after.text}"
        return Value("number", text, text, token.first, after.last)
    if token.text.lower() in NUMBER_WORDS:
        return None
    return Value("number", token.text, token.text, token.first, token.last)


def is_wide(char: str) -> bool:
    """Say whether a character is of a script that writes words without blanks between them."""
    return not char.isascii() and _WIDE_CHAR.match(char) is not None


def is_unit(word: str) -> bool:
    """Say whether a word behind a number is its unit, or so close to one that it must be meant."""
    lower = word.lower()
    return word in UNITS or lower in UNITS or any(_one_edit(lower, unit) for unit in LONG_UNITS)


def _one_edit(one: str, other: str) -> bool:
    """Say whether two words differ in a single letter, added, left out or replaced."""
    if abs(len(one) - len(other)) > 1:
        return False
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[same + 1 :] in (other[same:], other[same + 1 :]) or one[same:] == other[same + 1 :]


def kind_of(text: str, *, opens: bool = False) -> str:
    """Tell what a token is: `plain` for a word of prose, else the kind of its value."""
    if len(text) > LONGEST:
        return "identifier"
    if normalise.has_invisible(text) or any(unicodedata.category(c) in ("Cc", "Cf") for c in text):
        return "hidden"
    if not text.isascii() and _is_odd(text):
        return "mixed"
    return _structure(text) or _word(text, opens)


def _is_odd(text: str) -> bool:
    """Say whether a token mixes scripts or writes its letters in unusual forms."""
    if unicodedata.normalize("NFKC", text.replace("…", "")) != text.replace("…", ""):
        return True
    scripts = {
        _script(char) for char in text if char.isalpha() or unicodedata.category(char) == "Mn"
    }
    return len(scripts) > 1


def _script(char: str) -> str:
    return "LATIN" if char.isascii() else unicodedata.name(char, "?").split()[0]


def _structure(text: str) -> str:
    """Tell the kind of a token that its signs give away, or nothing."""
    if "://" in text or text.startswith(("www.", "mailto:")):
        return "url"
    if _FLAG.fullmatch(text):
        return "flag"
    if _COUNTED.fullmatch(text) and text.rsplit("-", 1)[-1].lower() in UNITS:
        return "number"
    if _VERSION.fullmatch(text) and (text.count(".") > 1 or text.lstrip("<>=!~^")[0] in "vV"):
        return "version"
    if _NUMBER.fullmatch(text):
        return "number"
    if _SETTING.fullmatch(text):
        return "setting"
    if ("/" in text or "\\" in text) and text.lower() not in PLAIN_SLASHED:
        return "path"
    return ""


def _word(text: str, opens: bool) -> str:
    """Tell a word of prose from an identifier or a name."""
    if text.lower() in PLAIN_DOTTED or text.lower() in PLAIN_SLASHED or text in PLAIN_ACRONYMS:
        return "plain"
    if not any(char.isalnum() for char in text):
        return (
            "plain"
            if len(text) == 1 or not text.isascii() or set(text) <= set("-.*=#_~")
            else "identifier"
        )
    if "-" in text.strip("-") or "‑" in text:
        return _kebab(text, opens)
    # A lone letter is no word: a 5 may have turned into an S.
    lone = len(text) == 1 and text.isascii() and text not in UNITS and text not in "aAIi"
    if lone or not _PLAIN.fullmatch(text):
        return "identifier"
    rest = text[1:].removesuffix("'s").removesuffix("’s")
    if any(char.isupper() for char in rest):
        return "identifier"
    return "name" if text[0].isupper() and not opens and text != "I" else "plain"


def _kebab(text: str, opens: bool) -> str:
    """Tell a hyphenated word of prose from an identifier."""
    parts = text.split("-")
    words = all(_PLAIN.fullmatch(part) and part[1:] == part[1:].lower() for part in parts)
    if not words or (not opens and any(part[0].isupper() for part in parts)):
        return "identifier"
    return "plain" if any(part.lower() in AFFIXES for part in parts) else "identifier"
