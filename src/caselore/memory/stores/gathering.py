"""Holds what a transaction writes until it is read or kept, so that many rows are written at once.

Must not answer a question otherwise than the tables would: what cannot be told from here is asked
after all that is held was written.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from caselore.memory.ledger import EMPTY, Entry, Head, Payload, Stored
from caselore.memory.rows import (
    CaseRow,
    Change,
    ErasedRow,
    Forget,
    LinkRow,
    Put,
    Row,
    key_of,
    table_of,
)
from caselore.memory.stores.asking import Asking
from caselore.memory.tallies import none_kept

MOST = 10_000  # rows that are held

Name = tuple[str, str]
"""A bank, and what something is called in it."""


class Gathering(Asking):
    """The writing half of a view."""

    def __init__(self, removing: Any) -> None:
        """Call `removing` before content is removed."""
        self._removing = removing
        self._entries: list[Entry] = []
        self._payloads: list[tuple[Any, ...]] = []
        self._rows: dict[str, dict[tuple[str | int, ...], Row]] = {}
        self._held = 0
        self._heads: dict[str, Head] = {}
        self._named: dict[Name, CaseRow] = {}
        self._foreseen: dict[Name, CaseRow | None] = {}
        self._stones: dict[Name, ErasedRow | None] = {}
        self._there: dict[Name, CaseRow | None] = {}
        self._before: dict[Name, CaseRow | None] = {}
        self._counts = none_kept()
        self._unrelated: set[tuple[str, str]] = set()
        """Banks, and the relations that no link of theirs has, as far as that was read."""

    @abstractmethod
    def _run(self, query: str, /, **values: Any) -> Iterator[tuple[Any, ...]]:
        """Run a named query and give its rows; one that has none is run at once."""

    def _ask(self, query: str, /, **values: Any) -> Iterator[tuple[Any, ...]]:
        """Run a named query over all that was written before."""
        self.flush()
        return self._run(query, **values)

    def flush(self) -> None:
        """Write what is held; called before the transaction is kept."""
        if not self._held:
            return
        self._put("add_entry", self._entries)
        self._put("add_payload", self._payloads)
        for table, rows in self._rows.items():
            if table == "cases":
                self._recount(rows)
            self._put(f"put_{table}", rows.values())
        self._entries, self._payloads, self._rows, self._named = [], [], {}, {}
        self._held = 0
        self._foreseen.clear()  # they say what the tables held before
        self._stones.clear()
        self._there.clear()
        self._before.clear()
        self._flush_counts()

    def _recount(self, rows: dict[tuple[str | int, ...], Row]) -> None:
        """Take what is replaced out of the kept counts, and what replaces it into them."""
        for row in rows.values():
            if isinstance(row, CaseRow):
                name = row.bank, row.id
                old = self._before[name] if name in self._before else self._stored(*name)
                self._tally(old, -1)
                self._tally(row, +1)

    def _tally(self, row: CaseRow | None, times: int) -> None:
        if row:
            self._counts.add(row, times)

    def _flush_counts(self) -> None:
        """Write how the kept counts changed; a count of nothing is no row."""
        for table, counts in self._counts._asdict().items():
            changed = [(*key, times) for key, times in counts.items() if times]
            counts.clear()
            self._put(f"put_{table}", changed)
            self._put(f"forget_{table}", [row[:-1] for row in changed if row[-1] < 0])

    def recognised(self, bank: str, names: Collection[str]) -> set[str]:
        found = self._ask("recognised", bank=bank, names=self._keys(names)) if names else ()
        return {name for (name,) in found}

    def foresee(self, bank: str, names: Collection[str], ids: Collection[str]) -> None:
        """Read at once what `known`, `tombstone` and `case` will be asked."""
        self.flush()
        keys = self._keys(names)
        cases = {row.known_as: row for row in self._cases("known_among", bank, names=keys)}
        there = [*cases.values(), *self._cases("cases_of", bank, ids=self._keys(ids))]
        self._there = {(bank, id): None for id in ids} | {(bank, row.id): row for row in there}
        stones = [ErasedRow(*row) for row in self._run("erased_among", bank=bank, names=keys)]
        buried = {name: stone for stone in stones for name in (stone.id, stone.known_as)}
        for name in names:
            self._foreseen[bank, name] = cases.get(name)
            self._stones[bank, name] = buried.get(name)

    def _cases(self, query: str, bank: str, **keys: Any) -> Iterator[CaseRow]:
        return map(CaseRow._make, self._run(query, bank=bank, **keys))

    def judged(self, bank: str, subjects: Collection[str]) -> list[Stored]:
        found = self._run("judged", bank=bank, subjects=self._keys(subjects))
        return sorted(map(stored, found), key=lambda one: one.entry.seq)

    def head(self, bank: str) -> Head:
        if bank not in self._heads:
            row = next(iter(self._run("head", bank=bank)), None)
            self._heads[bank] = Head(*row) if row else EMPTY
        return self._heads[bank]

    def case(self, bank: str, id: str) -> CaseRow | None:
        held = self._rows.get("cases", {}).get((bank, id))
        if isinstance(held, CaseRow):
            return held
        name = bank, id
        found = self._there[name] if name in self._there else self._stored(bank, id)
        self._before[name] = found
        return found

    def _stored(self, bank: str, id: str) -> CaseRow | None:
        row = next(iter(self._run("case", bank=bank, id=id)), None)
        return CaseRow(*row) if row else None

    def known(self, bank: str, known_as: str) -> CaseRow | None:
        name = bank, known_as
        if name in self._foreseen:
            old = self._foreseen[name]
        else:
            row = next(iter(self._run("known", bank=bank, known_as=known_as)), None)
            old = CaseRow(*row) if row else None
        found = old or self._named.get(name)
        return self.case(bank, found.id) if found and self._held else found

    def tombstone(self, bank: str, id_or_known_as: str) -> ErasedRow | None:
        name = bank, id_or_known_as
        if name in self._stones:
            return self._stones[name]
        row = next(iter(self._ask("tombstone", bank=bank, name=id_or_known_as)), None)
        return ErasedRow(*row) if row else None

    def append(self, entry: Entry, payload: Payload | None, changes: Iterable[Change]) -> None:
        self._entries.append(entry)
        if payload is not None:
            self._payloads.append((entry.bank, entry.seq, *payload))
        self._heads[entry.bank] = Head(entry.seq, entry.hash)
        self._held += 1
        self.apply(entry, changes)

    def apply(self, entry: Entry, changes: Iterable[Change]) -> None:
        puts = []
        for change in changes:
            if isinstance(change, Put):
                puts.append(change.row)
            else:
                self.flush()
                self._forget(entry, change)
        for row in puts:
            self._hold(row)
        if self._held > MOST:
            self.flush()

    def _hold(self, row: Row) -> None:
        """Keep a row for later; of one that is written several times only the last is."""
        self._rows.setdefault(table_of(row), {})[key_of(row)] = row
        self._held += 1
        if isinstance(row, CaseRow) and row.known_as:
            self._named.setdefault((row.bank, row.known_as), row)
        elif isinstance(row, ErasedRow):
            self._stones.clear()
        elif isinstance(row, LinkRow):
            self._unrelated.clear()

    @abstractmethod
    def _forget(self, entry: Entry, change: Forget) -> None:
        """Remove what an entry takes back."""


def stored(row: tuple[Any, ...]) -> Stored:
    """Read an entry's row, its payload's two columns at the end."""
    salt, body = row[10:]
    return Stored(Entry(*row[:10]), None if body is None else Payload(salt, body))
