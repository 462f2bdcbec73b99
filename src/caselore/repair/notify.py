"""Tells people what leaves the loop: by a signed webhook, or through Apprise if installed.

Must not lose an event: what a channel did not take stays in the outbox and is told again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from caselore.errors import CaseloreError, Unavailable, WrongUse
from caselore.memory.encoding import canonical
from caselore.memory.records import Actor
from caselore.repair.account import Account, Outgoing
from caselore.repair.events import EventType

PATIENCE = 10.0  # seconds that one channel may take
_KEYS = ("url", "secret_env", "apprise_env", "events")


class Channel(Protocol):
    """One way to people."""

    @property
    def events(self) -> frozenset[str]: ...

    def send(self, event: Mapping[str, Any], at: datetime) -> None:
        """Tell one event. Raises: Unavailable."""


def signature(secret: str, id: str, at: datetime, body: bytes) -> str:
    """Sign as Standard Webhooks do: HMAC-SHA256 over "id.timestamp.body", in base64."""
    signed = f"{id}.{int(at.timestamp())}.".encode() + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


@dataclass(frozen=True, slots=True)
class Webhook:
    """A POST of the event's JSON, signed."""

    url: str
    secret: str
    events: frozenset[str]

    def send(self, event: Mapping[str, Any], at: datetime) -> None:
        """Tell one event; a redirect is not followed. Raises: Unavailable."""
        import httpx  # noqa: PLC0415 - only where a webhook is set up

        body = canonical(dict(event)).encode()
        headers = {
            "content-type": "application/json",
            "webhook-id": str(event["id"]),
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": signature(self.secret, str(event["id"]), at, body),
        }
        try:
            answer = httpx.post(self.url, content=body, headers=headers, timeout=PATIENCE)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unavailable(f"The webhook did not answer: {type(error).__name__}.") from error
        if not answer.is_success:
            raise Unavailable(f"The webhook answered {answer.status_code}.")


@dataclass(frozen=True, slots=True)
class Apprise:
    """One of Apprise's many services; its address holds a secret, so the environment has it."""

    address: str
    events: frozenset[str]

    def send(self, event: Mapping[str, Any], at: datetime) -> None:
        """Tell one event's message. Raises: Unavailable."""
        try:
            apprise = importlib.import_module("apprise")
        except ImportError as error:
            raise Unavailable(
                "Apprise is not installed.", hint="pip install 'caselore[notify]'"
            ) from error
        service = apprise.Apprise()
        sent = service.add(self.address) and service.notify(
            title=f"caselore: {event['type']}", body=event["message"]
        )
        if not sent:
            raise Unavailable("Apprise could not deliver the message.")


def channels(
    tables: Iterable[Mapping[str, Any]], environment: Callable[[Iterable[str]], Mapping[str, str]]
) -> tuple[Channel, ...]:
    """Read `[[repair.notify]]`. Raises: WrongUse for a channel that is none."""
    return tuple(_channel(table, environment) for table in tables)


def _channel(
    table: Mapping[str, Any], environment: Callable[[Iterable[str]], Mapping[str, str]]
) -> Channel:
    for key in table:
        if key not in _KEYS:
            raise WrongUse(f"[[repair.notify]] has no {key!r}.", hint="Known: " + ", ".join(_KEYS))
    events = frozenset(table.get("events") or (one.value for one in EventType))
    unknown = events - {one.value for one in EventType}
    if unknown:
        raise WrongUse(f"[[repair.notify]]: there is no event {sorted(unknown)[0]!r}.")
    if "apprise_env" in table:
        return Apprise(_secret(table["apprise_env"], environment), events)
    url = str(table.get("url", ""))
    if not url.startswith(("https://", "http://127.0.0.1", "http://localhost", "http://[::1]")):
        raise WrongUse(
            "[[repair.notify]] needs an https url.", hint="Or apprise_env, a variable's name."
        )
    if "secret_env" not in table:
        raise WrongUse("[[repair.notify]]: a webhook is signed: name its secret_env.")
    return Webhook(url, _secret(table["secret_env"], environment), events)


def _secret(name: object, environment: Callable[[Iterable[str]], Mapping[str, str]]) -> str:
    found = environment([str(name)]).get(str(name), "")
    if not found:
        raise WrongUse(f"[[repair.notify]]: the variable {name} is not set.")
    return found


class Notifier:
    """Tells what waits for people, through every channel that wants it."""

    def __init__(
        self,
        account: Account,
        told: tuple[Channel, ...],
        actor: Actor,
        clock: Callable[[], datetime],
    ) -> None:
        """Tell through these channels."""
        self._account, self._channels = account, told
        self._actor, self._clock = actor, clock

    def tell(self, outgoing: Outgoing) -> None:
        """Tell one event; a channel that took it may get it again if another one did not.

        Raises: Unavailable, where it is to be told again.
        """
        now, errors = self._clock(), []
        for channel in self._channels:
            if outgoing.type in channel.events:
                try:
                    channel.send(outgoing.event, now)
                except CaseloreError as error:
                    errors.append(f"{outgoing.id}: {error}")
        if errors:
            raise Unavailable("; ".join(errors))
        self._account.taken(outgoing, self._actor, now)
