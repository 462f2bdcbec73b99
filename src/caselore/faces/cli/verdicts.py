"""The commands that say what an incident was: confirm, refute, unlike, supersede, propose, erase.

Must not decide who may: the memory's gate does.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from caselore.errors import WrongUse
from caselore.faces.cli import case_view, desk
from caselore.faces.cli.options import Bank, Cause, Incident, Json, Resolution, Why

if TYPE_CHECKING:
    from caselore.faces.terminal import Paper
    from caselore.memory.copies import Reached
    from caselore.wiring.results import Judged

_PANEL = "Verdicts"


class Result(StrEnum):
    """Whether the resolution worked."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(rich_help_panel=_PANEL)(confirm)
    app.command(rich_help_panel=_PANEL)(refute)
    app.command(rich_help_panel=_PANEL)(unlike)
    app.command(rich_help_panel=_PANEL)(supersede)
    app.command(rich_help_panel=_PANEL)(propose)
    app.command(rich_help_panel=_PANEL)(erase)


def confirm(
    incident: Incident,
    result: Annotated[Result, typer.Option("--result", help="Whether that worked.")],
    cause: Cause = "",
    resolution: Resolution = "",
    as_proposed: Annotated[
        bool, typer.Option("--as-proposed", help="Take what is proposed for what is not given.")
    ] = False,
    why_failed: Annotated[
        str, typer.Option("--why-failed", metavar="TEXT", help="Why it did not work.")
    ] = "",
    precedent: Annotated[
        list[str] | None,
        typer.Option("--precedent", metavar="ID", help="The incident it followed; repeatable."),
    ] = None,
    proof: Annotated[
        list[str] | None,
        typer.Option("--proof", metavar="URL", help="A green run, a commit; repeatable."),
    ] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Say, as a person, what the cause was, what was done and whether it worked.

    Needs a token of role human, or a person at a terminal.

    \b
    Example:
      caselore confirm 1057 --cause "one transaction over 310,000 rows" \\
        --resolution "batches of 500 records" --result succeeded --precedent 1017
      caselore confirm 1057 --as-proposed --result succeeded
    """
    if not as_proposed and not (cause and resolution):
        raise WrongUse(
            "A verdict says a --cause and a --resolution.",
            hint="Or take what is proposed: --as-proposed.",
        )
    with desk.opened(bank) as app:
        judged = app.confirm(
            incident,
            cause=cause,
            resolution=resolution,
            result=result.value,
            why_failed=why_failed,
            precedents=tuple(precedent or ()),
            proof=tuple(proof or ()),
            as_proposed=as_proposed,
        )
        tell(judged, "Confirmed", as_json)


def refute(incident: Incident, why: Why, as_json: Json = False, bank: Bank = None) -> None:
    """Say, as a person, that the diagnosis or the outcome was wrong; it is kept, and marked.

    \b
    Example:
      caselore refute 1057 --why "the disk was full, the migration was innocent"
    """
    with desk.opened(bank) as app:
        tell(app.refute(incident, why), "Refuted", as_json)


def unlike(
    incident: Incident,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The incident it is not like.")],
    why: Why,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Say, as a person, that two incidents are not the same, for good.

    \b
    Example:
      caselore unlike 1058 1017 --why "a missing variable, not a slow migration"
    """
    with desk.opened(bank) as app:
        tell(app.unlike(incident, other, why), "Kept apart", as_json)


def supersede(
    incident: Incident,
    by: Annotated[
        str, typer.Option("--by", metavar="OTHER", help="The incident whose outcome replaces it.")
    ],
    why: Why,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Say, as a person, that another incident's outcome replaces this one's.

    The old fix is offered no more; it is shown as superseded, with the link.

    \b
    Example:
      caselore supersede 1017 --by 1057 \\
        --why "batches made the longer timeout needless"
    """
    with desk.opened(bank) as app:
        tell(app.supersede(incident, by, why), "Superseded", as_json)


def propose(
    incident: Incident,
    cause: Cause,
    resolution: Resolution,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Say what the cause may have been; it waits for a person, and is not recalled before.

    \b
    Example:
      caselore propose 1057 --cause "a long lock" --resolution "smaller batches"
    """
    with desk.opened(bank) as app:
        tell(app.propose(incident, cause=cause, resolution=resolution), "Proposed", as_json)


def erase(incident: Incident, why: Why, as_json: Json = False, bank: Bank = None) -> None:
    """Remove an incident's content for good, as a person. The ledger still verifies afterwards.

    Backups that were made by `backup` are rewritten without it; those out of reach are named, and
    so are tracked changes whose events quote its lines: erase those, too, when they are done.

    \b
    Example:
      caselore erase inc_4f0a --why "the log held a customer's address"
    """
    with desk.opened(bank) as app:
        erased = app.erase_everywhere(incident, why)
        swept = erased.swept
        desk.answer(
            as_json,
            erased.to_json(),
            lambda paper: [
                f"Erased {erased.incident}; its content is gone, the ledger keeps that it was.",
                *(_of_backup(one, paper) for one in swept.backups),
                *(
                    f"  {one}: its events tell of it; when it is done, `caselore erase {one}`"
                    for one in erased.told_in
                ),
                *(paper.wrap(f"The mirror: {swept.mirror}") if swept.mirror else []),
                *(paper.wrap(swept.server) if swept.server else []),
            ],
        )


def _of_backup(one: Reached, paper: Paper) -> str:
    told = (
        "rewritten without it" if one.rewritten else f"NOT reached, erase it there: {one.reason}"
    )
    return paper.cut(f"  backup {one.path}: {told}", paper.width)


def tell(judged: Judged, done: str, as_json: bool) -> None:
    """Print an incident after a verdict."""
    desk.answer(
        as_json,
        judged.to_json(),
        lambda paper: case_view.verdict_given(judged.case, done, paper),
    )
