"""Says what a pipeline's reading means: green, red and why, cancelled, blocked, or nothing yet.

Must not count, nor know what came before.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from caselore.memory.encoding import digest
from caselore.repair.pipelines import Job, Pipeline, newest


class Colour(StrEnum):
    """What a pipeline says of its commit."""

    GREEN = "green"
    RED = "red"
    CANCELED = "canceled"
    BLOCKED = "blocked"
    STALLED = "stalled"
    """It waits for an approval, or could not start at all: no job ran."""
    ACTIVE = "active"
    NONE = "none"


class Kind(StrEnum):
    """Of which class a red one is."""

    SCRIPT = "script"
    TIMEOUT = "timeout"
    CONFIG = "config"
    INFRA = "infrastructure"
    FLAKY = "flaky"
    NOTHING = ""


_GREEN = frozenset(
    {"success", "succeeded", "passed", "warnings", "success_with_warnings", "passed_with_warnings"}
)
_RED = frozenset({"failed", "failure", "error"})
_TIMEOUT = frozenset({"timed_out", "timeout"})
_CANCELED = frozenset({"canceled", "cancelled", "aborted", "stopped"})
_BLOCKED = frozenset({"manual", "blocked"})
_STALLED = frozenset({"action_required", "startup_failure"})
_NONE = frozenset({"skipped", "neutral", "stale", ""})

_COLOURS = {
    **dict.fromkeys(_GREEN, Colour.GREEN),
    **dict.fromkeys(_RED | _TIMEOUT, Colour.RED),
    **dict.fromkeys(_CANCELED, Colour.CANCELED),
    **dict.fromkeys(_BLOCKED, Colour.BLOCKED),
    **dict.fromkeys(_STALLED, Colour.STALLED),
    **dict.fromkeys(_NONE, Colour.NONE),
}

_TIMED_OUT = frozenset({"job_execution_timeout", "timed_out", "timeout", "trace_size_exceeded"})
INFRA = frozenset(
    {"runner_system_failure", "api_failure", "stuck_or_timeout_failure", "stuck",
     "stuck_pending", "scheduler_failure", "data_integrity_failure", "runner_unsupported",
     "no_matching_runner", "runner_provisioning_failed", "runner_lost", "registry_5xx",
     "registry_failure", "image_pull_failure", "network_failure", "ci_quota_exceeded",
     "job_router_failure", "secrets_provider_not_found", "stale_schedule", "infrastructure"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """A pipeline's reading, judged by itself."""

    colour: Colour
    kind: Kind = Kind.NOTHING
    failed: tuple[Job, ...] = ()
    """The newest red runs that may not fail."""
    warnings: tuple[Job, ...] = ()
    fingerprints: tuple[str, ...] = ()
    """What is red, sorted: signatures, or job names where a log was not read."""
    known: bool = False
    """Every red job has a signature, so that two failures can be said to be the same."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Give the ids of the newest red runs."""
        return tuple(job.id for job in self.failed)

    @property
    def names(self) -> tuple[str, ...]:
        """Give the names of the newest red runs, in the order of their ids."""
        return tuple(job.name for job in self.failed)


def judge(pipeline: Pipeline) -> Verdict:
    """Judge one reading of one pipeline."""
    jobs = newest(pipeline.jobs)
    red = tuple(job for job in jobs if job.status in _RED | _TIMEOUT)
    failed = tuple(sorted((job for job in red if not job.allow_failure), key=lambda job: job.id))
    warnings = tuple(job for job in red if job.allow_failure)
    colour = _colour(pipeline, jobs, failed, warnings)
    if colour is not Colour.RED:
        return Verdict(colour, warnings=warnings if colour is Colour.GREEN else ())
    return _red(pipeline, jobs, failed)


def _colour(
    pipeline: Pipeline, jobs: tuple[Job, ...], failed: tuple[Job, ...], warnings: tuple[Job, ...]
) -> Colour:
    colour = _COLOURS.get(pipeline.status, Colour.ACTIVE)
    if colour is Colour.RED and jobs and not failed:
        return _red_without_a_red_job(pipeline, warnings)
    if colour in (Colour.BLOCKED, Colour.STALLED) and failed:
        return Colour.RED  # the status tells of what waits, the job that already failed is red
    if colour is Colour.CANCELED and any(_binding_timeout(job) for job in jobs):
        return Colour.RED
    return colour


def _red_without_a_red_job(pipeline: Pipeline, warnings: tuple[Job, ...]) -> Colour:
    if warnings:
        return Colour.GREEN
    retried = any(job.status in _RED | _TIMEOUT for job in pipeline.jobs)
    # The red run was retried and its newest run is not red: the pipeline's own status lags behind.
    return Colour.ACTIVE if retried else Colour.RED


def _timed_out(job: Job) -> bool:
    return job.status in _TIMEOUT or job.failure_reason in _TIMED_OUT


def _binding_timeout(job: Job) -> bool:
    return _timed_out(job) and not job.allow_failure


def _red(pipeline: Pipeline, jobs: tuple[Job, ...], failed: tuple[Job, ...]) -> Verdict:
    kind = _kind(pipeline, jobs, failed)
    named = {job.fingerprint or f"job:{job.name}" for job in failed}
    fingerprints = tuple(sorted(named)) or (f"pipeline:{kind.value}",)
    known = bool(failed) and all(job.fingerprint for job in failed)
    return Verdict(Colour.RED, kind, failed, (), fingerprints, known)


def _kind(pipeline: Pipeline, jobs: tuple[Job, ...], failed: Collection[Job]) -> Kind:
    if pipeline.status in _TIMEOUT or (not failed and any(_binding_timeout(job) for job in jobs)):
        return Kind.TIMEOUT
    if not failed:
        return Kind.SCRIPT if jobs else Kind.CONFIG
    own = [job for job in failed if job.failure_reason not in INFRA]
    if not own:
        return Kind.INFRA
    if all(job.flaky for job in own):
        return Kind.FLAKY
    return Kind.TIMEOUT if all(_timed_out(job) for job in own) else Kind.SCRIPT


def attempt_key(head: str, pipeline: Pipeline, verdict: Verdict, flips: int = 0) -> str:
    """Give the identity of one CI attempt within a change.

    Head, pipeline, its run and the newest job ids: a job that is retried inside one pipeline is
    another attempt, the same reading twice is not. `flips` tells attempts apart that list no job.
    """
    ids = verdict.ids or tuple(job.id for job in newest(pipeline.jobs))
    about = (head, pipeline.id, pipeline.run, verdict.colour.value, str(flips))
    return digest(*about, *sorted(ids))[:24]
