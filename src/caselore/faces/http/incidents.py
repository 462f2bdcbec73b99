"""The routes of incidents: submit, list, look at, judge.

Must not judge: parse, call, answer.
"""

from __future__ import annotations

import io
import json
from typing import Annotated, Any, BinaryIO

from fastapi import APIRouter, Depends, Query, Response
from pydantic import ValidationError

from caselore.errors import BadInput
from caselore.faces.http import bodies, once, paging, shapes
from caselore.faces.http.access import Reader, Writer
from caselore.faces.http.asgi import Parcel, parcel
from caselore.faces.http.problems import answer, wrong
from caselore.memory.browsing import BEGIN, Place
from caselore.memory.ports import Wanted
from caselore.wiring import documents

router = APIRouter(prefix="/incidents", tags=["incidents"])
Limit = Annotated[int, Query(ge=paging.LEAST, le=paging.MOST)]
_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": bodies.Failure.model_json_schema()},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["log"],
                    "properties": {
                        **{
                            name: {"type": "string"}
                            for name in bodies.Failure.model_fields
                            if name not in ("log", "green")
                        },
                        "log": {"type": "string", "format": "binary"},
                        "green": {"type": "string", "format": "binary"},
                    },
                }
            },
        },
    }
}


@router.post("", status_code=201, openapi_extra=_FORM, response_model=shapes.Diagnosis)
def submit(
    visitor: Writer, sent: Annotated[Parcel, Depends(parcel)], key: once.Key = None
) -> Response:
    """Record a failed job and diagnose it from confirmed precedents."""

    def act() -> dict[str, Any]:
        log, green, facts = _taken(sent)
        return visitor.app.diagnose(log, green=green, name="log", tell=None, **facts).to_json()

    return once.done(visitor, key, f"POST /incidents {sent.digest}" if key else "", act)


def _taken(sent: Parcel) -> tuple[BinaryIO, BinaryIO | None, dict[str, str]]:
    """Give the log, a passing log and the facts of the run. Raises: BadInput."""
    given: Any = sent.fields if sent.fields or sent.files else _parsed(sent.raw)
    if isinstance(given, dict):
        given = {**given, **{name: "" for name in sent.files}}
    try:
        body = bodies.Failure.model_validate(given)
    except ValidationError as error:
        raise BadInput(wrong(error.errors()), hint="See /openapi.json for the form.") from None
    log = sent.files.get("log") or _bytes(body.log)
    green = sent.files.get("green") or (None if body.green is None else _bytes(body.green))
    return log, green, body.model_dump(exclude={"log", "green"})


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        raise BadInput("The body is no JSON.", hint="Send JSON, or a multipart form.") from None


def _bytes(text: str) -> BinaryIO:
    return io.BytesIO(text.encode("utf-8", "replace"))


@router.get("", response_model=shapes.Page[shapes.Incident])
def listed(visitor: Reader, asked: Annotated[bodies.Wanted, Query()]) -> Response:
    """List incidents, the newest first, page by page."""
    wanted = asked.model_dump(exclude={"limit", "cursor"})
    wanted |= {name: documents.moment(wanted[name]) for name in ("since", "until")}
    after = Place(*paging.place(asked.cursor, 2)) if asked.cursor else BEGIN
    page = visitor.app.memory.page(Wanted(**wanted), asked.limit, after)
    return answer(
        {
            "items": [documents.case_line(case) for case in page.cases],
            "next_cursor": paging.cursor(*page.next) if page.next else None,
        }
    )


@router.get("/{incident}", response_model=shapes.WholeIncident)
def one(visitor: Reader, incident: str) -> Response:
    """Give one incident with its lines, verdicts and chain, and how fixes fared on it."""
    return answer(visitor.app.whole(incident))


@router.get("/{incident}/log", response_model=shapes.Log)
def log(
    visitor: Reader,
    incident: str,
    first: Annotated[int, Query(ge=1, le=10**9, description="From which line on.")] = 1,
    limit: Annotated[int, Query(ge=0, le=5_000, description="Lines of the whole log.")] = 0,
) -> Response:
    """Give what is kept of the log: its failing lines, word for word, secrets masked.

    With `limit` so many lines of the whole log, too, where whole logs are kept; else `lines_kept`
    is null.
    """
    case = visitor.app.memory.get(incident)
    kept = visitor.app.whole_log(case.id, visitor.app.now()) if limit else None
    lines = [one for one in kept.every() if one.number >= first][: limit + 1] if kept else []
    more = {
        "lines_kept": [one._asdict() for one in lines[:limit]] if kept else None,
        "next_line": lines[limit].number if len(lines) > limit else None,
    }
    return answer({**documents.kept_log(case), **more})


@router.post("/{incident}/outcome", status_code=201, response_model=shapes.Incident)
def outcome(
    visitor: Writer, incident: str, body: bodies.Verdict, key: once.Key = None
) -> Response:
    """Say, as a person, what the cause was, what was done and whether it worked."""
    return _judged(visitor, key, incident, body, "confirm")


@router.post("/{incident}/refute", status_code=201, response_model=shapes.Incident)
def refute(visitor: Writer, incident: str, body: bodies.Why, key: once.Key = None) -> Response:
    """Say, as a person, that the written diagnosis was wrong."""
    return _judged(visitor, key, incident, body, "refute")


@router.post("/{incident}/unlike", status_code=201, response_model=shapes.Incident)
def unlike(visitor: Writer, incident: str, body: bodies.Unlike, key: once.Key = None) -> Response:
    """Say, as a person and for good, that two incidents are not the same."""
    return _judged(visitor, key, incident, body, "unlike")


@router.post("/{incident}/propose", status_code=201, response_model=shapes.Incident)
def propose(
    visitor: Writer, incident: str, body: bodies.Proposal, key: once.Key = None
) -> Response:
    """Say what it may have been; it waits for a person and is recalled nowhere."""
    return _judged(visitor, key, incident, body, "propose")


@router.post("/{incident}/draft", status_code=201, response_model=shapes.Draft)
def draft(visitor: Writer, incident: str, body: bodies.Change, key: once.Key = None) -> Response:
    """Draft cause and resolution from the change that mended it; proposed, never confirmed."""

    def act() -> dict[str, Any]:
        return visitor.app.model.draft(incident, body.diff, model=body.model or None).to_json()

    return once.done(visitor, key, f"draft {incident} {body.model_dump_json()}", act)


def _judged(
    visitor: Writer, key: str | None, incident: str, body: bodies.Body, verb: str
) -> Response:
    request = f"{verb} {incident} {body.model_dump_json()}"
    say = getattr(visitor.app, verb)
    return once.done(visitor, key, request, lambda: say(incident, **body.model_dump()).to_json())
