"""Counts a red attempt, hands it to the worker, or trips: the bounds of the loop.

Must not read a pipeline: it is told that an attempt is red and the worker's own.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from caselore.repair.events import EventType, Restore, Stop
from caselore.repair.state import SILENT, Attempt, Phase
from caselore.repair.turn import Turn

UNCHANGED, SHRINKING, CHANGED, FIRST = "unchanged", "shrinking", "changed", "first"


def failed(turn: Turn, attempt: Attempt, at: datetime) -> None:
    """Take in a red attempt of the worker's own: offer it, hold it, or trip."""
    reason = _tripped(turn, attempt)
    turn.withdraw()
    if reason:
        _trip(turn, attempt, at, reason)
        return
    number = turn.state.count + 1
    attempt = replace(attempt, number=number)
    if turn.state.alive:
        words = f"red: attempt {number}/{turn.policy.attempts}, to the worker"
        attempt = turn.keep(attempt, words)
        offer(turn, attempt, at)
    else:
        turn.keep(attempt, "red, held: the worker is dead; it counts when it is delivered")
        turn.set(held=attempt.key)
        turn.move(Phase.WAITING, "the worker is dead; the failure is held for it")
        restore(turn, "a failure waits for it", at)


def offer(turn: Turn, attempt: Attempt, at: datetime) -> None:
    """Let a failure leave for the worker; it counts when the worker takes it."""
    progress, repeats = moved(turn, attempt)
    event = turn.emit(
        EventType.PIPELINE_FAILED,
        at,
        _message(turn, attempt),
        attempt.key,
        str(attempt.run),
        attempt=attempt.number,
        count=attempt.number,
        url=attempt.url,
        evidence=evidence(attempt, progress, repeats),
    )
    turn.state = turn.state.with_attempt(replace(attempt, event=event.id))
    turn.set(offered=event.id, held="")
    turn.move(Phase.REPAIRING)


def delivered(turn: Turn, event: str, at: datetime) -> None:
    """Count an attempt, now that the worker took it; word of that may come late."""
    attempt = next((one for one in turn.state.attempts if one.event == event), None)
    if attempt is None or attempt.delivered:
        turn.note("delivered again; it counts once")
        return
    turn.state = turn.state.with_attempt(replace(attempt, delivered=True))
    if turn.state.offered == event:
        turn.set(offered="")
    turn.note(f"delivered: the count is {turn.state.count}")
    waiting = next((one for one in turn.state.series if one.event == turn.state.offered), None)
    if turn.state.offered and waiting is not None and turn.state.count >= turn.policy.attempts:
        failed(turn, waiting, at)  # offered when less was known: it is one too many


def restore(turn: Turn, why: str, at: datetime) -> None:
    """Ask for a worker again; the breaker is asked first."""
    if turn.state.phase in SILENT:
        turn.note(f"no restore: the change is {turn.state.phase.value}")
    elif turn.state.deaths <= turn.policy.restores:
        turn.command(Restore(why))
    else:
        died = f"The worker died {turn.state.deaths} times and is not started again"
        needs_human(turn, at, f"restores:{turn.state.run}", died)


def needs_human(
    turn: Turn, at: datetime, notice: str, words: str, url: str = "", **evidence: Any
) -> None:
    """Tell a person, once for each notice."""
    if turn.first_time(notice):
        message = f"{words} on {turn.state.ref.label}. A person is needed. See: "
        message += url or turn.state.change
        turn.emit(EventType.NEEDS_HUMAN, at, message, notice, url=url, evidence=evidence)


def moved(turn: Turn, attempt: Attempt) -> tuple[str, int]:
    """Say how a failure differs from the one before it, and how often in a row it came."""
    earlier = [one for one in turn.state.series if one.delivered and one.key != attempt.key]
    if not earlier:
        return FIRST, 1
    repeats = 1
    for one in reversed(earlier):
        if not _same(one, attempt):
            break
        repeats += 1
    if repeats > 1:
        return UNCHANGED, repeats
    shrunk = set(attempt.fingerprints) < set(earlier[-1].fingerprints)
    return (SHRINKING if shrunk else CHANGED), 1


def _same(one: Attempt, other: Attempt) -> bool:
    """Only signatures can say that two failures are the same; a job's name cannot."""
    return one.known and other.known and one.fingerprints == other.fingerprints


def _tripped(turn: Turn, attempt: Attempt) -> str:
    policy, state = turn.policy, turn.state
    if state.count >= policy.attempts:
        return f"{state.count} repairs were tried and it is still red"
    if state.spent >= policy.cost_per_change:
        return "the change has used up what it may cost"
    progress, repeats = moved(turn, attempt)
    if progress == UNCHANGED and repeats >= policy.same_failure:
        return f"the same failure for the {_ordinal(repeats)} time, unchanged by the repairs"
    return ""


def _trip(turn: Turn, attempt: Attempt, at: datetime, reason: str) -> None:
    number = turn.state.count + 1
    attempt = turn.keep(replace(attempt, number=number), f"red: the breaker opens: {reason}")
    turn.move(Phase.OPEN, reason)
    turn.set(latched=True)
    turn.emit(
        EventType.CIRCUIT_BREAKER,
        at,
        f"Circuit breaker open on {turn.state.ref.label}: {reason}. The worker is stopped and the "
        f"change is left as it is. See: {attempt.url}. A person decides: caselore repair rearm.",
        attempt.key,
        str(attempt.run),
        attempt=number,
        url=attempt.url,
        evidence={**evidence(attempt, *moved(turn, attempt)), "reason": reason},
    )
    turn.command(Stop(reason))


def evidence(attempt: Attempt, progress: str, repeats: int) -> dict[str, Any]:
    """Give what an event says of its attempt; the pack for the worker adds logs and precedents."""
    found: dict[str, Any] = {
        "head": attempt.head,
        "pipeline": attempt.pipeline,
        "class": attempt.kind,
        "jobs": [
            {"id": id, "name": name} for id, name in zip(attempt.jobs, attempt.names, strict=True)
        ],
        "fingerprints": list(attempt.fingerprints),
        "progress": progress,
    }
    if progress == UNCHANGED:
        found["strategy"] = (
            f"The last repair changed nothing: the same failure for the {_ordinal(repeats)} time. "
            "Drop that approach and take another."
        )
    return found


def _message(turn: Turn, attempt: Attempt) -> str:
    return (
        f"CI pipeline failed on {turn.state.ref.label} "
        f"(attempt {attempt.number}/{turn.policy.attempts}). "
        f"See: {attempt.url}. Fix the failing job and push."
    )


def _ordinal(number: int) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ends.get(number % 10, 'th')}"
