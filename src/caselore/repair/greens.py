"""Feeds passing runs to the memory as they are seen, and gives them to who reads a failure.

Must not take in what reads as a failure, what a repair may have falsified, or the same run twice.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import BinaryIO

from caselore.errors import CaseloreError
from caselore.incidents import passing
from caselore.logs import GreenLines, Reading
from caselore.memory.api import Memory
from caselore.memory.records import Actor
from caselore.repair import sight
from caselore.repair.ports import Forge, ForgeChange, ForgeJob, ForgePipeline

JOBS = 20  # passed jobs of one pipeline whose logs are fetched
FRESH = timedelta(hours=1)  # so long a job's passing run is not looked at again
ReadLog = Callable[[BinaryIO, str, GreenLines | None], Reading]


def service_of(change: ForgeChange) -> str:
    """Name the service that a change is of: the last part of its project."""
    return change.project.rpartition("/")[2] or change.project


class Greens:
    """The passing runs of jobs."""

    def __init__(self, memory: Memory, read: ReadLog, actor: Actor) -> None:
        """Read with `read`, a file, a name and what passed; remember as `actor`."""
        self._memory, self._read, self._actor = memory, read, actor
        self._seen: dict[tuple[str, str], datetime] = {}

    def of(self, service: str, stage: str) -> GreenLines | None:
        """Give what passing runs of a job printed; None where none is known."""
        return passing.remembered(self._memory, service, stage)

    def take(
        self,
        forge: Forge,
        change: ForgeChange,
        pipeline: ForgePipeline,
        at: datetime,
        wanted: frozenset[str] = frozenset(),
    ) -> int:
        """Remember the passed jobs of a pipeline, at most 20; gives how many.

        `wanted` names jobs that were red before: their passing run is looked at in any case, which
        tells a flake from a repair. What cannot be had is left.
        """
        passed = [job for job in pipeline.jobs if sight.passed(job.status)]
        due = [job for job in passed if job.name in wanted or self._due(change, job, at)]
        return sum(self._remember(forge, change, pipeline, job, at) for job in due[:JOBS])

    def _due(self, change: ForgeChange, job: ForgeJob, at: datetime) -> bool:
        last = self._seen.get((service_of(change), job.name))
        return last is None or at - last >= FRESH

    def _remember(
        self,
        forge: Forge,
        change: ForgeChange,
        pipeline: ForgePipeline,
        job: ForgeJob,
        at: datetime,
    ) -> bool:
        service = service_of(change)
        self._seen[service, job.name] = at
        try:
            passing.check_job(service, job.name, pipeline.sha)
            if any(label == job.id for label, _ in self._memory.green(service, job.name)):
                return False
            with forge.log(change, job) as log:
                passing.must_have_passed(self._read(log, job.name, None))
                log.seek(0)
                lines = GreenLines.of(log, label=job.id)
            self._memory.remember_green(
                service, job.name, lines.to_bytes(), job.id, self._actor, pipeline.sha
            )
        except (CaseloreError, OSError):
            return False
        return True
