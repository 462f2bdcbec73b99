"""The commands that look after the installation: doctor, demo.

Must not mend anything: doctor says what is wrong and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from caselore.faces.cli import desk
from caselore.faces.cli.options import Bank, Json
from caselore.faces.terminal import Paper

if TYPE_CHECKING:
    from caselore.faces.cli.checks import Check

_PANEL = "Upkeep"


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(rich_help_panel=_PANEL)(doctor)
    app.command(rich_help_panel="The main job")(demo)


def version() -> str:
    """Give the installed version."""
    from importlib.metadata import version as installed  # noqa: PLC0415 - slow, and rarely asked

    return installed("caselore")


def doctor(as_json: Json = False, bank: Bank = None) -> int:
    """Check the installation, the store, the model, the forge and the queue; say what to do.

    Exit code 5 if something that is needed does not work.

    \b
    Example:
      caselore doctor
    """
    from caselore.faces.cli import checks  # noqa: PLC0415 - looks at every engine

    found = checks.run(bank)
    document = {"ok": all(one.ok for one in found), "checks": [one.to_json() for one in found]}
    desk.answer(as_json, document, lambda paper: _lines(found, paper))
    return 0 if document["ok"] else 5


def _lines(found: list[Check], paper: Paper) -> list[str]:
    lines: list[str] = []
    for one in found:
        mark = paper.ink("ok  ", "green") if one.ok else paper.ink("BAD ", "red", "bold")
        lines += [f"{mark} {one.name:<13} {paper.cut(one.found, paper.width - 19)}"]
        if one.advice:
            lines += paper.wrap(one.advice, first="       -> ", indent="          ")
    return lines


def demo(
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave the throw-away home behind.")
    ] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="The repair loop instead: a CI that really fails.")
    ] = False,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Show the whole loop on a job that really fails, in a throw-away home. Takes half a minute.

    \b
    Example:
      caselore demo
    """
    if repair:
        from caselore.faces.demo import repair_story  # noqa: PLC0415 - only here

        return repair_story.run(keep=keep, as_json=as_json)
    from caselore.faces.demo import story  # noqa: PLC0415 - only here

    return story.run(keep=keep, as_json=as_json)
