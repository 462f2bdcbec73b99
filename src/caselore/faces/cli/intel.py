"""Competitive intelligence on the command line.

Must not decide what a page says or what is verified: it parses, calls the desk, prints.
"""

from __future__ import annotations

from typing import Annotated

import typer

from caselore.faces.cli import desk, inputs, intel_cards, intel_view
from caselore.faces.cli.intel_input import AsOf, File, Name, objects
from caselore.faces.cli.options import Bank, Json, NoModel

Competitors = Annotated[
    list[str] | None,
    typer.Option("--competitor", metavar="NAME", help="Whom to watch; may be repeated."),
]


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    group = typer.Typer(
        help="Watch competitors: quoted events, briefings, predictions that are graded.\n\n\b\n"
        "Example:\n  caselore intel run scanning --competitor Velora --source pages/",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    for command in (
        run,
        history,
        profile,
        search,
        strategy,
        predictions,
        predict,
        grade,
        calibration,
        brief,
        why,
        backtest,
        *intel_cards.COMMANDS,
        due,
        demo,
    ):
        group.command()(command)
    group.command("store-event")(store_event)
    app.add_typer(group, name="intel", rich_help_panel="Intelligence")


def run(
    topic: Annotated[str, typer.Argument(metavar="TOPIC", help="What the briefing is about.")],
    competitor: Competitors = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            metavar="URL|FOLDER|search",
            help="A page, a feed, a folder of pages, or `search`; may be repeated.",
        ),
    ] = None,
    as_of: AsOf = None,
    since: Annotated[
        str,
        typer.Option(
            "--since",
            metavar="D",
            help="Only events from a day on, or `last`: since the last briefing.",
        ),
    ] = "",
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="Let this model advise: provider:name."),
    ] = None,
    no_model: NoModel = False,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Fetch, read, remember and brief: every event with a quote in a stored page.

    Exit code 1 where a stage failed or a limit was reached; what was taken in is stored.

    \b
    Example:
      caselore intel run scanning --competitor Velora --competitor "AT&T" --source pages/
    """
    asked = inputs.model(model, no_model)
    with desk.opened(bank) as app:
        ran = app.intel.run(
            topic, competitor or (), source or (), as_of=as_of, since=since,
            model=asked,
        )  # fmt: skip
        desk.answer(as_json, ran.to_json(), lambda paper: intel_view.ran(ran, paper))
        return 0 if ran.status == "completed" else 1


def store_event(file: File, as_json: Json = False, bank: Bank = None) -> int:
    """Keep events of your own: each with a quote, from a stored page or as your note.

    Exit code 3 where the gate or a guard refuses or holds one.

    \b
    Example:
      echo '{"competitor": "Velora", "event_type": "hiring", "title": "It hires 15 engineers"}' \\
        | caselore intel store-event -
    """
    with desk.opened(bank) as app:
        kept = [app.intel.store_event(one) for one in objects(file)]
        document = kept[0] if len(kept) == 1 else {"events": kept}
        desk.answer(as_json, document, lambda paper: intel_view.events(kept, paper))
        return 3 if any(one["status"] == "quarantined" for one in kept) else 0


def history(
    name: Name,
    event_type: Annotated[
        str, typer.Option("--type", metavar="TYPE", help="Only events of a type.")
    ] = "",
    since: Annotated[str, typer.Option("--since", metavar="D", help="Only from a day on.")] = "",
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="How many at most.")] = None,
    as_of: AsOf = None,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """List a competitor's events, the newest first; with --as-of what was believed then.

    \b
    Example:
      caselore intel history Velora --type pricing_change
    """
    with desk.opened(bank) as app:
        found = app.intel.history(
            name, event_type=event_type, since=since, limit=limit, as_of=as_of
        )
        desk.answer(
            as_json,
            {"competitor": name, "events": found},
            lambda paper: intel_view.events(found, paper),
        )


def profile(name: Name, as_of: AsOf = None, as_json: Json = False, bank: Bank = None) -> None:
    """Sum a competitor up: how many events, how sure, how risky, and why.

    \b
    Example:
      caselore intel profile "AT&T"
    """
    with desk.opened(bank) as app:
        found = app.intel.profile(name, as_of)
        desk.answer(as_json, found.to_json(), lambda paper: intel_view.profile(found, paper))


def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words of an event.")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="How many at most.")] = 10,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Find events by words, over all competitors. Exit code 1 if there is none.

    \b
    Example:
      caselore intel search "seat price"
    """
    with desk.opened(bank) as app:
        found = app.intel.search(text, limit)
        desk.answer(
            as_json,
            {"query": text, "events": found},
            lambda paper: intel_view.events(found, paper),
        )
        return 0 if found else 1


