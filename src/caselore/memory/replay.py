"""Replays the ledger and compares what follows from it with every row, or derives the rows again.

Must not trust any table but the ledger, nor write anything that does not follow from it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from caselore.errors import StoreDamaged
from caselore.memory import filing
from caselore.memory.cases import VERDICTS
from caselore.memory.encoding import Body
from caselore.memory.ledger import EMPTY, Broken, Entry, Head, Stored, Verification, fault, walk
from caselore.memory.ports import Reads, Writes
from caselore.memory.projection import project
from caselore.memory.rows import (
    DERIVED,
    TABLES,
    CaseRow,
    ExhibitRow,
    Forget,
    HeldRow,
    Row,
    WordRow,
    key_of,
    table_of,
)
from caselore.memory.tallies import kept_rows

_SIGNED = ("signature", "family", "tool", "unit", "generic")
_LATER = CaseRow._fields[CaseRow._fields.index("status") :]
STATE = tuple(CaseRow._fields.index(name) for name in (*_SIGNED, *_LATER))
FACTS = tuple(place for place in range(len(CaseRow._fields)) if place not in STATE)  # stay
ABOUT_A_CASE = VERDICTS | filing.FOLLOWING | {"erase"}
STONES = frozenset({"erase", "bury"})
REMOVING = frozenset({"erase", "expire"})  # after these old pages hold what is gone
EXPIRABLE = frozenset({"ask", "asking", "green", "propose"})  # whose content may go by itself
Key = tuple[str | int, ...]


def verify(view: Reads, bank: str, expected_head: str | None = None) -> Verification:
    """Check everything; `expected_head` is a hash that the bank's chain must contain."""
    replays = {name: _Replay(name) for name in view.banks()}
    broken = _first_fault(view, replays)
    own = replays.get(bank) or _Replay(bank)
    if broken is None and expected_head and expected_head not in own.sought(view, expected_head):
        broken = Broken("the chain's end", f"no entry has the expected hash {expected_head[:16]}…")
    return Verification(broken is None, own.head.seq, own.head.hash, broken)


def _first_fault(view: Reads, replays: dict[str, _Replay]) -> Broken | None:
    """Give the first thing that is off; a value of another type than was written is such a thing.

    A changed byte in a file can turn a text into bytes, a number or nothing.
    """
    try:
        return next(_faults(view, replays), None)
    except (TypeError, ValueError, AttributeError, KeyError, OverflowError) as error:
        return Broken("the store", f"a stored value is not of its kind: {type(error).__name__}")


def derive(view: Writes, bank: str) -> int:
    """Derive a bank's projections from its ledger again, and give the number of entries.

    Raises StoreDamaged where the ledger itself does not hold: then nothing is derived from it.
    """
    head, broken = walk(view.entries(bank))
    if broken:
        raise StoreDamaged(f"{broken.place}: {broken.reason}")
    view.clear(bank)
    for entry, payload in view.entries(bank):
        if payload is not None:
            body = json.loads(payload.body)
            row = view.case(bank, entry.subject) or view.exhibit(bank, entry.subject)
            view.apply(entry, project(entry, body, row))
    return head.seq


def gaps(view: Reads, bank: str) -> list[Entry]:
    """Give the entries of a bank whose payload is gone though no entry erased it.

    Raises StoreDamaged where the chain itself does not hold.
    """
    replay = _Replay(bank)
    for stored in view.entries(bank):
        reason = replay.take(stored)
        if reason:
            raise StoreDamaged(f"ledger entry {stored.entry.seq}: {reason}")
    return replay.missing()


def _faults(view: Reads, replays: dict[str, _Replay]) -> Iterator[Broken]:
    for words in view.faults():
        yield Broken("the store", words)
    for bank, replay in replays.items():
        for stored in view.entries(bank):
            reason = replay.take(stored)
            if reason:
                yield Broken(f"ledger entry {stored.entry.seq} of bank {bank}", reason)
                return
        yield from replay.gaps()
    for table in TABLES:
        if table not in DERIVED:
            yield from _odd_rows(table, view, replays)
    yield from _odd_words(view, replays)
    yield from _odd_counts(view)


def _odd_rows(table: str, view: Reads, replays: dict[str, _Replay]) -> Iterator[Broken]:
    expected = {
        key: digest for replay in replays.values() for key, digest in replay.expected(table)
    }
    for row in view.rows(table):
        key = key_of(row)
        if expected.pop(key, None) != _digest(row):
            yield Broken(f"table {table}, row {key}", "it is not what the ledger gives")
    for key in expected:
        yield Broken(f"table {table}, row {key}", "it is missing")


def _odd_words(view: Reads, replays: dict[str, _Replay]) -> Iterator[Broken]:
    """Compare the sum over all words: millions of rows are too many to keep one by one."""
    found = sum(_number(row) for row in view.rows("words"))
    if found != sum(replay.words for replay in replays.values()):
        yield Broken("table words", "its rows are not what the ledger gives")


