"""The loop's account: what is tracked, written and read back as the memory keeps it.

One step is one transaction: state, attempts and what leaves are kept together or not at all.
Must not decide how anything counts, nor speak to a forge or a worker.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from caselore.memory.api import Memory
from caselore.memory.encoding import Body, canonical, stamp
from caselore.memory.loops import LoopEntry, LoopRows, change_id
from caselore.memory.records import Actor
from caselore.memory.rows import ChangeRow, OutboxRow
from caselore.repair import kept
from caselore.repair.change import ChangeRef
from caselore.repair.events import FOR_THE_WORKER, Event
from caselore.repair.kept import PEOPLE, WORKER
from caselore.repair.observations import Delivered, Observation
from caselore.repair.policy import Policy
from caselore.repair.reducer import reduce
from caselore.repair.state import Attempt, Phase, State, from_json
from caselore.repair.turn import Step


@dataclass(frozen=True, slots=True)
class Owner:
    """The worker that owns a change, and how to find it again."""

    name: str = ""
    session: str = ""
    folder: str = ""
    """Where it was started: several agents find a session again only from there."""
    logins: tuple[str, ...] = ()
    """Under which names it pushes; empty: whoever pushed the head when it was tracked."""

    def to_json(self) -> dict[str, Any]:
        """Give plain values."""
        return {**asdict(self), "logins": list(self.logins)}


@dataclass(frozen=True, slots=True)
class Tracked:
    """One tracked change with all that is known of it."""

    id: str
    state: State
    owner: Owner = field(default_factory=Owner)

    def status(self, maximum: int) -> dict[str, Any]:
        """Give CONTRACT's `status`."""
        return {"id": self.id, **self.state.status(maximum, self.owner.to_json())}


class Outgoing(NamedTuple):
    """An event on its way to somebody."""

    id: str
    target: str
    change: str
    type: str
    status: str
    seq: int
    event: dict[str, Any]


class Remembered(NamedTuple):
    """One step of a change's history, for explaining."""

    seq: int
    at: str
    actor: str
    action: str
    notes: tuple[str, ...]
    state: str
    failures: int


def fold(state: State, seen: Sequence[Observation], policy: Policy) -> Step:
    """Take in several observations one after the other, as one step."""
    steps: list[Step] = []
    for one in seen:
        steps.append(reduce(state, one, policy))
        state = steps[-1].state
    return Step(
        state,
        tuple(event for step in steps for event in step.events),
        tuple(command for step in steps for command in step.commands),
        tuple(note for step in steps for note in step.notes),
    )


def id_of(ref: ChangeRef) -> str:
    """Give the id under which a change is kept."""
    return change_id(*ref.key)


