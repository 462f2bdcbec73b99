"""Signing in and out: a token or an identity provider opens a session; no script reads its cookie.

Must not keep a token, nor send a browser to another site.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from caselore.errors import CaseloreError, WrongUse, problem
from caselore.faces.dashboard import page
from caselore.faces.dashboard.forms import Own
from caselore.faces.http.access import COOKIE, House, Reader
from caselore.faces.http.problems import STATUS
from caselore.wiring.door import LASTS, UNDER_WAY
from caselore.wiring.oidc import Provider

router = APIRouter(include_in_schema=False)
FLOW = "caselore_sign_in"  # the cookie of a sign-in that is under way
BACK = "/sign-in/back"


def inside(address: str) -> str:
    """Give an address within this site, else its first page."""
    parts = urlsplit(address)
    plain = not any(ord(letter) < 33 for letter in address) and "\\" not in address
    own = plain and not parts.scheme and not parts.netloc and address.startswith("/")
    return address if own and not address.startswith("//") else "/"


@router.get("/sign-in")
def form(request: Request, visitor: Reader, next: str = "/") -> Response:
    """Show the form."""
    return _form(request, visitor, next)


def _form(
    request: Request, visitor: Reader, next: str, error: CaseloreError | None = None
) -> Response:
    house: House = request.app.state.house
    told = problem(error).to_json()["error"] if error else None
    status = STATUS.get(error.code, 500) if error else 200
    provider = house.door.provider
    document = {"next": inside(next), "provider": provider.host if provider else None}
    return page.show(request, visitor, "sign_in.html", document, status=status, refused=told)


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
        return _form(request, visitor, next, error)
    return _opened(request, cookie, next)


@router.get("/sign-in/provider")
def away(request: Request, visitor: Reader, next: str = "/") -> Response:
    """Send a browser to the identity provider."""
    house: House = request.app.state.house
    try:
        back = _base(request, house, house.door.provider) + BACK
        address, cookie = house.door.sends_away(back, inside(next))
    except CaseloreError as error:
        return _form(request, visitor, next, error)
    answer = RedirectResponse(address, 303)
    _set(request, answer, FLOW, cookie, int(UNDER_WAY.total_seconds()))
    return answer


@router.get(BACK)
def back(request: Request, visitor: Reader) -> Response:
    """Take a browser that comes back from the identity provider: once, and only this one."""
    house: House = request.app.state.house
    told = {name: value[:4_000] for name, value in request.query_params.items()}
    try:
        cookie, then = house.door.comes_back(request.cookies.get(FLOW, ""), told)
        answer = _opened(request, cookie, then)
    except CaseloreError as error:
        answer = _form(request, visitor, "/", error)
    answer.delete_cookie(FLOW, httponly=True, samesite="lax")
    return answer


def _base(request: Request, house: House, provider: Provider | None) -> str:
    """Give where browsers reach this server. Raises: WrongUse under a name that is not its own."""
    if provider and provider.terms.url:
        return provider.terms.url.rstrip("/")
    if (request.url.hostname or "") not in house.hosts:
        raise WrongUse(
            "This server does not know the name under which it was asked.",
            hint="Whoever keeps it sets `url` in [sign_in.oidc].",
        )
    return f"{'https' if _by_tls(request) else 'http'}://{request.url.netloc}"


def _opened(request: Request, cookie: str, next: str) -> Response:
    answer = RedirectResponse(inside(next), 303)
    _set(request, answer, COOKIE, cookie, int(LASTS.total_seconds()))
    return answer


def _set(request: Request, answer: Response, name: str, cookie: str, seconds: int) -> None:
    answer.set_cookie(
        name,
        cookie,
        max_age=seconds,
        httponly=True,
        samesite="lax",
        secure=_by_tls(request),
    )


def _by_tls(request: Request) -> bool:
    """Tell whether the browser came by TLS: a cookie that it may only send so is lost else."""
    forwarded = request.headers.get("x-forwarded-proto", "")
    return request.url.scheme == "https" or forwarded == "https"


@router.post("/sign-out")
def sign_out(visitor: Own) -> Response:
    """End the session of this browser."""
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return answer
