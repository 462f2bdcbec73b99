"""The command that drafts an outcome from the change that mended a job.

Must not confirm: what it drafts is proposed, and a person takes it or not.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from caselore.errors import BadInput, NotFound
from caselore.faces.cli import desk, inputs, progress
from caselore.faces.cli.options import Bank, Incident, Json, Model, NoModel
from caselore.faces.terminal import Paper, one_line

if TYPE_CHECKING:
    from caselore.wiring.model_desk import Drafted

_REVS = re.compile(r"(?!-)[\w./~^@{}-]+\.\.\.?(?!-)[\w./~^@{}-]*")
_PATIENCE = 30  # seconds that git is given
_MOST = 8_000_000  # bytes of a change that are read; the draft itself takes fewer


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command(rich_help_panel="Verdicts")(draft)


def draft(
    incident: Incident,
    diff: Annotated[
        str,
        typer.Option("--diff", metavar="CHANGE", help="A diff file, -, or revisions: A..B."),
    ],
    model: Model = None,
    no_model: NoModel = False,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Draft cause and resolution from the change that mended it; they wait for a person.

    Without a model the changed lines are told word for word. Exit code 1 if nothing was drafted.

    \b
    Example:
      caselore draft 1057 --diff fix.patch
      caselore draft 1057 --diff main..fix/batches
      caselore confirm 1057 --as-proposed --result succeeded
    """
    asked = inputs.model(model, no_model)
    change = _change(diff)
    with desk.opened(bank) as app:
        found = app.model.draft(incident, change, model=asked, tell=progress.step)
        desk.answer(as_json, found.to_json(), lambda paper: list(_lines(found, paper)))
        return 0 if found.proposed else 1


def _change(given: str) -> str:
    """Give the text of a change: of a file, of standard input, or of two revisions."""
    if given != "-" and not Path(given).exists() and _REVS.fullmatch(given):
        return _of_git(given)
    with inputs.log_file(given) as file:
        data = file.read(_MOST + 1)
    if len(data) > _MOST:
        raise BadInput(f"The change is larger than {_MOST:,} bytes.")
    return data.decode("utf-8", "replace")


def _of_git(revisions: str) -> str:
    """Ask git, with nothing that a repository's settings could run."""
    plain = ["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"]
    try:
        ran = subprocess.run(
            ["git", "--no-pager", "diff", *plain, revisions, "--"],
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except FileNotFoundError:
        raise NotFound("There is no git here.", hint="Give the change as a file.") from None
    except subprocess.TimeoutExpired:
        raise BadInput(f"git took longer than {_PATIENCE} seconds for {revisions}.") from None
    if ran.returncode:
        said = one_line(ran.stderr.decode("utf-8", "replace").strip())[:200]
        raise NotFound(f"git gives no change for {revisions}: {said}")
    return ran.stdout.decode("utf-8", "replace")


def _lines(found: Drafted, paper: Paper) -> Iterator[str]:
    if not found.proposed:
        yield "Nothing could be drafted from this change; nothing was proposed."
    else:
        by = f"by {one_line(found.draft.model)}, checked" if found.draft.model else "from the diff"
        yield paper.heading(f"Drafted {by}; proposed, waits for a person")
        cause, resolution = found.draft.said
        yield from paper.table((("cause", cause or "-"), ("resolution", resolution or "-")))
    for one in found.draft.withheld:
        yield paper.cut(f"  withheld: {one_line(one.text)} ({one_line(one.reason)})", paper.width)
    if found.draft.note:
        yield from paper.wrap(one_line(found.draft.note), first="  ", indent="  ")
    for step in found.next_steps():
        yield from paper.command(step.split(" "), first="next:", indent=" " * 9)
