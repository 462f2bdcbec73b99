"""The page of one cause: when it occurred, which fixes held, which failed, and what counts as it.

Must not judge: what people join or part goes to the gate.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from caselore.errors import CaseloreError, NotFound, problem
from caselore.faces.dashboard import charts, shown
from caselore.faces.dashboard.forms import Acting, Field
from caselore.faces.dashboard.page import registered, show
from caselore.faces.http.access import Reader
from caselore.faces.http.problems import STATUS
from caselore.memory.records import Case
from caselore.wiring import documents
from caselore.wiring.door import Visitor

router = APIRouter()
LOOKED_AT = 200  # occurrences
DAYS = 60
SAID = {
    "merge": "Kept: they count as one failure. Parting them takes it back.",
    "split": "Kept: they count apart. Joining them takes it back.",
}


@registered(router, "/signatures/{signature}")
def signature(request: Request, visitor: Reader, signature: str, said: str = "") -> Response:
    """Show one cause: its occurrences over time, fixes that held and that failed."""
    return _shown(request, visitor, signature, said=SAID.get(said, ""))


def _shown(
    request: Request,
    visitor: Visitor,
    signature: str,
    *,
    said: str = "",
    error: CaseloreError | None = None,
    given: str = "",
) -> Response:
    memory = visitor.app.memory
    cases = memory.of_signature(signature, LOOKED_AT)
    if not cases:
        raise NotFound("No incident has this signature.")
    lines = [documents.case_line(case) for case in cases]
    own = next((one for one in lines if one["signature"]["id"] == signature), lines[0])
    document = {
        "signature": own["signature"],
        "signatures": list(memory.grouped(signature).signatures),
        "occurrences": documents.occurrences(memory.occurrences(signature)),
        "fixes": [documents.fix(one) for one in memory.fixes(signature)],
        "returned": returned(cases),
        "items": lines,
        "shown": len(lines),
    }
    days = Counter(one["happened_at"][:10] for one in lines)
    bars = charts.daily(days, visitor.app.now().date(), DAYS)
    status = STATUS.get(error.code, 500) if error else 200
    refused = problem(error).to_json()["error"] if error else None
    more = {"bars": bars, "said": said, "refused": refused, "given": given}
    return show(request, visitor, "signature.html", document, status=status, **more)


def returned(cases: tuple[Case, ...]) -> list[dict[str, Any]]:
    """Say how often the failure came back after each fix that was confirmed to have worked."""
    found: dict[str, dict[str, Any]] = {}
    for fixed in cases:
        back = _back(fixed, cases)
        if back is None or fixed.outcome is None:
            continue
        days = (back.record.happened_at - fixed.outcome.confirmed_at).days
        held = found.get(fixed.outcome.resolution)
        latest = held is None or held["at"] < back.record.happened_at
        last = {"incident": back.id, "deployment": back.record.body.deployment or None}
        found[fixed.outcome.resolution] = {
            **(last | {"at": back.record.happened_at, "days": days} if latest else held or {}),
            "resolution": fixed.outcome.resolution,
            "times": (held["times"] if held else 0) + 1,
        }
    rows = sorted(found.values(), key=lambda one: one["at"], reverse=True)
    return [{**one, "at": one["at"].isoformat()} for one in rows]


def _back(fixed: Case, cases: tuple[Case, ...]) -> Case | None:
    """Give the first failure after a fix was confirmed to have worked."""
    told = fixed.outcome
    if told is None or told.result != "succeeded":
        return None
    later = [one for one in cases if one.record.happened_at > told.confirmed_at]
    return min(later, key=lambda one: one.record.happened_at) if later else None


@router.post("/signatures/{signature}/merge", include_in_schema=False)
def merge(
    request: Request, visitor: Acting, signature: str, into: Field = "", why: Field = ""
) -> Response:
    """Take a person's word that two causes are one."""
    try:
        visitor.app.merge(signature, into.strip(), why)
    except CaseloreError as error:
        return _shown(request, visitor, signature, error=error, given=into)
    return RedirectResponse(shown.address(f"/signatures/{signature}", said="merge"), 303)


@router.post("/signatures/{signature}/split", include_in_schema=False)
def split(request: Request, visitor: Acting, signature: str, why: Field = "") -> Response:
    """Take a person's word that a cause is one of its own."""
    try:
        visitor.app.split(signature, why)
    except CaseloreError as error:
        return _shown(request, visitor, signature, error=error)
    return RedirectResponse(shown.address(f"/signatures/{signature}", said="split"), 303)
