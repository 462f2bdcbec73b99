"""Signing in and out: a token opens a session, whose cookie no script can read.

Must not keep a token, nor send a browser to another site.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from caselore.errors import CaseloreError, problem
from caselore.faces.dashboard import page
from caselore.faces.dashboard.incident import Acting
from caselore.faces.http.access import COOKIE, House, Reader
from caselore.wiring.door import LASTS

router = APIRouter(include_in_schema=False)


def inside(address: str) -> str:
    """Give an address within this site, else its first page."""
    parts = urlsplit(address)
    plain = not any(ord(letter) < 33 for letter in address) and "\\" not in address
    own = plain and not parts.scheme and not parts.netloc and address.startswith("/")
    return address if own and not address.startswith("//") else "/"


@router.get("/sign-in")
def form(request: Request, visitor: Reader, next: str = "/") -> Response:
    """Show the form."""
    return page.show(request, visitor, "sign_in.html", {"next": inside(next)}, refused=None)


@router.post("/sign-in")
def sign_in(
    request: Request,
    visitor: Reader,
    token: Annotated[str, Form(max_length=500)] = "",
    next: Annotated[str, Form(max_length=2_000)] = "/",
) -> Response:
    """Open a session for the bearer of a token."""
    house: House = request.app.state.house
    try:
        cookie = house.door.sign_in(token)
    except CaseloreError as error:
        told = problem(error).to_json()["error"]
        document = {"next": inside(next)}
        return page.show(request, visitor, "sign_in.html", document, status=401, refused=told)
    answer = RedirectResponse(inside(next), 303)
    answer.set_cookie(
        COOKIE,
        cookie,
        max_age=int(LASTS.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=_by_tls(request),
    )
    return answer


def _by_tls(request: Request) -> bool:
    """Tell whether the browser came by TLS: a cookie that it may only send so is lost else."""
    forwarded = request.headers.get("x-forwarded-proto", "")
    return request.url.scheme == "https" or forwarded == "https"


@router.post("/sign-out")
def sign_out(visitor: Acting) -> Response:
    """End the session of this browser."""
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return answer
