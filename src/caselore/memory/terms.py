"""Masks text and cuts it into runs of four characters, by which it is found again and compared.

Must not keep values: numbers, ids and addresses are masked out before anything is cut.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache

COMPARED = 1_500  # characters of each text that are compared
KEY = 900  # characters of an entry that are indexed, and of a question that are asked
KEY_VERSION = 1  # goes up with any change of what `key_text` gives

Grams = AbstractSet[int | str]
"""Runs of four characters, to be compared; what stands for a run is nobody's business."""

REMEMBERED = 1_024  # texts whose answer is kept: causes and fixes come again and again
CODES = 3  # words with a digit that are looked for as they stand

_CODE = re.compile(r"[\w.-]*\d\w*")
_PARTS = re.compile(r"[.-]").split
_CODE_LENGTH = range(2, 41)  # characters of a word that is looked for as it stands
_CODES_KEPT = 8  # such words of one entry that an index holds
_ADDRESS = re.compile(r"[a-z]+://\S+", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
# A word with a digit in it that is a hash or an id as a whole: from six characters on, or 0x….
_ID = re.compile(r"\b(?=\w{6}|0[xX])[^\W\d]*\d\w*")
# Plain ASCII is masked by the same two rules in a third of the time: letters small, 1 for all
# digits but 0, a blank for the four separators at which only texts are split, then cut into what
# is before a word's first digit, and the rest of that word.
_FOLDED = bytes.maketrans(
    b"23456789ABCDEFGHIJKLMNOPQRSTUVWXYZ\x1c\x1d\x1e\x1f",
    b"11111111abcdefghijklmnopqrstuvwxyz    ",
)
_LETTERS = b"abcdefghijklmnopqrstuvwxyz_"
_FROM_DIGIT = re.compile(rb"([01][a-z_01]*)").split
_DIGITS = re.compile(rb"[01]+").sub


def _value(word: str) -> str:
    return _NUMBER.sub("0", _ID.sub("0", word)) if _NUMBER.search(word) else word


def _masked(text: str, limit: int) -> str:
    plain = text[: 2 * limit]
    if "://" in plain:
        plain = _ADDRESS.sub("0", plain)
    return (_quick if plain.isascii() else _slow)(plain)[:limit]


def _slow(plain: str) -> str:
    return " ".join(map(_value, plain.split())).lower()


def _quick(plain: str) -> str:
    """Give what `_slow` gives, for plain ASCII alone."""
    parts = _FROM_DIGIT(plain.encode().translate(_FOLDED))
    for place in range(1, len(parts), 2):
        rest, before = parts[place], parts[place - 1]
        head = before.rstrip(_LETTERS)
        if len(before) - len(head) + len(rest) > 5 or (head == before and rest[:2] == b"0x"):
            parts[place - 1], parts[place] = head, b"0"
        else:
            parts[place] = _DIGITS(b"0", rest) if len(rest) > 1 else b"0"
    return b" ".join(b"".join(parts).split()).decode()


def _cut(masked: str) -> frozenset[str]:
    return frozenset([masked[at : at + 4] for at in range(max(1, len(masked) - 3))])


def _numbered(masked: str) -> Grams:
    """Give the same runs, those of plain ASCII as numbers: they are cut twice as fast."""
    if not masked.isascii() or len(masked) < 4:
        parts = (part for part in _cut(masked))
        return frozenset(
            _number(part) if part.isascii() and len(part) == 4 else part for part in parts
        )
    data, found = memoryview(masked.encode()), set[int | str]()
    for start in range(4):
        found.update(data[start : start + (len(data) - start) // 4 * 4].cast("I"))
    return found


def _number(part: str) -> int:
    return memoryview(part.encode()).cast("I")[0]


def codes(text: str) -> tuple[str, ...]:
    """Give the words of a question that hold a digit, the longest first: they are masked else."""
    found = dict.fromkeys(word for word in _CODE.findall(text[:KEY]) if len(word) > 1)
    return tuple(sorted(found, key=lambda word: (-len(word), word))[:CODES])


def codes_in(text: str) -> tuple[str, ...]:
    """Give the words with a digit by which a line is found, and their parts, in small letters."""
    return _codes_in(text[:KEY])


@lru_cache(maxsize=REMEMBERED)
def _codes_in(text: str) -> tuple[str, ...]:
    kept: dict[str, None] = {}
    for word in _CODE.findall(text.lower()):
        parts = (word, *_PARTS(word)) if "." in word or "-" in word else (word,)
        for one in parts:
            if len(one) in _CODE_LENGTH and _NUMBER.search(one):
                kept[one] = None
    return tuple(kept)[:_CODES_KEPT]


def key_text(text: str) -> str:
    """Give the masked text under which an entry is indexed, and with which it is asked for."""
    return _key_text(text[: 2 * KEY])


@lru_cache(maxsize=REMEMBERED)
def _key_text(text: str) -> str:
    return _masked(text, KEY)


def key_grams(text: str) -> list[str]:
    """Give the runs of four characters that an index is asked for, in order; none if too short."""
    masked = key_text(text)
    return sorted(_cut(masked)) if len(masked) > 3 else []


def masked(text: str) -> str:
    """Give the part of a text that is compared, its values masked."""
    return _masked(text, COMPARED)


def grams_of(masked_text: str) -> Grams:
    """Give the runs of four characters of a text that is masked already."""
    return _numbered(masked_text)


def alike(one: Grams, other: Grams) -> float:
    """Give how alike two texts are, 0 to 1, by the Dice measure of their grams."""
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 0.0


def covered(asked: Grams, text: Grams) -> float:
    """Give how much of a question stands in a text, 0 to 1."""
    return len(asked & text) / len(asked) if asked else 0.0
