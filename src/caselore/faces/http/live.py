"""The routes that tell how the server is, and what is written as it is written.

Must not tell more than that to somebody whom nothing names.
"""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from starlette.responses import PlainTextResponse, StreamingResponse

from caselore.faces.http import asgi, house_shapes
from caselore.faces.http.access import Reader
from caselore.faces.http.problems import answer
from caselore.memory.ledger import Stored

health = APIRouter(tags=["health"])
changes = APIRouter(tags=["memory"])


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


AT_ONCE = 100  # entries that are read at one look


@health.get("/healthz", response_model=house_shapes.Said)
def healthz() -> Response:
    """Say that the process answers."""
    return answer({"status": "ok"})


@health.get("/readyz", response_model=house_shapes.Said)
def readyz(visitor: Reader) -> Response:
    """Say that the memory answers."""
    visitor.app.memory.ledger_head()
    return answer({"status": "ready"})


@health.get("/metrics", response_class=PlainTextResponse)
def metrics(request: Request, visitor: Reader) -> Response:
    """Give counters as Prometheus reads them."""
    memory = visitor.app.memory
    text = asgi.state_of(request).metrics.text(memory.ledger_head(), len(memory.quarantine_list()))
    return Response(text, media_type="text/plain; version=0.0.4")


@changes.get("/events", response_class=EventStream)
def events(
    request: Request,
    visitor: Reader,
    after: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    last: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
) -> Response:
    """Stream what is written, as it is written, from after an entry on (server-sent events)."""
    memory = visitor.app.memory
    told = int(last) if last and last.isascii() and last.isdigit() and len(last) < 16 else after
    begin = memory.ledger_head() if told is None else told

    def fetch(seq: int) -> list[tuple[int, str]]:
        return [(one.entry.seq, _event(one)) for one in memory.ledger_after(seq, AT_ONCE)]

    return EventStream(asgi.stream(request, begin, fetch))


def _event(stored: Stored) -> str:
    one = stored.entry
    said = {
        "seq": one.seq,
        "at": one.at,
        "actor": f"{one.role}:{one.actor}",
        "action": one.action,
        "subject": one.subject,
    }
    return f"id: {one.seq}\nevent: {one.action}\ndata: {json.dumps(said)}\n\n"
