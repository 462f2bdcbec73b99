"""How each colour of an attempt counts: the table of cases, one function a colour.

Must not choose which pipeline speaks, nor hold a bound: `reading` and `policy` do.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from caselore.repair import breaker
from caselore.repair.events import EventType, Rerun
from caselore.repair.honest import SUSPICIOUS
from caselore.repair.observations import WORKER, Reading
from caselore.repair.pipelines import Pipeline
from caselore.repair.state import Attempt, Phase
from caselore.repair.turn import Turn
from caselore.repair.verdict import Colour, Kind, Verdict

BASELINE = "baseline"
_NOT_ITS_OWN = frozenset({BASELINE, Kind.INFRA.value})


def take(
    turn: Turn, seen: Reading, pipeline: Pipeline, verdict: Verdict, attempt: Attempt
) -> None:
    """Take in a new attempt that speaks for the head."""
    _RULES[verdict.colour](turn, seen, pipeline, verdict, attempt)


def _red(
    turn: Turn, seen: Reading, pipeline: Pipeline, verdict: Verdict, attempt: Attempt
) -> None:
    if turn.state.phase is Phase.OPEN:
        turn.keep(attempt, "red, but the breaker is open: nothing is sent")
    elif _told_before(turn, attempt):
        turn.keep(attempt, "red again on the same commit with the same failure: no new work")
    elif verdict.kind is Kind.INFRA:
        _infra(turn, seen, attempt)
    elif fails_on_target(turn, attempt):
        baseline(turn, attempt, seen.at)
    elif turn.state.phase is Phase.PAUSED and turn.state.infra < turn.policy.infra_limit:
        _offer_to_person(turn, seen, attempt)
    elif verdict.kind is Kind.FLAKY and turn.state.flaky < turn.policy.flake_reruns:
        _rerun_flake(turn, seen, attempt)
    else:
        turn.set(infra=0)
        breaker.failed(turn, attempt, seen.at)


def _told_before(turn: Turn, attempt: Attempt) -> bool:
    """Tell whether a worker has, or is about to get, all of this for the same commit."""
    told: set[str] = set()
    for one in turn.state.series:
        if one.head == attempt.head and one.number:
            if one.rank < attempt.rank:
                return True  # the same push, seen by a better placed pipeline
            told |= set(one.fingerprints)
    return bool(told) and set(attempt.fingerprints) <= told


def fails_on_target(turn: Turn, attempt: Attempt) -> bool:
    """Tell whether the target branch has every failure of this attempt, too."""
    return attempt.known and set(attempt.fingerprints) <= set(turn.state.target_failed)


def baseline(turn: Turn, attempt: Attempt, at: datetime) -> None:
    """Say that a failure is not the change's own; it is not counted."""
    attempt = replace(attempt, kind=BASELINE, number=0)
    turn.keep(attempt, "the target branch fails alike: not this change's fault")
    _tell(turn, EventType.BASELINE_RED, at, attempt, "also fails on the target branch")


def _tell(turn: Turn, type: EventType, at: datetime, attempt: Attempt, words: str) -> None:
    turn.emit(
        type,
        at,
        f"CI pipeline failed on {turn.state.ref.label}: it {words}. See: {attempt.url}. "
        "It is not counted.",
        attempt.key,
        url=attempt.url,
        evidence=breaker.evidence(attempt, breaker.FIRST, 1),
    )


def _infra(turn: Turn, seen: Reading, attempt: Attempt) -> None:
    turn.set(infra=turn.state.infra + 1)
    times = turn.state.infra
    turn.keep(attempt, f"the infrastructure failed, {times} in a row: not counted")
    if times > turn.policy.infra_limit or turn.state.phase is Phase.PAUSED:
        return
    _tell(turn, EventType.INFRA_SUSPECTED, seen.at, attempt, "looks like the infrastructure")
    if times <= turn.policy.infra_reruns:
        turn.command(Rerun(attempt.jobs))
    if times == turn.policy.infra_limit:
        turn.move(Phase.PAUSED, f"infrastructure: {times} failures in a row")
        words = f"The infrastructure failed {times} times in a row"
        breaker.needs_human(turn, seen.at, f"infra:{attempt.key}", words, attempt.url)


def _offer_to_person(turn: Turn, seen: Reading, attempt: Attempt) -> None:
    turn.keep(attempt, f"red while paused ({turn.state.why}): not counted")
    if turn.state.pusher != WORKER:  # whoever paused it otherwise was told when that happened
        words = f"{turn.state.pusher} pushed and the pipeline is red; it is not counted"
        breaker.needs_human(turn, seen.at, f"paused:{turn.state.head}", words, attempt.url)


