"""What leaves the loop: events for people and workers, and commands for the watcher.

Must not do anything: they are values, with ids that the same history always gives again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from caselore.memory.encoding import digest


class EventType(StrEnum):
    """The kinds of events."""

    PIPELINE_FAILED = "pipeline_failed"
    PIPELINE_PASSED = "pipeline_passed"
    CIRCUIT_BREAKER = "circuit_breaker"
    MAIN_PIPELINE_FAILED = "main_pipeline_failed"
    TAG_PIPELINE_FAILED = "tag_pipeline_failed"
    BASELINE_RED = "baseline_red"
    FLAKE_OBSERVED = "flake_observed"
    INFRA_SUSPECTED = "infra_suspected"
    NEEDS_HUMAN = "needs_human"
    CHANGE_GONE = "change_gone"


FOR_THE_WORKER = frozenset(
    {EventType.PIPELINE_FAILED, EventType.MAIN_PIPELINE_FAILED, EventType.TAG_PIPELINE_FAILED}
)
"""What a worker acts on. `pipeline_failed` counts when it is delivered; the others never do."""


def shown(at: datetime) -> str:
    """Write a time as people and scripts read it; to the second where it has no fraction."""
    return at.isoformat().replace("+00:00", "Z")


def event_id(change: str, type: EventType, *about: str) -> str:
    """Give the id of an event: the same history gives the same id, however it was observed."""
    return f"evt_{digest(change, type.value, *about)[:24]}"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to a change, told once under one id."""

    id: str
    type: EventType
    at: datetime
    change: str
    project: str
    attempt: int
    max: int
    pipeline_fail_count: int
    url: str
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Give the shape of CONTRACT."""
        return {
            "id": self.id,
            "type": self.type.value,
            "at": shown(self.at),
            "change": self.change,
            "project": self.project,
            "attempt": self.attempt,
            "max": self.max,
            "pipeline_fail_count": self.pipeline_fail_count,
            "url": self.url,
            "message": self.message,
            "evidence": dict(self.evidence),
        }


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop the worker, and start it no more."""

    why: str


@dataclass(frozen=True, slots=True)
class Restore:
    """Start the worker again, with a notice of what happened."""

    why: str


@dataclass(frozen=True, slots=True)
class Rerun:
    """Ask the forge to run these jobs once more."""

    jobs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Withdraw:
    """An event that no worker took yet is out of date."""

    event: str


Command = Stop | Restore | Rerun | Withdraw
