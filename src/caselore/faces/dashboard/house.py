"""The pages of whoever keeps the house: tokens and the settings in effect.

Must not show a token but once.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response
from starlette.responses import RedirectResponse

from caselore.errors import CaseloreError, problem
from caselore.faces.dashboard.forms import Field, Keeping
from caselore.faces.dashboard.page import registered, show
from caselore.faces.http.access import Reader, must_keep_house
from caselore.faces.http.problems import STATUS
from caselore.memory.records import TokenInfo, TokenRole
from caselore.wiring import documents
from caselore.wiring.door import Visitor, living
from caselore.wiring.effective import effective
from caselore.wiring.sources import time_of

router = APIRouter()
Short = Annotated[str, Form(max_length=500)]


def looking(visitor: Reader) -> Visitor:
    """Give an admin. Raises: GateRefused."""
    must_keep_house(visitor)
    return visitor


Looking = Annotated[Visitor, Depends(looking)]


@registered(router, "/tokens")
def tokens(request: Request, visitor: Looking) -> Response:
    """Show who may call, and as whom."""
    return _tokens(request, visitor)


def _tokens(
    request: Request,
    visitor: Visitor,
    made: dict[str, Any] | None = None,
    error: CaseloreError | None = None,
) -> Response:
    now = visitor.app.now()
    rows = [
        {**documents.token(one), "state": _state(one, now)} for one in visitor.app.memory.tokens()
    ]
    status = STATUS.get(error.code, 500) if error else 201 if made else 200
    return show(
        request,
        visitor,
        "tokens.html",
        {"items": rows[::-1]},
        status=status,
        made=made,
        refused=problem(error).to_json()["error"] if error else None,
        roles=[one.value for one in TokenRole],
    )


def _state(token: TokenInfo, now: datetime) -> str:
    if token.revoked_at:
        return "revoked"
    return "valid" if living(token, now) else "expired"


@router.post("/tokens", include_in_schema=False)
def create(
    request: Request, visitor: Keeping, role: Short = "", name: Short = "", expires: Short = ""
) -> Response:
    """Make a token; its text is shown on this one answer."""
    try:
        text, info = visitor.app.create_token(role, name, time_of(expires or None))
    except CaseloreError as error:
        return _tokens(request, visitor, error=error)
    return _tokens(request, visitor, made={"token": text, **documents.token(info)})


@router.post("/tokens/{id}/revoke", include_in_schema=False)
def revoke(visitor: Keeping, id: str) -> Response:
    """Make a token worthless at once."""
    visitor.app.revoke_token(id)
    return RedirectResponse("/tokens", 303)


@registered(router, "/settings")
def settings(request: Request, visitor: Looking) -> Response:
    """Show which settings are in effect."""
    return show(request, visitor, "settings.html", effective(visitor.app.settings))


@router.post("/incidents/{incident}/erase", include_in_schema=False)
def erase(visitor: Keeping, incident: str, why: Field = "") -> Response:
    """Remove an incident's content for good; the ledger keeps that it was."""
    id = visitor.app.erase(incident, why)
    return RedirectResponse(f"/ledger?subject={id}", 303)
