"""Finds words written in disguise, as in 1gn0r3, Vtaber or erongi, and gives the text in clear.

Must not take more than linear time, and must not judge: what it gives is scanned by the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import re2

from caselore.guards.decode import Decoded

REACH = 600  # bytes on either side of a disguised word that are read in clear
MOST = 400  # stretches of one text that are looked at; more is no text

# Words of which an order is made; long enough that none of their disguises is a word or a hash.
_TELLING = (
    "ignore",
    "disregard",
    "instruction",
    "previous",
    "assistant",
    "following",
    "everything",
    "conversation",
    "password",
    "respond",
    "remember",
    "override",
    "restrictions",
    "guidelines",
    "credentials",
)
_LEET = {
    "a": "4@",
    "b": "8",
    "e": "3€",
    "g": "69",
    "i": "1!|",
    "l": "1|£",
    "o": "0",
    "s": "5$",
    "t": "7+",
    "z": "2",
}
_PLAIN = str.maketrans("4@83€690!|5$7+2£1", "aabeeggoiisstt" + "zli")
_OTHER = str.maketrans("4@83€690!|5$7+2£1", "aabeeggolissttz" + "ll")
_WORD = re.compile(r"[\w@$!|+€£]{2,}")
_HAS_LEET = re.compile(r"[0-9@$!|+€£]")


@cache
def _search() -> re2._Regexp:
    """Give one pattern for all disguises of the telling words."""
    turned = [_rotated(word, by) for word in _TELLING for by in range(1, 26)]
    parts = [*turned, *(word[::-1] for word in _TELLING), *map(_leet_pattern, _TELLING)]
    options = re2.Options()
    options.max_mem = 128 << 20
    return re2.compile(("(?i)" + "|".join(parts)).encode(), options)


def _rotated(word: str, by: int) -> str:
    return "".join(chr((ord(char) - 97 + by) % 26 + 97) for char in word)


def _leet_pattern(word: str) -> str:
    """Let a letter be any of its signs, and ask for one sign among the first letters."""
    each = [f"[{char}{re.escape(_LEET.get(char, ''))}]" for char in word]
    forms = []
    for at, char in enumerate(word):
        if char in _LEET:
            forms.append("".join([*each[:at], f"[{re.escape(_LEET[char])}]", *each[at + 1 :]]))
    return "|".join(forms)


def suspected(data: bytes) -> bool:
    """Say whether a telling word stands in any disguise in a text."""
    return bool(_search().search(data))


def uncovered(data: bytes, words: frozenset[str]) -> Iterator[Decoded]:
    """Give the stretches around disguised words in clear; `words` tell 1 for i from 1 for l."""
    end = -1
    for number, hit in enumerate(_search().finditer(data)):
        if number >= MOST:
            return
        if hit.start() < end:
            continue
        end = min(len(data), hit.end() + REACH)
        stretch = data[max(0, hit.start() - REACH) : end].decode("utf-8", "replace")
        found = hit.group().decode("utf-8", "replace").lower()
        yield Decoded(hit.start(), hit.end(), _clear(stretch, found, words), "disguise")


def _clear(stretch: str, found: str, words: frozenset[str]) -> str:
    """Undo the disguise in which one telling word was found."""
    if not found.isalpha():
        return _WORD.sub(lambda at: _unleet(at.group(), words), stretch)
    if found[::-1] in _TELLING:
        return stretch[::-1]
    by = next(by for by in range(1, 26) if _rotated(found, by) in _TELLING)
    return stretch.translate(_turning(by))


def _unleet(token: str, words: frozenset[str]) -> str:
    """Give a word in letters, in the reading that is a word of the rules where one is."""
    if not _HAS_LEET.search(token):
        return token
    readings = (token.translate(_PLAIN), token.translate(_OTHER))
    known = [reading for reading in readings if reading.lower() in words]
    if known:
        return known[0]
    return readings[0] if any(char.isalpha() for char in token) else token


@cache
def _turning(by: int) -> dict[int, int]:
    return {base + at: base + (at + by) % 26 for base in (ord("a"), ord("A")) for at in range(26)}
