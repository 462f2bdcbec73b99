"""The commands that bring knowledge in and out: import, export, green.

Must not change a row: what cannot be taken is reported with its line and reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from caselore import wiring
from caselore.faces.cli import desk, ingest, inputs, mirrors, progress
from caselore.faces.cli.options import Bank, Json, Log, Since
from caselore.faces.terminal import Paper

if TYPE_CHECKING:
    from caselore.wiring.results import Imported

_PANEL = "Bringing in, taking out"
_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command("import", rich_help_panel=_PANEL)(import_)
    app.command(rich_help_panel=_PANEL)(export)
    app.command(rich_help_panel=_PANEL)(migrate)
    app.command(rich_help_panel=_PANEL)(green)


def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines; - is standard input.")],
    project: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROJECT]",
            help="After gitlab, github or buildbot: whose history; hindsight: a bank.",
        ),
    ] = None,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="That server's address.")] = "",
    since: Annotated[
        str, typer.Option("--since", metavar="SPAN", help="How far back: 12h, 30d, 8w.")
    ] = "30d",
    part: Annotated[
        bool, typer.Option("--part", help="Lines of an export, each taken for itself.")
    ] = False,
    seal: Annotated[
        str, typer.Option("--seal", metavar="SEAL", help="That of an export's last line.")
    ] = "",
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Take in closed incidents, one JSON object a line. Importing again adds nothing.

    Fields: deployment_id, service, branch, environment, commit, status, error, root_cause,
    infrastructure_change, resolution, outcome, related_historical_incident; and confirmed_by,
    confirmed_at, occurred_at. A row that names who confirmed it and when counts as confirmed.
    Lines of `export` are taken as they were exported: a changed line, and one that does not follow
    the line before it, is refused. What such a line says was erased is erased here, too, if a
    person imports it.

    Exit code 0 if every line was taken, 1 if some were refused: they are listed with the
    reason, and all the others are in.

    \b
    Example:
      caselore import closed-incidents.jsonl
      caselore import gitlab shop/payment --since 30d
      caselore import hindsight BANK
    """
    if project is not None and file == "hindsight":
        taken = mirrors.taken_in(project, bank)
        desk.answer(as_json, taken.to_json(), lambda paper: _imported(taken, paper))
        return 1 if taken.refused else 0
    if project is not None:
        return ingest.backfill(file, project, url, since, as_json, bank)
    with (
        desk.opened(bank) as app,
        inputs.log_file(file) as source,
        progress.rows("importing", _size(source)) as moved,
    ):
        rows = app.rows(inputs.lines(source, moved.to))
        found = app.import_incidents(rows, progress=moved.rows, part=part, seal=seal)
    desk.answer(as_json, found.to_json(), lambda paper: _imported(found, paper))
    return 1 if found.refused else 0


def _size(source: BinaryIO) -> int:
    size = source.seek(0, 2)
    source.seek(0)
    return size


def _imported(found: Imported, paper: Paper) -> list[str]:
    report, refused = found.report, found.refused
    shown = [f"{report.added} added, {report.known} known already, {len(refused)} refused."]
    if report.waiting:
        shown.append(f"{report.waiting} name nobody who confirmed: they wait for a person.")
    if report.erased:
        shown.append(f"{report.erased} erased, as they were where these lines come from.")
        shown += [f"  ! {one}" for one in found.swept.left()]
    shown += [paper.cut(f"  line {line}: {why}", paper.width) for line, why in refused[:_SHOWN]]
    if len(refused) > _SHOWN:
        shown.append(f"  … and {len(refused) - _SHOWN} more; --json lists them all.")
    return shown


def export(
    since: Since = None,
    private: Annotated[
        bool, typer.Option("--private", help="Also private notes, and what quotes them.")
    ] = False,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Write every incident, verdict and erasure as JSON lines that `import` takes.

    Each line is sealed and names the seal before it, so that an import finds what was changed,
    moved or left out. Keep the last line's seal elsewhere: `import --seal` shows a cut end.

    \b
    Example:
      caselore export --since 2026-01-01 > incidents.jsonl
    """
    begin = inputs.moment(since, "--since")
    with desk.opened(bank) as app:
        for row in app.memory.export(since=begin, private=private):
            desk.write_json(row)


def migrate(
    source: Annotated[str, typer.Argument(metavar="FROM", help="Address of the old database.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="Address of the new database.")],
    as_json: Json = False,
) -> None:
    """Copy every bank to another database, either way, and compare every record after.

    A copy that was begun before is continued. Nothing of the old database is changed.

    \b
    Example:
      caselore migrate sqlite:////var/lib/caselore/caselore.db postgresql://db/caselore
    """
    moved = wiring.migrate(source, target)
    desk.answer(
        as_json,
        {"banks": [one._asdict() for one in moved]},
        lambda paper: [
            *paper.wrap("Every entry, payload and row is the same in both.", first=""),
            *(
                paper.cut(f"  {one.bank}: {one.entries} entries, {one.new} new", paper.width)
                for one in moved
            ),
        ],
    )


def green(
    log: Log,
    service: Annotated[str, typer.Option("--service", metavar="NAME", help="The service.")],
    stage: Annotated[str, typer.Option("--stage", metavar="NAME", help="The job or stage.")],
    commit: Annotated[
        str,
        typer.Option("--commit", metavar="SHA", help="What passed; failures of it were flaky."),
    ] = "",
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Keep it even if it reads as a failed run.")
    ] = False,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Remember a passing run of a job: what it also says is not why a later one failed.

    Exit code 3 if the log reads as a failed run, unless --anyway is given.

    \b
    Example:
      caselore green passed.log --service payment-service --stage deploy
    """
    with desk.opened(bank) as app, inputs.log_file(log) as file:
        lines, flaky = app.remember_green(
            file, service=service, stage=stage, label=log, commit=commit, anyway=anyway
        )
    desk.answer(
        as_json,
        {"service": service, "stage": stage, "lines": lines, "flaky": list(flaky)},
        lambda paper: [
            *paper.wrap(
                f"Remembered a green run of {service}, {stage}: {lines} distinct lines.", first=""
            ),
            *(
                f"  {id} failed on this very commit: it left without a change, so it was flaky."
                for id in flaky
            ),
        ],
    )
