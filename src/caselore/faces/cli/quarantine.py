"""The quarantine on the command line: list, show, release, drop what the guards held.

Must not release by itself: the gate wants a person.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from caselore.faces.cli import case_view, desk, intel_view, verdicts
from caselore.faces.cli.options import Bank, Json, Why

EXHIBITS = ("snp_", "evt_", "str_", "prd_", "brf_")  # ids of records that are no incidents
Subject = Annotated[str, typer.Argument(metavar="ID", help="What `quarantine list` names.")]


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    group = typer.Typer(
        help="What the guards held, until a person looks at it.\n\n\b\nExample:\n"
        "  caselore quarantine list",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    group.command("list")(list_)
    group.command()(show)
    group.command()(release)
    group.command()(drop)
    app.add_typer(group, name="quarantine", rich_help_panel="Upkeep")


def list_(as_json: Json = False, bank: Bank = None) -> None:
    """List what is held; with --json one object a line.

    \b
    Example:
      caselore quarantine list
    """
    with desk.opened(bank) as app:
        paper = desk.paper()
        held = tuple(app.memory.quarantine_list())
        for one in held:
            if as_json:
                desk.write_json(desk.shapes().held(one))
            else:
                print("\n".join(case_view.held_lines(one, paper)))
        if not held and not as_json:
            print("Nothing is held.")


def show(subject: Subject, as_json: Json = False, bank: Bank = None) -> None:
    """Show one thing that is held, and what the guards found in it.

    \b
    Example:
      caselore quarantine show inc_4f0a
    """
    with desk.opened(bank) as app:
        exhibit = app.intel.held(subject)
        if exhibit is not None:
            desk.answer(as_json, exhibit, lambda paper: intel_view.held(exhibit, paper))
            return
        case, held = app.memory.quarantine_show(subject)
        desk.answer(
            as_json,
            {**desk.shapes().case_line(case), "held": [desk.shapes().held(one) for one in held]},
            lambda paper: case_view.held_case(case, held, paper),
        )


def release(subject: Subject, why: Why, as_json: Json = False, bank: Bank = None) -> None:
    """Let it into the memory, as a person who looked at it.

    \b
    Example:
      caselore quarantine release inc_4f0a --why "a test of the guard itself"
    """
    with desk.opened(bank) as app:
        if subject.startswith(EXHIBITS):
            _tell(app.judge_exhibit("release", subject, why), "Released", as_json)
        else:
            verdicts.tell(app.release(subject, why), "Released", as_json)


def drop(subject: Subject, why: Why, as_json: Json = False, bank: Bank = None) -> None:
    """Decide, as a person, that it never enters the memory.

    \b
    Example:
      caselore quarantine drop inc_4f0a --why "planted text"
    """
    with desk.opened(bank) as app:
        if subject.startswith(EXHIBITS):
            _tell(app.judge_exhibit("drop", subject, why), "Dropped", as_json)
        else:
            verdicts.tell(app.drop(subject, why), "Dropped", as_json)


def _tell(told: dict[str, Any], done: str, as_json: bool) -> None:
    desk.answer(as_json, told, lambda paper: [f"{done}: {told['id']} is {told['status']}."])
