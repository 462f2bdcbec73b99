"""The repair loop as a pure function: (state, observation, policy) → (state, events, commands).

Must not do I/O, read a clock or draw a random number.
"""

from __future__ import annotations

from caselore.memory.encoding import stamp
from caselore.repair import after_merge, breaker, colours, reading
from caselore.repair.events import Restore
from caselore.repair.observations import (
    AfterMerge,
    Delivered,
    Error,
    Fate,
    Observation,
    Outcome,
    Reading,
    Rearm,
    Receipt,
    Target,
    Trouble,
    Untrack,
    Worker,
)
from caselore.repair.policy import Policy
from caselore.repair.state import ENDED, KEPT, SILENT, Phase, State
from caselore.repair.turn import Step, Turn

PERSON = "human:"


def reduce(state: State, seen: Observation, policy: Policy) -> Step:
    """Take in one observation of one change."""
    turn = Turn(state, policy)
    match seen:
        case Reading():
            reading.read(turn, seen)
        case Error():
            _error(turn, seen)
        case Worker():
            _worker(turn, seen)
        case Fate():
            after_merge.fate(turn, seen)
        case AfterMerge():
            after_merge.take(turn, seen)
        case _:
            _rest(turn, seen)
    return turn.step()


def _rest(turn: Turn, seen: Observation) -> None:
    match seen:
        case Target():
            _target(turn, seen)
        case Rearm():
            _rearm(turn, seen)
        case Delivered():
            breaker.delivered(turn, seen.event, seen.at)
        case Receipt():
            _receipt(turn, seen)
        case Untrack():
            turn.withdraw()
            turn.move(Phase.DONE, f"untracked by {seen.by}")


def _error(turn: Turn, seen: Error) -> None:
    """Change nothing but the counters of errors; a change that is often not found is gone."""
    state = turn.state
    if seen.trouble is not Trouble.NOT_FOUND:
        turn.set(errors=state.errors + 1)
        turn.note(f"{seen.trouble.value}: nothing changes")
        return
    turn.set(misses=state.misses + 1)
    turn.note(f"not found, {turn.state.misses} in a row")
    if turn.state.misses >= turn.policy.gone_after and state.phase is not Phase.DONE:
        after_merge.gone(turn, seen.at, "not found")


def _worker(turn: Turn, seen: Worker) -> None:
    if seen.alive:
        turn.set(alive=True)
        _deliver_held(turn, seen)
        return
    if turn.state.alive:
        turn.set(alive=False, deaths=turn.state.deaths + 1)
    if turn.state.phase not in ENDED:
        breaker.restore(turn, "the worker is dead", seen.at)


def _deliver_held(turn: Turn, seen: Worker) -> None:
    attempt = turn.state.attempt(turn.state.held)
    if attempt is None or turn.state.phase in SILENT:
        return
    if colours.fails_on_target(turn, attempt):  # it was told while the failure waited
        turn.withdraw()
        turn.move(Phase.TRACKING)
        colours.baseline(turn, attempt, seen.at)
    else:
        turn.note("the worker is back: the held failure goes to it")
        breaker.offer(turn, attempt, seen.at)


def _target(turn: Turn, seen: Target) -> None:
    at = stamp(seen.at)
    if at >= turn.state.target_at:
        turn.set(target_sha=seen.sha, target_failed=tuple(sorted(seen.failed)), target_at=at)
        turn.note(f"the target branch has {len(seen.failed)} failures of its own")


def _rearm(turn: Turn, seen: Rearm) -> None:
    """Begin again at zero: only a person may, and only with a reason."""
    if not seen.by.startswith(PERSON) or seen.by == PERSON or not seen.why.strip():
        turn.note("refused: only a person rearms, and says why")
        return
    if turn.state.phase in ENDED:
        turn.note(f"nothing to rearm: the change is {turn.state.phase.value}")
        return
    turn.withdraw()
    turn.set(run=turn.state.run + 1, infra=0, flaky=0, deaths=0)
    turn.set(rearmed_by=seen.by, rearmed_why=seen.why, latched=False)
    turn.move(Phase.TRACKING)
    turn.note(f"rearmed by {seen.by}: {seen.why}")
    turn.command(Restore(f"rearmed by {seen.by}: {seen.why}"))


def _receipt(turn: Turn, seen: Receipt) -> None:
    """Take in what a run cost, and that it ended without a change."""
    if seen.run and seen.run in turn.state.receipts:
        turn.note("the end of this run was taken in before")
        return
    if seen.run:
        turn.set(receipts=(*turn.state.receipts, seen.run)[-KEPT:])
    turn.set(spent=turn.state.spent + max(0, seen.cost))
    if seen.head:
        turn.set(pushed=(*turn.state.pushed, seen.head)[-KEPT:])
    turn.note(f"the worker's run for {seen.event} ended: {seen.outcome.value}")
    last = turn.state.attempts[-1] if turn.state.attempts else None
    current = last is not None and last.event == seen.event and turn.state.phase not in SILENT
    if not current or seen.outcome is Outcome.PUSHED or last is None:
        return
    if turn.state.head == last.head:
        words = f"The worker ended without a repair ({seen.outcome.value})"
        turn.move(Phase.PAUSED, words)
        breaker.needs_human(
            turn, seen.at, f"receipt:{seen.event}", words, last.url, summary=seen.summary
        )
