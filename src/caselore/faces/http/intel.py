"""The routes of competitive intelligence: what was seen of competitors, with its quotes.

Must not judge: parse, call, answer. Reading starts no run and writes nothing.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Response

from caselore.faces.http import bodies, intel_shapes, once
from caselore.faces.http.access import Reader, Writer
from caselore.faces.http.problems import answer
from caselore.faces.http.shapes import Page

router = APIRouter(prefix="/intel", tags=["intel"])
Moment = Annotated[str, Query(max_length=100, description="A day or a time, ISO 8601.")]


@router.get("/competitors", response_model=Page[intel_shapes.Competitor])
def competitors(visitor: Reader) -> Response:
    """List competitors with the number of their events."""
    return answer({"items": visitor.app.intel.competitors(), "next_cursor": None})


@router.get("/competitors/{name:path}/history", response_model=Page[intel_shapes.Event])
def history(
    visitor: Reader,
    name: str,
    event_type: str = "",
    since: Moment = "",
    as_of: Moment = "",
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Response:
    """Give a competitor's events, the newest first; with `as_of` what was known then."""
    found = visitor.app.intel.history(
        name, event_type=event_type, since=since, limit=limit, as_of=as_of or None
    )
    return answer({"items": found, "next_cursor": None})


@router.get("/competitors/{name:path}/strategy", response_model=Page[dict[str, Any]])
def strategy(visitor: Reader, name: str) -> Response:
    """Give the hypotheses about a competitor with their revisions."""
    return answer({"items": visitor.app.intel.strategy(name), "next_cursor": None})


@router.get("/competitors/{name:path}/predictions", response_model=Page[intel_shapes.Prediction])
def predictions(visitor: Reader, name: str) -> Response:
    """Give the predictions about a competitor, graded as far as they are due."""
    return answer({"items": visitor.app.intel.predictions(name), "next_cursor": None})


@router.get("/competitors/{name:path}", response_model=intel_shapes.Profile)
def profile(visitor: Reader, name: str, as_of: Moment = "") -> Response:
    """Sum a competitor up: events, independent origins, confidence, risk."""
    return answer(visitor.app.intel.profile(name, as_of or None).to_json())


@router.post("/events", status_code=201, response_model=intel_shapes.Event)
def store_event(
    visitor: Writer, body: Annotated[dict[str, Any], Body()], key: once.Key = None
) -> Response:
    """Keep an event; an agent's needs a quote that stands in a stored page."""
    act = visitor.app.intel.store_event
    return once.done(visitor, key, f"event {sorted(body.items())!r}", lambda: act(body))


@router.post("/search", response_model=Page[intel_shapes.Event])
def search(visitor: Reader, body: bodies.Search) -> Response:
    """Find events by words, the best first."""
    found = visitor.app.intel.search(body.query, body.limit)
    return answer({"items": found, "next_cursor": None})


@router.get("/calibration", response_model=intel_shapes.Calibration)
def calibration(visitor: Reader) -> Response:
    """Say how good the decided predictions were."""
    return answer(visitor.app.intel.calibration().to_json())


@router.get("/snapshots/{id}", response_model=intel_shapes.Snapshot)
def snapshot(visitor: Reader, id: str) -> Response:
    """Give a stored page, of whose text quotes are spans."""
    return answer(visitor.app.intel.snapshot(id))


@router.get("/why/{claim}", response_model=intel_shapes.Why)
def why(visitor: Reader, claim: str) -> Response:
    """Open the stored page at a claim's or an event's quote."""
    return answer(visitor.app.intel.why(claim))
