"""Puts routes, pages and the agents' server together, and serves them from a socket of ours.

Must not open the store by itself: it is given the application.
"""

from __future__ import annotations

import json
import logging
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from importlib.metadata import version
from typing import cast

import uvicorn
from fastapi import APIRouter, FastAPI
from starlette.applications import Starlette

from caselore.errors import GateRefused, Unavailable
from caselore.faces.dashboard import site
from caselore.faces.dashboard.page import Fresh
from caselore.faces.http import changes, incidents, intel, live, memory, problems
from caselore.faces.http import house as keeping
from caselore.faces.http.access import House, house
from caselore.faces.http.asgi import LOG, Porter
from caselore.faces.http.metrics import Metrics
from caselore.faces.http.tracing import traces
from caselore.faces.mcp.server import over_http
from caselore.wiring.app import App
from caselore.wiring.hooks import Intake

PATIENCE = 5  # seconds that requests under way may take when the server ends


def create(app: App, host: str = "127.0.0.1") -> FastAPI:
    """Give the web application over an application; `host` is where it will listen."""
    place, metrics, agents = house(app, host), Metrics(), over_http(app)
    web = FastAPI(
        lifespan=_as_long_as(agents),
        title="caselore",
        version=version("caselore"),
        description="Case law for pipelines: what failed, and what a person confirmed as the fix.",
        docs_url=None,
        redoc_url=None,
    )
    web.state.metrics, web.state.house, web.state.ending = metrics, place, lambda: False
    api = APIRouter(prefix="/api/v1", responses=_errors())
    for router in (
        incidents.router,
        memory.router,
        changes.router,
        changes.calls,
        intel.router,
        keeping.router,
        live.changes,
    ):
        api.include_router(router)
    web.include_router(api)
    web.include_router(live.health)
    web.include_router(changes.calls, include_in_schema=False)
    web.router.routes.extend(agents.routes)
    web.include_router(site.router)
    problems.handle(web, site.error)
    web.state.fresh = Fresh()
    told = traces(app.settings)
    web.state.traces = told
    web.state.intake = Intake(app)
    heard = partial(changes.heard, web.state.intake)
    web.add_middleware(
        Porter, place=place, metrics=metrics, traces=told, turned=site.turned_away, heard=heard
    )
    return web


def _as_long_as(inner: Starlette) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Keep what an inner application needs while the outer one runs."""

    def lives(_: FastAPI) -> AbstractAsyncContextManager[None]:
        return cast("AbstractAsyncContextManager[None]", inner.router.lifespan_context(inner))

    return lives


def _errors() -> dict[int | str, dict[str, object]]:
    text = {"type": "string"}
    parts = {"code": text, "message": text, "hint": text}
    error = {"type": "object", "properties": parts, "required": list(parts)}
    schema = {"type": "object", "properties": {"error": error}, "required": ["error"]}
    body = {"application/json": {"schema": schema}}
    return {
        "4XX": {"description": "Refused, with the reason and what to do.", "content": body},
        "5XX": {"description": "Something needed does not answer.", "content": body},
        422: {"description": "The form or a value is wrong.", "content": body},
    }


def require_key(place: House) -> None:
    """Refuse to stand where others can reach it while nobody could be told from anybody.

    Raises: GateRefused.
    """
    if place.loopback or place.door.has_key():
        return
    raise GateRefused(
        "Off loopback every caller needs a token, and there is none yet; nothing was started.",
        hint="`caselore token create --role human --name YOU`, then start again.",
    )


def bound(host: str, port: int) -> socket.socket:
    """Give a socket that listens. Raises: Unavailable where the address cannot be had."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # asyncio ends Nagle's algorithm only where the protocol is named: else answers wait 40 ms
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(1024)
    except (OSError, UnicodeError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise Unavailable(
            f"{host} port {port} cannot be listened on: {words}.",
            hint="Choose another with --host and --port.",
        ) from None
    return found


def serve(web: FastAPI, listening: socket.socket) -> None:
    """Answer requests until the process is told to end."""
    _log_json()
    # uvicorn ends its requests and then raises the signal anew, which would leave no time to close
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        prepared(web).run(sockets=[listening])
    finally:
        web.state.traces.close()


def _build(web: FastAPI) -> None:
    """Build every route before the first request.

    The framework does it at a first match and turns off warnings of the whole process meanwhile:
    two servers of one process that do that at once turn on again what the other turned off.
    """
    nowhere = {"type": "http", "method": "GET", "path": "/ ", "root_path": "", "headers": []}
    for route in web.router.routes:
        route.matches(nowhere)


def prepared(web: FastAPI) -> uvicorn.Server:
    """Give a server that is warm: what only the first request would wait for is done."""
    _build(web)
    app: App = web.state.house.app
    app.read(b"ERROR: warm\n")
    app.memory.ledger_head()
    config = uvicorn.Config(
        web,
        log_config=None,
        access_log=False,
        lifespan="on",
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
        h11_max_incomplete_event_size=64 * 1024,
    )
    server = uvicorn.Server(config)
    web.state.ending = lambda: server.should_exit
    return server


class Lines(logging.Formatter):
    """Writes one JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Give a record with what was said of it."""
        said = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "said", {}),
        }
        if record.exc_info:
            said["trace"] = self.formatException(record.exc_info)
        return json.dumps(said)


def _log_json() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    for name in (LOG.name, "uvicorn.error"):
        log = logging.getLogger(name)
        log.handlers, log.propagate = [handler], False
        log.setLevel(logging.INFO if log is LOG else logging.WARNING)
