"""Answers what lists and figures are made of, from the named queries alone.

Must not judge or derive: rows in, rows out.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from caselore.memory.count_ports import Chosen, Facet, GroupRow, Names, Recurrence
from caselore.memory.rows import CaseRow
from caselore.memory.stores.asking import Asking


class SqlCounts(Asking):
    """Counts over many cases, in one query each."""

    def groups(
        self,
        bank: str,
        chosen: Chosen,
        novelty: str,
        after: tuple[str, str],
        limit: int,
        joined: Names,
    ) -> list[GroupRow]:
        before, name = after
        values = dict(chosen._asdict(), novelty=novelty, before=before, after=name, limit=limit)
        found = self._ask("groups", **values, bank=bank, joined=json.dumps(dict(joined)))
        return [GroupRow(*row) for row in found]

    def newest_of(
        self, bank: str, chosen: Chosen, signatures: Collection[str], last: str
    ) -> CaseRow | None:
        values = dict(chosen._asdict(), signatures=self._keys(signatures), last=last, bank=bank)
        row = next(iter(self._ask("newest_of", **values)), None)
        return CaseRow(*row) if row else None

    def of_signature(self, bank: str, signatures: Collection[str], limit: int) -> list[CaseRow]:
        keys = self._keys(signatures)
        found = self._ask("of_signature", bank=bank, signatures=keys, limit=limit)
        return [CaseRow(*row) for row in found]

    def facets(self, bank: str) -> list[Facet]:
        return [Facet(*row) for row in self._ask("facets", bank=bank)]

    def novelties(self, bank: str, chosen: Chosen, joined: Names) -> dict[str, int]:
        # the kept counts know neither of these two
        query = "novelties" if chosen.environment or chosen.family else "kept_novelties"
        values = dict(chosen._asdict(), bank=bank, joined=json.dumps(dict(joined)))
        return {kind: int(times) for kind, times in self._ask(query, **values)}

    def days(self, bank: str, since: str) -> list[tuple[str, int]]:
        return [(str(day), int(times)) for day, times in self._ask("days", bank=bank, since=since)]

    def recurrence(self, bank: str, since: str, joined: Names) -> Recurrence:
        names = json.dumps(dict(joined))
        (row,) = self._ask("recurrence", bank=bank, since=since, joined=names)
        return Recurrence(*row)

    def said(self, bank: str, since: str) -> dict[str, int]:
        return dict(self._ask("said", bank=bank, since=since))

    def fixed(self, bank: str, since: str, limit: int) -> list[tuple[str, str]]:
        found = self._ask("fixed", bank=bank, since=since, limit=limit)
        return [(str(failed), str(fixed)) for failed, fixed in found]
