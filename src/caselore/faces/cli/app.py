"""Assembles the commands into `caselore` and runs one of them.

Must not hold a command itself: each lives in the module that is named after what it does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from caselore.faces.cli import (
    agents,
    backups,
    drafting,
    exits,
    failures,
    index,
    ingest,
    intel,
    ledger,
    lookup,
    mirrors,
    models,
    quarantine,
    repair,
    retention,
    serving,
    sources,
    tokens,
    transfer,
    upkeep,
    verdicts,
)

EPILOG = (
    "Exit codes: 0 done, 1 the answer is a no, 2 wrong use, 3 refused, 4 not found, "
    "5 not available, 130 interrupted."
)


HEADINGS = ("The main job", "Verdicts", "Looking things up", "Bringing in, taking out")


def _place(section: tuple[str, list[tuple[str, str]]]) -> tuple[int, bool]:
    """Give what people look for first its place; upkeep comes last, the rest as registered."""
    heading = section[0]
    return HEADINGS.index(heading) if heading in HEADINGS else len(HEADINGS), heading == "Upkeep"


class Sections(TyperGroup):
    """Lists the commands under their headings, and lets early ends through."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; its two early ends pass Typer by, which has its own way with them."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise exits.ReaderLeft from error
        except KeyboardInterrupt as error:
            raise exits.Interrupted from error

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one definition list a heading."""
        headings: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is None or command.hidden:
                continue
            panel = getattr(command, "rich_help_panel", None)
            heading = panel if isinstance(panel, str) else "Commands"
            headings.setdefault(heading, []).append((name, command.get_short_help_str(200)))
        for heading, rows in sorted(headings.items(), key=_place):
            with formatter.section(heading):
                formatter.write_dl(rows)


app = typer.Typer(
    name="caselore",
    cls=Sections,
    help="Case law for pipelines: what failed, what a person confirmed as the fix, and why.",
    epilog=EPILOG,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version."),
) -> int:
    """Case law for pipelines: what failed, what a person confirmed as the fix, and why."""
    if version:
        typer.echo(f"caselore {upkeep.version()}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
    return 0


COMMANDS = (
    backups, retention,
    failures, verdicts, drafting, lookup, ledger, transfer, sources, quarantine, tokens, serving,
    agents, upkeep, index, repair, ingest, intel,
    models, mirrors,
)  # fmt: skip
for module in COMMANDS:
    module.register(app)


def _end_each_help(some: typer.Typer) -> None:
    """Let every command's help end with the exit codes, as a manual's page does."""
    for command in some.registered_commands:
        command.epilog = EPILOG
    for group in some.registered_groups:
        group.epilog = EPILOG
        if group.typer_instance is not None:
            _end_each_help(group.typer_instance)


_end_each_help(app)


def _open_what_is_closed() -> None:
    """Give a process that was started without a standard stream (`>&-`) an empty one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - to the end


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows its escape instead of ending the program.
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    return exits.run(
        lambda: app(given, prog_name="caselore", standalone_mode=False),
        as_json=as_json,
    )
