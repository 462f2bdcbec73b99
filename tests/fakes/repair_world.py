"""A forge, an account and a watcher, with a clock that only moves when told.

Must not judge: it lets things happen, and says what the account has.
"""

from __future__ import annotations

from datetime import timedelta

from caselore import logs
from caselore.jobs.embedded import EmbeddedJobs
from caselore.memory import Actor, Role
from caselore.memory.stores.sqlite import SqliteStore
from caselore.repair.account import PEOPLE, WORKER, Account, Owner, id_of
from caselore.repair.change import parse
from caselore.repair.examination import Examiner
from caselore.repair.proposing import Proposer
from caselore.repair.rounds import Parts, Rounds
from caselore.repair.watcher import Watcher
from fakes.failures import START, Ids, memory_over
from fakes.forge import FakeForge
from fakes.recordings import AT_ONCE, CHANGE

WATCHER = Actor("watcher", Role.SYSTEM)
ID = id_of(parse(CHANGE))


class World:
    """A forge, an account and a watcher, with a clock that only moves when told."""

    def __init__(self, path):
        self.now, self.path, self.ids = START, path, Ids()
        self.forge = FakeForge()
        self.forge.open(CHANGE)
        self.open()
        self.account.track(parse(CHANGE), Owner("coder", logins=("coder-bot",)), WATCHER)

    def open(self):
        self.store = self.make_store(self.path)
        memory = memory_over(self.store, clock=lambda: self.now, new_id=self.ids)
        self.account = Account(memory, AT_ONCE)
        examiner = Examiner(
            memory, lambda file, name, passed: logs.read(file, name=name, green=passed), WATCHER
        )
        self.watcher = Watcher(
            self.account, lambda url: self.forge, examiner, WATCHER, lambda: self.now
        )
        self.jobs = EmbeddedJobs(memory, lambda: self.now, "world", threads=1, lease=30)
        proposer = Proposer(self.account, WATCHER, lambda: self.now)
        parts = Parts(watcher=self.watcher, proposer=proposer)
        self.rounds = Rounds(self.jobs, self.account, parts, place="here", interval=30)

    make_store = SqliteStore
    minute = timedelta(minutes=1)

    def restart(self):
        self.store.close()
        self.open()

    def look(self, minutes=1):
        self.now += timedelta(minutes=minutes)
        return self.rounds.once()

    def take(self):
        """Let the worker take what waits for it."""
        taken = self.account.waiting(WORKER)
        for one in taken:
            self.account.taken(one, WATCHER, self.now)
        return taken

    @property
    def status(self):
        return self.account.tracked(ID).status(5)

    @property
    def told(self):
        return [one.type for one in self.account.events(ID) if one.target == PEOPLE]
