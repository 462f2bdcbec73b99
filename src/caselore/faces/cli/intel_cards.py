"""Battlecards, prices, alerts and the check of claims on the command line.

Must not decide what is stale or grave: it calls the desk and prints.
"""

from __future__ import annotations

from typing import Annotated

import typer

from caselore.faces.cli import desk, intel_view
from caselore.faces.cli.intel_input import AsOf, File, Name, objects
from caselore.faces.cli.options import Bank, Json


def battlecard(name: Name, as_of: AsOf = None, as_json: Json = False, bank: Bank = None) -> None:
    """Show what to know of a competitor, each line with its age and evidence.

    \b
    Example:
      caselore intel battlecard Velora
    """
    with desk.opened(bank) as app:
        found = app.intel.battlecard(name, as_of)
        desk.answer(as_json, found, lambda paper: intel_view.battlecard(found, paper))


def pricing(name: Name, as_of: AsOf = None, as_json: Json = False, bank: Bank = None) -> None:
    """Show the history of a competitor's prices, plan by plan.

    \b
    Example:
      caselore intel pricing Velora
    """
    with desk.opened(bank) as app:
        found = app.intel.pricing(name, as_of)
        document = {"competitor": name, "prices": found}
        desk.answer(as_json, document, lambda paper: intel_view.prices(found, paper))


def alerts(
    threshold: Annotated[
        float, typer.Option("--threshold", min=0, max=10, help="The least impact.")
    ] = 7.0,
    since: Annotated[str, typer.Option("--since", metavar="D", help="Only from a day on.")] = "",
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """List grave events, grouped by competitor, with the rule that fired. Exit code 1 if none.

    \b
    Example:
      caselore intel alerts --threshold 8 --since 2026-10-01
    """
    with desk.opened(bank) as app:
        found = app.intel.alerts(threshold, since)
        desk.answer(as_json, {"alerts": found}, lambda paper: intel_view.alerts(found, paper))
        return 0 if found else 1


def verify(file: File, as_json: Json = False, bank: Bank = None) -> int:
    """Hold claims against the evidence beside them; with labels, say how often that is right.

    Reads {"claim": …, "evidence": …, "label": …} and the like, as public sets of labelled
    claims write them; touches no memory.
    Exit code 1 where a claim is not verified.

    \b
    Example:
      echo '{"claim": "Velora bought Oakline", "evidence": "Velora has acquired Oakline."}' \\
        | caselore intel verify -
    """
    with desk.opened(bank) as app:
        found = app.intel.verify(objects(file))
        desk.answer(as_json, found, lambda paper: intel_view.verified(found, paper))
        return 0 if all(one["verdict"] == "verified" for one in found["claims"]) else 1


COMMANDS = (battlecard, pricing, alerts, verify)
