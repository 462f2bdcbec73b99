"""The commands of retention: show the rules, say what they let go, let it go.

Must not judge what is due: the memory does, by the rules of the settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from caselore.faces.cli import desk
from caselore.faces.cli.options import Bank, Json
from caselore.faces.terminal import Paper

if TYPE_CHECKING:
    from caselore.memory.expiring import Due
    from caselore.memory.retention import Rule
    from caselore.wiring.retention import Kept

_SHOWN = 20
EMPTY = "No rule is set: everything is kept. docs/SETTINGS.md shows how one is written."


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    group = typer.Typer(
        help="What is kept for how long, by the rules of the home's caselore.toml.\n\n\b\n"
        "Example:\n  caselore retention apply --dry-run",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    group.command()(show)
    group.command()(apply)
    app.add_typer(group, name="retention", rich_help_panel="Upkeep")


def show(as_json: Json = False, bank: Bank = None) -> None:
    """Show the rules in the order in which they are asked.

    \b
    Example:
      caselore retention show
    """
    with desk.opened(bank) as app:
        rules = app.retention.rules
    document = {
        "rules": [{"rule": one.name, "what": one.what, "words": one.words()} for one in rules]
    }
    desk.answer(as_json, document, lambda paper: _rules(rules, paper))


def _rules(rules: tuple[Rule, ...], paper: Paper) -> list[str]:
    if not rules:
        return [EMPTY]
    return [line for one in rules for line in paper.wrap(f"{one.name}: {one.words()}", first="")]


def apply(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go and why; remove nothing.")
    ] = False,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Remove for good, as a person, what the rules let go: from every file and every backup.

    Each thing is named with its reason, and so is what stays because a kept record names it.
    Cut off, call it again. The ledger is verified after: exit code 1 if it does not hold.

    \b
    Example:
      caselore retention apply --dry-run
    """
    with desk.opened(bank) as app:
        kept = app.retention.due() if dry_run else app.retention.apply()
    desk.answer(as_json, kept.to_json(), lambda paper: _kept(kept, paper))
    return 0 if kept.sound else 1


def _kept(kept: Kept, paper: Paper) -> list[str]:
    if not kept.due:
        return [EMPTY]
    lines = [line for one in kept.due for line in _due(one, paper)]
    if kept.removed is None:
        return [*lines, "Nothing was removed: this was a dry run."]
    lines.append(f"{kept.removed} removed for good.")
    lines += [paper.cut(f"  ! {one}", 200) for one in kept.swept.left()]
    whole = "The ledger verifies." if kept.sound else "The ledger does not hold: `ledger verify`."
    return [*lines, whole]


def _due(one: Due, paper: Paper) -> list[str]:
    lines = paper.wrap(f"{one.rule.name}: {one.rule.words()}", first="")
    lines += [
        paper.cut(f"  - {thing.id}  {thing.at[:10]}", paper.width) for thing in one.going[:_SHOWN]
    ]
    if len(one.going) > _SHOWN:
        lines.append(f"  … and {len(one.going) - _SHOWN} more; --json lists them all.")
    lines += [
        paper.cut(f"  = {thing.id} stays: {thing.why}", paper.width)
        for thing in one.staying[:_SHOWN]
    ]
    return lines if one.going or one.staying else [*lines, "  nothing"]
