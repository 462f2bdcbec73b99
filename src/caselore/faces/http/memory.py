"""The routes of recall, the ledger, the quarantine and of what counts as one failure.

Must not judge: parse, call, answer.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from caselore.faces.http import bodies, once, paging, shapes
from caselore.faces.http.access import Reader, Writer
from caselore.faces.http.incidents import Limit
from caselore.faces.http.problems import answer
from caselore.memory.browsing import END
from caselore.wiring import documents

router = APIRouter(tags=["memory"])


@router.post("/recall", response_model=shapes.Recalled)
def recall(visitor: Reader, body: bodies.Question) -> Response:
    """Find confirmed precedents for words or for an incident, each with its signals."""
    found = visitor.app.recall(
        text=body.query,
        incident=body.incident,
        limit=body.limit,
        filters=documents.filters(body.filters.model_dump()),
    )
    return answer(found.to_json())


@router.get("/models/usage", response_model=dict[str, Any])
def usage(visitor: Reader, days: Annotated[int, Query(ge=1, le=3_660)] = 7) -> Response:
    """Add up what language models were asked, by day and model; no prompt is kept."""
    return answer({"days": visitor.app.model.usage(days)})


@router.get("/ledger", response_model=shapes.Page[shapes.Entry])
def ledger(
    visitor: Reader,
    subject: str = "",
    order: Literal["newest", "oldest"] = "newest",
    limit: Limit = paging.USUAL,
    cursor: str = "",
) -> Response:
    """List what was written, page by page."""
    memory, newest = visitor.app.memory, order == "newest"
    at = paging.number(cursor) if cursor else END if newest else 0
    leaf = memory.ledger_before if newest else memory.ledger_after
    found = leaf(at, limit + 1, subject or None)
    last = found[limit - 1].entry.seq if len(found) > limit else None
    return answer(
        {
            "items": [documents.public_entry(one) for one in found[:limit]],
            "next_cursor": paging.cursor(last) if last else None,
        }
    )


@router.get("/ledger/verify", response_model=shapes.Verification)
def verify(visitor: Reader, head: str = "") -> Response:
    """Check the whole chain and every row against it; name the first broken link."""
    return answer(documents.verification(visitor.app.memory.ledger_verify(head or None)))


@router.get("/quarantine", response_model=shapes.Page[shapes.Held])
def quarantine(visitor: Reader) -> Response:
    """List what the guards hold until a person looks at it."""
    held = visitor.app.memory.quarantine_list()
    return answer({"items": [documents.held(one) for one in held], "next_cursor": None})


@router.get("/quarantine/{subject}", response_model=shapes.HeldIncident)
def held(visitor: Reader, subject: str) -> Response:
    """Give one thing that is held, and what the guards found in it."""
    case, found = visitor.app.memory.quarantine_show(subject)
    return answer({**documents.case_line(case), "held": [documents.held(one) for one in found]})


@router.post("/quarantine/{subject}/release", status_code=201, response_model=shapes.Incident)
def release(visitor: Writer, subject: str, body: bodies.Why, key: once.Key = None) -> Response:
    """Let it into the memory, as a person who looked at it."""
    request = f"release {subject} {body.model_dump_json()}"
    act = visitor.app.release
    return once.done(visitor, key, request, lambda: act(subject, body.why).to_json())


@router.post("/quarantine/{subject}/drop", status_code=201, response_model=shapes.Incident)
def drop(visitor: Writer, subject: str, body: bodies.Why, key: once.Key = None) -> Response:
    """Decide, as a person, that it never enters the memory."""
    request = f"drop {subject} {body.model_dump_json()}"
    act = visitor.app.drop
    return once.done(visitor, key, request, lambda: act(subject, body.why).to_json())


@router.post("/signatures/{signature}/merge", status_code=201, response_model=shapes.Grouped)
def merge(visitor: Writer, signature: str, body: bodies.Join, key: once.Key = None) -> Response:
    """Say, as a person, that two signatures are the same failure; parting them takes it back.

    An incident's name means its signature.
    """
    request = f"merge {signature} {body.model_dump_json()}"
    act = visitor.app.merge
    return once.done(visitor, key, request, lambda: act(signature, body.into, body.why)._asdict())


@router.post("/signatures/{signature}/split", status_code=201, response_model=shapes.Grouped)
def split(visitor: Writer, signature: str, body: bodies.Why, key: once.Key = None) -> Response:
    """Say, as a person, that a signature, or an incident by its name, is a failure of its own."""
    request = f"split {signature} {body.model_dump_json()}"
    act = visitor.app.split
    return once.done(visitor, key, request, lambda: act(signature, body.why)._asdict())
