"""What the loop may be told: the only input of the reducer.

Must not carry what was not observed: a webhook's payload is a hint to look, never one of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from caselore.repair.pipelines import Pipeline

WORKER = "worker"


class Trouble(StrEnum):
    """Why a forge could not be read."""

    API = "api"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    NOT_FOUND = "not_found"


class Outcome(StrEnum):
    """What a worker says of its own run; checked against the forge before it gets here."""

    PUSHED = "pushed"
    NO_CHANGE = "no_change"
    NEEDS_HUMAN = "needs_human"
    GAVE_UP = "gave_up"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Reading:
    """The change as the forge had it: its head, who pushed that, and one pipeline or none."""

    at: datetime
    head: str = ""
    pusher: str = ""
    """`worker`, `human:NAME`, or empty where that was not said."""
    pipeline: Pipeline | None = None


@dataclass(frozen=True, slots=True)
class Error:
    """The forge could not be read."""

    at: datetime
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class Worker:
    """The worker was found alive, or dead."""

    at: datetime
    alive: bool


@dataclass(frozen=True, slots=True)
class Fate:
    """The change is opened, closed or merged."""

    at: datetime
    state: str
    merge_sha: str = ""


@dataclass(frozen=True, slots=True)
class AfterMerge:
    """A pipeline of the target branch, or of a tag, that has the merged change in it."""

    at: datetime
    ref: str
    pipeline: Pipeline
    tag: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """What fails on the target branch itself."""

    at: datetime
    sha: str
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rearm:
    """A person lets the loop begin again, and says why."""

    at: datetime
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class Delivered:
    """The worker took an event."""

    at: datetime
    event: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """A worker's run for one event ended, and what it cost."""

    at: datetime
    event: str
    outcome: Outcome
    cost: int = 0
    """Millionths of the currency that the worker reports in."""
    summary: str = ""
    head: str = ""
    """The commit that the worker pushed, as the forge has it."""
    run: str = ""
    """Which run it was: one that is told of twice is taken in once."""


@dataclass(frozen=True, slots=True)
class Untrack:
    """Somebody takes the change out of the loop."""

    at: datetime
    by: str


Observation = (
    Reading | Error | Worker | Fate | AfterMerge | Target | Rearm | Delivered | Receipt | Untrack
)
