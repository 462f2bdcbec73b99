"""The routes of the repair loop, and those at which forges call.

Must not count or decide: the loop's account does, and only a person rearms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from caselore.faces.http import bodies, house_shapes, once, paging, shapes
from caselore.faces.http.access import Reader, Writer
from caselore.faces.http.asgi import Parcel, parcel
from caselore.faces.http.incidents import Limit
from caselore.faces.http.problems import answer
from caselore.wiring import hooks, loop_documents

router = APIRouter(prefix="/changes", tags=["changes"])
calls = APIRouter(prefix="/hooks", tags=["hooks"])


@router.get("", response_model=shapes.Page[house_shapes.Change])
def listed(
    visitor: Reader, state: str = "", limit: Limit = paging.USUAL, cursor: str = ""
) -> Response:
    """List tracked changes and where each stands; `state=live` leaves out what is done."""
    after = paging.place(cursor, 1)[0] if cursor else ""
    return answer(loop_documents.page(visitor.app.repair, state, after, limit, paging.cursor))


@router.post("", status_code=201, response_model=house_shapes.Change)
def track(visitor: Writer, body: bodies.Track, key: once.Key = None) -> Response:
    """Track a change: its failures go to the worker that opened it."""
    repair = visitor.app.repair

    def act() -> object:
        found = repair.track(body.change, body.worker, session=body.session, logins=body.logins)
        return repair.status(found.id)

    return once.done(visitor, key, f"track {body.model_dump_json()}", act)


@router.get("/{id}", response_model=house_shapes.WholeChange)
def one(visitor: Reader, id: str) -> Response:
    """Give where a change stands, its attempts, and why the count is what it is."""
    return answer(loop_documents.whole(visitor.app.repair, id))


@router.post("/{id}/rearm", status_code=201, response_model=house_shapes.Change)
def rearm(visitor: Writer, id: str, body: bodies.Why, key: once.Key = None) -> Response:
    """Let a stopped loop begin again at zero, as a person, with the reason."""
    act = visitor.app.repair.rearm
    request = f"rearm {id} {body.model_dump_json()}"
    return once.done(visitor, key, request, lambda: act(id, body.why))


@calls.post("/{kind}", status_code=202, response_model=house_shapes.Heard)
def hear(
    request: Request, visitor: Reader, kind: str, sent: Annotated[Parcel, Depends(parcel)]
) -> Response:
    """Take a webhook: verified by its signature, kept once, looked at by the watcher."""
    return heard(request.app.state.intake, kind, dict(request.headers), sent.raw)


def heard(intake: hooks.Intake, kind: str, headers: Mapping[str, str], body: bytes) -> Response:
    """Take a delivery in and answer it. Raises: CaseloreError for one that is not taken."""
    return answer({"changes": intake.hear(kind, headers, body)}, 202)
