"""Keeps the account of the backups that we made, so that an erasure can reach every one.

Must not open or write a file: it names them.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from caselore.memory.bank import Bank
from caselore.memory.moving import MovedBank
from caselore.memory.ports import Store
from caselore.memory.records import Actor, short
from caselore.memory.rows import ErasedRow
from caselore.memory.writing import must_pass

REGISTER = "backups"  # the subject of every entry about one


class Backup(NamedTuple):
    """A backup that was made: where, on which machine, when."""

    path: str
    machine: str
    at: str


class Copied(NamedTuple):
    """A backup that was made or brought up to date, and what it holds."""

    path: str
    banks: tuple[MovedBank, ...]


class Reached(NamedTuple):
    """What became of a backup when content was erased."""

    path: str
    rewritten: bool
    reason: str
    """Why it could not be rewritten."""


class Copies(Bank):
    """The verbs about backups."""

    @property
    def store(self) -> Store:
        """Give the store itself, for those who copy it whole."""
        return self._store

    def erased_after(self, seq: int) -> tuple[str, ...]:
        """Give what was erased after an entry, its copies elsewhere perhaps not yet."""
        with self._store.reading() as view:
            stones = [one for one in view.rows("erased") if isinstance(one, ErasedRow)]
        return tuple(one.id for one in stones if one.bank == self.bank and one.seq > seq)

    def register_backup(self, path: str, machine: str, actor: Actor) -> None:
        """Keep that a backup is made there, before it is. Raises GateRefused."""
        body = {
            "path": short("the backup's path", path, limit=4_000, needed=True),
            "machine": short("the machine's name", machine),
        }
        with self._store.writing(self.bank) as view:
            written = self._pen(view).write("backup", REGISTER, body, actor)
        must_pass(written)

    def backups(self) -> tuple[Backup, ...]:
        """Give each place where a backup of any bank was made, the latest time of each."""
        found: dict[tuple[str, str], Backup] = {}
        with self._store.reading() as view:
            for bank in view.banks():
                for entry, payload in view.entries(bank, REGISTER):
                    if entry.action == "backup" and payload is not None:
                        body = json.loads(payload.body)
                        place = (body["path"], body["machine"])
                        at = max(entry.at, found[place].at) if place in found else entry.at
                        found[place] = Backup(*place, at)
        return tuple(found[place] for place in sorted(found))
