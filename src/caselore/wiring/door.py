"""Says who is calling over a network, and gives each caller the application in their name.

Must not trust a name that nothing proves: a token, a session that a token or an identity provider
opened, or a header of a proxy that the environment names.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from caselore.errors import CaseloreError, GateRefused, NotFound, Refused, Unidentified
from caselore.memory.records import Actor, TokenInfo, TokenRole
from caselore.wiring import identity
from caselore.wiring.app import App
from caselore.wiring.identity import Caller
from caselore.wiring.oidc import Begun, Named, Provider, Terms
from caselore.wiring.people import People, of_proxy

LASTS = timedelta(hours=12)  # of a session
UNDER_WAY = timedelta(minutes=10)  # that a person may take at an identity provider
_SIGN_IN = "Sign in again."


@dataclass(frozen=True, slots=True)
class Visitor:
    """One caller over the network, with the application in their name."""

    app: App
    actor: Actor | None
    """None for a reader whom nothing names."""
    by: str
    """token, session, proxy or open"""
    csrf: str = ""
    """What a form must send back, where the browser itself proves who calls."""
    admin: bool = False
    """Whether the caller may keep the house: make tokens, erase."""


class Door:
    """Identifies callers of one application."""

    def __init__(self, app: App) -> None:
        """Guard an application."""
        self._app, self._settings = app, app.settings

    def guest(self) -> Visitor:
        """Let somebody read whom nothing names."""
        return Visitor(self._app, None, "open")

    def by_token(self, text: str) -> Visitor:
        """Let the bearer of a token in. Raises: Unidentified."""
        return self._visitor(identity.bearer(self._bearer(text)), "token", "")

    def _bearer(self, text: str) -> TokenInfo:
        try:
            return self._app.memory.bearer(text)
        except Refused as error:
            raise Unidentified(str(error), hint=error.hint) from None

    def sign_in(self, text: str) -> str:
        """Open a session for the bearer of a token and give its cookie. Raises: Unidentified."""
        return self._sealed("session", LASTS, {"token": self._bearer(text).id})

    def greet(self, person: Named) -> str:
        """Open a session for a person whom the identity provider named; give its cookie.

        Raises: GateRefused for somebody who may not come in.
        """
        said = {"name": person.name, "groups": list(person.groups)}
        self._named(said)
        return self._sealed("session", LASTS, said)

    def by_session(self, cookie: str) -> Visitor:
        """Let a signed-in person in. Raises: Unidentified where the session ended."""
        said = self._unsealed("session", cookie)
        caller = self._living(said["token"]) if "token" in said else self._still_named(said)
        return self._visitor(caller, "session", said["nonce"])

    def _living(self, id: str) -> Caller:
        now = self._app.now()
        for one in self._app.memory.tokens():
            if one.id == id and living(one, now):
                return identity.bearer(one)
        raise Unidentified("The token of this session ended.", hint=_SIGN_IN)

    def _named(self, said: Mapping[str, Any]) -> Caller:
        people = People.parse(self._settings.sign_in.get("people", {}))
        return _caller(said["name"], people.role(said["name"], said["groups"]))

    def _still_named(self, said: Mapping[str, Any]) -> Caller:
        """Ask the table at every request: whom it names no more is out at once."""
        try:
            return self._named(said)
        except GateRefused as error:
            raise Unidentified(str(error), hint=error.hint) from None

    # An identity provider: what a sign-in must come back with travels sealed in the browser

    @cached_property
    def provider(self) -> Provider | None:
        """Give the identity provider that the home's settings name. Raises: WrongUse."""
        table = self._settings.sign_in.get("oidc")
        return Provider(Terms.parse(table, self._settings.oidc_secret)) if table else None

    def sends_away(self, back: str, then: str) -> tuple[str, str]:
        """Give a provider's address and the cookie of a sign-in that begins.

        Raises: Unavailable; NotFound without a provider.
        """
        begun = self._asked().begin(back)
        said = {**asdict(begun), "back": back, "then": then}
        return begun.address, self._sealed("sign-in", UNDER_WAY, said)

    def comes_back(self, cookie: str, told: Mapping[str, str]) -> tuple[str, str]:
        """Give the cookie of a new session and where to go, for a sign-in that ends well.

        Raises: Unidentified, GateRefused, Unavailable.
        """
        said = self._unsealed("sign-in", cookie)
        begun = Begun(*(said[one.name] for one in fields(Begun)))
        person = self._asked().finish(begun, said["back"], told, self._app.now())
        return self.greet(person), said["then"]

    def _asked(self) -> Provider:
        if self.provider is None:
            raise NotFound("No identity provider is set up here.", hint="Sign in with a token.")
        return self.provider

    def by_proxy(self, headers: Mapping[str, str], peer: str) -> Visitor | None:
        """Let in whom a trusted proxy names in its header; None where none is trusted or named.

        Raises: GateRefused for somebody whom [sign_in.people] does not know.
        """
        name = headers.get(self._settings.proxy_header.lower(), "") if self._trusts(peer) else ""
        if not name:
            return None
        role = of_proxy(self._settings.sign_in).role(name[:100], ())
        return self._visitor(_caller(name[:100], role), "proxy", name)

    def _trusts(self, peer: str) -> bool:
        if not self._settings.proxy_header:
            return False
        try:
            address = ipaddress.ip_address(peer)
        except ValueError:
            return False
        return any(
            address in ipaddress.ip_network(one, strict=False) for one in self._settings.proxy_from
        )

    def has_key(self) -> bool:
        """Tell whether any token is valid, so that somebody could come in."""
        now = self._app.now()
        return any(living(one, now) for one in self._app.memory.tokens())

    def _visitor(self, caller: Caller, by: str, nonce: str) -> Visitor:
        actor = caller.actor
        csrf = self._mark(f"form {actor} {nonce}") if by in ("session", "proxy") else ""
        return Visitor(self._app.serving(caller), actor, by, csrf, caller.admin)

    # Sessions: what is said in a cookie is signed, and kept nowhere

    def _sealed(self, kind: str, lasts: timedelta, said: Mapping[str, Any]) -> str:
        ends = self._app.now() + lasts
        whole = {"nonce": secrets.token_hex(12), **said, "kind": kind, "ends": ends.isoformat()}
        text = base64.urlsafe_b64encode(json.dumps(whole).encode()).decode()
        return f"{text}.{self._mark(text)}"

    def _unsealed(self, kind: str, cookie: str) -> dict[str, Any]:
        text, _, mark = cookie.partition(".")
        if not hmac.compare_digest(mark.encode(), self._mark(text).encode()):
            raise Unidentified("This session is not known here.", hint=_SIGN_IN)
        said: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text))
        ended = datetime.fromisoformat(said["ends"]) <= self._app.now()
        if said.get("kind") != kind or ended:
            raise Unidentified("This session ended.", hint=_SIGN_IN)
        return said

    def _mark(self, text: str) -> str:
        return hmac.new(self._key, text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    @cached_property
    def _key(self) -> bytes:
        return self._settings.session_key.encode() or kept_key(self._settings.home / "session.key")


def _caller(name: str, role: TokenRole) -> Caller:
    return Caller(Actor(name, role.acts_as), vouched=True, admin=role is TokenRole.ADMIN)


def living(token: TokenInfo, now: datetime) -> bool:
    """Tell whether a token is valid."""
    return token.revoked_at is None and (token.expires_at is None or token.expires_at > now)


def kept_key(file: Path) -> bytes:
    """Give the key that signs sessions, made at its first use. Raises: CaseloreError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as new:
                new.write(secrets.token_bytes(32))
        except FileExistsError:
            pass
        key = file.read_bytes()
    except OSError as error:
        raise CaseloreError(f"{file}: {error.strerror or error}") from error
    if len(key) < 32:
        raise CaseloreError(f"{file} is cut short.", hint="Remove it; everyone signs in again.")
    return key
