"""Reads at once what the cases of one answer will be put together from.

Must not answer otherwise than the evidence that it reads from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from caselore.memory.ledger import Stored
from caselore.memory.ports import Evidence
from caselore.memory.rows import CaseRow, LinkRow


class Ahead:
    """The entries and links of some rows, read by one question instead of five for each row."""

    def __init__(self, known: Evidence, bank: str, rows: Iterable[CaseRow]) -> None:
        """Read what is said of and about these rows."""
        some = {row.id: row for row in rows}
        self._known = known
        self._ids = some.keys()
        self._names = {*some, *(row.deployment for row in some.values())} - {""}
        self._said: dict[str, list[Stored]] = defaultdict(list)
        asked = bank, sorted(some), sorted(self._names)
        said, self._links = known.told_of(*asked) if some else ([], [])
        for one in said:
            self._said[one.entry.subject].append(one)

    def bodies(self) -> dict[int, str]:
        """Give the payloads of what is said of the rows, by the numbers of their entries."""
        said = (one for some in self._said.values() for one in some)
        return {entry.seq: payload.body for entry, payload in said if payload is not None}

    def entries(self, bank: str, subject: str = "") -> Iterator[Stored]:
        """Give what was said of a record, in order."""
        if subject in self._ids:
            return iter(self._said[subject])
        return self._known.entries(bank, subject)

    def links_of(self, bank: str, subject: str) -> list[LinkRow]:
        """Give what a record names."""
        if subject in self._ids:
            return [link for link in self._links if link.subject == subject]
        return self._known.links_of(bank, subject)

    def links_to(self, bank: str, targets: Collection[str]) -> list[LinkRow]:
        """Give by what a record is named."""
        if self._names.issuperset(targets):
            return [link for name in targets for link in self._links if link.target == name]
        return self._known.links_to(bank, targets)

    def case(self, bank: str, id: str) -> CaseRow | None:
        """Give one case."""
        return self._known.case(bank, id)

    def named(self, bank: str, name: str) -> list[CaseRow]:
        """Give the cases that bear a name."""
        return self._known.named(bank, name)
