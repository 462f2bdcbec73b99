"""Copies banks from one store to another, entry by entry, and compares every record after.

Must not change a word or an order, and must not write to the store that it copies from.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import NamedTuple

from caselore.errors import StoreDamaged, WrongUse
from caselore.memory import gate
from caselore.memory.ports import Reads, Store
from caselore.memory.replay import REMOVING, verify
from caselore.memory.rows import TABLES


class MovedBank(NamedTuple):
    """One bank as it now stands in both stores."""

    bank: str
    entries: int
    new: int
    """How many of them this run brought."""
    head: str


def move(
    source: Store, target: Store, progress: Callable[[int], None] | None = None
) -> tuple[MovedBank, ...]:
    """Copy every bank; one that was copied before is continued where it ended.

    Raises: WrongUse where the target holds another history; StoreDamaged where a store is.
    """
    with source.reading() as old:
        moved = tuple(_move_bank(old, target, bank, progress) for bank in old.banks())
        with target.reading() as new:
            for one in moved:
                _compare(old, new, one.bank)
    return moved


def _move_bank(
    old: Reads, target: Store, bank: str, progress: Callable[[int], None] | None
) -> MovedBank:
    _must_be_sound(old, bank)
    with target.writing(bank) as new:
        begin, end = new.head(bank), old.head(bank)
        if begin.seq and old.hash_at(bank, begin.seq) != begin.hash:
            raise WrongUse(
                f"The target's bank {bank!r} has another history; nothing was copied of it.",
                hint="Give an empty database, or the one that this was copied to before.",
            )
        erased = False
        for stored in old.entries(bank):
            if stored.entry.seq > begin.seq:
                gate.carry(new, stored)
                erased = erased or stored.entry.action in REMOVING
                if progress:
                    progress(stored.entry.seq)
    if begin.seq and erased:
        target.scrub()
    return MovedBank(bank, end.seq, end.seq - begin.seq, end.hash)


def _must_be_sound(view: Reads, bank: str) -> None:
    found = verify(view, bank)
    if found.broken:
        raise StoreDamaged(f"{found.broken.place}: {found.broken.reason}")


def _compare(old: Reads, new: Reads, bank: str) -> None:
    """Compare every entry, payload and row of a bank. Raises StoreDamaged."""
    for one, other in zip_longest(old.entries(bank), new.entries(bank)):
        if one != other:
            where = (one or other).entry.seq if one or other else 0
            raise StoreDamaged(f"entry {where} of bank {bank} is not the same in both stores")
    for table in TABLES:
        own = (row for row in old.rows(table) if row.bank == bank)
        for row, copy in zip_longest(own, (row for row in new.rows(table) if row.bank == bank)):
            if row != copy:
                raise StoreDamaged(f"a row of {table} of bank {bank} is not the same in both")
