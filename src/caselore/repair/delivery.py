"""Brings events to workers, hears how their runs ended, and ends what must not go on.

What is to be done follows from the account and the run folders alone, so whoever is killed in
between is continued by whoever looks next. Must not count, nor believe a worker against the forge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from caselore.errors import CaseloreError
from caselore.memory.records import Actor, ModelCall
from caselore.repair import handoff
from caselore.repair.account import Account, Outgoing, Tracked
from caselore.repair.kept import REARMED, WITHDRAWN
from caselore.repair.observations import Outcome, Receipt
from caselore.repair.pack import prompt
from caselore.repair.state import SILENT, Phase
from caselore.repair.watcher import ForgeOf
from caselore.repair.workers.profiles import Profile, visible
from caselore.repair.workers.runner import TEMPORARY
from caselore.repair.workers.runs import Run, Runs, Said

LEASE = 600  # seconds that a writer keeps its branch without a sign of life
_MILLION = 1_000_000
_LOOKED_BACK = timedelta(days=7)
_SAID = {one.value: one for one in Outcome}


@dataclass
class Dispatched:
    """What one round did."""

    started: int = 0
    collected: int = 0
    stopped: int = 0
    errors: list[str] = field(default_factory=list)


class Dispatcher:
    """Starts, hears and stops the workers of one machine."""

    def __init__(
        self,
        account: Account,
        profiles: Mapping[str, Profile],
        runs: Runs,
        forge_of: ForgeOf,
        actor: Actor,
        clock: Callable[[], datetime],
        *,
        environment: Callable[[Iterable[str]], dict[str, str]],
        holder: str,
        tokens: Iterable[str] = (),
    ) -> None:
        """Dispatch as `holder`, the name of this machine's watcher among others.

        `tokens`: names of the variables that open a forge.
        """
        self._account, self._profiles, self._runs = account, profiles, runs
        self._forge_of, self._actor, self._clock = forge_of, actor, clock
        self._environment, self._holder = environment, holder
        self._tokens = tuple(tokens)

    def runs(self) -> list[Run]:
        """Give the runs of this machine that were not taken into the account yet."""
        return list(self._runs.open())

    def dismiss(self) -> None:
        """End the conversations that stayed open for changes whose worker must not go on."""
        for box in self._runs.staying():
            tracked = self._account.tracked(box.name)
            if tracked is None or _must_end(tracked):
                box.dismiss()

    def hear(self, done: Dispatched, name: str) -> None:
        """Look how a run is, end what must not go on, take in what ended."""
        run = self._runs.of(name)
        if run.spec and not run.collected:
            self._guarded(done, name, partial(self._attend, done, run))

    def bring(self, done: Dispatched, outgoing: Outgoing) -> bool:
        """Bring an event to its worker; False where it must wait.

        One that was taken back after its run had begun was brought, and counts.
        """
        taken: list[bool] = []
        self._guarded(done, outgoing.id, lambda: taken.append(self._deliver(done, outgoing)))
        return taken == [True]

    def _guarded(self, done: Dispatched, name: str, act: Callable[[], None]) -> None:
        try:
            act()
        except (CaseloreError, OSError) as error:
            done.errors.append(f"{name}: {error}")

    # Bringing

    def _deliver(self, done: Dispatched, outgoing: Outgoing) -> bool:
        tracked, run = self._account.tracked(outgoing.change), self._runs.of(outgoing.id)
        if tracked is None or (outgoing.status == WITHDRAWN and not run.begun):
            return True
        if not run.begun and self._busy(outgoing):
            return False
        again = outgoing.type == REARMED
        if not run.begun and not (again and _out_of_date(tracked, outgoing)):
            words = f"A person let the loop begin again: {tracked.state.rearmed_why}"
            if not self._start(done, tracked, outgoing.event, words if again else ""):
                return False
        self._account.taken(outgoing, self._actor, self._clock())
        return True

    def _busy(self, outgoing: Outgoing) -> bool:
        """Tell whether a worker is still at an earlier event: one writer a branch."""
        return any(
            run.alive and run.spec["change"] == outgoing.change
            for run in self._runs.open()
            if run.folder != self._runs.of(outgoing.id).folder
        )

    def _start(
        self,
        done: Dispatched,
        tracked: Tracked,
        event: Mapping[str, Any],
        notice: str,
        tries: int = 1,
    ) -> bool:
        profile = self._profiles.get(tracked.owner.name)
        if profile is None:
            done.errors.append(f"{tracked.state.change}: no worker {tracked.owner.name!r}")
            return False
        if self._spent_today() >= self._account.policy.cost_per_day:
            done.errors.append("the workers have used up what they may cost in a day")
            return False
        lease = self._account.memory.lease(
            f"worker:{tracked.id}", self._holder, self._clock(), LEASE + profile.timeout
        )
        if lease is None:
            return False
        folder = tracked.owner.folder
        words = handoff.notice(tracked.state, event, folder, Path(folder).is_dir(), notice)
        self._runs.start(
            profile,
            event,
            prompt(event, words),
            change=tracked.id,
            folder=folder if folder and Path(folder).is_dir() else "",
            session=tracked.owner.session if not folder or Path(folder).is_dir() else "",
            environment=self._environment(visible(profile, event, self._tokens)),
            fence=lease.fence,
            tries=tries,
            handoff=self._handoff(tracked, event),
        )
        done.started += 1
        return True

    def _handoff(self, tracked: Tracked, event: Mapping[str, Any]) -> str:
        """Write down what was before, for a conversation that begins anew."""
        said = {one: self._runs.of(one).summary for one in handoff.told(tracked.state, event)}
        return handoff.document(tracked.state, event, said, self._changed)

    def _changed(self, url: str, base: str, head: str) -> str:
        forge = self._forge_of(url)
        return forge.diff(forge.change(url), base, head)

    def _spent_today(self) -> int:
        midnight = self._clock().replace(hour=0, minute=0, second=0, microsecond=0)
        calls = self._account.memory.calls(midnight)
        spent = sum(one.dollars or 0.0 for one in calls if one.model.startswith("worker:"))
        return round(spent * _MILLION)

    # Hearing

    def _attend(self, done: Dispatched, run: Run) -> None:
        tracked = self._account.tracked(run.spec["change"])
        if tracked is None:
            return
        if run.alive:
            if _must_end(tracked):
                run.stop()
                done.stopped += 1
            return
        if run.ended is not None:
            self._collect(done, tracked, run)
        elif run.begun:
            self._cut_off(done, tracked, run)

    def _cut_off(self, done: Dispatched, tracked: Tracked, run: Run) -> None:
        """Start a run again that died without a word, unless it must not go on."""
        tries = int(run.spec["tries"])
        if _must_end(tracked) or tries > self._account.policy.restores:
            self._collect(done, tracked, run)
            return
        words = (
            "You were interrupted while working on this; look at what is there before you go on."
        )
        self._start(done, tracked, run.event, words, tries + 1)

    def _collect(self, done: Dispatched, tracked: Tracked, run: Run) -> None:
        profile = self._profiles.get(run.spec["profile"])
        if profile is None:
            return
        said, event = run.said(profile), run.event
        if said.code == TEMPORARY and int(run.spec["tries"]) <= self._account.policy.restores:
            self._start(done, tracked, event, "", int(run.spec["tries"]) + 1)
            return
        outcome, head = self._checked(tracked, event, said)
        self._account.step(
            tracked.id, _receipt(run, outcome, head, said, self._clock()), self._actor
        )
        self._note(tracked, run, said)
        run.collect()
        self._let_go(tracked.id)
        done.collected += 1

    def _let_go(self, change: str) -> None:
        lease = self._account.memory.leased(f"worker:{change}")
        if lease is not None and lease.holder == self._holder:
            self._account.memory.end_lease(lease)

    def _checked(
        self, tracked: Tracked, event: Mapping[str, Any], said: Said
    ) -> tuple[Outcome, str]:
        """Hold what a worker says against the forge: a push without a new head is no change."""
        head = self._forge_of(tracked.state.change).change(tracked.state.change).head
        if head and head != event["evidence"].get("head", ""):
            return Outcome.PUSHED, head if head == said.head else ""
        outcome = _SAID.get(said.status, Outcome.NO_CHANGE if said.code == 0 else Outcome.FAILED)
        return (Outcome.NO_CHANGE if outcome is Outcome.PUSHED else outcome), ""

    def _note(self, tracked: Tracked, run: Run, said: Said) -> None:
        """Keep the conversation for the next event, and account for what it cost."""
        if said.session and said.session != tracked.owner.session:
            folder = tracked.owner.folder or str(run.spec["cwd"])
            owner = replace(tracked.owner, session=said.session, folder=folder)
            self._account.track(tracked.state.ref, owner, self._actor)
        ended, memory = run.ended or {}, self._account.memory
        if any(one.prompt == _name(run) for one in memory.calls(self._clock() - _LOOKED_BACK)):
            return  # whoever collected it was killed right after this
        call = ModelCall(
            f"worker:{tracked.owner.name}", _name(run), "", said.status or "none",
            0, 0, said.cost, float(ended.get("seconds", 0.0)), tracked.id,
        )  # fmt: skip
        memory.keep_call(call, self._actor)


def _out_of_date(tracked: Tracked, outgoing: Outgoing) -> bool:
    """Tell whether what opened the breaker no longer stands: it was rearmed, and went on since."""
    head = outgoing.event["evidence"].get("head", "")
    return bool(tracked.state.series) or head != tracked.state.head


def _must_end(tracked: Tracked) -> bool:
    """Tell whether a worker must not go on: stopped for good, or a person took the branch."""
    state = tracked.state
    ended = state.phase in SILENT and state.phase is not Phase.POST_MERGE
    return ended or (state.phase is Phase.PAUSED and state.why.startswith("a person"))


def _receipt(run: Run, outcome: Outcome, head: str, said: Said, at: datetime) -> Receipt:
    summary, event = said.summary or said.why, run.event["id"]
    cost = round(said.cost * _MILLION)
    return Receipt(at, event, outcome, cost, summary, head, _name(run))


def _name(run: Run) -> str:
    """Name a run for good: an event that is started again is another run."""
    return f"{run.event['id']}#{run.spec['tries']}"
