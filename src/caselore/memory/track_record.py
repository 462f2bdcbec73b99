"""Counts how each fix fared on each failure: who confirmed it, when it failed, what came back.

Must not weigh: it counts, `ranking` gives the points.
"""

from __future__ import annotations

from collections.abc import Iterable

from caselore.memory.groups import Groups
from caselore.memory.ports import RETURNS, Evidence, Tally
from caselore.memory.rows import CaseRow

FIXED = ("confirmed", "succeeded")
_UNTRIED = (), 0, (), 0


class TrackRecord:
    """What became of the fixes of some cases, each person counted once."""

    def __init__(
        self, known: Evidence, bank: str, rows: Iterable[CaseRow], sought: str, joined: Groups
    ) -> None:
        """Count for `rows`; the case that is `sought` is no return of itself."""
        confirmed = [row for row in rows if row.status == "confirmed"]
        self._tallies: dict[tuple[str, str, str], list[Tally]] = {}
        self._joined = joined
        self._fared: dict[tuple[str, str, str], tuple[tuple[str, ...], int, tuple[str, ...]]] = {}
        self._people: dict[tuple[str, str, str], tuple[str, ...]] = {}
        signatures = sorted({one for row in confirmed for one in joined.of(row.signature)})
        asked = sorted({one for row in confirmed if _can_return(row) for one in self._fixed(row)})
        found, times = known.fared(bank, signatures, asked, sought) if signatures else ({}, [])
        for signature, tallies in sorted(found.items()):
            for one in tallies:
                key = (joined.name(signature), one.fix, one.result)
                self._tallies.setdefault(key, []).append(one)
        self._returns = dict(zip(asked, times, strict=True))

    def fared(self, row: CaseRow) -> tuple[tuple[str, ...], int, tuple[str, ...], int]:
        """Give who confirmed its fix, how often that failed and who says so, and its returns."""
        if row.status != "confirmed":
            return _UNTRIED
        key = row.signature, row.fix, row.result
        if key not in self._fared:
            self._fared[key] = self.confirmers(row), *self.failures(row)
        return *self._fared[key], self.returns(row)

    def confirmers(self, row: CaseRow) -> tuple[str, ...]:
        """Name who confirmed a case's fix with its result on its failure."""
        return self._who(row, row.result)

    def count(self, row: CaseRow) -> int:
        """Give how many cases say what this one says, itself included."""
        times = sum(one.times for one in self._of(row, row.result))
        return max(1, times) if row.status == "confirmed" else 1

    def failures(self, row: CaseRow) -> tuple[int, tuple[str, ...]]:
        """Give how often a case's fix did not work on its failure, and who says so."""
        if (row.status, row.result) != FIXED:
            return 0, ()
        return sum(one.times for one in self._of(row, "failed")), self._who(row, "failed")

    def returns(self, row: CaseRow) -> int:
        """Give how often its failure came back to its service after its fix, up to a limit."""
        if row.status != "confirmed":
            return 0
        return min(RETURNS, sum(self._returns.get(one, 0) for one in self._fixed(row)))

    def _fixed(self, row: CaseRow) -> list[tuple[str, str, str]]:
        """Give what was fixed, where, and when at the latest."""
        at = max(row.confirmed_at, row.happened_at)
        return [(one, row.service, at) for one in self._joined.of(row.signature)]

    def _of(self, row: CaseRow, result: str) -> list[Tally]:
        return self._tallies.get((self._joined.name(row.signature), row.fix, result), [])

    def _who(self, row: CaseRow, result: str) -> tuple[str, ...]:
        key = (self._joined.name(row.signature), row.fix, result)
        if key not in self._people:
            self._people[key] = _people(self._tallies.get(key, []))
        return self._people[key]


def _can_return(row: CaseRow) -> bool:
    return row.result == "succeeded" and bool(row.service) and not row.generic


def _people(tallies: Iterable[Tally]) -> tuple[str, ...]:
    people = {one.confirmed_by.casefold(): one.confirmed_by for one in tallies}
    return tuple(people[name] for name in sorted(people))
