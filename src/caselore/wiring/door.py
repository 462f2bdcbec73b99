"""Says who is calling over a network, and gives each caller the application in their name.

Must not trust a name that nothing proves: a token, a session that a token opened, or a header of a
proxy that the environment names.
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
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from caselore.errors import CaseloreError, Refused, Unidentified
from caselore.memory.records import Actor, Role, TokenInfo
from caselore.wiring.app import App
from caselore.wiring.identity import Caller

LASTS = timedelta(hours=12)  # of a session
_SIGN_IN = "Sign in again with a token."


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
        try:
            actor = self._app.memory.identify(text)
        except Refused as error:
            raise Unidentified(str(error), hint=error.hint) from None
        return self._visitor(actor, "token", "")

    def sign_in(self, text: str) -> str:
        """Open a session for the bearer of a token and give its cookie. Raises: Unidentified."""
        actor = self.by_token(text).actor
        return self._sealed({"by": str(actor), "token": text.strip().split("_")[1]})

    def greet(self, actor: Actor) -> str:
        """Open a session for a person whom an identity provider named; give its cookie."""
        return self._sealed({"by": str(actor), "token": ""})

    def by_session(self, cookie: str) -> Visitor:
        """Let a signed-in person in. Raises: Unidentified where the session ended."""
        said = self._unsealed(cookie)
        actor = Actor.parse(said["by"])
        if said["token"]:
            self._must_live(said["token"])
        return self._visitor(actor, "session", said["nonce"])

    def _must_live(self, id: str) -> None:
        now = self._app.now()
        if not any(one.id == id and living(one, now) for one in self._app.memory.tokens()):
            raise Unidentified("The token of this session ended.", hint=_SIGN_IN)

    def by_proxy(self, headers: Mapping[str, str], peer: str) -> Visitor | None:
        """Let in whom a trusted proxy names in its header; None where none is trusted or named."""
        name = headers.get(self._settings.proxy_header.lower(), "") if self._trusts(peer) else ""
        if not name:
            return None
        return self._visitor(Actor(name[:100], Role.HUMAN), "proxy", name)

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

    def _visitor(self, actor: Actor, by: str, nonce: str) -> Visitor:
        csrf = self._mark(f"form {actor} {nonce}") if by in ("session", "proxy") else ""
        return Visitor(self._app.serving(Caller(actor, vouched=True)), actor, by, csrf)

    # Sessions: what is said in a cookie is signed, and kept nowhere

    def _sealed(self, said: dict[str, Any]) -> str:
        ends = self._app.now() + LASTS
        whole = {**said, "nonce": secrets.token_hex(12), "ends": ends.isoformat()}
        text = base64.urlsafe_b64encode(json.dumps(whole).encode()).decode()
        return f"{text}.{self._mark(text)}"

    def _unsealed(self, cookie: str) -> dict[str, Any]:
        text, _, mark = cookie.partition(".")
        if not hmac.compare_digest(mark.encode(), self._mark(text).encode()):
            raise Unidentified("This session is not known here.", hint=_SIGN_IN)
        said: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text))
        if datetime.fromisoformat(said["ends"]) <= self._app.now():
            raise Unidentified("This session ended.", hint=_SIGN_IN)
        return said

    def _mark(self, text: str) -> str:
        return hmac.new(self._key, text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    @cached_property
    def _key(self) -> bytes:
        return self._settings.session_key.encode() or kept_key(self._settings.home / "session.key")


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
