"""Names recalled cases and says what they hold, for documents, faces and the checker.

Must not rank or choose: recall did.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from caselore.memory.ranking import REGRESSION
from caselore.memory.recall import Hit, Recalled
from caselore.memory.records import Case, Occurrences, Outcome, Status


def label(case: Case) -> str:
    """Give the short name of a case: its deployment as `#1017`, or its id."""
    deployment = case.record.body.deployment
    return f"#{deployment}" if deployment else case.id


def iso(at: datetime | None) -> str | None:
    """Write a point in time in UTC."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at else None


def day(at: datetime) -> str:
    """Write the day of a point in time in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d}"


def outcome(case: Case) -> Outcome | None:
    """Give the outcome that stands: only a confirmed one does."""
    return case.outcome if case.status is Status.CONFIRMED else None


def succeeded(case: Case) -> bool:
    """Say whether a person confirmed that the resolution worked."""
    told = outcome(case)
    return told is not None and told.result == "succeeded"


def failed(case: Case) -> bool:
    """Say whether a person confirmed that the resolution did not work."""
    told = outcome(case)
    return told is not None and told.result == "failed"


def parts(case: Case) -> Iterator[tuple[str, str]]:
    """Give the parts of a case that may be quoted, each with its name."""
    body = case.record.body
    yield "error", body.title
    yield "error", body.block
    yield from (("log", part.text) for part in body.excerpt)
    yield from body.attributes
    told = outcome(case)
    if told:
        yield "cause", told.cause
        yield "resolution", told.resolution
        yield "why it failed", told.why_failed


def facts(case: Case) -> str:
    """Give what a case says of itself beside its texts: names, dates, result."""
    body, told = case.record.body, outcome(case)
    signature = body.signature
    said = [case.id, label(case), body.deployment, body.service, body.environment, body.branch]
    said += [body.commit, body.stage, body.url, day(case.record.happened_at)]
    said += [signature.family, signature.tool, signature.unit, signature.error, signature.id]
    if told:
        said += [told.result, told.confirmed_by, day(told.confirmed_at), *told.proof]
    return "\n".join(filter(None, said))


def regression(hit: Hit) -> str:
    """Say when a failure came back after a precedent's confirmed fix; empty where not."""
    return next((s.reason for s in hit.signals if s.name == REGRESSION), "")


def sources(case: Case) -> tuple[str, ...]:
    """Give every text of a case in which a value may stand."""
    return (facts(case), *(text for _, text in parts(case) if text))


def hit_json(hit: Hit) -> dict[str, Any]:
    """Give a precedent in CONTRACT's shape; a near one says why it is none."""
    shape = {
        "incident": hit.case.id,
        "deployment": hit.case.record.body.deployment or None,
        "service": hit.case.record.body.service or None,
        "status": hit.case.status.value,
        "family": hit.case.record.body.signature.family,
        "title": hit.case.record.body.title,
        "happened_at": iso(hit.case.record.happened_at),
        "score": hit.score,
        "same_failure": hit.same_failure,
        "signals": [{"name": s.name, "points": s.points, "reason": s.reason} for s in hit.signals],
        "outcome": outcome_json(outcome(hit.case)),
        "standing_for": hit.standing_for,
    }
    if hit.case.superseded_by:
        shape["superseded_by"] = hit.case.superseded_by
    return {**shape, "why_not": hit.why_not} if hit.why_not else shape


def outcome_json(told: Outcome | None) -> dict[str, Any] | None:
    """Give an outcome in CONTRACT's shape."""
    if told is None:
        return None
    return {
        "cause": told.cause,
        "resolution": told.resolution,
        "result": told.result,
        "why_failed": told.why_failed or None,
        "confirmed_by": told.confirmed_by,
        "confirmed_at": iso(told.confirmed_at),
        "precedents": list(told.precedents),
        "proof": list(told.proof),
    }


def recalled_json(recalled: Recalled) -> dict[str, Any]:
    """Give a recall as `caselore recall --json` prints it."""
    shape: dict[str, Any] = {
        "precedents": [hit_json(hit) for hit in recalled.hits],
        "nearest": [hit_json(hit) for hit in recalled.nearest],
        "considered": recalled.considered,
    }
    return {**shape, "notes": list(recalled.notes)} if recalled.notes else shape


def occurrences_json(seen: Occurrences) -> dict[str, Any]:
    """Give how often a failure was seen in CONTRACT's shape."""
    return {
        "count": seen.count,
        "first": iso(seen.first),
        "last": iso(seen.last),
        "resolved": seen.resolved,
        "flaky": seen.flaky,
    }
