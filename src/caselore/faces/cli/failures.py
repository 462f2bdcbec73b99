"""The main job on the command line: read logs, diagnose a failed one.

Must not interpret a log: what stands in it is decided below and only shown here.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from caselore import settings, wiring
from caselore.errors import CaseloreError
from caselore.faces.cli import desk, diagnosis_view, exits, inputs, progress, reading_view
from caselore.faces.cli.options import Bank, Green, Json, Log, Model, NoModel, Service

if TYPE_CHECKING:
    from caselore.logs import GreenLines
    from caselore.wiring.reading import Reader

_PANEL = "The main job"
_MANY = 10


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(rich_help_panel=_PANEL)(diagnose)
    app.command(rich_help_panel=_PANEL)(read)


def read(
    logs: Annotated[
        list[str], typer.Argument(metavar="LOG...", help="Log files; - is standard input.")
    ],
    green: Green = None,
    budget: Annotated[
        int, typer.Option("--budget", min=1, max=10_000, help="Lines to show at most.")
    ] = 40,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Read logs down to their failing lines; touches no memory.

    With --json one object a log, in order. Exit code 4 if one of the files is missing.

    \b
    Example:
      caselore read build.log
      caselore read --json --green passed.log failed.log
      gh run view --log-failed | caselore read -
    """
    reader = wiring.reader(settings.load(bank=bank))
    passed = _green(reader, green)
    code = 0
    for number, log in enumerate(logs, start=1):
        _progress(number, len(logs), log)
        code = max(code, _read_one(reader, log, passed, budget, as_json))
    return code


def _read_one(
    reader: Reader, log: str, green: GreenLines | None, budget: int, as_json: bool
) -> int:
    """Answer for one log; a log that cannot be read is reported and does not stop the others."""
    try:
        with inputs.log_file(log) as file:
            reading = reader.read(file, name=log, green=green, budget=budget)
    except (OSError, CaseloreError) as error:
        return exits.failed(error, as_json=as_json)
    desk.answer(as_json, reading.to_json(), lambda paper: reading_view.lines(reading, paper))
    return 0


def _green(reader: Reader, path: str | None) -> GreenLines | None:
    if path is None:
        return None
    with inputs.log_file(path) as file:
        return reader.green_lines(file, label=path)


def _progress(number: int, total: int, log: str) -> None:
    if total >= _MANY and sys.stderr.isatty():
        ending = "\n" if number == total else "\r"
        name = Path(log).name[:40]
        print(f"\x1b[Kreading {number}/{total} {name!a}", end=ending, file=sys.stderr, flush=True)


def diagnose(  # noqa: PLR0913, PLR0917 - what a job is called has many parts
    log: Log,
    service: Service = None,
    environment: Annotated[
        str, typer.Option("--environment", metavar="NAME", help="production, staging, …")
    ] = "",
    branch: Annotated[str, typer.Option("--branch", metavar="NAME", help="The branch.")] = "",
    commit: Annotated[str, typer.Option("--commit", metavar="ID", help="The commit.")] = "",
    deployment: Annotated[
        str, typer.Option("--deployment", metavar="ID", help="The deployment's number, 1057.")
    ] = "",
    stage: Annotated[
        str, typer.Option("--stage", metavar="NAME", help="The job or stage that failed.")
    ] = "",
    url: Annotated[str, typer.Option("--url", metavar="URL", help="The job's address.")] = "",
    green: Green = None,
    model: Model = None,
    no_model: NoModel = False,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Read a failed job's log, record it, recall confirmed precedents, write what they support.

    Exit code 1 if the evidence is not sufficient: a normal answer, with what was nearest.

    \b
    Example:
      caselore diagnose deploy.log --service payment-service --deployment 1057
      caselore diagnose - --service web --stage test < failed.log
    """
    asked = inputs.model(model, no_model)
    with desk.opened(bank) as app:
        passed = _green(app, green)
        with inputs.log_file(log) as file:
            found = app.diagnose(
                file,
                name=log,
                service=service or "",
                environment=environment,
                branch=branch,
                commit=commit,
                deployment=deployment,
                stage=stage,
                url=url,
                green=passed,
                model=asked,
                tell=progress.step,
            )
        desk.answer(as_json, found.to_json(), lambda paper: diagnosis_view.lines(found, paper))
        return 0 if found.sufficient else 1
