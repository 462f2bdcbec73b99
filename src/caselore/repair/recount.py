"""Holds a green pipeline against those before it: did as many jobs and as many tests run?

Must not judge what it cannot read: a log or a report that is gone is compared with nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from caselore.errors import CaseloreError
from caselore.repair import sight
from caselore.repair.honest import SUSPICIOUS
from caselore.repair.pipelines import newest
from caselore.repair.ports import Forge, ForgeChange, ForgeJob, ForgePipeline
from caselore.repair.state import Attempt, State
from caselore.repair.tallies import Tally, fewer, tally
from caselore.repair.verdict import Colour

JOBS = 20  # jobs of one pipeline whose logs are counted
REDS = 3  # red attempts that are looked back upon
BEHIND = 0.9  # a branch may be this much behind its target, whose tests are counted, too
Counts = Mapping[str, Mapping[str, Tally]]


class Earlier(NamedTuple):
    """A pipeline that a green is held against."""

    name: str
    pipeline: ForgePipeline
    least: float = 1.0
    whole: bool = False
    """It passed itself and is this change's own: each of its jobs is missed where it is gone."""


def doubts(
    forge: Forge, change: ForgeChange, state: State, green: ForgePipeline
) -> tuple[str, ...]:
    """Name what ran before and does not run now, or may fail now."""
    found: list[str] = []
    counts: Counts | None = None
    for one in _earlier(forge, change, state):
        found += _of_jobs(one, green)
        counts = _counts(forge, change, green) if counts is None else counts
        before = _counts(forge, change, one.pipeline)
        for job in sorted(counts.keys() & before.keys()):
            told = fewer(counts[job], before[job], one.least)
            found += [f"{job}: {words}, {one.name}" for words in told]
    return tuple(dict.fromkeys(found))


def _earlier(forge: Forge, change: ForgeChange, state: State) -> Iterator[Earlier]:
    own = [one for one in state.attempts if one.colour == Colour.GREEN and one.kind != SUSPICIOUS]
    reds = [one for one in state.series if one.delivered and one.pipeline]
    for attempt in own[-1:]:
        for one in _again(forge, change, attempt):
            yield Earlier("as in the last green", one, whole=True)
    for attempt in reds[-REDS:]:
        for one in _again(forge, change, attempt):
            yield Earlier("as when it was red", one)
    with suppress(CaseloreError):
        target = forge.target(change)
        if target is not None and sight.passed(target.status):
            yield Earlier(f"as on {change.target}", target, BEHIND)


def _again(forge: Forge, change: ForgeChange, attempt: Attempt) -> Iterator[ForgePipeline]:
    with suppress(CaseloreError):
        found = forge.pipeline(change, attempt.pipeline)
        if found is not None:
            yield found


# Jobs


def _of_jobs(before: Earlier, green: ForgePipeline) -> Iterator[str]:
    now = {job.name: job for job in _latest(green)}
    if not now:
        return
    for job in _latest(before.pipeline):
        other = now.get(job.name)
        if other is not None and other.allow_failure and not job.allow_failure:
            yield f"a job may fail now: {job.name}"
        elif before.whole and sight.passed(job.status) and not _ran(other):
            yield f"a job did not run: {job.name}"


def _ran(job: ForgeJob | None) -> bool:
    return job is not None and sight.word(job.status) not in ("skipped", "manual", "canceled")


def _latest(pipeline: ForgePipeline) -> tuple[ForgeJob, ...]:
    """Give the newest run of each job."""
    kept = {job.id for job in newest(sight.pipeline(pipeline).jobs)}
    return tuple(job for job in pipeline.jobs if job.id in kept)


# Tests


def _counts(forge: Forge, change: ForgeChange, pipeline: ForgePipeline) -> Counts:
    """Count the tests of a pipeline: by the forge's own report where it has one, else by logs."""
    with suppress(CaseloreError):
        told = forge.tests(change, pipeline.id)
        if told:
            suites = {name: Tally(ran, out) for name, (ran, out) in told.items()}
            return {"test report": suites}
    found = {}
    for job in _latest(pipeline)[:JOBS]:
        with suppress(CaseloreError, OSError), forge.log(change, job) as log:
            found[job.name] = tally(log)
    return found
