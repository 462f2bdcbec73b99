"""The commands that look something up: recall, incidents, show.

Must not write.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from caselore.faces.cli import case_view, desk, inputs, progress, recall_view
from caselore.faces.cli.options import Bank, Incident, Json, Service, Since

_PANEL = "Looking things up"


class Status(StrEnum):
    """How far a record may be trusted."""

    OBSERVED = "observed"
    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    QUARANTINED = "quarantined"
    RETRACTED = "retracted"
    SUPERSEDED = "superseded"


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(rich_help_panel=_PANEL)(recall)
    app.command(rich_help_panel=_PANEL)(incidents)
    app.command(rich_help_panel=_PANEL)(show)


def recall(  # noqa: PLR0913, PLR0917 - one option a filter
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="Words of the failure.")
    ] = None,
    incident: Annotated[
        str | None, typer.Option("--incident", metavar="ID", help="Recall for this incident.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="How many at most.")] = 5,
    service: Service = None,
    environment: Annotated[
        str, typer.Option("--environment", metavar="NAME", help="Only of this environment.")
    ] = "",
    branch: Annotated[str, typer.Option("--branch", metavar="NAME", help="Only of it.")] = "",
    family: Annotated[str, typer.Option("--family", metavar="NAME", help="Only of it.")] = "",
    since: Since = None,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DATE", help="Answer from what was known by then."),
    ] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Find confirmed precedents, each with the signals that ranked it.

    --service, --environment, --branch, --family and --since leave all others out. With --as-of
    the answer is what it would have been at that time. Exit code 1 if there is none.

    \b
    Example:
      caselore recall "canceling statement due to statement timeout"
      caselore recall --incident 1057 --limit 3
      caselore recall --incident 1057 --as-of 2026-11-01
    """
    filters = {
        "service": service or "",
        "environment": environment,
        "branch": branch,
        "family": family,
        "since": inputs.moment(since, "--since"),
    }
    then = inputs.moment(as_of, "--as-of")
    with desk.opened(bank) as app:
        found = app.recall(text=text, incident=incident, limit=limit, filters=filters, as_of=then)
        desk.answer(as_json, found.to_json(), lambda paper: recall_view.lines(found, paper))
        return 0 if found.precedents else 1


def incidents(
    status: Annotated[
        Status | None, typer.Option("--status", metavar="STATUS", help="confirmed, observed, …")
    ] = None,
    service: Service = None,
    signature: Annotated[
        str | None, typer.Option("--signature", metavar="ID", help="Only of this signature.")
    ] = None,
    since: Since = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="How many at most.")] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """List incidents, newest first; with --json one object a line.

    \b
    Example:
      caselore incidents --status confirmed --service web --since 2026-11-01
    """
    begin = inputs.moment(since, "--since")
    with desk.opened(bank) as app:
        paper = desk.paper()
        found = app.memory.list(
            status=status.value if status else None,
            service=service,
            signature=signature,
            since=begin,
            limit=limit,
        )
        empty = True
        for case in found:
            empty = False
            if as_json:
                desk.write_json(desk.shapes().case_line(case))
            else:
                print("\n".join(case_view.in_list(case, paper)))
        if empty and not as_json:
            print("No incident. `caselore diagnose LOG` records one, `caselore import FILE` many.")


def show(
    incident: Incident,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="PROVIDER:NAME, to tell a long chain."),
    ] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Show one incident: its lines, its verdicts, its chain of precedents, how fixes fared.

    \b
    Example:
      caselore show 1057
    """
    with desk.opened(bank) as app:
        memory = app.memory
        case = memory.get(incident)
        signature = case.record.body.signature.id
        chain = tuple(memory.chain(case.id))
        seen = memory.occurrences(signature)
        fixes = tuple(memory.fixes(signature))
        told = app.model.summary((one for one, _ in chain), model or "none", progress.step)
        shape = desk.shapes().case_whole(case, chain, seen, fixes)
        desk.answer(
            as_json,
            {**shape, "summary": told.to_json() if told else None},
            lambda paper: case_view.whole(case, chain, seen, fixes, paper, told),
        )
