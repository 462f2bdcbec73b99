"""Splits text into the hashed words by which it is found again, and compares two texts.

Must not keep values: numbers, ids and addresses are masked out before anything is hashed.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

TERM_LIMIT = 120  # words of one entry that are indexed
TEXT_LIMIT = 6_000  # characters of one entry that are read for words
COMPARED = 1_500  # characters of each text that are compared

_WORD = re.compile(r"[^\W\d_]{2,40}(?![\d])")
_NOT_WORDS = re.compile(
    r"[a-z]+://\S+|\b(?=\w*\d)\w{6,}\b|\b0x\w+", re.IGNORECASE
)  # addresses, hashes, ids
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BLANKS = re.compile(r"\s+")
_NUMBER = re.compile(r"\d+")


def words(text: str) -> tuple[str, ...]:
    """Give the distinct words of a text in order, compounds also in their parts; no values."""
    return tuple(dict.fromkeys(part for word in _words(text) for part in _parts(word)[0]))


def hashed(text: str) -> list[int]:
    """Give a text's words as numbers, so that an index holds no words."""
    found: dict[int, None] = {}
    for word in _words(text):
        found.update(_parts(word)[1])
        if len(found) >= TERM_LIMIT:
            break
    return list(found)[:TERM_LIMIT]


def _words(text: str) -> list[str]:
    return _WORD.findall(_NOT_WORDS.sub(" ", text[:TEXT_LIMIT]))


@lru_cache(maxsize=100_000)
def _parts(word: str) -> tuple[tuple[str, ...], dict[int, None]]:
    parts = (one.lower() for one in (word, *_HUMPS.split(word)) if len(one) > 1)
    distinct = tuple(dict.fromkeys(parts))
    return distinct, dict.fromkeys(map(_hash, distinct))


def _hash(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), signed=True)


def grams(text: str) -> frozenset[str]:
    """Give the runs of four characters of a text, its values masked."""
    plain = _NUMBER.sub("0", _NOT_WORDS.sub("0", text[: 2 * COMPARED]))
    masked = _BLANKS.sub(" ", plain).strip().lower()[:COMPARED]
    return frozenset(masked[at : at + 4] for at in range(max(1, len(masked) - 3)))


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Give how alike two texts are, 0 to 1, by the Dice measure of their grams."""
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 0.0


def covered(asked: frozenset[str], text: frozenset[str]) -> float:
    """Give how much of a question stands in a text, 0 to 1."""
    return len(asked & text) / len(asked) if asked else 0.0
