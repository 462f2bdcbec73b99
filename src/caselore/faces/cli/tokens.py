"""The tokens on the command line: create, list, revoke.

Must not print a token twice or keep it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from caselore.faces.cli import desk, inputs
from caselore.faces.cli.options import Bank, Json
from caselore.faces.terminal import Paper, day

if TYPE_CHECKING:
    from caselore.memory.records import TokenInfo


class TokenRole(StrEnum):
    """Who will use the token."""

    READER = "reader"
    CI = "ci"
    AGENT = "agent"
    HUMAN = "human"
    ADMIN = "admin"


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    group = typer.Typer(
        help="Who may call, and as whom.\n\n\b\nExample:\n"
        "  caselore token create --role human --name ana",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    group.command()(create)
    group.command("list")(list_)
    group.command()(revoke)
    app.add_typer(group, name="token", rich_help_panel="Upkeep")


def create(
    role: Annotated[TokenRole, typer.Option("--role", help="Who will use it.")],
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="The person's or job's name.")
    ],
    expires: Annotated[
        str | None,
        typer.Option("--expires", metavar="WHEN", help="A day, or from now: 12h, 90d, 8w."),
    ] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Make a token and print it, once. Whoever holds it acts under that name and role.

    Anyone who can run this sets up a new bank; once a person has given a verdict, only a person
    makes tokens of role human.

    A reader only looks; ci submits; an agent submits and proposes; a human judges; an admin is a
    human who over the network may also make tokens and erase.

    \b
    Example:
      CASELORE_TOKEN=$(caselore token create --role human --name ana)
      caselore token create --role ci --name deploy-job --expires 90d
    """
    with desk.opened(bank) as app:
        text, info = app.create_token(role.value, name, inputs.expiry(expires, app.now()))
    # The text alone on standard output, so that a shell can take it.
    desk.answer(as_json, {"token": text, **desk.shapes().token(info)}, lambda paper: [text])


def list_(as_json: Json = False, bank: Bank = None) -> None:
    """List tokens, never their text; with --json one object a line.

    \b
    Example:
      caselore token list
    """
    with desk.opened(bank) as app:
        paper = desk.paper()
        for info in app.memory.tokens():
            if as_json:
                desk.write_json(desk.shapes().token(info))
            else:
                print(_line(info, paper))


def _line(info: TokenInfo, paper: Paper) -> str:
    state = "valid"
    if info.revoked_at:
        state = f"revoked {day(info.revoked_at)}"
    elif info.expires_at:
        state = f"expires {day(info.expires_at)}"
    made = day(info.created_at)
    return paper.cut(
        f"{info.id}  {info.role.value}:{info.name}  made {made} by {info.created_by}  {state}",
        paper.width,
    )


def revoke(
    token: Annotated[str, typer.Argument(metavar="NAME|ID", help="The token's name or id.")],
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Make a token worthless at once.

    \b
    Example:
      caselore token revoke ana
    """
    with desk.opened(bank) as app:
        app.revoke_token(token)
        desk.answer(
            as_json,
            {"token": token, "revoked": True},
            lambda paper: [paper.cut(f"Token {token} is revoked.", paper.width)],
        )
