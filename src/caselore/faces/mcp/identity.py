"""Says in whose name a tool works: always an agent's, whoever's token it carries.

Must not let a tool act as a person: what a model says is never a person's word.
"""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context

from caselore.errors import Unidentified
from caselore.memory.records import Actor, Role
from caselore.wiring.app import App
from caselore.wiring.identity import Caller


def as_agent(app: App) -> App:
    """Give an application in the name of its caller's agent; a reader stays one."""
    if app.caller().role is Role.READER:
        return app
    return app.serving(Caller(Actor(app.caller().name, Role.AGENT), vouched=True))


def reading(app: App, context: Context[Any, Any]) -> App:
    """Give the application in which a tool reads: that of the request, else the process's own."""
    request = context.request_context.request
    if request is None:
        return app
    visitor = request.state.visitor
    return app if visitor.actor is None else as_agent(visitor.app)


def writing(app: App, context: Context[Any, Any]) -> App:
    """Give the application in which a tool writes.

    Raises: Unidentified over HTTP without a bearer token: a browser's session is none of an agent.
    """
    request = context.request_context.request
    if request is not None and request.state.visitor.by != "token":
        raise Unidentified()
    return reading(app, context)
