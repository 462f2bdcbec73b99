"""The ledger on the command line: verify the chain, show its entries.

Must not write, but for the one entry of `mend`, which the gate lets a person alone write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from caselore.faces.cli import desk
from caselore.faces.cli.options import Bank, Json, Why
from caselore.faces.terminal import Paper

if TYPE_CHECKING:
    from caselore.memory.ledger import Stored, Verification


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    group = typer.Typer(
        help="The append-only account of every write.\n\n\b\nExample:\n  caselore ledger verify",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    group.command()(verify)
    group.command()(show)
    group.command()(mend)
    app.add_typer(group, name="ledger", rich_help_panel="Looking things up")


def verify(
    head: Annotated[
        str | None,
        typer.Option(
            "--head", metavar="HASH", help="A head kept elsewhere, that must still be in."
        ),
    ] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Check the whole chain and every row against it. Exit code 1 names the first broken link.

    \b
    Example:
      caselore ledger verify
    """
    with desk.opened(bank) as app:
        found = app.memory.ledger_verify(head)
        desk.answer(
            as_json, desk.shapes().verification(found), lambda paper: _verified(found, paper)
        )
        return 0 if found.ok else 1


def _verified(found: Verification, paper: Paper) -> list[str]:
    if found.broken is None:
        return [
            f"{paper.ink('Whole', 'green')}: {found.entries} entries, every row agrees with them.",
            f"  head {found.head}",
            "  Kept elsewhere, the head shows a cut end too: `ledger verify --head HASH`.",
        ]
    return [
        paper.ink("Broken", "red", "bold"),
        *paper.wrap(f"{found.broken.place}: {found.broken.reason}"),
    ]


def show(
    subject: Annotated[
        str | None, typer.Option("--subject", metavar="ID", help="Only what concerns this.")
    ] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """List what was written, oldest first; with --json one object a line.

    \b
    Example:
      caselore ledger show --subject 1057
    """
    with desk.opened(bank) as app:
        paper = desk.paper()
        for stored in app.memory.ledger_show(subject):
            if as_json:
                desk.write_json(desk.shapes().entry(stored))
            else:
                print(_line(stored, paper))


def _line(stored: Stored, paper: Paper) -> str:
    one = stored.entry
    at = one.at[:19].replace("T", " ")
    erased = "" if stored.payload else "  (erased)"
    who = f"{one.role}:{one.actor}"
    return paper.cut(
        f"{one.seq:>6}  {at}  {who}  {one.action}  {one.subject}{erased}", paper.width
    )


def mend(why: Why, as_json: Json = False, bank: Bank = None) -> int:
    """Account, as a person, for passing runs that an early version forgot without saying so.

    Such a ledger does not verify although nothing else is wrong with it. One entry then says what
    is missing and who says why; nothing is brought back. Any other gap is not accounted for.

    \b
    Example:
      caselore ledger mend --why "forgotten by the first release"
    """
    with desk.opened(bank) as app:
        seqs = app.mend(why)
        found = app.memory.ledger_verify()
    document = {"accounted": list(seqs), **desk.shapes().verification(found)}
    desk.answer(as_json, document, lambda paper: _mended(seqs, found, paper))
    return 0 if found.ok else 1


def _mended(seqs: tuple[int, ...], found: Verification, paper: Paper) -> list[str]:
    runs = f"{len(seqs)} forgotten passing runs are accounted for."
    return [runs if seqs else "No passing run is missing.", *_verified(found, paper)]
