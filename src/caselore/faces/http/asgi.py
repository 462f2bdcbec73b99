"""Speaks ASGI where the framework leaves no other way: around each request, to bodies and streams.

The one module with asynchronous code. Must not hold a rule: it waits, measures and passes on.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders, UploadFile
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caselore.errors import CaseloreError
from caselore.faces.http import access, problems
from caselore.faces.http.metrics import Metrics
from caselore.faces.http.tracing import Traces

LARGEST = 64 * 1024 * 1024  # bytes of a request
LOG = logging.getLogger("caselore.http")
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
}


class Porter:
    """Meets each request: names it, bounds it, asks who is calling, and logs how it ended."""

    def __init__(
        self,
        inner: ASGIApp,
        place: access.House,
        metrics: Metrics,
        traces: Traces,
        turned: Turned,
        heard: Heard,
    ) -> None:
        """Stand before an application.

        `turned` answers a request that may not come in, `heard` takes a webhook in.
        """
        self._inner, self._place, self._turned, self._heard = inner, place, turned, heard
        self._metrics, self._traces = metrics, traces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        call = Call(scope, receive, send)
        try:
            await self._serve(call)
        finally:
            self._account(call)

    async def _serve(self, call: Call) -> None:
        scope = call.scope
        if call.length > LARGEST:
            await problems.refusal(problems.of_status(413), 413)(scope, call.receive, call.send)
            return
        kind = _hook(scope)
        if kind:
            scope["route"], scope["path_params"] = "", {"kind": kind}
            await self._hear(call, kind)
            return
        try:
            visitor = await run_in_threadpool(
                access.admit, self._place, scope["path"], call.headers, call.peer
            )
        except CaseloreError as error:
            await self._turned(scope, call.headers, error)(scope, call.receive, call.send)
            return
        scope.setdefault("state", {}).update(visitor=visitor, request=call.id)
        call.actor = str(visitor.actor or "")
        try:
            await self._inner(scope, call.receive, call.send)
        except Exception as error:
            LOG.exception("fault", extra={"said": {"request": call.id}})
            if not call.status:
                await problems.of_error(error)(scope, call.receive, call.send)

    async def _hear(self, call: Call, kind: str) -> None:
        """Take a webhook in past the framework: a thousand a second may come."""
        try:
            body = await whole(call.receive)
            answer = await run_in_threadpool(self._heard, kind, call.headers, body)
        except HTTPException as error:
            answer = problems.refusal(problems.of_status(error.status_code), error.status_code)
        except CaseloreError as error:
            answer = problems.of_error(error)
        except Exception as error:
            LOG.exception("fault", extra={"said": {"request": call.id}})
            answer = problems.of_error(error)
        await answer(call.scope, call.receive, call.send)

    def _account(self, call: Call) -> None:
        route = template(call.scope)
        seconds = time.monotonic() - call.began
        method = call.scope["method"]
        self._metrics.count(method, route, call.status, seconds)
        self._traces.tell(method, route, call.status, seconds, call.headers)
        said = {
            "request": call.id,
            "method": call.scope["method"],
            "path": call.scope["path"],
            "status": call.status,
            "ms": round(seconds * 1000, 1),
            "actor": call.actor,
        }
        LOG.info("request", extra={"said": said})


def template(scope: Scope) -> str:
    """Give a request's path with its values named instead of shown; "other" where none fits."""
    if "route" not in scope:
        return "other"
    parts = scope["path"].split("/")
    named = {str(value): f"{{{name}}}" for name, value in scope.get("path_params", {}).items()}
    return "/".join(named.get(part, part) for part in parts)


Turned = Callable[[Scope, Mapping[str, str], CaseloreError], Response]
Heard = Callable[[str, Mapping[str, str], bytes], Response]


def _hook(scope: Scope) -> str:
    """Give the kind of webhook that a request is; empty where it is none."""
    before, _, kind = scope["path"].rpartition("/")
    return kind if scope["method"] == "POST" and f"{before}/" in access.HOOKS else ""


async def whole(receive: Receive) -> bytes:
    """Receive a body. Raises: HTTPException for one that is too large, or that breaks off."""
    parts, more = [], True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise HTTPException(400)
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


class Call:
    """One request on its way."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Begin to measure."""
        self.scope, self._receive, self._send = scope, receive, send
        self.headers = Headers(scope=scope)
        given = self.headers.get("x-request-id", "")
        self.id = given if _ID.fullmatch(given) else secrets.token_hex(8)
        self.began, self.status, self.actor, self._taken = time.monotonic(), 0, "", 0

    @property
    def length(self) -> int:
        """Give the announced length of the body."""
        text = self.headers.get("content-length", "0")
        return int(text) if text.isascii() and text.isdigit() else 0

    @property
    def peer(self) -> str:
        """Give the address that the request came from."""
        client = self.scope.get("client")
        return str(client[0]) if client else ""

    async def receive(self) -> Message:
        """Take the next part of the body, up to the bound."""
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        if self._taken > LARGEST:
            raise HTTPException(413)
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer, with the headers that every answer has."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-ID"] = self.id
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-store")
        await self._send(message)


@dataclass(frozen=True, slots=True)
class Parcel:
    """A request's body: JSON as it came, or the fields and files of a form."""

    raw: bytes
    fields: dict[str, str]
    files: dict[str, BinaryIO]

    @property
    def digest(self) -> str:
        """Give what tells this body from another."""
        told = hashlib.sha256(self.raw + json.dumps(sorted(self.fields.items())).encode())
        for name, file in sorted(self.files.items()):
            told.update(name.encode("utf-8", "replace"))
            while part := file.read(1024 * 1024):
                told.update(part)
            file.seek(0)
        return told.hexdigest()


async def parcel(request: Request) -> AsyncIterator[Parcel]:
    """Receive a body of either kind."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        yield Parcel(await request.body(), {}, {})
        return
    async with request.form(max_files=2, max_fields=20) as form:
        parts = form.multi_items()
        yield Parcel(
            b"",
            {name: one for name, one in parts if isinstance(one, str)},
            {name: one.file for name, one in parts if isinstance(one, UploadFile)},
        )


async def stream(
    request: Request,
    after: int,
    fetch: Callable[[int], list[tuple[int, str]]],
    pause: float = 1.0,
    alive: float = 15.0,
) -> AsyncIterator[str]:
    """Give what is fetched as server-sent events, as it comes, until the reader leaves.

    `pause` and `alive` are in seconds: between two looks, and between two signs of life.
    """
    yield "retry: 3000\n\n"
    quiet = time.monotonic()
    while not (request.app.state.ending() or await request.is_disconnected()):
        found = await run_in_threadpool(fetch, after)
        for _, text in found:
            yield text
        if found:
            after = found[-1][0]
            quiet = time.monotonic()
        elif time.monotonic() - quiet > alive:
            quiet = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(pause)


def state_of(request: Request) -> Any:
    """Give what the application keeps for its routes."""
    return request.app.state
