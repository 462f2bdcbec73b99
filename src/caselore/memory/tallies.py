"""Which kept counts a case is part of: those of its signature, and that of its service.

Must not count anything but rows that it is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from caselore.memory.rows import CaseRow, TallyRow

Tallied = tuple[str, str, str, int, str, str, str, str]
"""All columns of a count but how often: what names it."""


def tallied(row: CaseRow) -> tuple[Tallied, Tallied]:
    """Name the counts that a case is part of; the second, without a signature, is its service's.

    A case without a service is counted there, too, so that every case is in just two counts.
    """
    bank, service, counts = row.bank, row.service, row.counts
    return (
        (bank, row.signature, row.status, counts, row.fix, row.result, row.confirmed_by, service),
        (bank, "", "", counts, "", "", "", service),
    )


def tally_rows(rows: Iterable[CaseRow]) -> list[TallyRow]:
    """Give the rows that must be kept for all cases of a store, in order."""
    times = Counter(key for row in rows for key in tallied(row))
    return [TallyRow(*key, number) for key, number in sorted(times.items())]
