"""Turns what a forge says into observations: the change's fate, its pipelines, the target branch.

Must not decide what counts, nor fetch anything but through the Forge that it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from caselore.errors import CaseloreError, NotFound, Unavailable
from caselore.repair.account import Owner
from caselore.repair.observations import (
    WORKER,
    AfterMerge,
    Error,
    Fate,
    Observation,
    Reading,
    Trouble,
)
from caselore.repair.pipelines import Job, Pipeline, rank
from caselore.repair.ports import Forge, ForgeChange, ForgeJob, ForgePipeline

_PASSED = frozenset({"success", "succeeded", "passed"})


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at a change: what the forge has, and what that is to the reducer."""

    observations: tuple[Observation, ...]
    change: ForgeChange | None = None
    pipelines: tuple[ForgePipeline, ...] = ()
    error: CaseloreError | None = None


def look(forge: Forge, url: str, owner: Owner, heads: Sequence[str], at: datetime) -> Sight:
    """Read a change as it is now; trouble is an observation, too.

    `heads`: commits that the worker itself said it pushed.
    """
    try:
        change = forge.change(url)
        if change.state == "merged":
            return _after_merge(forge, change, at)
        if change.state == "closed":
            return Sight((Fate(at, "closed"),), change)
        return _open(forge, change, owner, heads, at)
    except NotFound as error:
        return Sight((Error(at, Trouble.NOT_FOUND),), error=error)
    except Unavailable as error:
        return Sight((Error(at, trouble(error)),), error=error)


def trouble(error: Unavailable) -> Trouble:
    """Name why a forge did not answer."""
    known = {one.value: one for one in (Trouble.RATE_LIMITED, Trouble.TIMEOUT)}
    return known.get(error.code, Trouble.API)


def _after_merge(forge: Forge, change: ForgeChange, at: datetime) -> Sight:
    pipelines = tuple(forge.after_merge(change))
    seen: list[Observation] = [Fate(at, "merged", change.merge_sha)]
    seen += [AfterMerge(at, one.ref, pipeline(one), one.tag) for one in reversed(pipelines)]
    return Sight(tuple(seen), change, pipelines)


def _open(
    forge: Forge, change: ForgeChange, owner: Owner, heads: Sequence[str], at: datetime
) -> Sight:
    pipelines = tuple(forge.pipelines(change))
    pusher = pushed_by(change, owner, heads)
    seen: list[Observation] = [Fate(at, "opened")]
    # The best placed one first: what speaks less for the head must find it known. Of each kind
    # only the newest: forges list it first, and not every forge's ids tell which is older.
    newest: dict[int, Pipeline] = {}
    for one in map(pipeline, pipelines):
        newest.setdefault(rank(one, change.iid), one)
    ordered = [newest[kind] for kind in sorted(newest, reverse=True)]
    seen += [Reading(at, change.head, pusher, one) for one in ordered]
    if not ordered:
        seen.append(Reading(at, change.head, pusher, None))
    return Sight(tuple(seen), change, pipelines)


def pushed_by(change: ForgeChange, owner: Owner, heads: Sequence[str]) -> str:
    """Say whether the worker pushed the head, or who else did."""
    known = change.head in heads or not change.pusher or not owner.logins
    return WORKER if known or change.pusher in owner.logins else f"human:{change.pusher}"


def pipeline(found: ForgePipeline) -> Pipeline:
    """Take over a forge's pipeline."""
    return Pipeline(
        id=found.id,
        sha=found.sha,
        status=word(found.status),
        source=word(found.source),
        ref=found.ref,
        tag=found.tag,
        run=found.run,
        created_at=found.created_at,
        url=found.url,
        config_error=found.config_error,
        jobs=tuple(_job(one, found) for one in found.jobs),
    )


def _job(found: ForgeJob, parent: ForgePipeline) -> Job:
    return Job(
        id=found.id,
        name=found.name,
        status=word(found.status),
        allow_failure=found.allow_failure,
        failure_reason=word(found.failure_reason),
        pipeline="" if found.pipeline == parent.id else found.pipeline,
        url=found.url,
    )


def passed(status: str) -> bool:
    """Tell whether a forge's word says that a job or a pipeline passed, with no warning."""
    return word(status) in _PASSED


def word(text: str) -> str:
    """Write a forge's word in one way."""
    return text.strip().lower().replace("-", "_").replace(" ", "_")
