"""Decides who may come in: by token, by session, by a trusted proxy, or to read on loopback.

Must not decide what a caller may write: the gate does.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from caselore.errors import GateRefused, Unidentified
from caselore.memory.records import Role
from caselore.wiring.app import App
from caselore.wiring.door import Door, Visitor

COOKIE = "caselore_session"
OPEN = frozenset(
    {"/healthz", "/readyz", "/sign-in", "/sign-in/provider", "/sign-in/back"}
)  # nobody is asked here who is calling
HOOKS = ("/hooks/", "/api/v1/hooks/")  # a delivery proves itself by its signature
FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


@dataclass(frozen=True, slots=True)
class House:
    """Where the server stands, which says how strict its door is."""

    app: App
    door: Door
    loopback: bool
    hosts: frozenset[str]

    @property
    def open_to_read(self) -> bool:
        """Tell whether a caller on this machine reads without a token."""
        return self.loopback and not self.app.settings.auth_required


def on_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def house(app: App, host: str) -> House:
    """Give the door of a server that listens on an address."""
    names = {"localhost", "127.0.0.1", "::1", host, *app.settings.hosts}
    return House(app, Door(app), on_loopback(host), frozenset(name.lower() for name in names))


def admit(place: House, path: str, headers: Mapping[str, str], peer: str) -> Visitor:
    """Identify a caller. Raises: Unidentified where nobody is named and somebody must be."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    door = place.door
    if path.startswith(HOOKS):
        return door.guest()
    if kind.lower() == "bearer" and token.strip():
        return door.by_token(token.strip())
    named = door.by_proxy(headers, peer)
    if named:
        return named
    if path in OPEN or path.startswith("/static/"):
        return _session(place, headers, strict=False) or door.guest()
    own = _asked_here(place, headers)
    visitor = _session(place, headers, strict=not (place.open_to_read and own))
    if visitor:
        return visitor
    if place.open_to_read and own:
        return door.guest()
    raise Unidentified()


def _session(place: House, headers: Mapping[str, str], *, strict: bool) -> Visitor | None:
    cookie = _cookie(headers.get("cookie", ""))
    if not cookie:
        return None
    try:
        return place.door.by_session(cookie)
    except Unidentified:
        if strict:
            raise
        return None


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _asked_here(place: House, headers: Mapping[str, str]) -> bool:
    """Tell whether a request came straight to this server under a name of its own.

    A page elsewhere can point its own name at 127.0.0.1 and have a browser read what it finds.
    """
    if any(name in headers for name in FORWARDED):
        return False
    return (urlsplit(f"//{headers.get('host', '')}").hostname or "") in place.hosts


_BEARER = HTTPBearer(auto_error=False, description="A token of `caselore token create`.")


def reader(request: Request, _: Annotated[object, Security(_BEARER)]) -> Visitor:
    """Give the caller, named or not."""
    visitor: Visitor = request.state.visitor
    return visitor


def writer(request: Request, _: Annotated[object, Security(_BEARER)]) -> Visitor:
    """Give a caller whom something names. Raises: Unidentified."""
    visitor: Visitor = request.state.visitor
    if visitor.actor is None:
        raise Unidentified()
    must_write(visitor)
    if visitor.csrf and request.headers.get("x-csrf-token") != visitor.csrf:
        raise GateRefused(
            "A browser's session writes only from caselore's own pages; nothing was changed.",
            hint="Send the page's X-CSRF-Token, or a token of your own as a bearer.",
        )
    return visitor


def must_write(visitor: Visitor) -> None:
    """Let no reader further. Raises: GateRefused."""
    if visitor.actor is not None and visitor.actor.role is Role.READER:
        raise GateRefused(
            f"{visitor.actor} only reads; nothing was changed.",
            hint="Ask whoever keeps this memory for a token of another role.",
        )


Reader = Annotated[Visitor, Depends(reader)]
Writer = Annotated[Visitor, Depends(writer)]


def must_keep_house(visitor: Visitor) -> None:
    """Let only an admin further. Raises: Unidentified, GateRefused."""
    if visitor.actor is None:
        raise Unidentified()
    if not visitor.admin:
        raise GateRefused(
            f"{visitor.actor} is no admin, who alone does this over the network; nothing was "
            "changed.",
            hint="At the machine of the memory a person does it: see `caselore --help`.",
        )


def admin(visitor: Writer) -> Visitor:
    """Give a caller who may keep the house. Raises: GateRefused."""
    must_keep_house(visitor)
    return visitor


Admin = Annotated[Visitor, Depends(admin)]
