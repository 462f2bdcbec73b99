"""Shows a document as a page, or as JSON where its address ends in `.json`.

Must not compute what a page says: it is given the document.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from caselore.errors import Problem
from caselore.faces.dashboard import shown
from caselore.faces.http import problems
from caselore.wiring.door import Visitor

STATIC = {
    "caselore.css": "text/css",
    "caselore.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
MOST = 64  # values that a server keeps: what is asked for is in their names
Document = dict[str, Any]
Action = Callable[..., Any]


@cache
def templates() -> Environment:
    """Give the templates; everything that they show is escaped."""
    made = Environment(
        loader=PackageLoader("caselore.faces.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for filter in (shown.plain, shown.line, shown.minute, shown.web, shown.name):
        made.filters[filter.__name__] = filter
    made.globals.update(address=shown.address, count=shown.count, static=static_address)
    return made


def registered(router: APIRouter, path: str, as_json: str = "") -> Callable[[Action], Action]:
    """Answer at a path, and at the same path with `.json`."""

    def register(view: Action) -> Action:
        for one in (as_json or f"{path}.json", path):
            router.add_api_route(one, view, methods=["GET"], include_in_schema=False)
        return view

    return register


def show(
    request: Request,
    visitor: Visitor,
    template: str,
    document: Document,
    *,
    status: int = 200,
    **more: object,
) -> Response:
    """Give a document in the form that its address asks for; `more` is only for the page."""
    if request.url.path.endswith(".json"):
        return problems.answer(document, status)
    now = visitor.app.now()
    text = (
        templates()
        .get_template(template)
        .render(
            doc=document,
            visitor=visitor,
            path=request.url.path,
            here=address_of(request),
            ago=lambda at: shown.ago(at, now),
            now=now.isoformat(),
            person=visitor.actor is not None and visitor.actor.role.value == "human",
            json_address=_json_address(request),
            **more,
        )
    )
    return Response(text, status, media_type="text/html")


def address_of(request: Request) -> str:
    """Give a request's own path and query, for a link that comes back to it."""
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def _json_address(request: Request) -> str:
    path = "/index" if request.url.path == "/" else request.url.path
    return f"{path}.json" + (f"?{request.url.query}" if request.url.query else "")


def problem_page(request: Request, visitor: Visitor, found: Problem, status: int) -> Response:
    """Show an error: what happened, what to do."""
    return show(request, visitor, "problem.html", found.to_json(), status=status, code=status)


@cache
def _static(name: str) -> bytes:
    return (files("caselore.faces.dashboard") / "static" / name).read_bytes()


@cache
def static_address(name: str) -> str:
    """Give the address of a file that changes with its content."""
    return f"/static/{name}?v={hashlib.sha256(_static(name)).hexdigest()[:12]}"


def static(name: str) -> Response:
    """Give one of our own files."""
    if name not in STATIC:
        return problems.refusal(problems.of_status(404), 404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(_static(name), 200, headers, STATIC[name])


def wants_page(path: str, headers: Mapping[str, str]) -> bool:
    """Tell whether a person's browser asks, not a program."""
    machine = path.startswith(("/api/", "/mcp")) or path.endswith(".json")
    return not machine and "text/html" in headers.get("accept", "")


def fresh(request: Request) -> Fresh:
    """Give what this server keeps of what is costly to count."""
    kept: Fresh = request.app.state.fresh
    return kept


class Fresh:
    """Keeps what is costly to count for as long as nothing was written, or a moment longer."""

    def __init__(self) -> None:
        """Keep nothing yet; one of these belongs to one server."""
        self._kept: dict[str, tuple[int, datetime, Any]] = {}
        self._lock = threading.Lock()

    def get(self, name: str, visitor: Visitor, make: Callable[[], Any], seconds: int) -> Any:
        """Give a value, made anew where something was written and it is so many seconds old."""
        head, now = visitor.app.memory.ledger_head(), visitor.app.now()
        kept = self._kept.get(name)
        if kept and (kept[0] == head or now - kept[1] < timedelta(seconds=seconds)):
            return kept[2]
        value = make()
        with self._lock:
            self._kept.pop(name, None)
            self._kept[name] = (head, now, value)
            while len(self._kept) > MOST:
                del self._kept[next(iter(self._kept))]
        return value
