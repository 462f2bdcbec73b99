"""The text index and the vectors on the command line: how far they are, and deriving them again.

Must not repair a store: both are derived from it and hold nothing of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from caselore.faces.cli import desk, progress
from caselore.faces.cli.options import Bank, Json
from caselore.faces.terminal import Paper

if TYPE_CHECKING:
    from caselore.memory.arm_ports import VectorStatus
    from caselore.memory.ports import IndexStatus
    from caselore.wiring import App


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    group = typer.Typer(
        help="The text index and the vectors, derived from the store.\n\n\b\nExample:\n"
        "  caselore index status",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    group.command()(status)
    group.command()(rebuild)
    app.add_typer(group, name="index", rich_help_panel="Upkeep")


def status(as_json: Json = False, bank: Bank = None) -> None:
    """Say how far the text index and the vectors are. What they lack is told with each answer.

    \b
    Example:
      caselore index status
    """
    with desk.opened(bank) as app:
        _answer(app, as_json)


def rebuild(
    anew: Annotated[
        bool, typer.Option("--anew", help="Embed again what has vectors already, too.")
    ] = False,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Derive the text index again, and embed what has no vector yet, if vectors are on.

    Nobody needs it for the text index: damage heals by itself. Embedding goes on where it was
    stopped; after a change of the model it begins anew.

    \b
    Example:
      caselore index rebuild
    """
    with desk.opened(bank) as app:
        app.memory.index_rebuild()
        with progress.rows("embedding", 0) as moved:
            app.memory.vectors_catch_up(moved.rows, anew=anew)
        _answer(app, as_json)


def _answer(app: App, as_json: bool) -> None:
    found, vectors = app.memory.index_status(), app.memory.vectors_status()
    shown = desk.shapes().index_status(found)
    if vectors and vectors.model:
        shown["vectors"] = desk.shapes().vectors_status(vectors)
    desk.answer(
        as_json, shown, lambda paper: [*_lines(found, paper), *_vector_lines(vectors, paper)]
    )


def _vector_lines(found: VectorStatus | None, paper: Paper) -> list[str]:
    if found is None or not found.model:
        return []
    head = f"vectors of {found.model}, {found.bytes // 1024:,} KB"
    late = found.head - found.entries
    state = f"{found.texts:,} texts up to entry {found.entries:,} of {found.head:,}."
    if late or not found.sound:
        state += " `caselore index rebuild` embeds the rest; a question embeds a few."
    return [paper.cut(head, paper.width), *paper.wrap(state), f"  {found.place}"]


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