def _odd_counts(view: Reads) -> Iterator[Broken]:
    """Compare the kept counts with the cases, which were compared with the ledger before."""
    cases = (row for row in view.rows("cases") if isinstance(row, CaseRow))
    for table, rows in kept_rows(cases).items():
        expected = set(rows)
        for row in view.rows(table):
            if row not in expected:
                yield Broken(f"table {table}, row {key_of(row)}", "it is not what the cases give")
            expected.discard(row)
        for row in expected:
            yield Broken(f"table {table}, row {key_of(row)}", "it is missing")


def _number(row: Row) -> int:
    return int.from_bytes(sealed(row))


def _digest(row: Row) -> bytes:
    if isinstance(row, CaseRow):
        return sealed((sealed(_columns(row, FACTS)), _columns(row, STATE)))
    return sealed(row)


def _columns(row: CaseRow, places: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(row[place] for place in places)


class _Replay:
    """One bank's chain, followed from its beginning; keeps a digest a row, not the rows."""

    def __init__(self, bank: str) -> None:
        self.bank = bank
        self.head: Head = EMPTY
        self.rows: dict[str, dict[Key, bytes]] = defaultdict(dict)
        self.cases: dict[str, tuple[bytes, tuple[Any, ...]]] = {}
        self.exhibits: dict[str, ExhibitRow] = {}
        self.words = 0
        self._missing: dict[int, Entry] = {}
        self._gone: dict[str, list[int]] = defaultdict(list)
        self._held: dict[str, list[Key]] = defaultdict(list)

    def sought(self, view: Reads, hash: str) -> set[str]:
        """Give the expected hash back where the chain holds it."""
        return {one.entry.hash for one in view.entries(self.bank) if one.entry.hash == hash}

    def take(self, stored: Stored) -> str:
        """Follow one entry; say what is wrong with it."""
        entry, payload = stored
        reason = fault(self.head, stored)
        if reason:
            return reason
        self.head = Head(entry.seq, entry.hash)
        if payload is None:
            self._missing[entry.seq] = entry
            self._gone[entry.subject].append(entry.seq)
            return ""
        try:
            return self._apply(entry, json.loads(payload.body))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            return f"its payload cannot be read: {type(error).__name__} {error}"

    def _apply(self, entry: Entry, body: Body) -> str:
        case = self._case(entry)
        if entry.action in STONES:
            if case is not None:
                return "the content of the record that it erases is still stored"
            for seq in self._gone.pop(entry.subject, ()):
                self._missing.pop(seq, None)
        elif entry.action == "expire" and (kept := self._not_for_rules(body["forgets"])):
            return f"it lets go of entry {kept.seq} ({kept.action}), which no rule may"
        elif case is None and entry.action in ABOUT_A_CASE:
            return "it speaks of a record that no entry brought"
        for change in project(entry, body, case):
            if isinstance(change, Forget):
                self._forget(change)
            else:
                self._put(entry, change.row)
        return ""

    def _case(self, entry: Entry) -> CaseRow | ExhibitRow | None:
        kept = self.cases.get(entry.subject)
        if kept is None:
            return self.exhibits.get(entry.subject)
        columns: list[Any] = [""] * len(CaseRow._fields)
        for place, value in zip(STATE, kept[1], strict=True):
            columns[place] = value
        return CaseRow(*columns)._replace(bank=entry.bank, id=entry.subject)

    def _put(self, entry: Entry, row: Row) -> None:
        if isinstance(row, CaseRow):
            first = entry.action == "observe"
            facts = sealed(_columns(row, FACTS)) if first else self.cases[row.id][0]
            self.cases[row.id] = (facts, _columns(row, STATE))
        elif isinstance(row, ExhibitRow):
            self.exhibits[row.id] = row
        elif isinstance(row, WordRow):
            self.words += _number(row)
        else:
            self.rows[table_of(row)][key_of(row)] = sealed(row)
            if isinstance(row, HeldRow):
                self._held[row.subject].append(key_of(row))

    def _forget(self, change: Forget) -> None:
        if change.what in {"payloads", "expired"}:
            for seq in change.seqs:
                self._missing.pop(seq, None)
                self.rows["greens"].pop((self.bank, seq), None)
        elif change.what == "held":
            for key in self._held.pop(change.subject, []):
                del self.rows["held"][key]

    def expected(self, table: str) -> Iterator[tuple[Key, bytes]]:
        """Give the digest of each row that must be in a table."""
        if table == "cases":
            return (((self.bank, id), sealed(kept)) for id, kept in self.cases.items())
        if table == "exhibits":
            return (((self.bank, id), sealed(row)) for id, row in self.exhibits.items())
        return iter(self.rows[table].items())

    def gaps(self) -> Iterator[Broken]:
        """Name payloads that are gone though no entry erased them."""
        for seq in self._missing:
            yield Broken(f"ledger entry {seq} of bank {self.bank}", "its payload is missing")

    def missing(self) -> list[Entry]:
        """Give the entries whose payload is gone though no entry erased it."""
        return list(self._missing.values())

    def _not_for_rules(self, seqs: list[int]) -> Entry | None:
        gone = (self._missing[seq] for seq in seqs if seq in self._missing)
        return next((one for one in gone if one.action not in EXPIRABLE), None)


def sealed(row: tuple[Any, ...]) -> bytes:
    """Give a short digest of a row, its values' types included."""
    return blake2b(repr(tuple(row)).encode(), digest_size=16).digest()
