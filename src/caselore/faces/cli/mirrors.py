"""The commands for a Hindsight bank: deliver to it, say how far it is, take another one in.

Must not talk to the server: the application does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from caselore.faces.cli import desk, progress
from caselore.faces.cli.options import Bank, Json

if TYPE_CHECKING:
    from caselore.memory.mirror_ports import Delivered
    from caselore.wiring.results import Imported


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    group = typer.Typer(
        help="Mirror confirmed records into a Hindsight bank.\n\n\b\nExample:\n"
        "  CASELORE_HINDSIGHT_URL=http://127.0.0.1:8888 caselore hindsight sync",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    group.command()(sync)
    group.command()(status)
    app.add_typer(group, name="hindsight", rich_help_panel="Upkeep")


def sync(as_json: Json = False, bank: Bank = None) -> None:
    """Deliver what is new: confirmed records go there, what no longer stands is removed there.

    It goes on where it was stopped. Nothing that a machine concluded is delivered.

    \b
    Example:
      caselore hindsight sync
    """
    with desk.opened(bank) as app, progress.rows("delivering", 0) as moved:
        found = app.hindsight.deliver(moved.rows)
    _answer(found, as_json)


def status(as_json: Json = False, bank: Bank = None) -> None:
    """Say how far the mirror is, without asking it.

    \b
    Example:
      caselore hindsight status
    """
    with desk.opened(bank) as app:
        found = app.hindsight.status()
    _answer(found, as_json)


def taken_in(name: str, bank: str | None) -> Imported:
    """Take in a bank of the server."""
    with desk.opened(bank) as app:
        return app.import_incidents(app.hindsight.rows_of(name))


def _answer(found: Delivered, as_json: bool) -> None:
    shown: dict[str, Any] = found._asdict()
    lines = [f"Delivered up to entry {found.entries:,} of {found.head:,}."]
    if found.kept or found.removed:
        lines.append(f"{found.kept:,} kept there, {found.removed:,} removed there.")
    desk.answer(as_json, shown, lambda _: lines)
