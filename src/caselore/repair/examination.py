"""Reads the logs of red jobs: which failure each is, and what is known of it.

Must not count anything, nor keep a log: what is read is recorded as an observed incident only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from caselore.errors import CaseloreError, Unavailable
from caselore.incidents import service
from caselore.incidents.diagnosis import Diagnosis
from caselore.logs import Reading
from caselore.memory.api import Memory
from caselore.memory.records import Actor
from caselore.repair import sight
from caselore.repair.greens import Greens, ReadLog, service_of
from caselore.repair.pipelines import Job, Pipeline
from caselore.repair.ports import Forge, ForgeChange, ForgePipeline
from caselore.repair.verdict import judge

INFRASTRUCTURE = frozenset({"registry", "network", "runner", "disk-full"})
"""Families of failures that no change of the code mends."""


@dataclass(frozen=True, slots=True)
class Examined:
    """One red job, read; without a diagnosis where its log could not be recorded."""

    job: Job
    reading: Reading
    diagnosis: Diagnosis | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where logs are read: a change on its forge, and one of its pipelines."""

    forge: Forge
    change: ForgeChange
    pipeline: ForgePipeline


class Examiner:
    """Reads logs of red jobs, and remembers what it read."""

    def __init__(self, memory: Memory, read: ReadLog, actor: Actor) -> None:
        """Read with `read`, a file, a name and what passed to a reading; record as `actor`."""
        self._memory, self._read, self._actor = memory, read, actor
        self.greens = Greens(memory, read, actor)

    def examine(
        self, place: Place, pipeline: Pipeline, at: datetime
    ) -> tuple[Pipeline, tuple[Examined, ...]]:
        """Give the pipeline with its red jobs' fingerprints, and what was read.

        A log that cannot be had leaves its job as it is.
        """
        examined = tuple(
            replace(one, diagnosis=self._diagnose(place, one, at))
            for one in self._each(place, judge(pipeline).failed)
        )
        told = {one.job.id: one.job for one in examined}
        return replace(
            pipeline, jobs=tuple(told.get(job.id, job) for job in pipeline.jobs)
        ), examined

    def failures(self, place: Place) -> tuple[str, ...]:
        """Give the fingerprints of what is red in a pipeline; nothing of it is recorded."""
        failed = judge(sight.pipeline(place.pipeline)).failed
        prints = {one.job.fingerprint for one in self._each(place, failed)}
        return tuple(sorted(prints - {""}))

    def _each(self, place: Place, failed: tuple[Job, ...]) -> Iterator[Examined]:
        for job in failed:
            reading = self._log(place, job)
            if reading is not None:
                yield Examined(self._told(job, reading), reading)

    def _log(self, place: Place, job: Job) -> Reading | None:
        own = next((one for one in place.pipeline.jobs if one.id == job.id), None)
        if own is None:
            return None
        try:
            passed = self.greens.of(service_of(place.change), job.name)
            with place.forge.log(place.change, own) as file:
                return self._read(file, job.name, passed)
        except (CaseloreError, OSError):  # gone or cut off: the job's name stands for it
            return None

    def _told(self, job: Job, reading: Reading) -> Job:
        found = fingerprint(reading)
        own = job.failure_reason in ("", "script_failure", "unknown_failure")
        infra = own and reading.signature.family in INFRASTRUCTURE
        return replace(
            job,
            fingerprint=found,
            failure_reason="infrastructure" if infra else job.failure_reason,
            flaky=bool(found) and self._memory.occurrences(found).flaky > 0,
        )

    def _diagnose(self, place: Place, one: Examined, at: datetime) -> Diagnosis | None:
        change = place.change
        try:
            return service.diagnose(
                self._memory,
                one.reading,
                actor=self._actor,
                now=at,
                service=service_of(change),
                branch=change.branch,
                commit=place.pipeline.sha,
                deployment=one.job.id,
                stage=one.job.name,
                url=_page(one.job.url) or _page(place.pipeline.url),
            )
        except Unavailable:  # the store is lost for now: to go on would lose the failure's record
            raise
        except CaseloreError:  # erased before, or a name that cannot be kept: still a failure
            return None


def _page(url: str) -> str:
    """Give an address that a record may keep; a file of this machine is none."""
    return url if url.startswith(("https://", "http://")) else ""


def fingerprint(reading: Reading) -> str:
    """Give the signature of a failure; a generic one cannot say that two are the same."""
    return "" if reading.signature.generic else reading.signature.id
