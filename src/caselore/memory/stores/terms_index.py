"""The text index over the store's own table of hashed words, written with each entry.

Must not return anything but ids, and must not decide what counts as near.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from caselore.memory.ports import Reads
from caselore.memory.terms import hashed

ASKED = 30  # rarest words of a question that are looked up
HOT = (
    2_000  # entries of one word that are read; a word with as many is used only if rarer ones lack
)


class TermsIndex:
    """Scores entries by the rarity of the words that they share with a text."""

    def search(self, view: Reads, bank: str, text: str, limit: int) -> Sequence[str]:
        """Give the ids of the closest records, best first, the same order every time."""
        lists = [view.postings(bank, term, HOT) for term in hashed(text)]
        lists = sorted((one for one in lists if one), key=lambda one: (len(one), one))[:ASKED]
        if any(len(one) < HOT for one in lists):
            lists = [one for one in lists if len(one) < HOT]
        scores: dict[int, float] = defaultdict(float)
        for found in lists:
            weight = math.log(1 + HOT / len(found))
            for seq in found:
                scores[seq] += weight
        best = sorted(scores.items(), key=lambda one: (-one[1], -one[0]))[: 2 * limit]
        names = view.subjects(bank, [seq for seq, _ in best])
        return list(dict.fromkeys(names[seq] for seq, _ in best))[:limit]

    def catch_up(self) -> None:
        """Do nothing: the words are written in the store's own transaction."""

    def forget(self, bank: str, id: str) -> None:
        """Do nothing: the words went in the store's own transaction."""

    def rebuild(self) -> None:
        """Do nothing: the ledger's check compares every word with the ledger."""

    def close(self) -> None:
        """Hold nothing."""
