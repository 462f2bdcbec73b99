"""What a forge said of a pipeline and its jobs, as the loop's own immutable values.

Must not judge: whether it is red is `verdict`'s business.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """One run of one job."""

    id: str
    name: str
    status: str
    allow_failure: bool = False
    failure_reason: str = ""
    fingerprint: str = ""
    """The signature of its failure; empty where its log was not read."""
    pipeline: str = ""
    """The child pipeline that ran it; empty for the pipeline itself."""
    retried: bool = False
    flaky: bool = False
    """The memory knows this failure as one that leaves without a change."""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One pipeline in one reading."""

    id: str
    sha: str
    status: str
    source: str = ""
    ref: str = ""
    tag: bool = False
    run: str = ""
    created_at: str = ""
    url: str = ""
    config_error: str = ""
    superseded: bool = False
    """The forge says itself that it was cancelled for a newer one."""
    doubts: tuple[str, ...] = ()
    """What makes its green no proof: removed tests, edited CI configuration …"""
    jobs: tuple[Job, ...] = ()


MERGE_TRAIN, MERGED_RESULT, DETACHED, BRANCH, EXTERNAL, CHILD = 4, 3, 2, 1, 0, -1

_RANKS = {
    "merge_train": MERGE_TRAIN,
    "merge_group": MERGE_TRAIN,
    "merged_result": MERGED_RESULT,
    "merged_results": MERGED_RESULT,
    "merge_request_event": DETACHED,
    "merge_request": DETACHED,
    "detached": DETACHED,
    "pull_request": DETACHED,
    "pull_request_target": DETACHED,
    "external_pull_request_event": DETACHED,
    "external": EXTERNAL,
    "api": EXTERNAL,
    "schedule": EXTERNAL,
    "trigger": EXTERNAL,
    "pipeline": EXTERNAL,
    "chat": EXTERNAL,
    "webide": BRANCH,
    "parent_pipeline": CHILD,
}


def rank(pipeline: Pipeline, iid: str) -> int:
    """Say how much a pipeline speaks for a change, higher before lower."""
    if pipeline.ref == f"refs/merge-requests/{iid}/train":
        return MERGE_TRAIN
    if pipeline.ref in (f"refs/merge-requests/{iid}/merge", f"refs/pull/{iid}/merge"):
        return MERGED_RESULT
    return _RANKS.get(pipeline.source, BRANCH)


def newest(jobs: tuple[Job, ...]) -> tuple[Job, ...]:
    """Give of each job its newest run: a forge may list those that were retried, too."""
    last: dict[tuple[str, str], Job] = {}
    for job in jobs:
        name = (job.pipeline, job.name)
        if name not in last or not _later(last[name], job):
            last[name] = job
    return tuple(last.values())


def _later(known: Job, other: Job) -> bool:
    """Say whether the known run came after the other one."""
    if known.retried != other.retried:
        return other.retried
    return not precedes(known.id, other.id)


def precedes(first: str, second: str) -> bool:
    """Say whether an id is older than another; ids that are no numbers stand in reading order."""
    if first.isdecimal() and second.isdecimal():
        return _size(first) < _size(second)
    return first != second


def _size(id: str) -> tuple[int, str]:
    """Give what orders whole numbers of any length; Python reads none of over 4,300 digits."""
    digits = id.lstrip("0")
    return len(digits), digits
