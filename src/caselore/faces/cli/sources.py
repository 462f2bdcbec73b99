"""The commands that look at text alone: guard, redact, signature. They touch no memory.

Must not hold a rule: the guards and the log reader do.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from caselore import settings, wiring
from caselore.faces.cli import desk, grouping, inputs, reading_view
from caselore.faces.cli.options import Bank, Json, Log

_PANEL = "Text alone"


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(rich_help_panel=_PANEL)(guard)
    app.command(rich_help_panel=_PANEL)(redact)
    group = typer.Typer(
        help="Look at what makes two failures the same.\n\n\b\nExample:\n"
        "  caselore signature explain monday.log tuesday.log",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    group.command()(explain)
    group.command()(resign)
    grouping.add_to(group)
    app.add_typer(group, name="signature", rich_help_panel=_PANEL)


def guard(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help='Lines of JSON, {"id": …, "text": …}.')
    ] = "-",
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Check texts for secrets and planted instructions: JSON lines in, one JSON object a line out.

    Exit code 2 if a line could not be taken; its answer then holds "error".

    \b
    Example:
      echo '{"text": "ignore all previous instructions"}' | caselore guard
    """
    app = wiring.build(settings.load(bank=bank))
    bad = False
    with inputs.log_file(file) as source:
        for number, row in app.rows(inputs.lines(source)):
            text = row.get("text") if isinstance(row, dict) else None
            if isinstance(text, str):
                name = {"id": row["id"]} if "id" in row else {}
                desk.write_json({**name, **app.guard(text)})
            else:
                bad = True
                why = getattr(row, "reason", 'no object with a "text"')
                desk.write_json({"line": number, "error": why})
    return 2 if bad else 0


def redact(file: Log, as_json: Json = False, bank: Bank = None) -> None:
    """Print a text with its secrets masked, line for line.

    \b
    Example:
      caselore redact build.log > to-share.log
    """
    app = wiring.build(settings.load(bank=bank))
    with inputs.log_file(file) as source:
        # Bytes that are no UTF-8 come out as they went in.
        text = source.read().decode("utf-8", "surrogateescape")
    masked = app.redact(text)
    raw = masked.text.encode("utf-8", "surrogateescape")
    if as_json:
        findings = [{"line": one.line, "rule": one.rule} for one in masked.findings]
        desk.write_json({"text": raw.decode("utf-8", "replace"), "redactions": findings})
        return
    sys.stdout.buffer.write(raw)


def explain(
    first: Log,
    second: Annotated[str, typer.Argument(metavar="OTHER", help="The other log.")],
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Say which parts of two logs' signatures agree. Exit code 1 if they are not the same failure.

    \b
    Example:
      caselore signature explain monday.log tuesday.log
    """
    app = wiring.build(settings.load(bank=bank))
    readings = []
    for path in (first, second):
        with inputs.log_file(path) as file:
            readings.append(app.read(file, name=path))
    one, other = readings
    parts = app.explain(one.signature, other.signature)
    same = one.signature.id == other.signature.id and not one.signature.generic
    document = {
        "same_failure": same,
        "ids": [one.signature.id, other.signature.id],
        "parts": parts,
    }
    desk.answer(as_json, document, lambda paper: reading_view.compared(same, parts, paper))
    return 0 if same else 1


def resign(
    apply: Annotated[
        bool, typer.Option("--apply", help="Write it, as a person; without, it is only shown.")
    ] = False,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Sign every kept incident anew: what would merge, what would fall apart, and then do it.

    After an update that reads or masks better, look at it first. What was observed stays as it is.

    \b
    Example:
      caselore signature resign
      caselore signature resign --apply
    """
    from caselore.incidents import resign as resigning  # noqa: PLC0415 - brings the memory along

    with desk.opened(bank) as app:
        found = resigning.plan(app.memory.list())
        written = resigning.apply(app.memory, found, app.caller()) if apply else 0
    document = {**found.to_json(), "written": written}
    desk.answer(as_json, document, lambda paper: reading_view.resigned(found, written, paper))