class Account:
    """What is kept of the loop in one bank."""

    def __init__(self, memory: Memory, policy: Policy, *, told: bool = False) -> None:
        """Keep in a memory; `told`: events are to be told to people through some channel."""
        self.memory, self.policy, self._told = memory, policy, told

    def tracked(self, id: str, seen: Sequence[Observation] = ()) -> Tracked | None:
        """Give one change with what may still matter of its history, and what `seen` is about."""
        rows = self.memory.loop_rows(id, kept.pipelines(seen))
        return _tracked(rows) if rows else None

    def attempts(self, id: str) -> list[Attempt]:
        """Give every attempt of a change, in order."""
        return [kept.attempt(row) for row in self.memory.loop_attempts(id)]

    def listed(self, state: str = "", after: str = "", limit: int = 1_000) -> list[ChangeRow]:
        """Give changes in the order of their ids, without their attempts."""
        return self.memory.loop_changes(state, after, limit)

    def track(self, ref: ChangeRef, owner: Owner, actor: Actor) -> Tracked:
        """Begin to track a change, or give it another owner; its count stays what it was."""

        def decide(rows: LoopRows | None) -> LoopEntry | None:
            known = _tracked(rows) if rows else Tracked(id_of(ref), State(ref.url))
            state = _tracked_again(known.state)
            if rows and (known.owner, known.state) == (owner, state):
                return None
            now = replace(known, owner=owner, state=state)
            notes = [f"tracked for the worker {owner.name or 'nobody'}"]
            return self._entry("track", known, now, Step(state, (), (), tuple(notes)), rows)

        self.memory.loop_write(id_of(ref), actor, decide)
        found = self.tracked(id_of(ref))
        return found or Tracked(id_of(ref), State(ref.url), owner)

    def step(
        self,
        id: str,
        seen: Observation | Sequence[Observation],
        actor: Actor,
        action: str = "loop",
        packs: kept.Packs | None = None,
    ) -> Step | None:
        """Take in observations in one transaction; None where not tracked, or nothing is new.

        `packs`: what the evidence of an event has beside the reducer's, by pipeline.
        Raises: GateRefused where this caller may not.
        """
        some = tuple(seen) if isinstance(seen, Sequence) else (seen,)
        if action == "loop":
            found = self.tracked(id, some)
            if found is None or not self.foresee(found, some):
                return None
        made: list[Step] = []

        def decide(rows: LoopRows | None) -> LoopEntry | None:
            if rows is None:
                return None
            before = _tracked(rows)
            step = fold(before.state, some, self.policy)
            made.append(step)
            if action == "loop" and not _news(before.state, step):
                return None
            told = step._replace(
                events=tuple(kept.with_pack(one, packs or {}) for one in step.events)
            )
            return self._entry(action, before, replace(before, state=step.state), told, rows)

        wrote = self.memory.loop_write(id, actor, decide, kept.pipelines(some))
        return made[0] if wrote and made else None

    def foresee(self, found: Tracked, seen: Sequence[Observation]) -> Step | None:
        """Give what would follow, without writing; None where that is nothing new."""
        step = fold(found.state, seen, self.policy)
        return step if _news(found.state, step) else None

    def taken(self, outgoing: Outgoing, actor: Actor, at: datetime) -> None:
        """Say that it was taken: by the worker, which counts it, by people, or by the memory."""

        def decide(rows: LoopRows | None) -> LoopEntry | None:
            row = kept.sent(rows, outgoing.id, outgoing.target)
            if rows is None or row is None or row.status == kept.DELIVERED:
                return None
            before = _tracked(rows)
            step = Step(before.state, (), (), (kept.TAKEN[outgoing.target].format(row.type),))
            if outgoing.target == WORKER:
                step = reduce(before.state, Delivered(at, outgoing.id), self.policy)
            now = replace(before, state=step.state)
            return self._entry("loop", before, now, step, rows, row)

        self.memory.loop_write(outgoing.change, actor, decide)

    def waiting(self, target: str, after: int = 0, limit: int = 1_000) -> list[Outgoing]:
        """Give what waits for somebody, in order."""
        return [_outgoing(row) for row in self.memory.loop_outgoing(target, after, limit)]

    def waiting_of(self, id: str) -> list[Outgoing]:
        """Give what waits for anybody, of one change."""
        return [_outgoing(row) for row in self.memory.loop_open(id)]

    def events(self, id: str) -> list[Outgoing]:
        """Give all events that ever left for a change."""
        rows = self.memory.loop_events(id)
        return [_outgoing(row) for row in rows if row.target != kept.MEMORY]

    def outgoing(self, id: str, target: str) -> Outgoing | None:
        """Give one thing that waits, or waited, for somebody."""
        rows = self.memory.loop_event(id)
        return next((_outgoing(row) for row in rows if row.target == target), None)

    def history(self, id: str) -> Iterator[Remembered]:
        """Give every step of a change with its reasons, in order."""
        for entry, body in self.memory.loop_history(id):
            if "change" in body:
                yield Remembered(
                    entry.seq,
                    entry.at,
                    f"{entry.role}:{entry.actor}",
                    entry.action,
                    tuple(body["notes"]),
                    body["change"]["state"],
                    body["change"]["pipeline_fail_count"],
                )

    def _entry(
        self,
        action: str,
        before: Tracked,
        now: Tracked,
        step: Step,
        rows: LoopRows | None,
        taken: OutboxRow | None = None,
    ) -> LoopEntry:
        attempts = kept.moved(before.state, now.state, rows)
        outbox = [row for event in step.events for row in self._leaving(event)]
        outbox += kept.proposed(before.state, before.owner.name, step, rows)
        outbox += kept.woken(before.state, now.state, rows)
        outbox += kept.withdrawn(rows, step)
        outbox += [kept.changed(taken, kept.DELIVERED)] if taken else []
        body: Body = {
            "change": _change_body(now, self.policy.attempts),
            "attempts": attempts,
            "outbox": outbox,
            "notes": list(step.notes),
        }
        return LoopEntry(action, body)

    def _leaving(self, event: Event) -> Iterator[Body]:
        row = {
            "id": event.id,
            "type": event.type.value,
            "at": stamp(event.at),
            "document": canonical(event.to_json()),
        }
        if event.type in FOR_THE_WORKER:
            yield {**row, "target": WORKER, "status": kept.WAITING}
        yield {**row, "target": PEOPLE, "status": kept.WAITING if self._told else kept.KEPT}


def _tracked_again(state: State) -> State:
    """Take a change up again that was taken out or closed; the breaker stays as it was."""
    if state.phase is not Phase.DONE or state.merged_at:
        return state
    return replace(state, phase=Phase.OPEN if state.latched else Phase.TRACKING, misses=0, why="")


def _news(before: State, step: Step) -> bool:
    """Tell whether a step is worth writing: readings that only repeat what is known are not."""
    return bool(step.events or step.commands) or _lasting(before) != _lasting(step.state)


def _lasting(state: State) -> State:
    seen = tuple(replace(one, at="") for one in state.seen)
    return replace(state, head_at="", seen=seen, errors=0, target_at="", fate_at="")


def _tracked(rows: LoopRows) -> Tracked:
    document = json.loads(rows.change.document)
    attempts = tuple(kept.attempt(row) for row in rows.attempts)
    owner = {**document["owner"], "logins": tuple(document["owner"]["logins"])}
    return Tracked(rows.change.id, from_json(document["state"], attempts), Owner(**owner))


def _change_body(now: Tracked, maximum: int) -> Body:
    state, ref = now.state, now.state.ref
    return {
        "url": state.change,
        "project": ref.project,
        "iid": ref.iid,
        "state": state.phase.value,
        "pipeline_fail_count": state.count,
        "max_attempts": maximum,
        "worker": now.owner.name,
        "head": state.head,
        "updated_at": state.head_at,
        "document": canonical({"state": state.to_json(), "owner": now.owner.to_json()}),
    }


def _outgoing(row: OutboxRow) -> Outgoing:
    event = json.loads(row.document)
    return Outgoing(row.id, row.target, row.change, row.type, row.status, row.seq, event)
