"""The commands that copy a whole store and bring it back: backup, restore.

Must not copy by itself: the application does.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from caselore.faces.cli import desk
from caselore.faces.cli.options import Bank, Json
from caselore.faces.terminal import Paper

if TYPE_CHECKING:
    from caselore.memory.copies import Copied

_PANEL = "Upkeep"
File = Annotated[str, typer.Argument(metavar="FILE", help="The backup: one SQLite file.")]


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(rich_help_panel=_PANEL)(backup)
    app.command(rich_help_panel=_PANEL)(restore)


def backup(file: File, as_json: Json = False, bank: Bank = None) -> None:
    """Copy every bank into one file while others may write, and verify the copy.

    The same from SQLite and Postgres. A backup of this store that is there already is brought up
    to date. Its place is kept in the ledger, so that `erase` reaches it.

    \b
    Example:
      caselore backup /backups/caselore-monday.db
    """
    with desk.opened(bank) as app:
        made = app.backup(Path(file))
    desk.answer(as_json, _document(made), lambda paper: _lines("Copied to", made, paper))


def restore(file: File, as_json: Json = False, bank: Bank = None) -> None:
    """Bring a backup into an empty store, SQLite or Postgres, and compare every record after.

    A store that holds the beginning of the same history is continued; any other is refused.

    \b
    Example:
      CASELORE_HOME=/srv/new caselore restore /backups/caselore-monday.db
    """
    with desk.opened(bank) as app:
        made = app.restore(Path(file))
    desk.answer(as_json, _document(made), lambda paper: _lines("Restored from", made, paper))


def _document(made: Copied) -> dict[str, object]:
    return {"file": made.path, "banks": [one._asdict() for one in made.banks]}


def _lines(done: str, made: Copied, paper: Paper) -> list[str]:
    return [
        paper.cut(f"{done} {made.path}; every entry, payload and row verifies.", paper.width),
        *(
            paper.cut(f"  {one.bank}: {one.entries} entries, {one.new} new", paper.width)
            for one in made.banks
        ),
    ]
