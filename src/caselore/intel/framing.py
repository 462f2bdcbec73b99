"""Takes from a claim what only frames it, and from a quote what it only asks: neither is stated.

Must not take a word that carries a fact.
"""

from __future__ import annotations

import re

from caselore.intel.likeness import shape

_MARK = re.compile(r"\s*\[(?:\d{1,3}|citation needed|note \d+)(?:\s*[,;–-]\s*\d{1,3})*\]", re.IGNORECASE)  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=\S)")
_ASKS = re.compile(r"\?[\"'”’)\]]*\s*$")


def unmarked(text: str) -> str:
    """Give a text without marks of citation such as `[2, 4]`, in place of which stand as many blanks."""
    return _MARK.sub(lambda match: " " * len(match.group()), text)


def bare(claim: str) -> str:
    """Give a claim without marks of citation and the words that introduce it."""
    told = unmarked(claim).strip(" .,;:-") or claim
    for _ in range(3):
        rest = shape("frame").sub("", told, count=1).lstrip(" ,;:-")
        if rest == told or not rest:
            break
        told = rest[0].upper() + rest[1:]
    return told


def parted(quote: str) -> tuple[str, str]:
    """Give what a quote states and what it only asks; one that asks alone is given as its statement."""
    stated: list[str] = []
    asked: list[str] = []
    for part in _SENTENCE.split(quote):
        (asked if _ASKS.search(part) else stated).append(part)
    return (" ".join(stated), " ".join(asked)) if stated and asked else (quote, "")
