"""Takes in one reading of a change: is it of the head, does it speak for it, is it news.

Must not say how an attempt counts: `colours` and `breaker` do.
"""

from __future__ import annotations

from caselore.memory.encoding import stamp, unstamp
from caselore.repair import colours, heads
from caselore.repair.observations import Reading
from caselore.repair.pipelines import CHILD, MERGED_RESULT, Pipeline, precedes, rank
from caselore.repair.state import ENDED, KEPT, Attempt, Phase, Seen
from caselore.repair.turn import Turn
from caselore.repair.verdict import Colour, Verdict, attempt_key, judge


def read(turn: Turn, seen: Reading) -> None:
    """Take in what the forge says of the change itself."""
    turn.set(misses=0)
    if turn.state.phase in ENDED:
        turn.note(f"the change is {turn.state.phase.value}; its own pipelines no longer matter")
    elif not heads.follow(turn, seen):
        turn.note("an older head: superseded")
    elif seen.pipeline is None:
        heads.silent(turn, seen)
    elif _speaks(turn, seen.pipeline, stamp(seen.at)):
        _weigh(turn, seen, seen.pipeline)


# Whether a pipeline speaks for the head


def _speaks(turn: Turn, pipeline: Pipeline, at: str) -> bool:
    state, own = turn.state, rank(pipeline, turn.state.ref.iid)
    known = next((one for one in state.seen if one.id == pipeline.id), None)
    reason = (
        _not_of_this_head(turn, pipeline, known)
        or _of_lesser_rank(turn, pipeline, own)
        or ("an older reading of the same pipeline" if known and at < known.at else "")
    )
    if reason:
        turn.note(f"pipeline {pipeline.id}: {reason}")
        return False
    others = tuple(one for one in state.seen if one.id != pipeline.id)
    turn.set(seen=(*others, Seen(pipeline.id, state.head, own, at))[-KEPT:])
    return True


def _not_of_this_head(turn: Turn, pipeline: Pipeline, known: Seen | None) -> str:
    state = turn.state
    if pipeline.sha == state.head:
        return ""
    if pipeline.sha in state.heads:
        return "of a commit that is no longer the head"
    if rank(pipeline, state.ref.iid) < MERGED_RESULT:
        return "of a commit that is not the head"
    if known and known.head != state.head:
        return "the merged result of an older head"
    older = [one.id for one in state.seen if one.head != state.head]
    if any(precedes(pipeline.id, id) for id in older if id.isdecimal()):
        return "the merged result of an older head"
    return ""


def _of_lesser_rank(turn: Turn, pipeline: Pipeline, own: int) -> str:
    if own == CHILD:
        return "a child: its parent speaks for it"
    same = [one for one in turn.state.seen if one.head == turn.state.head]
    if any(one.rank > own for one in same):
        return "another kind of pipeline speaks for this head"
    ids = [one.id for one in same if one.rank == own and one.id.isdecimal()]
    if pipeline.id.isdecimal() and any(precedes(pipeline.id, id) for id in ids):
        return "superseded by a newer one of the same head"
    return ""


def _weigh(turn: Turn, seen: Reading, pipeline: Pipeline) -> None:
    verdict = judge(pipeline)
    if verdict.colour in (Colour.NONE, Colour.ACTIVE):
        _no_verdict(turn, verdict)
        return
    key = attempt_key(turn.state.head, pipeline, verdict, _flips(turn, pipeline, verdict))
    if _handled(turn, key, pipeline, verdict):
        turn.note("an unchanged attempt: nothing changes")
    elif not _settled(turn, key, seen):
        turn.note("the verdict must stand for a while before it counts")
    else:
        colours.take(turn, seen, pipeline, verdict, _attempt(turn, key, seen, pipeline, verdict))


def _no_verdict(turn: Turn, verdict: Verdict) -> None:
    turn.note("no verdict: nothing changes")
    if verdict.colour is Colour.ACTIVE:
        turn.set(settling="", settling_since="")
    last = next((one for one in reversed(turn.state.series) if one.delivered), None)
    moved = last is None or last.head != turn.state.head
    if verdict.colour is Colour.ACTIVE and turn.state.phase is Phase.REPAIRING and moved:
        turn.move(Phase.WAITING)


def _of(turn: Turn, pipeline: Pipeline) -> list[Attempt]:
    head = turn.state.head
    return [one for one in turn.state.attempts if (one.pipeline, one.head) == (pipeline.id, head)]


def _flips(turn: Turn, pipeline: Pipeline, verdict: Verdict) -> int:
    """Count how often a pipeline changed its mind: that tells attempts apart that list no job."""
    own = [one.colour for one in _of(turn, pipeline)]
    if pipeline.jobs or not own:
        return 0
    return len(own) if own[-1] != verdict.colour.value else len(own) - 1


def _handled(turn: Turn, key: str, pipeline: Pipeline, verdict: Verdict) -> bool:
    """Tell whether this attempt was handled before, as it is or with fewer of its jobs listed."""
    if turn.state.attempt(key) is not None:
        return True
    own = _of(turn, pipeline)
    if not own or own[-1].colour != verdict.colour.value:
        return False
    if verdict.colour is not Colour.RED:
        return True
    # Lists of jobs come late: the same runs are red, and more of them are listed now.
    return bool(own[-1].jobs) and set(own[-1].jobs) <= set(verdict.ids)


def _settled(turn: Turn, key: str, seen: Reading) -> bool:
    state = turn.state
    if not turn.policy.settle:
        return True
    if state.settling != key:
        turn.set(settling=key, settling_since=stamp(seen.at))
        return False
    if not turn.policy.settled(seen.at - unstamp(state.settling_since)):
        return False
    turn.set(settling="", settling_since="")
    return True


def _attempt(turn: Turn, key: str, seen: Reading, pipeline: Pipeline, verdict: Verdict) -> Attempt:
    state = turn.state
    return Attempt(
        key=key,
        at=stamp(seen.at),
        head=state.head,
        pipeline=pipeline.id,
        sha=pipeline.sha,
        rank=rank(pipeline, state.ref.iid),
        colour=verdict.colour.value,
        kind=verdict.kind.value,
        jobs=verdict.ids,
        names=verdict.names,
        fingerprints=verdict.fingerprints,
        known=verdict.known,
        url=pipeline.url or state.ref.pipeline_url(pipeline.id),
        run=state.run,
    )
