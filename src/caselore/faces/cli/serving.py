"""The command that serves HTTP and the dashboard.

Must not hold a route or a rule.
"""

from __future__ import annotations

from typing import Annotated

import typer

from caselore.faces.cli import desk
from caselore.faces.cli.options import Bank, Json
from caselore.faces.terminal import say


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(rich_help_panel="Serving")(serve)


def serve(
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Where to listen.")] = (
        "127.0.0.1"
    ),
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")
    ] = 8420,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Serve the HTTP interface and the dashboard until Ctrl-C.

    On 127.0.0.1 reading needs no token unless [auth] required = true; every write needs one.
    On any other address everything does, and the server does not start before a token exists.

    \b
    Example:
      caselore serve
      caselore serve --host 0.0.0.0 --port 8420
    """
    from caselore.faces import server  # noqa: PLC0415 - a second to import

    with desk.opened(bank) as app:
        if app.settings.vectors:
            app.memory.vectors_behind()
        web = server.create(app, host)
        server.require_key(web.state.house)
        listening = server.bound(host, port)
        name, number = listening.getsockname()[:2]
        url = f"http://[{name}]:{number}" if ":" in name else f"http://{name}:{number}"
        if as_json:
            desk.write_json({"url": url, "host": name, "port": number})
        else:
            say(f"caselore serves {url}; stop it with Ctrl-C.")
        server.serve(web, listening)
