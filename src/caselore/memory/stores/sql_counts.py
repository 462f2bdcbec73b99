"""Answers what lists and figures are made of, from the named queries alone.

Must not judge or derive: rows in, rows out.
"""

from __future__ import annotations

from caselore.memory.count_ports import Chosen, Facet, GroupRow, Recurrence
from caselore.memory.rows import CaseRow
from caselore.memory.stores.asking import Asking


class SqlCounts(Asking):
    """Counts over many cases, in one query each."""

    def groups(
        self, bank: str, chosen: Chosen, novelty: str, before: str, after: str, limit: int
    ) -> list[GroupRow]:
        values = dict(
            chosen._asdict(), novelty=novelty, before=before, after=after, limit=limit, bank=bank
        )
        return [GroupRow(*row) for row in self._ask("groups", **values)]

    def newest_of(self, bank: str, chosen: Chosen, signature: str, last: str) -> CaseRow | None:
        values = dict(chosen._asdict(), signature=signature, last=last, bank=bank)
        row = next(iter(self._ask("newest_of", **values)), None)
        return CaseRow(*row) if row else None

    def of_signature(self, bank: str, signature: str, limit: int) -> list[CaseRow]:
        found = self._ask("of_signature", bank=bank, signature=signature, limit=limit)
        return [CaseRow(*row) for row in found]

    def facets(self, bank: str) -> list[Facet]:
        return [Facet(*row) for row in self._ask("facets", bank=bank)]

    def days(self, bank: str, since: str) -> list[tuple[str, int]]:
        return [(str(day), int(times)) for day, times in self._ask("days", bank=bank, since=since)]

    def recurrence(self, bank: str, since: str) -> Recurrence:
        (row,) = self._ask("recurrence", bank=bank, since=since)
        return Recurrence(*row)

    def said(self, bank: str, since: str) -> dict[str, int]:
        return dict(self._ask("said", bank=bank, since=since))

    def fixed(self, bank: str, since: str, limit: int) -> list[tuple[str, str]]:
        found = self._ask("fixed", bank=bank, since=since, limit=limit)
        return [(str(failed), str(fixed)) for failed, fixed in found]
