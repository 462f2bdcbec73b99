"""Answers the store's reads and appends over one SQLite connection, from named queries alone.

Must not judge or derive: rows in, rows out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from caselore.memory.ledger import EMPTY, Entry, Head, Payload, Stored
from caselore.memory.ports import ANYWHERE, Alike, Narrow, Seen, Tally, Wanted
from caselore.memory.rows import (
    TABLES,
    CaseRow,
    Change,
    ErasedRow,
    Forget,
    GreenRow,
    HeldRow,
    LinkRow,
    Put,
    Row,
    TokenRow,
    table_of,
)
from caselore.memory.stores.named_sql import queries
from caselore.memory.stores.sqlite_file import expected_schema, schema

NEAR = {
    ("signature", "service"): "near_signature_service",
    ("signature",): "near_signature",
    ("unit",): "near_unit",
    ("family", "service"): "near_family_service",
}


class SqliteView:
    """Reads and appends inside the transaction that its store opened."""

    def __init__(self, link: sqlite3.Connection, removing: Callable[[], None]) -> None:
        """Work on an open connection; `removing` is called before content is removed."""
        self._link, self._removing = link, removing
        self._sql = queries("sqlite")

    def _ask(self, query: str, /, **values: Any) -> sqlite3.Cursor:
        return self._link.execute(self._sql[query], values)

    def head(self, bank: str) -> Head:
        row = self._ask("head", bank=bank).fetchone()
        return Head(*row) if row else EMPTY

    def banks(self) -> list[str]:
        return [bank for (bank,) in self._ask("banks")]

    def entries(self, bank: str, subject: str = "") -> Iterator[Stored]:
        name = "entries_of" if subject else "entries"
        yield from map(_stored, self._ask(name, bank=bank, subject=subject))

    def spoken(self, bank: str, after: int) -> Iterator[Stored]:
        yield from map(_stored, self._ask("spoken", bank=bank, after=after))

    def hash_at(self, bank: str, seq: int) -> str:
        row = self._ask("hash_at", bank=bank, seq=seq).fetchone()
        return str(row[0]) if row else ""

    def bodies(self, bank: str, seqs: Collection[int]) -> dict[int, str]:
        return dict(self._ask("bodies", bank=bank, seqs=json.dumps(list(seqs))))

    def subjects(self, bank: str, seqs: Collection[int]) -> dict[int, str]:
        return dict(self._ask("subjects", bank=bank, seqs=json.dumps(list(seqs))))

    def person_acted(self, bank: str) -> bool:
        return bool(self._ask("person_acted", bank=bank).fetchone()[0])

    def case(self, bank: str, id: str) -> CaseRow | None:
        row = self._ask("case", bank=bank, id=id).fetchone()
        return CaseRow(*row) if row else None

    def cases_of(self, bank: str, ids: Collection[str]) -> dict[str, CaseRow]:
        found = self._ask("cases_of", bank=bank, ids=json.dumps(list(ids)))
        return {row.id: row for row in map(CaseRow._make, found)}

    def known(self, bank: str, known_as: str) -> CaseRow | None:
        row = self._ask("known", bank=bank, known_as=known_as).fetchone()
        return CaseRow(*row) if row else None

    def named(self, bank: str, name: str) -> list[CaseRow]:
        found = self._ask("named", bank=bank, name=name, beyond=name + "\U0010ffff")
        return [CaseRow(*row) for row in found]

    def cases(self, bank: str, wanted: Wanted) -> Iterator[CaseRow]:
        for row in self._ask("cases", bank=bank, **wanted._asdict()):
            yield CaseRow(*row)

    def near(
        self, bank: str, alike: Alike, limit: int, until: str = "", narrow: Narrow = ANYWHERE
    ) -> list[CaseRow]:
        values = {name: value for name, value in alike._asdict().items() if value}
        statuses = values.pop("statuses")
        query = NEAR[tuple(values)]
        values.update(bank=bank, limit=limit, known=until)
        values.update({f"only_{name}": value for name, value in narrow._asdict().items()})
        return [
            CaseRow(*row)
            for status in statuses
            for row in self._ask(query, status=status, **values)
        ]

    def last_seq(self, bank: str, until: str) -> int:
        return int(self._ask("last_seq", bank=bank, until=until).fetchone()[0])

    def seen(self, bank: str, signature: str) -> Seen:
        return Seen(*self._ask("seen", bank=bank, signature=signature).fetchone())

    def services(self, bank: str, signature: str = "") -> int:
        name = "services_of" if signature else "services"
        values = {"signature": signature} if signature else {}
        return int(self._ask(name, bank=bank, **values).fetchone()[0])

    def tally(self, bank: str, signature: str) -> list[Tally]:
        return [Tally(*row) for row in self._ask("tally", bank=bank, signature=signature)]

    def links_of(self, bank: str, subject: str) -> list[LinkRow]:
        return [LinkRow(*row) for row in self._ask("links_of", bank=bank, subject=subject)]

    def links_to(self, bank: str, targets: Collection[str]) -> list[LinkRow]:
        return [
            LinkRow(*row)
            for target in targets
            for row in self._ask("links_to", bank=bank, target=target)
        ]

    def told_apart(self, bank: str, id: str, signature: str, last: int) -> set[str]:
        found = self._ask("told_apart", bank=bank, id=id, signature=signature, last=last)
        return {one for (one,) in found}

    def held(self, bank: str, subject: str = "") -> list[HeldRow]:
        name = "held_of" if subject else "held"
        return [HeldRow(*row) for row in self._ask(name, bank=bank, subject=subject)]

    def greens(self, bank: str, service: str, stage: str) -> list[GreenRow]:
        found = self._ask("greens", bank=bank, service=service, stage=stage)
        return [GreenRow(*row) for row in found]

    def tokens(self, bank: str) -> list[TokenRow]:
        return [TokenRow(*row) for row in self._ask("tokens", bank=bank)]

    def tombstone(self, bank: str, id_or_known_as: str) -> ErasedRow | None:
        row = self._ask("tombstone", bank=bank, name=id_or_known_as).fetchone()
        return ErasedRow(*row) if row else None

    def rows(self, table: str) -> Iterator[Row]:
        yield from map(TABLES[table]._make, self._ask(f"all_{table}"))

    def faults(self) -> Iterator[str]:
        """Say what the file itself has wrong: its pages, its tables, payloads of no entry."""
        for (words,) in self._link.execute("PRAGMA integrity_check(3)"):
            if words != "ok":
                yield f"the file: {words}"
        odd = schema(self._link) ^ expected_schema()
        for kind, name, _ in sorted(odd, key=repr):  # a changed byte can make a text a blob
            yield f"{kind} {name} is not as this version makes it"
        for bank, seq in self._ask("stray_payloads"):
            yield f"payload {seq} of bank {bank} belongs to no entry"

    def append(self, entry: Entry, payload: Payload, changes: Iterable[Change]) -> None:
        self._link.execute(self._sql["add_entry"], entry)
        self._link.execute(self._sql["add_payload"], (entry.bank, entry.seq, *payload))
        self.apply(entry, changes)

    def apply(self, entry: Entry, changes: Iterable[Change]) -> None:
        rows: dict[str, list[Row]] = {}
        for change in changes:
            if isinstance(change, Put):
                rows.setdefault(table_of(change.row), []).append(change.row)
            else:
                self._forget(entry, change)
        for table, some in rows.items():
            self._link.executemany(self._sql[f"put_{table}"], some)

    def clear(self, bank: str) -> None:
        for table in TABLES:
            self._ask(f"clear_{table}", bank=bank)

    def _forget(self, entry: Entry, change: Forget) -> None:
        if change.what == "held":
            self._ask("forget_held", bank=entry.bank, subject=change.subject)
        elif change.what == "payloads":
            for seq in change.seqs:
                self._ask("forget_payload", bank=entry.bank, seq=seq)
                self._ask("forget_green", bank=entry.bank, seq=seq)
        else:
            self._forget_subject(entry, change.subject)

    def _forget_subject(self, entry: Entry, subject: str) -> None:
        self._removing()
        self._ask("forget_payloads", bank=entry.bank, subject=subject, seq=entry.seq)
        for table in ("held", "links", "cases"):
            self._ask(f"forget_{table}", bank=entry.bank, subject=subject)


def _stored(row: tuple[Any, ...]) -> Stored:
    salt, body = row[10:]
    return Stored(Entry(*row[:10]), None if body is None else Payload(salt, body))
