"""Language models on the command line: what they cost, and how well one phrases.

Must not ask a model outside a limit, and must not touch the memory with an evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from caselore import settings, wiring
from caselore.faces.cli import desk
from caselore.faces.cli.options import Bank, Json
from caselore.faces.terminal import Paper


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    model = typer.Typer(
        help="Language models: what they cost.\n\n\b\nExample:\n  caselore model usage --days 30",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    model.command()(usage)
    app.add_typer(model, name="model", rich_help_panel="Upkeep")
    eval_ = typer.Typer(
        help="Measure on authored incidents.\n\n\b\nExample:\n  caselore eval diagnosis",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    eval_.command()(diagnosis)
    app.add_typer(eval_, name="eval", rich_help_panel="Upkeep")


def usage(
    days: Annotated[int, typer.Option(min=1, max=3660, help="So many days back.")] = 7,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Add up what models were asked, day by day. Neither prompts nor answers are kept.

    \b
    Example:
      caselore model usage --days 30
    """
    with desk.opened(bank) as app:
        rows = app.model.usage(days)
    desk.answer(as_json, {"days": rows}, lambda paper: list(_usage_lines(rows, paper)))


def _usage_lines(rows: list[dict[str, Any]], paper: Paper) -> Iterator[str]:
    if not rows:
        yield "No model was asked."
    for row in rows:
        yield paper.cut(
            f"{row['day']}  {row['model']}: {row['calls']} calls, {row['failed']} failed, "
            f"{row['tokens_read'] + row['tokens_written']:,} tokens, {_price(row)}",
            paper.width,
        )


def _price(row: dict[str, Any]) -> str:
    if row["unpriced"] == row["calls"]:
        return "no price known"
    return f"${row['dollars']:.4f}" + (" and more" if row["unpriced"] else "")


def diagnosis(
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="PROVIDER:NAME."),
    ] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Diagnose authored incidents with known answers, in a throw-away home, and count.

    \b
    Example:
      caselore eval diagnosis --model ollama:qwen2.5
    """
    from caselore.incidents.evaluation import total  # noqa: PLC0415
    from caselore.wiring.evaluation import evaluate  # noqa: PLC0415

    marks = evaluate(settings.load(bank=bank), wiring.build, model)
    shape = {**total(marks), "marks": [one.to_json() for one in marks]}
    desk.answer(as_json, shape, lambda paper: list(_eval_lines(shape, paper)))


_FIGURES = {
    "value_fidelity": "values of the right fix that stand in it",
    "citation_precision": "cited records that carry the fix",
    "citation_recall": "records that carry the fix and are cited",
    "answered": "answered where there is a precedent",
    "abstention": "abstained where there is none",
    "phrased": "diagnoses in which the model's words stand",
}


def _eval_lines(shape: dict[str, Any], paper: Paper) -> Iterator[str]:
    yield paper.heading(f"{shape['trials']} authored incidents")
    for name, words in _FIGURES.items():
        value = shape[name]
        yield f"  {'-' if value is None else format(value, '.2f'):>5}  {words}"
    yield f"  {shape['withheld']:>5}  sentences withheld"
    for one in shape["marks"]:
        right = one["abstained"] == one["should_abstain"] and one["values_kept"] == one["values"]
        yield paper.cut(f"  {'ok ' if right else 'NO '} {one['name']}", paper.width)
