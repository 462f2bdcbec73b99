"""How a step of the loop is written as rows of the memory, and attempts are read back.

Must not decide anything: it turns values into rows, and finds rows that a step is about.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import count
from typing import Any

from caselore.memory.encoding import Body, canonical
from caselore.memory.loops import LoopRows
from caselore.memory.rows import AttemptRow, OutboxRow
from caselore.repair.events import Event, EventType, Withdraw, event_id
from caselore.repair.observations import Observation, Reading
from caselore.repair.proof import PROPOSAL, proposals
from caselore.repair.state import Attempt, State
from caselore.repair.turn import Step

REARMED = "rearmed"  # how the breaker's event is called when it goes to the worker
Packs = Mapping[str, Mapping[str, Any]]
WORKER, PEOPLE, MEMORY = "worker", "people", "memory"
TAKEN = {WORKER: "", PEOPLE: "{} told to people", MEMORY: "the resolution was proposed"}
WAITING, DELIVERED, WITHDRAWN, KEPT = "waiting", "delivered", "withdrawn", "kept"


def pipelines(seen: Sequence[Observation]) -> set[str]:
    """Name the pipelines of which every attempt must be known, however old."""
    return {one.pipeline.id for one in seen if isinstance(one, Reading) and one.pipeline}


def with_pack(event: Event, packs: Packs) -> Event:
    """Put what was read of its pipeline into an event."""
    pack = packs.get(str(event.evidence.get("pipeline", "")), {})
    return replace(event, evidence={**event.evidence, **pack})


def moved(before: State, now: State, rows: LoopRows | None) -> list[Body]:
    """Give the attempts that are new or changed; a new one gets the next place."""
    known, old = rows.attempts if rows else (), {one.key: one for one in before.attempts}
    places = {row.key: row.place for row in known}
    following = count(known[-1].place + 1 if known else 0)
    return [
        attempt_body(one, places[one.key] if one.key in places else next(following))
        for one in now.attempts
        if old.get(one.key) != one
    ]


def proposed(before: State, worker: str, step: Step, rows: LoopRows | None) -> Iterator[Body]:
    """Let a proposal leave with the green that it follows from: a crash between loses neither."""

    def told(event: str) -> Iterator[Body]:
        found = rows.sent(event) if rows else ()
        return (json.loads(row.document) for row in found if row.target == WORKER)

    for one in proposals(before, step.events, worker, told):
        yield {
            "id": one.id,
            "type": PROPOSAL,
            "at": one.at,
            "target": MEMORY,
            "status": WAITING,
            "document": canonical(one.to_json()),
        }


def woken(before: State, now: State, rows: LoopRows | None) -> Iterator[Body]:
    """Wake the worker of a rearmed change: what opened the breaker still stands."""
    if now.run == before.run or not now.rearmed_by or not before.latched:
        return
    for one in reversed(before.series):
        id = event_id(before.change, EventType.CIRCUIT_BREAKER, one.key, str(one.run))
        row = sent(rows, id, PEOPLE)
        if row is not None:
            event = {**json.loads(row.document), "id": f"{id}-r{now.run}"}
            yield {
                "id": event["id"],
                "type": REARMED,
                "at": row.at,
                "target": WORKER,
                "status": WAITING,
                "document": canonical(event),
            }
            return


def withdrawn(rows: LoopRows | None, step: Step) -> Iterator[Body]:
    """Take back what no worker took yet."""
    taken_back = {one.event for one in step.commands if isinstance(one, Withdraw)}
    for row in rows.outbox if rows else ():
        if row.id in taken_back and row.target == WORKER:
            yield changed(row, WITHDRAWN)


def changed(row: OutboxRow, status: str) -> Body:
    """Give a row of the outbox another status."""
    return {
        "id": row.id,
        "target": row.target,
        "type": row.type,
        "at": row.at,
        "document": row.document,
        "status": status,
    }


def sent(rows: LoopRows | None, id: str, target: str) -> OutboxRow | None:
    """Find what left under an id for somebody: a worker may take what was taken back meanwhile."""
    found = rows.sent(id) if rows else ()
    return next((row for row in found if row.target == target), None)


def attempt(row: AttemptRow) -> Attempt:
    """Read an attempt."""
    values = json.loads(row.document)
    for name in ("jobs", "names", "fingerprints"):
        values[name] = tuple(values[name])
    return Attempt(**values)


def attempt_body(attempt: Attempt, place: int) -> Body:
    """Write an attempt."""
    return {
        "key": attempt.key,
        "place": place,
        "number": attempt.number,
        "delivered": int(attempt.delivered),
        "verdict": attempt.colour,
        "kind": attempt.kind,
        "head": attempt.head,
        "pipeline": attempt.pipeline,
        "at": attempt.at,
        "decision": attempt.decision,
        "document": canonical(asdict(attempt)),
    }
