"""What a green after a repair is: a proposed resolution, with the pipelines and commits as proof.

Must not confirm: that is a person's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from caselore.repair.change import ChangeRef
from caselore.repair.events import Event, EventType, event_id
from caselore.repair.state import State

PROPOSAL = "proposal"  # how it is called where it waits to be written


class Proposal(NamedTuple):
    """What is to be proposed, of which incidents, in whose name."""

    id: str
    at: str
    incidents: tuple[str, ...]
    resolution: str
    by: str

    def to_json(self) -> dict[str, Any]:
        """Give plain values."""
        return {**self._asdict(), "incidents": list(self.incidents)}


Sent = Callable[[str], Iterable[Mapping[str, Any]]]


def proposals(before: State, events: Iterable[Event], worker: str, sent: Sent) -> list[Proposal]:
    """Give what follows from a green: that the repair between red and green was the resolution.

    `sent` gives an event that went to the worker, whose evidence names the incidents.
    """
    passed = [one for one in events if one.type is EventType.PIPELINE_PASSED]
    tried = [one for one in before.series if one.delivered]
    if not passed or not tried or tried[0].head == passed[-1].evidence["head"]:
        return []  # green without a change: a flake
    incidents = {
        failure["incident"]
        for attempt in tried
        for event in sent(attempt.event)
        for failure in event["evidence"].get("failures", ())
        if failure.get("incident")
    }
    if not incidents:
        return []
    first, last, ref = tried[0], passed[-1], before.ref
    words = _words(ref, first.head, first.url, str(last.evidence["head"]), last.url)
    id = event_id(before.change, EventType.PIPELINE_PASSED, PROPOSAL, last.id)
    at = last.to_json()["at"]
    return [Proposal(id, at, tuple(sorted(incidents)), words, worker or "worker")]


def _words(ref: ChangeRef, red: str, red_url: str, green: str, green_url: str) -> str:
    return (
        f"The change {ref.label} was red at {red[:12]} ({red_url}) and is green at {green[:12]} "
        f"({green_url}): the commits in between."
    )
