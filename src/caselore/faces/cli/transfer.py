"""The commands that bring knowledge in and out: import, export, green.

Must not change a row: what cannot be taken is reported with its line and reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any, BinaryIO

import typer

from caselore.faces.cli import desk, inputs, progress
from caselore.faces.cli.options import Bank, Json, Log, Since

_PANEL = "Bringing in, taking out"
_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command("import", rich_help_panel=_PANEL)(import_)
    app.command(rich_help_panel=_PANEL)(export)
    app.command(rich_help_panel=_PANEL)(green)


def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines; - is standard input.")],
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Take in closed incidents, one JSON object a line. Importing again adds nothing.

    Fields: deployment_id, service, branch, environment, commit, status, error, root_cause,
    infrastructure_change, resolution, outcome, related_historical_incident; and confirmed_by,
    confirmed_at, occurred_at. A row that names who confirmed it and when counts as confirmed.
    Exit code 0 if every line was taken, 1 if some were refused: they are listed with the
    reason, and all the others are in.

    \b
    Example:
      caselore import closed-incidents.jsonl
    """
    bad: list[tuple[int, str]] = []
    with (
        desk.opened(bank) as app,
        inputs.log_file(file) as source,
        progress.rows("importing", _size(source)) as moved,
    ):
        rows = _watched(source, lambda line, why: bad.append((line, why)), moved)
        report = app.import_incidents(rows)
    report = replace(report, unread=tuple(bad))
    refused = report.refused
    desk.answer(
        as_json,
        report.to_json(),
        lambda paper: [
            f"{report.added} added, {report.known} known already, {len(refused)} refused.",
            *(paper.cut(f"  line {line}: {why}", paper.width) for line, why in refused[:_SHOWN]),
            *(
                [f"  … and {len(refused) - _SHOWN} more; --json lists all"]
                * (len(refused) > _SHOWN)
            ),
        ],
    )
    return 1 if refused else 0


def _size(source: BinaryIO) -> int:
    size = source.seek(0, 2)
    source.seek(0)
    return size


def _watched(
    source: BinaryIO, refuse: Callable[[int, str], None], moved: Callable[[int, int], None]
) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, row in inputs.json_lines(source, refuse):
        yield number, row
        moved(number, source.tell())


def export(since: Since = None, as_json: Json = False, bank: Bank = None) -> None:
    """Write every incident and verdict as JSON lines that `import` takes.

    \b
    Example:
      caselore export --since 2026-01-01 > incidents.jsonl
    """
    begin = inputs.moment(since, "--since")
    with desk.opened(bank) as app:
        for row in app.memory.export(since=begin):
            desk.write_json(row)


def green(
    log: Log,
    service: Annotated[str, typer.Option("--service", metavar="NAME", help="The service.")],
    stage: Annotated[str, typer.Option("--stage", metavar="NAME", help="The job or stage.")],
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Remember a passing run of a job: what it also says is not why a later one failed.

    \b
    Example:
      caselore green passed.log --service payment-service --stage deploy
    """
    with desk.opened(bank) as app, inputs.log_file(log) as file:
        lines = app.remember_green(file, service=service, stage=stage, label=log)
    desk.answer(
        as_json,
        {"service": service, "stage": stage, "lines": lines},
        lambda paper: [
            *paper.wrap(
                f"Remembered a green run of {service}, {stage}: {lines} distinct lines.", first=""
            )
        ],
    )
