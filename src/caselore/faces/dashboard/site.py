"""Puts the pages together, and says what a person's browser gets where no page can be shown.

Must not answer a program with a page, nor a person with JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from caselore.errors import CaseloreError, Problem, Unidentified
from caselore.faces.dashboard import (
    changes,
    house,
    inbox,
    incident,
    intel,
    log,
    numbers,
    page,
    records,
    signatures,
    signing,
)
from caselore.faces.http import problems

router = APIRouter()
for part in (inbox, log, incident, records, signatures, changes, intel, numbers, house, signing):
    router.include_router(part.router)


@router.get("/static/{name}", include_in_schema=False)
def static(name: str) -> Response:
    """Give one of our own files."""
    return page.static(name)


def error(request: Request, found: Problem, status: int) -> Response:
    """Show an error in the form in which the caller can read it."""
    visitor = getattr(request.state, "visitor", None)
    if visitor is not None and page.wants_page(request.url.path, request.headers):
        return page.problem_page(request, visitor, found, status)
    return problems.refusal(found, status)


def turned_away(
    scope: Mapping[str, Any], headers: Mapping[str, str], error: CaseloreError
) -> Response:
    """Send a person to sign in, and tell a program why it may not come in."""
    path, query = str(scope["path"]), bytes(scope.get("query_string", b"")).decode("latin-1")
    asks = scope["method"] in ("GET", "HEAD") and page.wants_page(path, headers)
    if isinstance(error, Unidentified) and asks:
        back = quote(f"{path}?{query}" if query else path)
        return RedirectResponse(f"/sign-in?next={back}", 303)
    return problems.of_error(error)
