"""What a process does of later work: its kinds, and its schedules as they become due.

Must not run anything, nor know how an engine keeps jobs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from caselore.jobs.ports import Every, Handler, Order, Retry, scheduled

_NOTHING: Mapping[str, Any] = {}


class Register(ABC):
    """The part of an engine that is the same for all: what was registered with it."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        """Begin with nothing registered."""
        self._clock = clock
        self._kinds: dict[str, tuple[Handler, Retry]] = {}
        self._schedules: dict[str, tuple[Every, Order, int]] = {}
        self._next: dict[str, datetime] = {}

    def handle(self, kind: str, act: Handler, retry: Retry | None = None) -> None:
        """Say what does the jobs of a kind."""
        self._kinds[kind] = (act, retry or Retry())

    def every(
        self,
        name: str,
        kind: str,
        schedule: Every,
        about: Mapping[str, Any] = _NOTHING,
        *,
        catch_up: int = 1,
        place: str = "",
    ) -> None:
        """Let a job be due on a schedule."""
        self._schedules[name] = (schedule, scheduled(kind, about, name, place, catch_up), catch_up)
        self._next.pop(name, None)
        self._tick()

    def _tick(self) -> None:
        """Put in what became due of the schedules."""
        now = self._clock()
        for name, (schedule, order, most) in self._schedules.items():
            if self._next.get(name, now) <= now:
                if missed := schedule.missed(now, most):
                    self._due(name, schedule, order, missed)
                self._next[name] = schedule.last(now) + schedule.period

    @abstractmethod
    def _due(self, name: str, schedule: Every, order: Order, missed: list[datetime]) -> None:
        """Put in a job for each newest due time of a schedule that is new to all processes."""
