"""Groups cases by cause and counts what was measured, for lists and figures.

Must not rank, judge, or give a share without the number that it is of.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from caselore.memory.bank import Bank
from caselore.memory.browsing import BEGIN, Place
from caselore.memory.cases import assemble
from caselore.memory.count_ports import Chosen, Facet, Recurrence
from caselore.memory.encoding import stamp, unstamp
from caselore.memory.groups import groups
from caselore.memory.records import Case
from caselore.memory.rows import CaseRow

MEASURED = 20_000  # confirmed fixes, the newest, whose times are looked at
NOVELTIES = ("new", "recurring", "known")


class Cause(NamedTuple):
    """One signature, or a group that people joined, among the cases that were asked for."""

    newest: CaseRow
    times: int
    first: datetime
    last: datetime
    worked: int
    proposed: int

    @property
    def novelty(self) -> str:
        """Say whether a fix is confirmed, it was seen before without one, or it is new."""
        if self.worked:
            return "known"
        return "recurring" if self.times > 1 else "new"


class Causes(NamedTuple):
    """One page of causes, the latest first, and where the next begins; None at the end."""

    causes: tuple[Cause, ...]
    next: Place | None


class Figures(NamedTuple):
    """What was measured since a day."""

    days: tuple[tuple[str, int], ...]
    recurrence: Recurrence
    said: Mapping[str, int]
    hours: tuple[float, ...]
    """From each failure to the moment at which its fix was confirmed, in order."""


class Counting(Bank):
    """The verbs that count."""

    def causes(
        self, chosen: Chosen, novelty: str = "", limit: int = 50, after: Place = BEGIN
    ) -> Causes:
        """Give at most `limit` causes, that which failed last first, from after a place."""
        with self._store.reading() as view:
            joined = groups(view, self.bank)
            begin = (after.happened_at, after.id)
            rows = view.groups(self.bank, chosen, novelty, begin, limit + 1, joined.names())
            found = []
            for row in rows[:limit]:
                members = joined.of(row.signature)
                newest = view.newest_of(self.bank, chosen, members, row.last)
                if newest:
                    times = unstamp(row.first), unstamp(row.last)
                    found.append(Cause(newest, row.times, *times, row.worked, row.proposed))
        last = rows[limit - 1] if len(rows) > limit else None
        return Causes(tuple(found), Place(last.last, last.signature) if last else None)

    def of_signature(self, signature: str, limit: int) -> tuple[Case, ...]:
        """Give the newest cases of a signature and of those that people joined with it."""
        with self._store.reading() as view:
            members = groups(view, self.bank).of(signature)
            rows = view.of_signature(self.bank, members, limit)
            return tuple(assemble(view, row) for row in rows)

    def facets(self) -> list[Facet]:
        """Count the cases by status, service, environment and family together."""
        with self._store.reading() as view:
            return view.facets(self.bank)

    def novelties(self, chosen: Chosen) -> dict[str, int]:
        """Count the chosen cases by the novelty of their causes."""
        with self._store.reading() as view:
            found = view.novelties(self.bank, chosen, groups(view, self.bank).names())
        return {kind: found.get(kind, 0) for kind in NOVELTIES}

    def figures(self, since: datetime) -> Figures:
        """Measure what happened since a moment."""
        begin = stamp(since)
        with self._store.reading() as view:
            pairs = view.fixed(self.bank, begin, MEASURED)
            return Figures(
                tuple(view.days(self.bank, begin)),
                view.recurrence(self.bank, begin, groups(view, self.bank).names()),
                view.said(self.bank, begin),
                tuple(sorted(_hours(failed, fixed) for failed, fixed in pairs)),
            )


def _hours(failed: str, fixed: str) -> float:
    return (unstamp(fixed) - unstamp(failed)).total_seconds() / 3600
