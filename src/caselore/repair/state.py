"""What the loop knows of one change, and the shape in which people are told.

Must not decide: it only holds, counts what it holds, and turns into JSON and back.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from itertools import takewhile
from typing import Any

from caselore.memory.encoding import unstamp
from caselore.repair.change import ChangeRef, parse
from caselore.repair.events import shown

TOLD = 200  # notices that are remembered, the newest
KEPT = 60  # heads and pipelines that are remembered, the newest; older ones are stale anyway


class Phase(StrEnum):
    """Where a change stands."""

    TRACKING = "tracking"
    REPAIRING = "repairing"
    WAITING = "waiting"
    GREEN = "green"
    PAUSED = "paused"
    OPEN = "open"
    POST_MERGE = "post_merge"
    DONE = "done"


ENDED = frozenset({Phase.POST_MERGE, Phase.DONE})
SILENT = frozenset({Phase.OPEN, Phase.POST_MERGE, Phase.DONE})
"""Phases in which nothing goes to the worker and none is started."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One CI attempt that was handled, and what was decided about it."""

    key: str
    at: str
    head: str
    pipeline: str
    sha: str
    rank: int
    colour: str
    kind: str
    jobs: tuple[str, ...]
    """Ids of the newest red runs."""
    names: tuple[str, ...]
    fingerprints: tuple[str, ...]
    known: bool
    url: str
    run: int
    """Which series of failures it belongs to: a green or a person's word begins another."""
    decision: str = ""
    """Why it counts or does not, in words."""
    number: int = 0
    """Its place in the series, where it went or was to go to the worker; else 0."""
    event: str = ""
    delivered: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give what people are told of an attempt."""
        return {
            "attempt": self.number,
            "at": shown(unstamp(self.at)),
            "head": self.head,
            "pipeline": self.pipeline,
            "url": self.url,
            "verdict": self.colour,
            "class": self.kind,
            "fingerprints": list(self.fingerprints),
            "counted": self.delivered,
            "decision": self.decision,
        }


@dataclass(frozen=True, slots=True)
class Seen:
    """The last reading of one pipeline."""

    id: str
    head: str
    rank: int
    at: str


@dataclass(frozen=True, slots=True)
class State:
    """All that the loop knows of one change. Times are texts that sort as times do."""

    change: str
    phase: Phase = Phase.TRACKING
    head: str = ""
    head_at: str = ""
    pusher: str = ""
    heads: tuple[str, ...] = ()
    run: int = 0
    alive: bool = True
    deaths: int = 0
    offered: str = ""
    """The event that a worker is to take and has not taken yet."""
    held: str = ""
    """The attempt that waits for a dead worker."""
    why: str = ""
    """Why it is paused, open or done."""
    infra: int = 0
    flaky: int = 0
    misses: int = 0
    errors: int = 0
    spent: int = 0
    target_sha: str = ""
    target_failed: tuple[str, ...] = ()
    target_at: str = ""
    fate_at: str = ""
    merge_sha: str = ""
    merged_at: str = ""
    silent_since: str = ""
    settling: str = ""
    settling_since: str = ""
    latched: bool = False
    """The breaker opened, and no person rearmed it since: whatever the phase is by now."""
    rearmed_by: str = ""
    rearmed_why: str = ""
    pushed: tuple[str, ...] = ()
    """Commits that the worker itself pushed."""
    receipts: tuple[str, ...] = ()
    """Runs of the worker whose end was taken in: the newest."""
    notices: tuple[str, ...] = ()
    seen: tuple[Seen, ...] = ()
    early: tuple[dict[str, Any], ...] = ()
    """Pipelines of the target branch that were read before the merge was."""
    attempts: tuple[Attempt, ...] = ()

    @property
    def ref(self) -> ChangeRef:
        """Give the change's address in its parts."""
        return parse(self.change)

    @property
    def count(self) -> int:
        """Count the failures in a row that a worker took."""
        return sum(one.delivered for one in self.series)

    @property
    def series(self) -> tuple[Attempt, ...]:
        """Give the attempts since the last green, or since a person let the loop begin again."""
        begun = takewhile(lambda one: one.run == self.run, reversed(self.attempts))
        return tuple(begun)[::-1]

    def attempt(self, key: str) -> Attempt | None:
        """Give an attempt by its key."""
        return next((one for one in self.attempts if one.key == key), None)

    def with_attempt(self, attempt: Attempt) -> State:
        """Put an attempt in, in place of the one with its key."""
        keys = [one.key for one in self.attempts]
        place = keys.index(attempt.key) if attempt.key in keys else len(keys)
        kept = (*self.attempts[:place], attempt, *self.attempts[place + 1 :])
        return replace(self, attempts=kept)

    def status(self, maximum: int, worker: dict[str, Any] | None = None) -> dict[str, Any]:
        """Give the shape of CONTRACT's `status`."""
        last = self.attempts[-1] if self.attempts else None
        about = {"alive": self.alive, "delivered": not self.offered, **(worker or {})}
        return {
            "change": self.change,
            "project": self.ref.project,
            "state": self.phase.value,
            "pipeline_fail_count": self.count,
            "max_attempts": maximum,
            "head": self.head,
            "last_attempt": last.to_json() if last else None,
            "worker": about,
            "why": self.why,
        }

    def to_json(self) -> dict[str, Any]:
        """Give everything but the attempts, which have a table of their own, as plain values."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        del values["attempts"]
        return {**values, "phase": self.phase.value, "seen": [asdict(one) for one in self.seen]}


_TUPLES = ("heads", "pushed", "target_failed", "receipts", "notices", "early")


def from_json(values: dict[str, Any], attempts: tuple[Attempt, ...]) -> State:
    """Read what `to_json` wrote."""
    read = {**values, **{name: tuple(values.get(name, ())) for name in _TUPLES}}
    read["phase"] = Phase(values["phase"])
    read["seen"] = tuple(Seen(**one) for one in values["seen"])
    return State(**read, attempts=attempts)
