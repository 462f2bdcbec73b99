"""Looks at tracked changes: hears hints, reads forges, and lets the reducer take in what it sees.

Must not count, nor start a worker; a hint only says where to look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from caselore.errors import CaseloreError, ForgeUnavailable, NotFound
from caselore.memory.encoding import digest
from caselore.memory.records import Actor
from caselore.repair import after_merge, honest, pack, recount, sight
from caselore.repair.account import Account, Tracked
from caselore.repair.comment import MARKER, comment
from caselore.repair.events import Rerun
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
HOOKED = {  # the same where the forges hint
    Phase.REPAIRING: 600, Phase.WAITING: 600, Phase.TRACKING: 7_200, Phase.GREEN: 7_200,
    Phase.PAUSED: 7_200, Phase.OPEN: 7_200, Phase.POST_MERGE: 1_200,
}  # fmt: skip
PAGE = 500  # changes that are listed at once
ForgeOf = Callable[[str], Forge]


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
        pace: float = 1.0,
        hooked: bool = False,
    ) -> None:
        """Watch with `forge_of`, which gives the forge of a change's address.

        `pace` scales the time between two looks at a change that nobody hints at; `hooked` says
        that the forges hint, so that looking is only what catches a lost hint.
        """
        self._account, self._forge_of, self._examiner = account, forge_of, examiner
        self._actor, self._clock = actor, clock
        self._pace, self._hooked = pace, hooked
        self._targets: dict[str, tuple[str, tuple[str, ...]]] = {}

    def due(self, *, everything: bool = False) -> Iterator[list[str]]:
        """Give the changes that are to be looked at now, page by page, and set their next look."""
        now, after, memory = self._clock(), "", self._account.memory
        while rows := (
            self._account.listed("live", after, PAGE)
            if everything
            else memory.loop_due(now, after, PAGE)
        ):
            after = rows[-1].id
            memory.look_next({row.id: now + self._pause(row.id, Phase(row.state)) for row in rows})
            yield [row.id for row in rows]

    def _pause(self, id: str, phase: Phase) -> timedelta:
        """Give the time to the next look; a change's own part of it spreads the looks."""
        table = HOOKED if self._hooked else EVERY
        spread = 0.75 + int(digest(id)[:4], 16) / 0xFFFF / 2
        return timedelta(seconds=table.get(phase, 60) * self._pace * spread)

    def _look_again(self, id: str, now: datetime, step: Step) -> None:
        """Look again when a verdict has stood long enough, or as often as the new phase wants."""
        due = now + self._pause(id, step.state.phase)
        if step.state.settling:
            due = min(due, now + timedelta(seconds=self._account.policy.settle))
        self._account.memory.look_next({id: due})

    def tags(self, id: str) -> timedelta | None:
        """Give the time to the next look for tags of a change that a green target branch ended.

        None where there is none to be: it is still looked at anyhow, or the time of watching is
        over.
        """
        found = self._account.tracked(id)
        policy = self._account.policy
        if found is None or not after_merge.waits_for_tags(found.state, policy, self._clock()):
            return None
        return self._pause(id, Phase.POST_MERGE)

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
        found = self._account.tracked(id, seen.observations)
        news = self._account.foresee(found, seen.observations) if found else None
        if news is None or found is None:
            return None
        observations, packs = self._examined(found, forge, seen, news, now)
        step = self._account.step(id, observations, self._actor, packs=packs)
        if step is not None:
            self._look_again(id, now, step)
            self._after(id, forge, seen, step)
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
            project = place.change.project_id
            known, failed = self._targets.get(project, ("", ()))
            if known != newest.sha:
                self._examiner.greens.take(place.forge, place.change, newest, now)
                failed = self._examiner.failures(replace(place, pipeline=newest))
                self._targets[project] = (newest.sha, failed)
            return Target(now, newest.sha, failed)
        except (ForgeUnavailable, NotFound):
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
