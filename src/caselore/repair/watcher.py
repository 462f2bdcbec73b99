"""Looks at tracked changes: hears hints, reads forges, and lets the reducer take in what it sees.

Must not count, nor start a worker; a hint only says where to look.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from caselore.errors import CaseloreError
from caselore.memory.records import Actor, Role
from caselore.memory.rows import ChangeRow
from caselore.repair import honest, pack, recount, sight
from caselore.repair.account import Account, Tracked
from caselore.repair.comment import MARKER, comment
from caselore.repair.events import EventType, Rerun
from caselore.repair.examination import Examiner, Place
from caselore.repair.observations import Observation, Reading, Target
from caselore.repair.pipelines import Pipeline
from caselore.repair.ports import Forge, ForgePipeline
from caselore.repair.sight import Sight
from caselore.repair.state import Phase
from caselore.repair.turn import Step
from caselore.repair.verdict import Colour, judge

EVERY = {  # seconds between two looks at a change that nobody hints at
    Phase.REPAIRING: 30, Phase.WAITING: 30, Phase.TRACKING: 60, Phase.GREEN: 300,
    Phase.PAUSED: 300, Phase.OPEN: 300, Phase.POST_MERGE: 120,
}  # fmt: skip
PAGE = 500  # changes that are listed at once
ForgeOf = Callable[[str], Forge]


@dataclass
class Swept:
    """What one round did."""

    looked: int = 0
    written: int = 0
    errors: list[str] = field(default_factory=list)


class Watcher:
    """Keeps the account in step with the forges."""

    def __init__(
        self,
        account: Account,
        forge_of: ForgeOf,
        examiner: Examiner,
        actor: Actor,
        clock: Callable[[], datetime],
        *,
        threads: int = 4,
        pace: float = 1.0,
    ) -> None:
        """Watch with `forge_of`, which gives the forge of a change's address.

        `pace` scales the time between two looks at a change that nobody hints at.
        """
        self._account, self._forge_of, self._examiner = account, forge_of, examiner
        self._actor, self._clock = actor, clock
        self._threads, self._pace = threads, pace
        self._due: dict[str, datetime] = {}
        self._targets: dict[tuple[str, str], tuple[str, ...]] = {}

    def sweep(self, *, everything: bool = False) -> Swept:
        """Look at what was hinted at, and at what is due."""
        now, swept = self._clock(), Swept()
        hinted = self._hinted()
        rows = self._chosen(now, set(hinted), everything)
        with ThreadPoolExecutor(self._threads) as pool:
            for row, outcome in zip(rows, pool.map(self._safely, rows), strict=True):
                swept.looked += 1
                swept.written += outcome == ""
                if outcome:
                    swept.errors.append(f"{row.url}: {outcome}")
        for change, until in hinted.items():
            self._account.memory.attend(change, until)
        return swept

    def _hinted(self) -> dict[str, str]:
        """Give the changes that hints are about, each with its newest hint's time."""
        return {row.change: row.received_at for row in self._account.memory.heard()}

    def _chosen(self, now: datetime, hinted: set[str], everything: bool) -> list[ChangeRow]:
        chosen, after = [], ""
        while rows := self._account.listed("live", after, PAGE):
            after = rows[-1].id
            chosen += [
                row
                for row in rows
                if everything or row.id in hinted or self._due.get(row.id, now) <= now
            ]
        for row in chosen:
            self._due[row.id] = now + timedelta(
                seconds=EVERY.get(Phase(row.state), 60) * self._pace
            )
        return chosen

    def _safely(self, row: ChangeRow) -> str | None:
        """Look at one change; give the error's words, nothing where nothing was new."""
        try:
            return "" if self.look(row.id) else None
        except CaseloreError as error:
            return str(error)

    def look(self, id: str) -> Step | None:
        """Read one change and take in what is new; None where nothing is.

        Raises: Unavailable or NotFound, after taking in that the forge could not be read.
        """
        found, now = self._account.tracked(id), self._clock()
        if found is None:
            return None
        forge = self._forge_of(found.state.change)
        pushed = found.state.pushed
        seen = sight.look(forge, found.state.change, found.owner, pushed, now)
        if seen.error is not None:
            self._account.step(id, seen.observations, self._actor)
            raise seen.error
        news = self._account.foresee(id, seen.observations)
        if news is None:
            return None
        observations, packs = self._examined(found, forge, seen, news, now)
        step = self._account.step(id, observations, self._actor, packs=packs)
        if step is not None:
            self._after(id, forge, seen, step)
            self._propose(found, step)
            self._feed(found, forge, seen, step, now)
        return step

    def _feed(self, found: Tracked, forge: Forge, seen: Sight, step: Step, now: datetime) -> None:
        """Feed what passed to the memory; a green that proves little tells nothing of the job."""
        known = {one.key for one in found.state.attempts}
        green = {
            one.pipeline
            for one in step.state.attempts
            if one.key not in known
            and one.colour == Colour.GREEN
            and one.kind != honest.SUSPICIOUS
        }
        merged = seen.change is not None and seen.change.state == "merged"
        red = frozenset(name for one in found.state.series for name in one.names)
        for one in seen.pipelines:
            passed = merged and judge(sight.pipeline(one)).colour is Colour.GREEN
            if seen.change is not None and (one.id in green or passed):
                self._examiner.greens.take(forge, seen.change, one, now, red)

    # What the reducer is to know beside the forge's words

    def _examined(
        self, found: Tracked, forge: Forge, seen: Sight, news: Step, now: datetime
    ) -> tuple[Sequence[Observation], dict[str, dict[str, object]]]:
        known = {one.key for one in found.state.attempts}
        new = {one.pipeline for one in news.state.attempts if one.key not in known}
        observations: list[Observation] = []
        packs: dict[str, dict[str, object]] = {}
        for one in seen.observations:
            if isinstance(one, Reading) and one.pipeline and one.pipeline.id in new:
                raw = next(p for p in seen.pipelines if p.id == one.pipeline.id)
                observations += self._closer(found, forge, seen, one, raw, packs, now)
            else:
                observations.append(one)
        return observations, packs

    def _closer(
        self,
        found: Tracked,
        forge: Forge,
        seen: Sight,
        one: Reading,
        raw: ForgePipeline,
        packs: dict[str, dict[str, object]],
        now: datetime,
    ) -> list[Observation]:
        """Read the logs of a new red pipeline, and what a new green one did to the checks."""
        assert one.pipeline is not None
        assert seen.change is not None
        colour = judge(one.pipeline).colour
        if colour is Colour.GREEN:
            return [replace(one, pipeline=self._doubted(found, forge, seen, one.pipeline))]
        if colour is not Colour.RED or found.state.phase is Phase.OPEN:
            return [one]
        place = Place(forge, seen.change, raw)
        target = self._target(place, now)  # first: what passed there is read beside what is red
        pipeline, examined = self._examiner.examine(place, one.pipeline, now)
        failed = target.failed if target else found.state.target_failed
        packs[pipeline.id] = pack.pack(found.state, examined, failed)
        return [*([target] if target else []), replace(one, pipeline=pipeline)]

    def _target(self, place: Place, now: datetime) -> Target | None:
        """Say what fails on the target branch itself; None where that cannot be had."""
        try:
            newest = place.forge.target(place.change)
            if newest is None:
                return None
            key = (place.change.project_id, newest.sha)
            if key not in self._targets:
                self._examiner.greens.take(place.forge, place.change, newest, now)
                self._targets[key] = self._examiner.failures(replace(place, pipeline=newest))
            return Target(now, newest.sha, self._targets[key])
        except CaseloreError:
            return None

    def _doubted(self, found: Tracked, forge: Forge, seen: Sight, pipeline: Pipeline) -> Pipeline:
        """Name what makes a green after a repair no proof."""
        repaired = [one for one in found.state.series if one.delivered]
        assert seen.change is not None
        if not repaired or seen.change.head == repaired[0].head:
            return pipeline
        raw = next(one for one in seen.pipelines if one.id == pipeline.id)
        doubts = list(honest.missing_jobs(found.state, pipeline))
        doubts += recount.doubts(forge, seen.change, found.state, raw)
        try:
            diff = forge.diff(seen.change, repaired[0].head, seen.change.head)
            doubts += honest.doubts(diff)
        except CaseloreError as error:
            doubts.append(f"what the repair changed could not be read: {error}")
        return replace(pipeline, doubts=tuple(doubts))

    def _propose(self, found: Tracked, step: Step) -> None:
        """Propose, in the worker's name, that its repair was the resolution: a person confirms."""
        passed = [one for one in step.events if one.type is EventType.PIPELINE_PASSED]
        tried = {one.event: one for one in found.state.series if one.delivered}
        if not passed or not tried:
            return
        first, last = next(iter(tried.values())), passed[-1]
        if first.head == last.evidence["head"]:
            return  # green without a change: a flake
        words = (
            f"The change {found.state.ref.label} was red at {first.head[:12]} ({first.url}) and "
            f"is green at {last.evidence['head'][:12]} ({last.url}): the commits in between."
        )
        actor = Actor(found.owner.name or "worker", Role.AGENT)
        for incident in sorted(self._incidents(found.id, set(tried))):
            with suppress(CaseloreError):  # erased, or settled by a person meanwhile
                self._account.memory.propose(incident, "", words, actor)

    def _incidents(self, id: str, events: set[str]) -> set[str]:
        told = [one.event for one in self._account.events(id) if one.id in events]
        failures = [one for event in told for one in event["evidence"].get("failures", ())]
        return {one["incident"] for one in failures if one.get("incident")}

    # What follows on the forge

    def _after(self, id: str, forge: Forge, seen: Sight, step: Step) -> None:
        if seen.change is None:
            return
        jobs = {job.id: job for one in seen.pipelines for job in one.jobs}
        asked = [
            one for command in step.commands if isinstance(command, Rerun) for one in command.jobs
        ]
        try:
            for job in asked:
                if job in jobs:
                    forge.rerun(seen.change, jobs[job])
            if step.events:
                text = comment(step.state, self._account.policy.attempts)
                forge.comment(seen.change, MARKER, text)
        except CaseloreError:
            return  # what was decided stands; the comment is written anew at the next event
