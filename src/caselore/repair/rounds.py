"""The loop's work as jobs: look, bring, hear, tell, propose; a sweep puts in what is missing.

What is to be done follows from the account, the inbox and the run folders, so a job that is lost
is put in again. Must not hold a rule of the loop, nor know how jobs are kept.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta

from caselore.errors import CaseloreError, NotFound
from caselore.jobs.ports import Every, Job, Jobs, Order, Ran, Retry
from caselore.repair.account import Account, Outgoing
from caselore.repair.delivery import Dispatched, Dispatcher
from caselore.repair.kept import DELIVERED, MEMORY, PEOPLE, WAITING, WORKER
from caselore.repair.notify import Notifier
from caselore.repair.proposing import Proposer
from caselore.repair.watcher import Watcher

SWEEP, LOOK, RUNS = "repair.sweep", "repair.look", "repair.runs"
TAGS = "repair.tags"
BRING, HEAR, TELL, PROPOSE = "repair.bring", "repair.hear", "repair.tell", "repair.propose"
KINDS = {WORKER: BRING, PEOPLE: TELL, MEMORY: PROPOSE}
IDLE = 1.0  # seconds after which is asked again whether anything is due
# People are told for as long as it takes: the pauses of what is tried again end at an hour.
PATIENT = Retry(tries=1_000, pause=timedelta(seconds=30))


@dataclass
class Tally:
    """What this process did."""

    looked: int = 0
    news: int = 0
    started: int = 0
    collected: int = 0
    stopped: int = 0
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Parts:
    """Who does the work; a process without a part leaves its jobs to others."""

    watcher: Watcher | None = None
    dispatcher: Dispatcher | None = None
    notifier: Notifier | None = None
    proposer: Proposer | None = None


class Rounds:
    """The loop's work of one process, among others on the same account."""

    def __init__(
        self, jobs: Jobs, account: Account, parts: Parts, *, place: str, interval: float
    ) -> None:
        """Work every `interval` seconds; `place` is where this process's runs are."""
        self._jobs, self._account, self._parts = jobs, account, parts
        self._place, self._interval = place, timedelta(seconds=interval)
        self._lock, self._tally, self._newest = threading.Lock(), Tally(), ""
        self._told = time.monotonic()
        for kind, act, retry in self._handlers():
            jobs.handle(kind, act, retry)

    def _handlers(self) -> Iterable[tuple[str, Callable[[Job], timedelta | None], Retry]]:
        if self._parts.watcher:
            yield from ((SWEEP, self._sweep, Retry()), (LOOK, self._look, Retry()))
            yield TAGS, self._tags, Retry()
        if self._parts.dispatcher:
            yield from ((RUNS, self._runs, Retry()), (HEAR, self._hear, Retry()))
            yield BRING, self._bring, Retry()
        if self._parts.notifier:
            yield TELL, self._tell, PATIENT
        if self._parts.proposer:
            yield PROPOSE, self._propose, PATIENT

    # Working

    def once(self, *, everything: bool = True) -> Tally:
        """Look at what is due, or at everything, and do all that follows; give what was done."""
        self._jobs.defer([Order(SWEEP, {"everything": everything})])
        ran = self._jobs.round()
        if self._parts.dispatcher:
            self._jobs.defer([Order(RUNS, place=self._place)])
            ran.errors += self._jobs.round().errors
        self._errors(ran.errors)
        return self._taken()

    def work(
        self, stop: threading.Event, tell: Callable[[Tally], object], idle: float = IDLE
    ) -> None:
        """Work until told to stop; `tell` hears once an interval what was done, errors at once."""
        if self._parts.watcher:
            self._jobs.every(SWEEP, SWEEP, Every(self._interval))
            self._jobs.defer([Order(SWEEP, once=SWEEP)])
        if self._parts.dispatcher:
            name = f"{RUNS}@{self._place}"
            self._jobs.every(name, RUNS, Every(self._interval), place=self._place)
            self._jobs.defer([Order(RUNS, once=name, place=self._place)])
        self._jobs.work(stop, lambda ran: self._between(ran, tell), idle)

    def _between(self, ran: Ran, tell: Callable[[Tally], object]) -> None:
        try:
            self._glance()
        except CaseloreError as error:
            ran.errors.append(str(error))
        self._errors(ran.errors)
        late = time.monotonic() - self._told >= self._interval.total_seconds()
        if late or self._tally.errors:
            self._told = time.monotonic()
            tell(self._taken())

    def _glance(self) -> None:
        """Look at once where a hint came in since the last glance."""
        if not self._parts.watcher:
            return
        new = [row for row in self._account.memory.heard() if row.received_at > self._newest]
        if new:
            self._newest = new[-1].received_at
            self._jobs.defer([_look(row.change, row.received_at) for row in new])

    def _taken(self) -> Tally:
        with self._lock:
            tally, self._tally = self._tally, Tally()
        return tally

    def _add(self, **more: int) -> None:
        with self._lock:
            values = {name: getattr(self._tally, name) + one for name, one in more.items()}
            self._tally = replace(self._tally, **values)

    def _errors(self, errors: list[str]) -> None:
        with self._lock:
            self._tally.errors += errors

    # Watching

    def _sweep(self, job: Job) -> None:
        watcher = self._parts.watcher
        assert watcher
        hinted = {row.change: row.received_at for row in self._account.memory.heard()}
        self._jobs.defer([_look(id, at) for id, at in hinted.items()])
        for ids in watcher.due(everything=bool(job.about.get("everything"))):
            self._jobs.defer([_look(id, "") for id in ids if id not in hinted])
        for target in KINDS:
            after = 0
            while waiting := self._account.waiting(target, after):
                after = waiting[-1].seq
                self._relay(waiting)

    def _relay(self, waiting: Iterable[Outgoing]) -> None:
        """Let what waits be taken; of each one only one job waits."""
        self._jobs.defer([_taking(one) for one in waiting])

    def _look(self, job: Job) -> None:
        id = str(job.about["change"])
        self._see(id, job.about["until"])
        self._watch_tags(id)

    def _see(self, id: str, until: str) -> None:
        watcher = self._parts.watcher
        assert watcher
        self._add(looked=1)
        try:
            step = watcher.look(id)
        except CaseloreError as error:
            found = self._account.tracked(id)
            self._errors([f"{found.state.change if found else id}: {error}"])
            if not isinstance(error, NotFound):
                return  # the hint stands: what it is about was not seen
            step = None
        if until:
            self._account.memory.attend(id, until)
        if step is not None:
            self._add(news=1)
            self._relay(self._account.waiting_of(id))

    def _watch_tags(self, id: str) -> None:
        """Go on looking for tags where a green target branch ended the loop before its time."""
        watcher = self._parts.watcher
        assert watcher
        pause = watcher.tags(id)
        if pause is not None:
            name = f"tags:{id}"
            self._jobs.defer([Order(TAGS, {"change": id}, name, name, after=pause)])

    def _tags(self, job: Job) -> timedelta | None:
        watcher, id = self._parts.watcher, str(job.about["change"])
        assert watcher
        if watcher.tags(id) is None:
            return None
        self._see(id, "")
        return watcher.tags(id)

    # Workers

    def _runs(self, job: Job) -> None:
        assert self._parts.dispatcher
        self._parts.dispatcher.dismiss()
        names = [run.folder.name for run in self._parts.dispatcher.runs()]
        self._jobs.defer(
            [
                Order(HEAR, {"run": name}, f"hear:{name}", f"hear:{name}", self._place)
                for name in names
            ]
        )

    def _hear(self, job: Job) -> None:
        assert self._parts.dispatcher
        done = Dispatched()
        self._parts.dispatcher.hear(done, str(job.about["run"]))
        self._dispatched(done)

    def _bring(self, job: Job) -> timedelta | None:
        outgoing = self._account.outgoing(str(job.about["event"]), WORKER)
        if outgoing is None or outgoing.status == DELIVERED:
            return None
        assert self._parts.dispatcher
        done = Dispatched()
        taken = self._parts.dispatcher.bring(done, outgoing)
        self._dispatched(done)
        return None if taken else self._interval

    def _dispatched(self, done: Dispatched) -> None:
        self._add(started=done.started, collected=done.collected, stopped=done.stopped)
        self._errors(done.errors)

    # People and the memory

    def _tell(self, job: Job) -> None:
        outgoing = self._outgoing(job, PEOPLE)
        if outgoing is not None:
            assert self._parts.notifier
            self._parts.notifier.tell(outgoing)

    def _propose(self, job: Job) -> None:
        outgoing = self._outgoing(job, MEMORY)
        if outgoing is not None:
            assert self._parts.proposer
            self._parts.proposer.propose(outgoing)

    def _outgoing(self, job: Job, target: str) -> Outgoing | None:
        """Give what a job is about, while it waits."""
        found = self._account.outgoing(str(job.about["event"]), target)
        return found if found and found.status == WAITING else None


def _look(change: str, until: str) -> Order:
    name = f"look:{change}"
    return Order(LOOK, {"change": change, "until": until}, lock=name, once=name)


def _taking(one: Outgoing) -> Order:
    """Let one thing be taken: a worker gets its change's events one after the other."""
    kind = KINDS[one.target]
    lock = f"{kind}:{one.change if one.target == WORKER else one.id}"
    return Order(kind, {"event": one.id}, lock=lock, once=f"{kind}:{one.id}")
