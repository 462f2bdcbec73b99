"""The commands by which people correct identity: signature merge, signature split.

Must not decide who may, nor what is the same: the memory's gate and people do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from caselore.faces.cli import desk
from caselore.faces.cli.options import Bank, Json, Why
from caselore.faces.terminal import Paper

if TYPE_CHECKING:
    from caselore.memory.grouping import Grouped

Signature = Annotated[
    str, typer.Argument(metavar="SIGNATURE", help="A signature's id, or an incident that has it.")
]


def add_to(group: typer.Typer) -> None:
    """Add this module's commands to the group `signature`."""
    group.command()(merge)
    group.command()(split)


def merge(
    one: Signature,
    into: Annotated[str, typer.Argument(metavar="INTO", help="The signature it counts as.")],
    why: Why,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Say, as a person, that two signatures are the same failure.

    Incidents of both, and of later runs, recall each other, count together and share how fixes
    fared. `signature split` takes it back.

    \b
    Example:
      caselore signature merge 1057 1017 --why "the driver words the timeout anew"
    """
    with desk.opened(bank) as app:
        _tell(app.merge(one, into, why), "Joined", as_json)


def split(ref: Signature, why: Why, as_json: Json = False, bank: Bank = None) -> None:
    """Say, as a person, that a signature, or one incident, is a failure of its own.

    A signature's id parts it from all it was joined with. An incident's name takes that incident
    alone out; `signature merge` brings it back.

    \b
    Example:
      caselore signature split sig1:4be1f2 --why "two causes after all"
      caselore signature split 1057 --why "this one was the disk"
    """
    with desk.opened(bank) as app:
        _tell(app.split(ref, why), "Parted", as_json)


def _tell(found: Grouped, done: str, as_json: bool) -> None:
    desk.answer(as_json, found._asdict(), lambda paper: _lines(found, done, paper))


def _lines(found: Grouped, done: str, paper: Paper) -> list[str]:
    count = len(found.signatures)
    what = "one signature stands" if count == 1 else f"{count} signatures count as one failure"
    head = f"{paper.ink(done, 'green')}: {what}, seen {found.incidents} times."
    return [head, *(paper.cut(f"  {one}", paper.width) for one in found.signatures)]
