"""Finds what of its own rules a model repeats, so that no list of withheld sentences shows them.

Must not look at the evidence: that is the reader's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from caselore.guards import normalise

RUN = 6  # words in a row that no sentence shares with the rules by chance
HIDDEN = ("(not shown)", "it repeats the rules that the model was given")
_WORD = re.compile(r"[^\W_]+")


def unsaid(held: Iterable[tuple[str, str]], rules: str) -> Iterator[tuple[str, str]]:
    """Give texts with their reasons; where either repeats the rules, neither is told."""
    for text, reason in held:
        yield HIDDEN if repeats(text, rules) or repeats(reason, rules) else (text, reason)


def repeats(text: str, rules: str) -> bool:
    """Say whether a text holds a run of words of the rules, whatever stands between the words."""
    return not _runs(text).isdisjoint(_known(rules))


@lru_cache(maxsize=32)
def _known(rules: str) -> frozenset[tuple[str, ...]]:
    return _runs(rules)


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    plain = normalise.skeleton(normalise.revealed(text)).casefold()
    words = _WORD.findall(plain)
    return frozenset(zip(*(words[at:] for at in range(RUN)), strict=False))
