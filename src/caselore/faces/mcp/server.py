"""Puts the MCP server together: tools, resources and prompts over one application.

Must not hold a rule: the gate judges what a tool writes, the checker what a document says.
"""

from __future__ import annotations

import json
import logging
from importlib.metadata import version
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from caselore.errors import CaseloreError
from caselore.faces.mcp import bounds, prompts
from caselore.faces.mcp.intel_tools import IntelTools
from caselore.faces.mcp.tools import Tools, read_only
from caselore.guards import fence
from caselore.wiring import documents
from caselore.wiring.app import App

INSTRUCTIONS = (
    "caselore remembers CI failures and the fixes that people confirmed. Before you repair a "
    "failing job, call diagnose_failure with its log: a confirmed precedent is worth more than a "
    "guess, and 'insufficient evidence' is a normal answer. After you repaired one, call "
    f"propose_outcome; a person decides. {fence.RULE}"
)


def create(app: App) -> MCPServer[Any]:
    """Give the server over an application."""
    server: MCPServer[Any] = MCPServer(
        "caselore", instructions=INSTRUCTIONS, version=version("caselore"), log_level="WARNING"
    )
    Tools(app).register(server)
    IntelTools(app).register(server)
    prompts.register(server)
    _resources(server, app)
    return server


def _resources(server: MCPServer[Any], app: App) -> None:
    @server.resource("incident://{id}", mime_type="application/json")
    def incident(id: str) -> str:
        """One incident with its lines, verdicts, chain, and how fixes fared on it."""
        return _found(lambda: read_only(app, id))

    @server.resource("log://{id}", mime_type="text/plain")
    def log(id: str) -> str:
        """What is kept of an incident's log: its failing lines, within a data fence."""
        return _found(lambda: bounds.excerpt(_kept(app, id), id))

    @server.resource("case://{signature}", mime_type="application/json")
    def case(signature: str) -> str:
        """How often a failure was seen, and how each confirmed fix fared on it."""
        memory = app.memory
        return json.dumps(
            {
                "signature": signature,
                "occurrences": documents.occurrences(memory.occurrences(signature)),
                "fixes": [documents.fix(one) for one in memory.fixes(signature)],
            }
        )

    @server.resource("chain://{id}", mime_type="application/json")
    def chain(id: str) -> str:
        """The precedents that an incident follows, and those that follow it."""
        return _found(
            lambda: bounds.bounded(
                {
                    "chain": [
                        {**documents.link(one), "depth": at} for one, at in app.memory.chain(id)
                    ]
                }
            )
        )


def _kept(app: App, id: str) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = documents.kept_log(app.memory.get(id))["excerpt"]
    return parts


def _found(make: Any) -> str:
    try:
        made = make()
    except CaseloreError as error:
        raise ResourceNotFoundError(f"{error} {error.hint}".strip()) from None
    return made if isinstance(made, str) else json.dumps(made)


def on_stdio(app: App) -> None:
    """Serve on standard input and output until they close."""
    logging.getLogger("mcp").setLevel(logging.WARNING)
    create(app).run("stdio")


def over_http(app: App) -> Starlette:
    """Give the web application that answers at /mcp; whoever mounts it identifies its callers."""
    open_door = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return create(app).streamable_http_app(
        streamable_http_path="/mcp",
        stateless_http=True,
        json_response=True,
        transport_security=open_door,
    )
