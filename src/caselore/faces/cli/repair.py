"""The repair loop on the command line: tracked changes, why they count so, and the watcher.

Must not decide: the reducer does, the policy bounds it, and the gate says who may.
"""

from __future__ import annotations

import signal
import threading
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from caselore.errors import WrongUse
from caselore.faces.cli import desk, exits, inputs
from caselore.faces.cli.options import Bank, Json, Why
from caselore.faces.terminal import Paper, one_line

if TYPE_CHECKING:
    from caselore.repair.account import Remembered
    from caselore.repair.comparison import Comparison
    from caselore.repair.events import Event
    from caselore.repair.rounds import Tally

Change = Annotated[
    str, typer.Argument(metavar="CHANGE_URL", help="The merge or pull request's address.")
]


class Part(StrEnum):
    """A part of the loop's work that one process may be given."""

    WATCH = "watch"
    WORK = "work"


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    group = typer.Typer(
        help="Red pipelines go back to the worker that owns the change, within bounds.\n\n\b\n"
        "Example:\n  caselore repair simulate history.jsonl",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    for one in (track, untrack, status, explain, rearm, workers, watch, simulate):
        group.command()(one)
    app.add_typer(group, name="repair", rich_help_panel="Repair")


def track(
    change: Change,
    worker: Annotated[str, typer.Option("--worker", metavar="NAME", help="Who owns it.")],
    session: Annotated[
        str, typer.Option("--session", metavar="ID", help="The conversation to take up again.")
    ] = "",
    folder: Annotated[
        str, typer.Option("--folder", metavar="DIR", help="Where the worker was started.")
    ] = "",
    login: Annotated[
        list[str] | None,
        typer.Option("--login", metavar="NAME", help="Under which name it pushes; repeatable."),
    ] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Return this change's red pipelines to a worker. Tracking again changes the worker only.

    \b
    Example:
      caselore repair track https://git.example/pay/-/merge_requests/42 \\
        --worker claude-code --session 0197c0de --folder ~/src/pay
    """
    with desk.opened(bank) as app:
        app.repair.track(change, worker, session=session, folder=folder, logins=login or ())
        _answer(app.repair.status(change), as_json)


def untrack(change: Change, as_json: Json = False, bank: Bank = None) -> None:
    """Take a change out of the loop, as a person. An open breaker stays open.

    \b
    Example:
      caselore repair untrack https://git.example/pay/-/merge_requests/42
    """
    with desk.opened(bank) as app:
        _answer(app.repair.untrack(change), as_json)


def status(
    change: Annotated[
        str | None, typer.Argument(metavar="[CHANGE_URL]", help="One change; all without it.")
    ] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Say where a change stands; without one, where each stands, one object a line.

    Exit code 1 if the change's breaker is open.

    \b
    Example:
      caselore repair status https://git.example/pay/-/merge_requests/42
    """
    with desk.opened(bank) as app:
        if change is None:
            for one in app.repair.statuses():
                _answer(one, as_json)
            return 0
        found = app.repair.status(change)
        _answer(found, as_json)
        return 1 if found["state"] == "open" else 0


def explain(change: Change, as_json: Json = False, bank: Bank = None) -> None:
    """Say why the count is what it is, from the ledger, line by line.

    \b
    Example:
      caselore repair explain https://git.example/pay/-/merge_requests/42
    """
    from caselore.wiring.loop_documents import remembered  # noqa: PLC0415

    with desk.opened(bank) as app:
        paper = desk.paper()
        for one in app.repair.history(change):
            if as_json:
                desk.write_json(remembered(one))
            else:
                print("\n".join(_remembered_lines(one, paper)))


def _remembered_lines(one: Remembered, paper: Paper) -> list[str]:
    at = one.at[:19].replace("T", " ")
    head = f"{one.seq:>6}  {at}  count {one.failures}  {one.state:<10}  {one.actor}"
    lines = [paper.cut(head, paper.width)]
    for note in one.notes:
        lines += paper.wrap(one_line(note), first="        - ", indent="          ")
    return lines


def rearm(change: Change, why: Why, as_json: Json = False, bank: Bank = None) -> None:
    """Let a stopped loop begin again at zero, as a person, with the reason.

    \b
    Example:
      caselore repair rearm https://git.example/pay/-/merge_requests/42 \\
        --why "the runner had no disk left; it has now"
    """
    with desk.opened(bank) as app:
        _answer(app.repair.rearm(change, why), as_json)


def workers(as_json: Json = False, bank: Bank = None) -> None:
    """List the workers that can be named: the ready ones, and those of the home's caselore.toml.

    \b
    Example:
      caselore repair workers
    """
    with desk.opened(bank) as app:
        for one in app.repair.workers.values():
            document = {
                "worker": one.name,
                "protocol": one.protocol,
                "start": list(one.start),
                "resumes": one.resumes,
                "env": list(one.env),
                "timeout": one.timeout,
            }
            if as_json:
                desk.write_json(document)
            else:
                again = "takes conversations up again" if one.resumes else "begins anew each time"
                print(f"{one.name:<14} {one.start[0]:<12} {again}")


def watch(
    once: Annotated[bool, typer.Option("--once", help="Look at everything once and end.")] = False,
    interval: Annotated[
        int, typer.Option("--interval", metavar="S", min=1, max=3600, help="Seconds of a round.")
    ] = 30,
    only: Annotated[
        Part | None,
        typer.Option("--only", help="Read forges and tell people, or start and hear workers."),
    ] = None,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Watch every tracked change: read its forge, count, hand failures to workers, hear them.

    With --json one object a round. A watcher that is killed loses nothing: the next goes on, and
    several share the work.

    \b
    Example:
      caselore repair watch --once
    """
    with desk.opened(bank) as app:
        rounds = app.repair.rounds(interval, only=only.value if only else "")
        if once:
            return _told_round(rounds.once(), as_json)
        stop = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
        rounds.work(stop, lambda tally: _told_round(tally, as_json))
        return 0


def _told_round(tally: Tally, as_json: bool) -> int:
    if as_json:
        desk.write_json(asdict(tally))
    for one in tally.errors:
        exits.warn(one)
    return 5 if tally.errors else 0


def simulate(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Recorded observations; - is standard input.")
    ],
    attempts: Annotated[
        int | None, typer.Option("--attempts", metavar="N", help="Repairs before the breaker.")
    ] = None,
    settle: Annotated[
        int, typer.Option("--settle", metavar="S", help="Seconds that a verdict must stand.")
    ] = 0,
    bounds: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=N", help="Another bound of the policy; repeatable."),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Also say what would differ from the policy in force."),
    ] = False,
    as_json: Json = False,
    bank: Bank = None,
) -> None:
    """Tell recorded observations to the loop again: what would leave, and where each change ends.

    One JSON object a line, in the order of arrival. Touches no memory, no forge, no worker.
    With --compare: which runs of workers would be saved, and which repairs would be lost.

    \b
    Example:
      caselore repair simulate history.jsonl --attempts 3 --compare
    """
    given = dict(map(_bound, bounds or ()))
    if attempts is not None:
        given["attempts"] = attempts
    with desk.opened(bank) as app, inputs.log_file(file) as lines:
        simulation, history = app.repair.simulate(inputs.lines(lines), settle, **given)
        paper = desk.paper()
        for event in simulation.tell(history):
            _show_event(event, as_json, paper)
        for one in simulation.statuses():
            if as_json:
                desk.write_json({"state": one})
            else:
                print("\n".join(_status_lines(one, paper)))
        if compare:
            _compare(app.repair.compare(history, simulation.policy), as_json, paper)


def _bound(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    try:
        return name.strip(), int(number)
    except ValueError:
        raise WrongUse(
            f"--set {text!r} is no bound.", hint="For example --set attempts=3."
        ) from None


def _compare(found: Comparison, as_json: bool, paper: Paper) -> None:
    for change in found.courses:
        for one in found.differences(change):
            if as_json:
                desk.write_json({"difference": one.to_json()})
            else:
                at = one.event.at.isoformat(timespec="seconds")[:19].replace("T", " ")
                words = f"{one.effect}: {one.recorded}, with the other policy {one.given}. "
                lead = f"{at}  "
                print("\n".join(paper.wrap(words + one.event.url, first=lead, indent="  ")))
        if as_json:
            desk.write_json({"comparison": found.sums(change)})
    total = found.sums()
    if as_json:
        desk.write_json({"comparison": total})
    else:
        print(_sums(total))


def _sums(total: dict[str, Any]) -> str:
    saved, added = total["runs_saved"], total["runs_added"]
    kept, lost = total["repairs_kept"], total["repairs_lost"]
    stops = total["breakers"]
    return (
        f"Runs of workers: {saved} saved, {added} added. Repairs: {kept} kept, {lost} lost. "
        f"Breakers: {stops['given']} instead of {stops['recorded']}."
    )


def _show_event(event: Event, as_json: bool, paper: Paper) -> None:
    if as_json:
        desk.write_json({"event": event.to_json()})
        return
    at = event.at.isoformat(timespec="seconds")[:19].replace("T", " ")
    lead = f"{at}  {event.type.value:<20}  "
    print("\n".join(paper.wrap(one_line(event.message), first=lead, indent="  ")))


def _answer(status: dict[str, Any], as_json: bool) -> None:
    desk.answer(as_json, status, lambda paper: _status_lines(status, paper))


def _status_lines(status: dict[str, Any], paper: Paper) -> list[str]:
    count = f"{status['pipeline_fail_count']}/{status['max_attempts']}"
    head = f"{status['change']}  {paper.ink(status['state'], 'bold')}  {count}"
    owner = status["worker"].get("name")
    lines = [head, *([f"  worker {owner}"] if owner else [])]
    if status["why"]:
        lines += paper.wrap(status["why"], first="  ", indent="  ")
    return lines
