"""The commands for coding agents: the MCP server on standard input and output, and its settings.

Must not hold a tool.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from caselore.faces.cli import desk
from caselore.faces.cli.options import Bank, Json


class Client(StrEnum):
    """Which agent is to find the server."""

    CLAUDE = "claude"
    CODEX = "codex"
    CURSOR = "cursor"
    GEMINI = "gemini"
    VSCODE = "vscode"


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    group = typer.Typer(
        help="Serve coding agents by MCP on standard input and output.\n\n"
        "No tool confirms: an agent asks, and may propose what waits for a person.\n\n"
        "\b\nExample:\n  caselore mcp config claude",
        rich_markup_mode=None,
        invoke_without_command=True,
    )
    group.callback(invoke_without_command=True)(mcp)
    group.command()(config)
    app.add_typer(group, name="mcp", rich_help_panel="Serving")


def mcp(context: typer.Context, as_json: Json = False, bank: Bank = None) -> None:
    """Serve coding agents by MCP on standard input and output.

    No tool confirms: an agent asks, and may propose what waits for a person. An agent starts this
    by itself; `caselore mcp config claude` prints what to paste.

    \b
    Example:
      caselore mcp config claude
      caselore mcp
    """
    if context.invoked_subcommand is not None:
        return
    from caselore.faces.mcp import identity, server  # noqa: PLC0415 - a second to import

    with desk.opened(bank) as app:
        if app.settings.vectors:
            app.memory.vectors_behind()
        server.on_stdio(identity.as_agent(app))


def config(
    client: Annotated[Client, typer.Argument(metavar="CLIENT", help="Which agent it is for.")],
    url: Annotated[
        str,
        typer.Option("--url", metavar="URL", help="Of a running `caselore serve`, for a team."),
    ] = "",
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Print what to paste into an agent's settings.

    \b
    Example:
      caselore mcp config claude
      caselore mcp config codex --url https://caselore.example
    """
    from caselore.faces.mcp import clients  # noqa: PLC0415 - only for this command

    found = clients.paste(client.value, url)
    desk.answer(
        as_json,
        found.to_json(),
        lambda paper: [f"In {found.file}:", "", found.text],
    )
