"""The commands that take what a forge ran into the memory: one job from inside it, or a history.

Must not break the job that it runs in: `--best-effort` ends with 0 whatever happens.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from caselore.errors import CaseloreError, Unavailable, WrongUse, problem
from caselore.faces.cli import desk, inputs
from caselore.faces.cli.options import Bank, Json
from caselore.faces.terminal import Paper

if TYPE_CHECKING:
    from caselore.wiring.history import Taken

_PANEL = "Bringing in, taking out"
_PATIENCE = 60  # seconds that --best-effort gives the whole of it
_SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(rich_help_panel=_PANEL)(ingest)
    app.command(rich_help_panel=_PANEL)(backfill)


def ingest(
    log: Annotated[
        str | None,
        typer.Argument(
            metavar="[LOG]", help="The job's log, if it was kept; - is standard input."
        ),
    ] = None,
    from_gitlab_env: Annotated[
        bool, typer.Option("--from-gitlab-env", help="Inside a GitLab job (after_script).")
    ] = False,
    from_github_env: Annotated[
        bool, typer.Option("--from-github-env", help="Inside a GitHub Actions job.")
    ] = False,
    best_effort: Annotated[
        bool,
        typer.Option("--best-effort", help="Never break the job."),
    ] = False,
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Record this CI job: a failed one as an incident, a passed one as a green run.

    The log is fetched from the forge unless it is given. The change gets one comment, which is
    updated in place.

    \b
    Example:
      caselore ingest --from-gitlab-env --best-effort
    """
    try:
        with _within(_PATIENCE) if best_effort else nullcontext():
            taken = _taken(log, from_gitlab_env, from_github_env, bank)
    except (CaseloreError, OSError, TimeoutError) as error:
        if not best_effort:
            raise
        told = problem(error)
        print(f"caselore: {told.message} (the job goes on)", file=sys.stderr)
        return 0
    desk.answer(as_json, taken.to_json(), lambda paper: _lines(taken, paper))
    return 0 if best_effort or not taken.errors else 1


def _taken(log: str | None, gitlab: bool, github: bool, bank: str | None) -> Taken:
    from caselore.wiring import history  # noqa: PLC0415

    if gitlab == github:
        raise WrongUse(
            "Say whose job this is: --from-gitlab-env or --from-github-env.",
            hint="For a log without a forge there is `caselore diagnose LOG`.",
        )
    kind = "gitlab" if gitlab else "github"
    with desk.opened(bank) as app:
        if log is None:
            return history.from_environment(app, kind)
        with inputs.log_file(log) as file:
            return history.from_environment(app, kind, file)


@contextmanager
def _within(seconds: int) -> Iterator[None]:
    """End what takes too long; where there is no such signal, it takes its time."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def late(*_: Any) -> None:
        raise Unavailable(f"It took longer than {seconds} seconds.")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def backfill(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="gitlab, github or buildbot.")],
    project: Annotated[
        str, typer.Argument(metavar="PROJECT", help="group/name; a builder's name.")
    ],
    url: Annotated[
        str,
        typer.Option("--url", metavar="URL", help="The server's address, if not the public one."),
    ] = "",
    since: Annotated[
        str, typer.Option("--since", metavar="SPAN", help="How far back: 12h, 30d, 8w.")
    ] = "30d",
    as_json: Json = False,
    bank: Bank = None,
) -> int:
    """Fill the memory from a forge's history, the oldest first; it goes on where it stopped.

    `caselore import gitlab PROJECT` is the same.

    \b
    Example:
      caselore backfill gitlab shop/payment --since 30d
    """
    from caselore.wiring import history  # noqa: PLC0415

    address = url or {"gitlab": "https://gitlab.com", "github": "https://github.com"}.get(kind, "")
    if not address:
        raise WrongUse(f"A {kind} has no public address.", hint="Give it: --url http://ci:8010.")
    with desk.opened(bank) as app:
        taken = history.import_history(
            app, kind, project, history.span(since), address, _progress if _watched() else None
        )
    desk.answer(as_json, taken.to_json(), lambda paper: _lines(taken, paper))
    return 1 if taken.errors else 0


def _watched() -> bool:
    return sys.stderr.isatty()


def _progress(taken: Taken) -> None:
    done = f"{taken.pipelines} pipelines, {len(taken.incidents)} incidents"
    print(
        f"\r\x1b[K{done}, up to {taken.until}",
        end="",
        file=sys.stderr,
        flush=True,
    )


def _lines(taken: Taken, paper: Paper) -> list[str]:
    came = f"{len(taken.incidents)} incidents, {taken.greens} green runs"
    shown = [f"{taken.pipelines} pipelines: {came}."]
    shown += [f"  {id}" for id in dict.fromkeys(taken.incidents[:_SHOWN])]
    shown += [paper.cut(f"  ! {one}", paper.width) for one in taken.errors[:_SHOWN]]
    more = len(taken.errors) - _SHOWN
    return [*shown, *([f"  … and {more} more errors; --json lists them"] if more > 0 else [])]
