"""Masks text and cuts it into runs of four characters, by which it is found again and compared.

Must not keep values: numbers, ids and addresses are masked out before anything is cut.
"""

from __future__ import annotations

import re

COMPARED = 1_500  # characters of each text that are compared
KEY = 900  # characters of an entry that are indexed, and of a question that are asked
KEY_VERSION = 1  # goes up with any change of what `key_text` gives

_NOT_WORDS = re.compile(
    r"[a-z]+://\S+|\b(?=\w*\d)\w{6,}\b|\b0x\w+", re.IGNORECASE
)  # addresses, hashes, ids
_BLANKS = re.compile(r"\s+")
_NUMBER = re.compile(r"\d+")


def _masked(text: str, limit: int) -> str:
    plain = _NUMBER.sub("0", _NOT_WORDS.sub("0", text[: 2 * limit]))
    return _BLANKS.sub(" ", plain).strip().lower()[:limit]


def _cut(masked: str) -> frozenset[str]:
    return frozenset(masked[at : at + 4] for at in range(max(1, len(masked) - 3)))


def key_text(text: str) -> str:
    """Give the masked text under which an entry is indexed, and with which it is asked for."""
    return _masked(text, KEY)


def key_grams(text: str) -> list[str]:
    """Give the runs of four characters that an index is asked for, in order; none if too short."""
    masked = key_text(text)
    return sorted(_cut(masked)) if len(masked) > 3 else []


def grams(text: str) -> frozenset[str]:
    """Give the runs of four characters of a text, its values masked."""
    return _cut(_masked(text, COMPARED))


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Give how alike two texts are, 0 to 1, by the Dice measure of their grams."""
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 0.0


def covered(asked: frozenset[str], text: frozenset[str]) -> float:
    """Give how much of a question stands in a text, 0 to 1."""
    return len(asked & text) / len(asked) if asked else 0.0
