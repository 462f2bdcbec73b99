"""Follows the head of a change: which commit it is, and whose.

Must not look at what a pipeline says.
"""

from __future__ import annotations

from datetime import timedelta

from caselore.memory.encoding import stamp, unstamp
from caselore.repair import breaker
from caselore.repair.observations import WORKER, Reading
from caselore.repair.pipelines import MERGED_RESULT, Pipeline, rank
from caselore.repair.state import KEPT, Phase
from caselore.repair.turn import Turn

FOREIGN = "a person pushed"


def follow(turn: Turn, seen: Reading) -> bool:
    """Follow the head; tell whether this reading is of the head that is the newest known."""
    state, at = turn.state, stamp(seen.at)
    head = seen.head or _head_of(turn, seen.pipeline) or state.head
    if head != state.head:
        if at < state.head_at:
            turn.set(heads=_kept(state.heads, head))
            return False
        _new_head(turn, head, seen.pusher or WORKER, at)
    elif seen.pusher and at >= state.head_at and seen.pusher != state.pusher:
        _pushed_by(turn, seen.pusher)
    turn.set(head_at=max(at, turn.state.head_at))
    return True


def _head_of(turn: Turn, pipeline: Pipeline | None) -> str:
    """Take a new commit's own pipeline for its head where nobody said what the head is."""
    if pipeline is None or pipeline.sha in turn.state.heads:
        return ""
    merged = rank(pipeline, turn.state.ref.iid) >= MERGED_RESULT
    return "" if merged else pipeline.sha


def _kept(known: tuple[str, ...], one: str) -> tuple[str, ...]:
    return (*(other for other in known if other != one), one)[-KEPT:]


def _new_head(turn: Turn, head: str, pusher: str, at: str) -> None:
    first = not turn.state.head
    turn.withdraw()
    turn.set(head=head, heads=_kept(turn.state.heads, head), settling="", settling_since="")
    turn.set(flaky=0, silent_since="")
    turn.note(f"new head {head[:12]}, pushed by {pusher}")
    if pusher == WORKER and not first:
        _worker_pushed(turn)
    _pushed_by(turn, pusher)


def _worker_pushed(turn: Turn) -> None:
    """A push of the worker's own ends a pause and begins to wait for its pipeline."""
    parked = turn.state.infra >= turn.policy.infra_limit
    if turn.state.phase is Phase.OPEN or parked:
        return
    turn.set(deaths=0)
    turn.move(Phase.WAITING if turn.state.count else Phase.TRACKING)


def _pushed_by(turn: Turn, pusher: str) -> None:
    turn.set(pusher=pusher)
    if pusher == WORKER:
        if turn.state.phase is Phase.PAUSED and turn.state.why.startswith(FOREIGN):
            _worker_pushed(turn)
        return
    if turn.state.phase is not Phase.OPEN:
        _foreign(turn, pusher)


def _foreign(turn: Turn, pusher: str) -> None:
    turn.withdraw()
    turn.move(Phase.PAUSED, f"{FOREIGN}: {pusher}")
    turn.note("a foreign push: the loop pauses, its failures are not the worker's")


def silent(turn: Turn, seen: Reading) -> None:
    """Take in that there is no pipeline: said once after a repair's push, nothing else changes."""
    turn.note("no pipeline: nothing changes")
    state = turn.state
    answered = any(one.head == state.head for one in state.seen)
    if answered or not state.count or state.phase is not Phase.WAITING:
        return
    if not state.silent_since:
        turn.set(silent_since=stamp(seen.at))
    elif seen.at - unstamp(state.silent_since) >= timedelta(seconds=turn.policy.silence):
        breaker.needs_human(
            turn, seen.at, f"silence:{state.head}",
            f"No pipeline ran for the push {state.head[:12]}",
            causes=["a push whose token starts no CI", "workflow rules", "an approval", "quota"],
        )  # fmt: skip
