"""Tells a recorded history to the reducer again, under any policy: no forge, no worker, no store.

Must not have rules of its own: a worker that is not said to be dead takes delivery at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from caselore.repair.events import Event, EventType
from caselore.repair.observations import Delivered
from caselore.repair.policy import Policy
from caselore.repair.recorded import Told
from caselore.repair.reducer import reduce
from caselore.repair.state import State


class Simulation:
    """Several changes and their states, as a history unfolds."""

    def __init__(self, policy: Policy) -> None:
        """Begin with nothing known."""
        self.policy = policy
        self._states: dict[tuple[str, str, str], State] = {}

    def tell(self, history: Iterable[Told]) -> Iterator[Event]:
        """Tell observations in the order of their arrival; gives the events that leave."""
        for change, seen in history:
            state = self._states.get(change.key) or State(change.url)
            step = reduce(state, seen, self.policy)
            state = step.state
            for event in step.events:
                yield event
                if event.type is EventType.PIPELINE_FAILED:
                    state = reduce(state, Delivered(seen.at, event.id), self.policy).state
            self._states[change.key] = state

    def statuses(self) -> list[dict[str, Any]]:
        """Give where each change stands now, in the order in which they were first seen."""
        return [one.status(self.policy.attempts) for one in self._states.values()]