def _rerun_flake(turn: Turn, seen: Reading, attempt: Attempt) -> None:
    turn.set(flaky=turn.state.flaky + 1)
    turn.keep(attempt, "a failure that is known to be flaky: run again first, not counted")
    _tell(turn, EventType.FLAKE_OBSERVED, seen.at, attempt, "is known to be flaky")
    turn.command(Rerun(attempt.jobs))


def _green(
    turn: Turn, seen: Reading, pipeline: Pipeline, verdict: Verdict, attempt: Attempt
) -> None:
    if pipeline.doubts:
        _doubtful(turn, seen, pipeline, attempt)
        return
    _flake(turn, seen, attempt)
    turn.keep(attempt, "green: the count is zero again")
    used = turn.state.count
    turn.withdraw()
    turn.set(run=turn.state.run + 1, infra=0, flaky=0, deaths=0)
    if turn.state.phase is not Phase.OPEN:
        turn.move(Phase.GREEN)
    warned = [job.name for job in verdict.warnings]
    turn.emit(
        EventType.PIPELINE_PASSED,
        seen.at,
        f"CI pipeline passed on {turn.state.ref.label}. See: {attempt.url}.",
        attempt.key,
        attempt=used,
        url=attempt.url,
        evidence={"head": attempt.head, "pipeline": attempt.pipeline, "warnings": warned},
    )


def _doubtful(turn: Turn, seen: Reading, pipeline: Pipeline, attempt: Attempt) -> None:
    turn.keep(replace(attempt, kind=SUSPICIOUS), "green, but no proof: not reset")
    if turn.state.phase is not Phase.OPEN:
        turn.move(Phase.PAUSED, f"{SUSPICIOUS}: " + "; ".join(pipeline.doubts))
    breaker.needs_human(
        turn, seen.at, f"doubt:{attempt.key}", "The pipeline is green, but that proves little",
        attempt.url, reason=SUSPICIOUS, doubts=list(pipeline.doubts),
    )  # fmt: skip


def _flake(turn: Turn, seen: Reading, attempt: Attempt) -> None:
    """Say that the same commit was red and is green now: nothing was changed in between."""
    red = [
        one
        for one in turn.state.series
        if one.colour == Colour.RED.value
        and one.kind not in _NOT_ITS_OWN
        and (one.sha, one.rank) == (attempt.sha, attempt.rank)
    ]
    if red:
        left = red[-1]
        turn.emit(
            EventType.FLAKE_OBSERVED,
            seen.at,
            f"The same commit failed and passed on {turn.state.ref.label}. See: {attempt.url}. "
            "It is not counted.",
            attempt.key,
            url=attempt.url,
            count=0,
            evidence=breaker.evidence(left, breaker.FIRST, 1),
        )


def _canceled(
    turn: Turn, seen: Reading, pipeline: Pipeline, verdict: Verdict, attempt: Attempt
) -> None:
    if pipeline.superseded:
        turn.keep(attempt, "cancelled for a newer one: no verdict")
        return
    turn.keep(attempt, "cancelled on the head: a person took over")
    if turn.state.phase in (Phase.OPEN, Phase.PAUSED):
        return
    turn.withdraw()
    turn.move(Phase.PAUSED, "cancelled by a person")
    words = "The pipeline was cancelled; the loop pauses"
    breaker.needs_human(turn, seen.at, f"canceled:{attempt.key}", words, attempt.url)


def _blocked(
    turn: Turn, seen: Reading, pipeline: Pipeline, verdict: Verdict, attempt: Attempt
) -> None:
    if turn.policy.manual_is_green:
        _green(turn, seen, pipeline, verdict, attempt)
        return
    _wait_for_person(turn, seen, attempt, "The pipeline waits for a manual job")


def _stalled(
    turn: Turn, seen: Reading, pipeline: Pipeline, verdict: Verdict, attempt: Attempt
) -> None:
    _wait_for_person(turn, seen, attempt, "The pipeline waits for an approval or cannot start")


def _wait_for_person(turn: Turn, seen: Reading, attempt: Attempt, words: str) -> None:
    turn.keep(attempt, f"{words}: no verdict")
    if turn.state.phase in (Phase.OPEN, Phase.PAUSED):
        return
    turn.move(Phase.WAITING, words)
    breaker.needs_human(turn, seen.at, f"waits:{attempt.key}", words, attempt.url)


_RULES = {
    Colour.RED: _red,
    Colour.GREEN: _green,
    Colour.CANCELED: _canceled,
    Colour.BLOCKED: _blocked,
    Colour.STALLED: _stalled,
}
