"""What is to be done later, and what every engine promises of it.

- Deferred is kept: a job runs at least once, whichever process dies. What a handler does must
  therefore be harmless the second time.
- Jobs of one `lock` run one at a time over all processes, in the order in which they were
  deferred; one that waits for another try holds up those behind it.
- A job of a `once` is not put in while another of that `once` waits for its first run.
- What raises is tried again by its kind's `Retry`, then kept as failed until a person says again.
- A process that gives no sign of life loses its jobs to the next.

A job on a schedule, with catch-up, is registered by every process at its start:

    jobs.handle("intel.run", run)        # run(job) reads job.about and job.due
    jobs.every("intel:ci", "intel.run", Every(timedelta(weeks=1), timedelta(hours=6)),
               {"topic": "ci"}, catch_up=2)

Weeks begin on Monday 00:00 UTC, so this is due each Monday at 06:00. Each due time is run once,
whatever number of processes registers the name. Where none ran at that time, the newest `catch_up`
due times that were missed are run, oldest first, as soon as one does; `job.due` says which one it
is. A schedule begins when it is first registered: nothing of it is due before.

Must not know what any work is, nor any database or queue.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

_MONDAY = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done later."""

    kind: str
    about: Mapping[str, Any] = field(default_factory=dict)
    """Plain JSON values."""
    lock: str = ""
    """Jobs of one lock run one at a time, in order; empty for none."""
    once: str = ""
    """Only one job of this waits at a time; empty for no such bound."""
    place: str = ""
    """Only processes of this place run it; empty for any."""
    after: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done now."""

    id: str
    kind: str
    about: Mapping[str, Any]
    tries: int
    """1 at the first."""
    due: datetime
    """When it was to be done: of a schedule, which of its times this is."""


Handler = Callable[[Job], timedelta | None]
"""Does a job: None when it is done, or after what time it is to be looked at again.

Being looked at again is no failure and uses up no try. What is raised is one.
"""


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a job is tried, and how long the pauses are: each is twice the one before."""

    tries: int = 8
    pause: timedelta = timedelta(seconds=15)
    most: timedelta = timedelta(hours=1)

    def after(self, tries: int) -> timedelta | None:
        """Give the pause after so many tries; None where it was the last."""
        if tries >= self.tries:
            return None
        return min(self.most, self.pause * (1 << min(tries - 1, 30)))


@dataclass(frozen=True, slots=True)
class Every:
    """A schedule: every so often, counted from Monday 00:00 UTC, `offset` later."""

    period: timedelta
    offset: timedelta = timedelta(0)

    def last(self, now: datetime) -> datetime:
        """Give the newest due time that is not after now."""
        begin = _MONDAY + self.offset
        return begin + ((now - begin) // self.period) * self.period

    def missed(self, now: datetime, most: int) -> list[datetime]:
        """Give the newest due times that are not after now, oldest first."""
        last = self.last(now)
        return [last - self.period * back for back in reversed(range(most))]


@dataclass
class Ran:
    """What was done."""

    done: int = 0
    again: int = 0
    """Jobs that are to be looked at again, or were tried and failed."""
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Failed:
    """A job that used up its tries."""

    id: str
    kind: str
    about: Mapping[str, Any]
    words: str
    """What went wrong; empty where the engine keeps no words, but logs them."""


class Jobs(Protocol):
    """Runs work later."""

    def handle(self, kind: str, act: Handler, retry: Retry = ...) -> None:
        """Say what does the jobs of a kind; this process runs no other kinds."""

    def every(
        self,
        name: str,
        kind: str,
        schedule: Every,
        about: Mapping[str, Any] = ...,
        *,
        catch_up: int = ...,
        place: str = ...,
    ) -> None:
        """Let a job of a kind be due on a schedule; its lock is its name, any place runs it."""

    def defer(self, orders: Sequence[Order]) -> int:
        """Put in jobs; give how many are new."""

    def round(self) -> Ran:
        """Run all that is due, and what that defers, until nothing is due."""

    def work(
        self, stop: threading.Event, tell: Callable[[Ran], None] = ..., idle: float = ...
    ) -> None:
        """Run what is due as it becomes due, until told to stop.

        `tell` hears at least every `idle` seconds what was done since it was told last.
        """

    def failed(self, limit: int = ...) -> list[Failed]:
        """Give the jobs that used up their tries, oldest first."""

    def again(self, id: str) -> None:
        """Let a failed job be tried again from the beginning."""

    def close(self) -> None:
        """Let go of connections; what is deferred stays."""


AT = "at"  # where a scheduled job's own time stands: trying it again later does not move it


def scheduled(kind: str, about: Mapping[str, Any], name: str, place: str, catch_up: int) -> Order:
    """Give the job of a schedule; where one missed time is enough, they do not pile up."""
    return Order(kind, about, lock=name, once=name if catch_up == 1 else "", place=place)


def timed(order: Order, at: datetime) -> Order:
    """Write into an order which time of its schedule it is."""
    return replace(order, about={**order.about, AT: at.isoformat()})


def due(about: Mapping[str, Any]) -> datetime | None:
    """Read which time of its schedule a job is; None where it is of no schedule."""
    return datetime.fromisoformat(about[AT]) if AT in about else None


class Kept(Protocol):
    """A job as it is kept. Times are texts that sort as times do."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def due_at(self) -> str: ...
    @property
    def tries(self) -> int: ...
    @property
    def error(self) -> str: ...


Wanted = tuple[str, str, str, str, str, datetime]
"""Kind, lock, once, place, about (JSON), due."""
Left = tuple[str, int, str, datetime, str, bool]
"""Id, tries, state (waiting, failed, empty where it is done), due, words, whether it counts."""


class Shelf(Protocol):
    """Where the embedded engine keeps jobs: each call is one transaction."""

    def add_jobs(self, jobs: Sequence[Wanted]) -> int: ...
    def take_jobs(
        self,
        kinds: Sequence[str],
        place: str,
        holder: str,
        now: datetime,
        seconds: float,
        limit: int,
    ) -> Sequence[Kept]:
        """Hold jobs that are due, of each lock one; those that nobody holds any more, too."""

    def hold_jobs(self, holder: str, now: datetime, seconds: float) -> None: ...
    def leave_jobs(self, holder: str, left: Sequence[Left], now: datetime) -> None: ...
    def schedule_jobs(
        self, name: str, last: datetime, jobs: Sequence[tuple[datetime, Wanted]]
    ) -> int: ...
    def jobs(self, state: str, limit: int = ...) -> Sequence[Kept]: ...
    def try_job(self, id: str, now: datetime) -> None: ...
