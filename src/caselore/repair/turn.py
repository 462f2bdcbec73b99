"""One step of the reducer while it is being made: the new state, what leaves, and why.

Must not decide anything: it is the sheet that the rules write on.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from caselore.repair.events import Command, Event, EventType, Withdraw, event_id
from caselore.repair.policy import Policy
from caselore.repair.state import TOLD, Attempt, Phase, State


class Step(NamedTuple):
    """What follows from one observation."""

    state: State
    events: tuple[Event, ...]
    commands: tuple[Command, ...]
    notes: tuple[str, ...]
    """Each decision in a sentence, which `explain` shows."""


class Turn:
    """Collects what follows from one observation."""

    def __init__(self, state: State, policy: Policy) -> None:
        """Begin from the state as it is."""
        self.state, self.policy = state, policy
        self._events: list[Event] = []
        self._commands: list[Command] = []
        self._notes: list[str] = []

    def step(self) -> Step:
        """Give the finished step."""
        return Step(self.state, tuple(self._events), tuple(self._commands), tuple(self._notes))

    def set(self, **changes: Any) -> None:
        """Change the state."""
        self.state = replace(self.state, **changes)

    def move(self, phase: Phase, why: str = "") -> None:
        """Go to a phase."""
        self.set(phase=phase, why=why)

    def keep(self, attempt: Attempt, decision: str) -> Attempt:
        """Record an attempt with what was decided about it."""
        decided = replace(attempt, decision=decision)
        self.state = self.state.with_attempt(decided)
        self.note(decision)
        return decided

    def note(self, words: str) -> None:
        """Say why."""
        self._notes.append(words)

    def command(self, command: Command) -> None:
        """Ask the watcher for something."""
        self._commands.append(command)

    def first_time(self, notice: str) -> bool:
        """Tell whether this notice was not given yet, and remember that it now is."""
        if notice in self.state.notices:
            return False
        self.set(notices=(*self.state.notices, notice)[-TOLD:])
        return True

    def withdraw(self) -> None:
        """Take back what no worker took yet."""
        if self.state.offered:
            self.command(Withdraw(self.state.offered))
        self.set(offered="", held="")

    def emit(
        self,
        type: EventType,
        at: datetime,
        message: str,
        *about: str,
        attempt: int | None = None,
        url: str = "",
        evidence: dict[str, Any] | None = None,
        count: int | None = None,
    ) -> Event:
        """Let an event leave; `about` is what tells it from others of its type."""
        event = Event(
            id=event_id(self.state.change, type, *about),
            type=type,
            at=at,
            change=self.state.change,
            project=self.state.ref.project,
            attempt=self.state.count if attempt is None else attempt,
            max=self.policy.attempts,
            pipeline_fail_count=self.state.count if count is None else count,
            url=url or self.state.change,
            message=message,
            evidence=evidence or {},
        )
        self._events.append(event)
        self.note(f"event {type.value}")
        return event
