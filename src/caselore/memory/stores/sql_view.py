"""Answers the reads and appends of any SQL store from its named queries alone.

Must not judge or derive: rows in, rows out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from caselore.memory.exhibit_ports import Counted, Sought
from caselore.memory.ledger import Entry, Stored
from caselore.memory.ports import ANYWHERE, Alike, Fixed, Narrow, Seen, Tally, Wanted
from caselore.memory.rows import (
    TABLES,
    CaseRow,
    ExhibitRow,
    Fixing,
    Forget,
    GreenRow,
    HeldRow,
    LinkRow,
    Row,
    TokenRow,
)
from caselore.memory.stores.gathering import Gathering, stored
from caselore.memory.stores.later_queries import LaterQueries
from caselore.memory.stores.loop_queries import LoopQueries
from caselore.memory.stores.near_queries import asking
from caselore.memory.stores.sql_counts import SqlCounts

# answers that are read piece by piece; all others are short, and read at once
LONG = frozenset(
    {"entries", "spoken", "cases", "exhibits_all", *(f"all_{table}" for table in TABLES)}
)
OF_A_CHANGE = ("changes", "attempts", "outbox", "looks")


class SqlView(Gathering, LoopQueries, LaterQueries, SqlCounts):
    """Reads and appends inside the transaction that its store opened."""

    dialect: str

    @abstractmethod
    def _odd(self) -> Iterator[str]:
        """Say what is wrong beneath the tables."""

    def _one(self, query: str, /, **values: Any) -> tuple[Any, ...] | None:
        return next(iter(self._ask(query, **values)), None)

    def _sum(self, query: str, /, **values: Any) -> tuple[Any, ...]:
        """Give the one row of a query that always has one."""
        (row,) = self._ask(query, **values)
        return row

    def banks(self) -> list[str]:
        return [bank for (bank,) in self._ask("banks")]

    def entries(self, bank: str, subject: str = "") -> Iterator[Stored]:
        name = "entries_of" if subject else "entries"
        yield from map(stored, self._ask(name, bank=bank, subject=subject))

    def spoken(self, bank: str, after: int) -> Iterator[Stored]:
        yield from map(stored, self._ask("spoken", bank=bank, after=after))

    def asked(self, bank: str, since: str) -> Iterator[Stored]:
        yield from map(stored, self._ask("asked", bank=bank, since=since))

    def hash_at(self, bank: str, seq: int) -> str:
        row = self._one("hash_at", bank=bank, seq=seq)
        return str(row[0]) if row else ""

    def bodies(self, bank: str, seqs: Collection[int]) -> dict[int, str]:
        return dict(self._ask("bodies", bank=bank, seqs=self._keys(seqs)))

    def subjects(self, bank: str, seqs: Collection[int]) -> dict[int, str]:
        return dict(self._ask("subjects", bank=bank, seqs=self._keys(seqs)))

    def person_acted(self, bank: str) -> bool:
        return bool(self._sum("person_acted", bank=bank)[0])

    def cases_of(self, bank: str, ids: Collection[str]) -> dict[str, CaseRow]:
        found = self._ask("cases_of", bank=bank, ids=self._keys(ids))
        return {row.id: row for row in map(CaseRow._make, found)}

    def opened(self, bank: str, id: str) -> tuple[CaseRow, str] | None:
        row = self._one("opened", bank=bank, id=id)
        if row is None:
            return None
        *case, body, merged, unlike = row
        there = {"merged": merged, "unlike": unlike}
        self._unrelated |= {(bank, relation) for relation, one in there.items() if not one}
        return CaseRow._make(case), body

    def named(self, bank: str, name: str) -> list[CaseRow]:
        found = self._ask("named", bank=bank, name=name, beyond=name + "\U0010ffff")
        return [CaseRow(*row) for row in found]

    def cases(self, bank: str, wanted: Wanted) -> Iterator[CaseRow]:
        for row in self._ask("cases", bank=bank, **wanted._asdict()):
            yield CaseRow(*row)

    def page(
        self, bank: str, wanted: Wanted, before: str, after: str, limit: int
    ) -> list[CaseRow]:
        values = dict(wanted._asdict(), before=before, after=after, limit=limit)
        return [CaseRow(*row) for row in self._ask("page", bank=bank, **values)]

    def entries_after(self, bank: str, seq: int, limit: int, subject: str = "") -> list[Stored]:
        found = self._ask("entries_after", bank=bank, seq=seq, limit=limit, subject=subject)
        return [stored(row) for row in found]

    def entries_before(self, bank: str, seq: int, limit: int, subject: str = "") -> list[Stored]:
        found = self._ask("entries_before", bank=bank, seq=seq, limit=limit, subject=subject)
        return [stored(row) for row in found]

    def near(
        self, bank: str, asked: Sequence[tuple[Alike, int]], narrow: Narrow = ANYWHERE
    ) -> list[CaseRow]:
        if not asked:
            return []
        query, given = asking(self.dialect, asked, narrow != ANYWHERE)
        lists = {name: self._keys(one) for name, one in given.items() if isinstance(one, tuple)}
        values = {**given, **lists, "bank": bank}
        if narrow != ANYWHERE:
            values |= {f"only_{name}": value for name, value in narrow._asdict().items()}
        return list(map(CaseRow._make, self._ask(query, **values)))

    def told_of(
        self, bank: str, subjects: Collection[str], names: Collection[str]
    ) -> tuple[list[Stored], list[LinkRow]]:
        keys = {"subjects": self._keys(subjects), "names": self._keys(names)}
        said, links = list[Stored](), list[LinkRow]()
        for row in self._ask("told_of", bank=bank, **keys):
            if row[0]:
                links.append(LinkRow(row[1], row[2], int(row[3]), *row[4:7]))
            else:
                said.append(stored(row[1:]))
        said.sort(key=lambda one: one.entry.seq)
        links.sort(key=lambda link: (link.seq, link.place))
        return said, links

    def last_seq(self, bank: str, until: str) -> int:
        """Give the entry with which a time ended; where a clock was wrong, as most entries say."""
        last = int(self._sum("last_seq", bank=bank, until=until)[0])
        first = int(self._sum("first_later", bank=bank, until=until)[0]) if until else 0
        if not 0 < first < last:
            return last
        seq, agree = self._sum("cut", bank=bank, until=until, first=first, last=last)
        return int(seq) if agree >= 0 else first - 1

    def seen(self, bank: str, signature: str) -> Seen:
        return Seen(*self._sum("seen", bank=bank, signature=signature))

    def services(self, bank: str, signatures: Collection[str] = ()) -> int:
        keys = self._keys(signatures or ("",))
        return int(self._sum("services", bank=bank, signatures=keys)[0])

    def tallies(self, bank: str, signatures: Collection[str]) -> dict[str, list[Tally]]:
        found: dict[str, list[Tally]] = {}
        for signature, *row in self._ask("tallies", bank=bank, signatures=self._keys(signatures)):
            found.setdefault(signature, []).append(Tally(*row))
        return found

    def newest_fixes(self, bank: str, signatures: Collection[str]) -> list[Fixed]:
        found = self._ask("newest_fixes", bank=bank, signatures=self._keys(signatures))
        return list(map(Fixed._make, found))

    def links_of(self, bank: str, subject: str) -> list[LinkRow]:
        return [LinkRow(*row) for row in self._ask("links_of", bank=bank, subject=subject)]

    def links_to(self, bank: str, targets: Collection[str]) -> list[LinkRow]:
        return [
            LinkRow(*row)
            for target in targets
            for row in self._ask("links_to", bank=bank, target=target)
        ]

    def related(self, bank: str, relation: str) -> list[LinkRow]:
        if (bank, relation) in self._unrelated:
            return []
        return [LinkRow(*row) for row in self._ask("related", bank=bank, relation=relation)]

    def told_apart(self, bank: str, id: str, signature: str) -> set[str]:
        if (bank, "unlike") in self._unrelated:
            return set()
        return {one for (one,) in self._ask("told_apart", bank=bank, id=id, signature=signature)}

    def fared(
        self, bank: str, signatures: Collection[str], fixed: Sequence[Fixing], sought: str
    ) -> tuple[dict[str, list[Tally]], list[int]]:
        columns = zip(*fixed, strict=True) if fixed else ((), (), ())
        lists = dict(zip(("fixed", "services", "times"), map(self._keys, columns), strict=True))
        lists["signatures"] = self._keys(signatures)
        tallies, returns = dict[str, list[Tally]](), [0] * len(fixed)
        for place, signature, *row in self._ask("fared", bank=bank, sought=sought, **lists):
            if place < 0:
                tallies.setdefault(signature, []).append(Tally(*row))
            else:
                returns[place] = row[-1]
        return {name: sorted(some) for name, some in tallies.items()}, returns

    def touched(self, bank: str, ids: Collection[str], after: int) -> set[str]:
        found = self._ask("touched", bank=bank, ids=self._keys(ids), after=after)
        return {one for (one,) in found}

    def signed_anew(self, bank: str, after: int) -> list[str]:
        return [one for (one,) in self._ask("signed_anew", bank=bank, after=after)]

    def held(self, bank: str, subject: str = "") -> list[HeldRow]:
        name = "held_of" if subject else "held"
        return [HeldRow(*row) for row in self._ask(name, bank=bank, subject=subject)]

    def greens(self, bank: str, service: str, stage: str) -> list[GreenRow]:
        found = self._ask("greens", bank=bank, service=service, stage=stage)
        return [GreenRow(*row) for row in found]

    def tokens(self, bank: str) -> list[TokenRow]:
        return [TokenRow(*row) for row in self._ask("tokens", bank=bank)]

    def exhibit(self, bank: str, id: str) -> ExhibitRow | None:
        row = self._one("exhibit", bank=bank, id=id)
        return ExhibitRow(*row) if row else None

    def exhibit_known(self, bank: str, known_as: str) -> ExhibitRow | None:
        row = self._one("exhibit_known", bank=bank, known_as=known_as)
        return ExhibitRow(*row) if row else None

    def exhibits_named(self, bank: str, name: str) -> list[ExhibitRow]:
        found = self._ask("exhibits_named", bank=bank, name=name, beyond=name + "\U0010ffff")
        return [ExhibitRow(*row) for row in found]

    def exhibits_at(self, bank: str, seqs: Collection[int]) -> list[ExhibitRow]:
        found = self._ask("exhibits_at", bank=bank, seqs=self._keys(seqs))
        return [ExhibitRow(*row) for row in found]

    def entries_of_some(self, bank: str, subjects: Collection[str]) -> Iterator[Stored]:
        found = self._ask("entries_of_some", bank=bank, subjects=self._keys(subjects))
        yield from map(stored, found)

    def exhibits(self, bank: str, sought: Sought) -> Iterator[ExhibitRow]:
        query = "exhibits_any"
        if sought.subject or sought.label:
            query = "exhibits_of" if sought.subject else "exhibits_labelled"
        for row in self._ask(query, bank=bank, **sought._asdict()):
            yield ExhibitRow(*row)

    def all_exhibits(self, bank: str) -> Iterator[ExhibitRow]:
        for row in self._ask("exhibits_all", bank=bank):
            yield ExhibitRow(*row)

    def exhibit_subjects(self, bank: str, kind: str) -> dict[str, int]:
        return dict(self._ask("exhibit_subjects", bank=bank, kind=kind))

    def exhibits_filed_last(self, bank: str, kind: str) -> str:
        return str(self._sum("exhibits_filed_last", bank=bank, kind=kind)[0])

    def exhibit_counts(
        self, bank: str, sought: Sought, recent: str = "", grave: int = 0
    ) -> list[Counted]:
        values = sought._asdict() | {"recent": recent, "grave": grave}
        return [Counted(*row) for row in self._ask("exhibit_counts", bank=bank, **values)]

    def words_seqs(self, bank: str, word: str, limit: int) -> list[int]:
        return [seq for (seq,) in self._ask("words_seqs", bank=bank, word=word, limit=limit)]

    def rows(self, table: str) -> Iterator[Row]:
        yield from map(TABLES[table]._make, self._ask(f"all_{table}"))

    def faults(self) -> Iterator[str]:
        """Say what the store itself has wrong: its files, its tables, payloads of no entry."""
        yield from self._odd()
        for bank, seq in self._ask("stray_payloads"):
            yield f"payload {seq} of bank {bank} belongs to no entry"

    def clear(self, bank: str) -> None:
        for table in TABLES:
            self._ask(f"clear_{table}", bank=bank)
        self._before.clear()

    def _forget(self, entry: Entry, change: Forget) -> None:
        if change.what == "held":
            self._ask("forget_held", bank=entry.bank, subject=change.subject)
        elif change.what in {"payloads", "expired"}:
            if change.what == "expired":
                self._removing()
            for seq in change.seqs:
                self._ask("forget_payload", bank=entry.bank, seq=seq)
                self._ask("forget_green", bank=entry.bank, seq=seq)
        else:
            self._forget_subject(entry, change.subject)

    def _forget_subject(self, entry: Entry, subject: str) -> None:
        self._removing()
        self._tally(self._stored(entry.bank, subject), -1)
        self._flush_counts()
        self._ask("forget_payloads", bank=entry.bank, subject=subject, seq=entry.seq)
        for table in (*("held", "links", "cases", "words", "exhibits"), *OF_A_CHANGE):
            self._ask(f"forget_{table}", bank=entry.bank, subject=subject)
        self._before.clear()
