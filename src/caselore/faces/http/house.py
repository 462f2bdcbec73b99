"""The routes by which an admin keeps the house: tokens, erasure, settings.

Must not show a token but once, nor keep its text anywhere.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from caselore.faces.http import bodies, house_shapes, once, shapes
from caselore.faces.http.access import Admin
from caselore.faces.http.problems import answer
from caselore.wiring import documents
from caselore.wiring.effective import effective
from caselore.wiring.sources import time_of

router = APIRouter(tags=["house"])


@router.get("/tokens", response_model=shapes.Page[house_shapes.Token])
def tokens(visitor: Admin) -> Response:
    """List tokens, never their text; an admin."""
    found = visitor.app.memory.tokens()
    return answer({"items": [documents.token(one) for one in found], "next_cursor": None})


@router.post("/tokens", status_code=201, response_model=house_shapes.NewToken)
def create(visitor: Admin, body: bodies.Token) -> Response:
    """Make a token and give its text, once; an admin. A repeat makes another one."""
    text, info = visitor.app.create_token(body.role, body.name, time_of(body.expires or None))
    return answer({"token": text, **documents.token(info)}, 201)


@router.post("/tokens/{id}/revoke", status_code=201, response_model=house_shapes.Revoked)
def revoke(visitor: Admin, id: str, key: once.Key = None) -> Response:
    """Make a token worthless at once; an admin. `id` is an id or a name."""

    def act() -> object:
        visitor.app.revoke_token(id)
        return {"token": id, "revoked": True}

    return once.done(visitor, key, f"revoke {id}", act)


@router.post("/incidents/{incident}/erase", status_code=201, response_model=house_shapes.Erased)
def erase(visitor: Admin, incident: str, body: bodies.Why) -> Response:
    """Remove an incident's content for good, in every backup within reach; an admin."""
    return answer(visitor.app.erase_everywhere(incident, body.why).to_json(), 201)


@router.get("/settings", response_model=dict[str, Any])
def settings(visitor: Admin) -> Response:
    """Say which settings are in effect, without any secret; an admin."""
    return answer(effective(visitor.app.settings))
