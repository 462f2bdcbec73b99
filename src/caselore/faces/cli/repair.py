"""The repair loop on the command line.

Must not decide: the reducer does, and the policy bounds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from caselore.faces.cli import desk, inputs
from caselore.faces.cli.options import Bank, Json
from caselore.faces.terminal import Paper, one_line

if TYPE_CHECKING:
    from caselore.repair.events import Event


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    group = typer.Typer(
        help="Red pipelines go back to the worker that owns the change, within bounds.\n\n\b\n"
        "Example:\n  caselore repair simulate history.jsonl",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    group.command()(simulate)
    app.add_typer(group, name="repair", rich_help_panel="Repair")


def simulate(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Recorded observations; - is standard input.")
    ],
    attempts: Annotated[
        int | None, typer.Option("--attempts", metavar="N", help="Repairs before the breaker.")
    ] = None,
    settle: Annotated[
        int,
        typer.Option(
            "--settle", metavar="S", help="Seconds that a verdict must stand, read twice."
        ),
    ] = 0,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Tell recorded observations to the loop again: what would leave, and where each change ends.

    One JSON object a line, in the order of arrival. Touches no memory, no forge, no worker.

    \b
    Example:
      caselore repair simulate history.jsonl --attempts 3
    """
    with desk.opened(bank) as app, inputs.log_file(file) as lines:
        simulation, history = app.repair.simulate(inputs.lines(lines), attempts, settle)
        paper = desk.paper()
        for event in simulation.tell(history):
            _show_event(event, as_json, paper)
        for status in simulation.statuses():
            if as_json:
                desk.write_json({"state": status})
            else:
                print("\n".join(_status_lines(status, paper)))


def _show_event(event: Event, as_json: bool, paper: Paper) -> None:
    if as_json:
        desk.write_json({"event": event.to_json()})
        return
    at = event.at.isoformat(timespec="seconds")[:19].replace("T", " ")
    lines = paper.wrap(
        one_line(event.message), first=f"{at}  {event.type.value:<20}  ", indent="  "
    )
    print("\n".join(lines))


def _status_lines(status: dict[str, Any], paper: Paper) -> list[str]:
    count = f"{status['pipeline_fail_count']}/{status['max_attempts']}"
    head = f"{status['change']}  {paper.ink(status['state'], 'bold')}  {count}"
    return [head, *(paper.wrap(status["why"], first="  ", indent="  ") if status["why"] else [])]
