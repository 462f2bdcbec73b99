"""Which kept counts a case is part of: of its signature, of its service, and of what lists show.

Must not count anything but rows that it is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from caselore.memory.rows import CaseRow, FacetRow, Row, TallyRow

Key = tuple[str | int, ...]
"""All columns of a count but how often: what names it."""


class Kept(NamedTuple):
    """The counts of a case, or changes of them, by their table."""

    tallies: Counter[Key]
    facets: Counter[Key]

    def add(self, row: CaseRow, times: int) -> None:
        """Count a case in, or out again.

        Of the tallies the second, without a signature, is its service's. A case without a service
        is counted there, too, so that every case is in just two of them, and in one facet.
        """
        bank, service, status, counts = row.bank, row.service, row.status, row.counts
        fixed = row.fix, row.result, row.confirmed_by
        self.tallies[bank, row.signature, status, counts, *fixed, service] += times
        self.tallies[bank, "", "", counts, "", "", "", service] += times
        self.facets[bank, status, service, row.environment, row.family] += times


def none_kept() -> Kept:
    """Give counts of nothing."""
    return Kept(Counter(), Counter())


def kept_rows(rows: Iterable[CaseRow]) -> dict[str, list[Row]]:
    """Give by table the rows that must be kept for all cases of a store, in order."""
    kept = none_kept()
    for row in rows:
        kept.add(row, 1)
    tallies, facets = (sorted((*key, times) for key, times in one.items()) for one in kept)
    return {
        "tallies": [TallyRow._make(one) for one in tallies],
        "facets": [FacetRow._make(one) for one in facets],
    }