def strategy(name: Name, as_json: Json = False, bank: Bank = None) -> None:
    """Show what a competitor seems to be after: hypotheses with their evidence and revisions.

    \b
    Example:
      caselore intel strategy Velora
    """
    with desk.opened(bank) as app:
        found = app.intel.strategy(name)
        desk.answer(
            as_json,
            {"competitor": name, "strategies": found},
            lambda paper: intel_view.strategies(found, paper),
        )


def predictions(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only about this competitor.")
    ] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """List predictions, and how those that were due ended.

    \b
    Example:
      caselore intel predictions Velora
    """
    with desk.opened(bank) as app:
        found = app.intel.predictions(name)
        desk.answer(
            as_json, {"predictions": found}, lambda paper: intel_view.predictions(found, paper)
        )


def predict(file: File, as_json: Json = False, bank: Bank = None) -> None:
    """Keep predictions, each with a probability, a deadline and the question that decides it.

    \b
    Example:
      caselore intel predict predictions.jsonl
    """
    with desk.opened(bank) as app:
        kept = [app.intel.predict(one) for one in objects(file)]
        document = kept[0] if len(kept) == 1 else {"predictions": kept}
        desk.answer(as_json, document, lambda paper: intel_view.predictions(kept, paper))


def grade(as_of: AsOf = None, as_json: Json = False, bank: Bank = None) -> None:
    """Decide every prediction that is due, from the events of its window alone.

    \b
    Example:
      caselore intel grade --as-of 2026-12-31
    """
    with desk.opened(bank) as app:
        found = app.intel.grade(as_of)
        desk.answer(
            as_json, {"predictions": found}, lambda paper: intel_view.predictions(found, paper)
        )


def calibration(
    svg: Annotated[bool, typer.Option("--svg", help="Print the picture alone.")] = False,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Show how well probabilities met what happened. Exit code 1 while none is decided.

    \b
    Example:
      caselore intel calibration --svg > calibration.svg
    """
    from caselore.intel.prediction import reliability_svg  # noqa: PLC0415

    with desk.opened(bank) as app:
        found = app.intel.calibration()
        if svg:
            print(reliability_svg(found))
        else:
            desk.answer(
                as_json,
                {**found.to_json(), "svg": reliability_svg(found)},
                lambda paper: intel_view.calibration(found, paper),
            )
        return 0 if found.n else 1


def brief(
    form: Annotated[
        str,
        typer.Option("--format", metavar="FORM", help="md, html, json, slack, email, text, rss."),
    ] = "md",
    run: Annotated[
        str, typer.Option("--run", metavar="ID", help="That of a run; default the last.")
    ] = "",
    as_of: AsOf = None,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Print the last briefing, or the last one by a day; each claim is held to a stored page.

    \b
    Example:
      caselore intel brief --format html > briefing.html
    """
    with desk.opened(bank) as app:
        if as_json or form == "json":
            desk.write_json(app.intel.brief(run, as_of))
        else:
            print(app.intel.deliver(form, run, as_of))


def why(
    claim: Annotated[
        str,
        typer.Argument(
            metavar="CLAIM",
            help="A claim's id, its number in the last briefing, or an event's id.",
        ),
    ],
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Open the stored page at the words that a claim rests on, also after the page has changed.

    \b
    Example:
      caselore intel why 3
    """
    with desk.opened(bank) as app:
        found = app.intel.why(claim)
        desk.answer(as_json, found, lambda paper: intel_view.why(found, paper))


def backtest(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A folder of dated pages.")],
    competitor: Competitors = None,
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="Days of one step.")] = 7,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Replay a dated folder step by step, as if each day were today; touches no memory.

    \b
    Example:
      caselore intel backtest pages/ --competitor Velora
    """
    with desk.opened(bank) as app:
        found = app.intel.backtest(folder, competitor or (), days=days)
        desk.answer(as_json, found, lambda paper: intel_view.backtest(found, paper))


def due(as_json: Json = False, bank: Bank = None) -> int:
    """Run every watch of the settings that is due, and once those that were missed; then end.

    For cron or a timer; what two of them do at once is done once. Exit code 1 where one failed.

    \b
    Example:
      caselore intel due
    """
    with desk.opened(bank) as app:
        found = app.intel.due()
        desk.answer(as_json, found, lambda paper: intel_view.due(found, paper))
        return 1 if found["errors"] else 0


def demo() -> None:
    """Show week 1 and week 8 of watching a fictional market, in a throw-away home.

    \b
    Example:
      caselore intel demo
    """
    from caselore.faces.demo.intel_story import told  # noqa: PLC0415

    for line in told():
        print(line)
