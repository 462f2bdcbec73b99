"""The text index on the command line: how far it is, and deriving it again.

Must not repair a store: the index is derived from it and holds nothing of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from caselore.faces.cli import desk
from caselore.faces.cli.options import Bank, Json
from caselore.faces.terminal import Paper

if TYPE_CHECKING:
    from caselore.memory.ports import IndexStatus


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    group = typer.Typer(
        help="The text index, derived from the store.",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    group.command()(status)
    group.command()(rebuild)
    app.add_typer(group, name="index", rich_help_panel="Upkeep")


def status(as_json: Json = False, bank: Bank = None) -> None:
    """Say how far the text index is. What it lacks is read from the store at each search.

    \b
    Example:
      caselore index status
    """
    with desk.opened(bank) as app:
        found = app.memory.index_status()
    desk.answer(as_json, desk.shapes().index_status(found), lambda paper: _lines(found, paper))


def rebuild(as_json: Json = False, bank: Bank = None) -> None:
    """Derive the text index from the store again. Needed by nobody: damage heals by itself.

    \b
    Example:
      caselore index rebuild
    """
    with desk.opened(bank) as app:
        found = app.memory.index_rebuild()
    desk.answer(as_json, desk.shapes().index_status(found), lambda paper: _lines(found, paper))


def _lines(found: IndexStatus, paper: Paper) -> list[str]:
    late = found.head - found.entries
    if not found.place:
        state = "There is no index: each search reads the store."
    elif not found.sound:
        state = "It is missing or not of this store; the next recall builds it."
    else:
        state = f"{found.documents:,} texts up to entry {found.entries:,} of {found.head:,}"
        state += f"; {late:,} are read from the store." if late else "."
    lines = [paper.cut(f"{found.kind}, {found.bytes // 1024:,} KB", paper.width)]
    state = f"{state} {found.trouble}".rstrip()
    return [*lines, *paper.wrap(state), *([f"  {found.place}"] if found.place else [])]
