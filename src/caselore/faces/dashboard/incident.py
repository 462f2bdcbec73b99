"""The page of one incident: what is known of it, on what that rests, and what a person may say.

Must not judge: a form goes to the gate, and what it refuses is shown with its reason.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from caselore.errors import CaseloreError, UnderWay, problem
from caselore.faces.dashboard import charts, shown
from caselore.faces.dashboard.forms import Acting, Field
from caselore.faces.dashboard.page import registered, show
from caselore.faces.http import once
from caselore.faces.http.access import Reader
from caselore.faces.http.problems import STATUS
from caselore.incidents.summary import LONG
from caselore.wiring.door import Visitor

router = APIRouter()
FormKey = Annotated[str, Form(max_length=64)]
STILL = (
    "The model is being asked, or what it told is kept no longer. "
    "Load this page again in a moment."
)
SAID = {
    "confirm": "Kept: the outcome stands, and later failures of this kind are answered from it.",
    "refute": "Kept: the diagnosis was wrong. A later verdict outweighs it.",
    "unlike": "Kept for good: the two are not the same.",
    "propose": "Kept: it waits for a person.",
    "release": "Released: it counts from now on.",
    "drop": "Dropped: it never enters the memory.",
}


@registered(router, "/incidents/{incident}")
def incident(
    request: Request, visitor: Reader, incident: str, said: str = "", told: str = ""
) -> Response:
    """Show one incident; `told`: with what a model told of its chain for that form."""
    if not told or visitor.actor is None:
        return _shown(request, visitor, incident, said=SAID.get(said, ""))
    id = visitor.app.memory.resolve(incident)
    kept = once.kept(visitor, _form(id, told), id)
    short = json.loads(kept.body) if kept else None
    return _shown(request, visitor, id, said="" if kept else STILL, short=short)


def _shown(
    request: Request,
    visitor: Visitor,
    incident: str,
    *,
    said: str = "",
    refused: dict[str, str] | None = None,
    given: dict[str, str] | None = None,
    status: int = 200,
    short: dict[str, Any] | None = None,
) -> Response:
    whole = visitor.app.whole(incident)
    whole["summary"] = short or whole["summary"]
    told = visitor.app.again(whole["incident"])
    document = {**whole, "diagnosis": told.to_json()}
    return show(
        request,
        visitor,
        "incident.html",
        document,
        status=status,
        log=_log(document),
        graph=charts.graph(document["chain"]),
        names=_names(document),
        said=said,
        refused=refused,
        given=given or {},
        once=uuid4().hex,
        may_tell=visitor.app.settings.model != "none" and len(document["chain"]) >= LONG,
    )


def _log(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the kept ranges in the order of the log, each line with what speaks of it."""
    cited = {
        number for one in document["diagnosis"]["diagnosis"] for number in one.get("lines", ())
    }
    ranges, end = [], 0
    for part in sorted(document["excerpt"], key=lambda one: one["first"]):
        texts = part["text"].split("\n")
        lines = [
            {
                "number": part["first"] + at,
                "text": shown.plain(text, shown.LINE),
                "fails": part["first"] + at == document["failing_line"],
                "cited": part["first"] + at in cited,
            }
            for at, text in enumerate(texts)
        ]
        gap = part["first"] - end - 1
        ranges.append({"gap": gap, "why": part["why"], "lines": lines, **_ends(part)})
        end = part["last"]
    return ranges


def _ends(part: dict[str, Any]) -> dict[str, int]:
    return {"first": part["first"], "last": part["last"]}


def _names(document: dict[str, Any]) -> dict[str, str]:
    """Give the short name of every incident that the page may cite."""
    told = document["diagnosis"]
    cases = [*told["precedents"], *told["nearest"], *document["chain"], document]
    return {one["incident"]: shown.name(one) for one in cases}


@router.post("/incidents/{incident}/confirm", include_in_schema=False)
def confirm(
    request: Request,
    visitor: Acting,
    incident: str,
    cause: Field = "",
    resolution: Field = "",
    result: Field = "",
    why_failed: Field = "",
    proof: Field = "",
    precedent: Annotated[list[str] | None, Form()] = None,
) -> Response:
    """Take a person's verdict."""
    given = {"cause": cause, "resolution": resolution, "result": result}
    more = {"why_failed": why_failed, "precedents": precedent or [], "proof": proof.split()}
    return _said(request, visitor, incident, "confirm", {**given, "proof": proof}, given | more)


@router.post("/incidents/{incident}/summary", include_in_schema=False)
def summary(visitor: Acting, incident: str, form: FormKey = "") -> Response:
    """Let the configured model tell the chain, once for each form that a page showed.

    Looking at a page never asks it, nor does sending a form again: what it told is kept a while.
    """
    id = visitor.app.memory.resolve(incident)
    key = form or uuid4().hex
    # who is impatient and sends it twice is shown the page, on which the answer will stand
    with suppress(UnderWay):
        once.done(
            visitor, _form(id, key), id, lambda: visitor.app.whole(id, model=None)["summary"]
        )
    return RedirectResponse(f"{shown.address(f'/incidents/{id}', told=key)}#short", 303)


def _form(id: str, key: str) -> str:
    return f"summary {id} {key[:64]}"


@router.post("/incidents/{incident}/refute", include_in_schema=False)
def refute(request: Request, visitor: Acting, incident: str, why: Field = "") -> Response:
    """Take a person's word that the diagnosis was wrong."""
    return _said(request, visitor, incident, "refute", {"why": why}, {"why": why})


@router.post("/incidents/{incident}/unlike", include_in_schema=False)
def unlike(
    request: Request, visitor: Acting, incident: str, other: Field = "", why: Field = ""
) -> Response:
    """Take a person's word that two are not the same."""
    given = {"other": other, "why": why}
    return _said(request, visitor, incident, "unlike", given, given)


@router.post("/incidents/{incident}/propose", include_in_schema=False)
def propose(
    request: Request, visitor: Acting, incident: str, cause: Field = "", resolution: Field = ""
) -> Response:
    """Take what it may have been."""
    given = {"cause": cause, "resolution": resolution}
    return _said(request, visitor, incident, "propose", given, given)


@router.post("/incidents/{incident}/release", include_in_schema=False)
def release(request: Request, visitor: Acting, incident: str, why: Field = "") -> Response:
    """Let it out of quarantine."""
    return _said(request, visitor, incident, "release", {"why": why}, {"why": why})


@router.post("/incidents/{incident}/drop", include_in_schema=False)
def drop(request: Request, visitor: Acting, incident: str, why: Field = "") -> Response:
    """Keep it out for good."""
    return _said(request, visitor, incident, "drop", {"why": why}, {"why": why})


def _said(
    request: Request,
    visitor: Visitor,
    incident: str,
    verb: str,
    given: dict[str, str],
    facts: dict[str, Any],
) -> Response:
    """Say it to the gate; what is refused comes back with its reason and what was typed."""
    id = visitor.app.memory.resolve(incident)
    try:
        getattr(visitor.app, verb)(id, **facts)
    except CaseloreError as error:
        refused = problem(error).to_json()["error"] | {"verb": verb}
        status = STATUS.get(error.code, 500)
        return _shown(request, visitor, id, refused=refused, given=given, status=status)
    return RedirectResponse(shown.address(f"/incidents/{id}", said=verb), 303)
