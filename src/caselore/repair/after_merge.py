"""Watches the target branch and tags after the merge; reports what fails there.

Must not count: these failures have no part in the bounded loop.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from caselore.memory.encoding import digest, stamp, unstamp
from caselore.repair.events import EventType
from caselore.repair.observations import AfterMerge, Fate
from caselore.repair.pipelines import Job, Pipeline
from caselore.repair.policy import Policy
from caselore.repair.state import Phase, State
from caselore.repair.turn import Turn
from caselore.repair.verdict import Colour, judge

GREEN = "merged, and the target branch is green"
_EARLY = 20  # readings that are kept until the merge is known
_TAGS = ("refs/tags/", "tags/")
_VERSION = re.compile(r"^v?\d+\.\d+")


def fate(turn: Turn, seen: Fate) -> None:
    """Take in that the change was merged, closed or opened again."""
    at = stamp(seen.at)
    turn.set(misses=0)
    if at < turn.state.fate_at:
        turn.note("an older word about the change's fate")
        return
    turn.set(fate_at=at)
    if seen.state == "merged":
        _merged(turn, seen)
    elif seen.state == "closed":
        _closed(turn, seen)
    elif turn.state.phase is Phase.DONE and turn.state.why == "closed":
        turn.move(Phase.OPEN if turn.state.latched else Phase.TRACKING)
        turn.note("opened again")


def _merged(turn: Turn, seen: Fate) -> None:
    if turn.state.merged_at or turn.state.phase is Phase.DONE:
        turn.set(merge_sha=turn.state.merge_sha or seen.merge_sha)
        if turn.state.merged_at:  # where no pipeline ever ran, nothing else would end the watch
            expire(turn, seen.at)
        return
    turn.withdraw()
    turn.set(merge_sha=seen.merge_sha, merged_at=stamp(seen.at))
    turn.move(Phase.POST_MERGE)
    turn.note("merged: only the target branch and tags are watched from now on")
    early = turn.state.early
    turn.set(early=())
    for one in early:
        take(turn, _unpacked(one))


def _closed(turn: Turn, seen: Fate) -> None:
    if turn.state.phase in (Phase.DONE, Phase.POST_MERGE):
        return
    gone(turn, seen.at, "closed")


def gone(turn: Turn, at: datetime, why: str) -> None:
    """End the loop because the change is no longer there."""
    turn.withdraw()
    turn.move(Phase.DONE, why)
    label = turn.state.ref.label
    words = "was closed" if why == "closed" else "can no longer be found"
    message = f"{label} {words}; it is no longer tracked."
    turn.emit(EventType.CHANGE_GONE, at, message, str(turn.state.run), why, evidence={"why": why})


def is_tag(ref: str, pipeline: Pipeline) -> bool:
    """Tell whether a pipeline is a tag's; some forges say so, others only name the ref."""
    return pipeline.tag or ref.startswith(_TAGS) or bool(_VERSION.match(ref))


def take(turn: Turn, seen: AfterMerge) -> None:
    """Take in a pipeline of the target branch or of a tag."""
    if not turn.state.merged_at:
        if turn.state.phase is not Phase.DONE:
            turn.set(early=(*turn.state.early, _packed(seen))[-_EARLY:])
        turn.note("the merge is not known yet: kept until it is")
        return
    tag = seen.tag or is_tag(seen.ref, seen.pipeline)
    if expire(turn, seen.at):
        return
    if not tag and not _of_the_merge(turn, seen.pipeline):
        turn.note(f"{seen.ref}: a pipeline of another commit")
        return
    colour = judge(seen.pipeline).colour
    if colour is Colour.RED:
        _report(turn, seen, tag)
    elif colour is Colour.GREEN and not tag:
        _passed(turn, seen)


def _passed(turn: Turn, seen: AfterMerge) -> None:
    jobs = sorted(job.id for job in seen.pipeline.jobs)
    about = digest("green", seen.ref, seen.pipeline.id, seen.pipeline.sha, *jobs)[:24]
    if turn.first_time(f"after:{about}"):  # read again, it says nothing of a tag that failed since
        turn.move(Phase.DONE, GREEN)


def expire(turn: Turn, at: datetime) -> bool:
    """End the watch when its time is over; tell whether it is."""
    over = at - unstamp(turn.state.merged_at) > timedelta(seconds=turn.policy.post_merge)
    if over and turn.state.phase is Phase.POST_MERGE:
        turn.move(Phase.DONE, "merged; the time of watching is over")
    return over


def waits_for_tags(state: State, policy: Policy, at: datetime) -> bool:
    """Tell whether a change that its green target branch ended may still get a tag in time."""
    ended = state.phase is Phase.DONE and state.why == GREEN
    return ended and at - unstamp(state.merged_at) <= timedelta(seconds=policy.post_merge)


def _of_the_merge(turn: Turn, pipeline: Pipeline) -> bool:
    return not turn.state.merge_sha or pipeline.sha in (turn.state.merge_sha, "")


def _report(turn: Turn, seen: AfterMerge, tag: bool) -> None:
    pipeline, verdict = seen.pipeline, judge(seen.pipeline)
    about = digest(seen.ref, pipeline.id, pipeline.sha, *verdict.fingerprints)[:24]
    if not turn.first_time(f"after:{about}"):
        turn.note("an unchanged attempt: nothing changes")
        return
    url = pipeline.url or turn.state.ref.pipeline_url(pipeline.id)
    where = f"tag {seen.ref}" if tag else seen.ref
    turn.move(Phase.POST_MERGE, f"red on {where}")
    turn.emit(
        EventType.TAG_PIPELINE_FAILED if tag else EventType.MAIN_PIPELINE_FAILED,
        seen.at,
        f"CI pipeline failed on {where} after {turn.state.ref.label} was merged. See: {url}. "
        "It is not counted.",
        about,
        url=url,
        evidence={
            "ref": seen.ref,
            "head": pipeline.sha,
            "pipeline": pipeline.id,
            "class": verdict.kind.value,
            "jobs": [{"id": job.id, "name": job.name} for job in verdict.failed],
            "fingerprints": list(verdict.fingerprints),
        },
    )


def _packed(seen: AfterMerge) -> dict[str, Any]:
    return {
        "at": stamp(seen.at), "ref": seen.ref, "tag": seen.tag, "pipeline": asdict(seen.pipeline)
    }  # fmt: skip


def _unpacked(values: dict[str, Any]) -> AfterMerge:
    pipeline = dict(values["pipeline"])
    pipeline["jobs"] = tuple(Job(**one) for one in pipeline["jobs"])
    pipeline["doubts"] = tuple(pipeline["doubts"])
    return AfterMerge(unstamp(values["at"]), values["ref"], Pipeline(**pipeline), values["tag"])
