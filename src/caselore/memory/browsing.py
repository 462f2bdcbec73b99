"""Gives the cases and the account page by page, each page from where the last one ended.

Must not read more than one page, however large the bank is.
"""

from __future__ import annotations

from typing import NamedTuple

from caselore.memory import naming
from caselore.memory.bank import Bank
from caselore.memory.cases import assemble
from caselore.memory.ledger import Stored
from caselore.memory.ports import Wanted
from caselore.memory.records import Case

NOW = "9999"  # later than any stamp
END = 2**62


class Place(NamedTuple):
    """Where a page of cases ended; the next one begins after it."""

    happened_at: str
    id: str


BEGIN = Place(NOW, "")


class Page(NamedTuple):
    """One page of cases, newest first, and where the next begins; None at the end."""

    cases: tuple[Case, ...]
    next: Place | None


class Browsing(Bank):
    """The verbs that leaf through a bank."""

    def page(self, wanted: Wanted, limit: int, after: Place = BEGIN) -> Page:
        """Give at most `limit` cases, the newest first, from after a place."""
        with self._store.reading() as view:
            rows = view.page(self.bank, wanted, after.happened_at, after.id, limit + 1)
            cases = tuple(assemble(view, row) for row in rows[:limit])
        last = rows[limit - 1] if len(rows) > limit else None
        return Page(cases, Place(last.happened_at, last.id) if last else None)

    def ledger_before(
        self, seq: int = END, limit: int = 50, subject: str | None = None
    ) -> list[Stored]:
        """Give at most `limit` entries below a number, the newest first."""
        with self._store.reading() as view:
            id = naming.reference(view, self.bank, subject) if subject else ""
            return view.entries_before(self.bank, seq, limit, id)

    def ledger_after(self, seq: int, limit: int = 50, subject: str | None = None) -> list[Stored]:
        """Give at most `limit` entries above a number, the oldest first."""
        with self._store.reading() as view:
            id = naming.reference(view, self.bank, subject) if subject else ""
            return view.entries_after(self.bank, seq, limit, id)

    def ledger_head(self) -> int:
        """Give the number of the last entry; 0 in an empty bank."""
        with self._store.reading() as view:
            return view.head(self.bank).seq
