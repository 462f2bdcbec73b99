"""The repair board: tracked changes, attempts of the bound, the breaker and its reason.

Must not decide: rearming goes to the gate, which wants a person.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from caselore.errors import CaseloreError, problem
from caselore.faces.dashboard import shown
from caselore.faces.dashboard.forms import Acting
from caselore.faces.dashboard.page import registered, show
from caselore.faces.http import paging
from caselore.faces.http.access import Reader
from caselore.faces.http.problems import STATUS
from caselore.wiring import loop_documents
from caselore.wiring.door import Visitor

router = APIRouter()
STATES = ("open", "repairing", "waiting", "tracking", "paused", "green", "post_merge", "done")
LISTED = 50
SAID = "Rearmed: the count begins again, and your note stands in the history."


@registered(router, "/changes")
def changes(request: Request, visitor: Reader, state: str = "live", cursor: str = "") -> Response:
    """Show tracked changes, those that are stopped first."""
    wanted = state if state in (*STATES, "live", "") else "live"
    after = paging.place(cursor, 1)[0] if cursor else ""
    repair = visitor.app.repair
    document = loop_documents.page(repair, wanted, after, LISTED, paging.cursor)
    document["items"].sort(key=lambda one: STATES.index(one["state"]))
    document["state"] = wanted
    return show(request, visitor, "changes.html", document, states=("live", *STATES))


@registered(router, "/changes/{id}")
def change(request: Request, visitor: Reader, id: str, said: str = "") -> Response:
    """Show one change: its attempts, and why the count is what it is."""
    return _shown(request, visitor, id, said=SAID if said == "rearm" else "")


def _shown(
    request: Request,
    visitor: Visitor,
    id: str,
    refused: dict[str, str] | None = None,
    status: int = 200,
    said: str = "",
) -> Response:
    document = loop_documents.whole(visitor.app.repair, id)
    more = {"refused": refused, "said": said}
    return show(request, visitor, "change.html", document, status=status, **more)


@router.post("/changes/{id}/rearm", include_in_schema=False)
def rearm(
    request: Request,
    visitor: Acting,
    id: str,
    why: Annotated[str, Form(max_length=20_000)] = "",
) -> Response:
    """Let a stopped loop begin again, as a person."""
    try:
        visitor.app.repair.rearm(id, why)
    except CaseloreError as error:
        told = problem(error).to_json()["error"]
        return _shown(request, visitor, id, told, STATUS.get(error.code, 500))
    return RedirectResponse(shown.address(f"/changes/{id}", said="rearm"), 303)
