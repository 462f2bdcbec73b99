"""Shows on standard error how far long work is: a bar on a terminal, else a line at times.

Must not write to standard output.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from caselore.faces import terminal

_EVERY = 2_000  # rows between two lines where no terminal shows a bar


class Moved:
    """Is told how far the work is: rows that are done, and the place in the file."""

    def __init__(self, shown: Callable[[int, int, float], None]) -> None:
        """Begin now; `shown` takes rows, place and rows a second."""
        self._shown, self._began, self._place = shown, time.monotonic(), 0

    def to(self, place: int) -> None:
        """Note how far the file is read."""
        self._place = place

    def rows(self, done: int) -> None:
        """Show how many rows are safely stored."""
        elapsed = max(time.monotonic() - self._began, 0.001)
        self._shown(done, self._place, done / elapsed)


def step(text: str) -> None:
    """Say one step of something that takes seconds."""
    terminal.say(f"caselore: {text}")


@contextmanager
def rows(verb: str, size: int) -> Iterator[Moved]:
    """Show the progress of a verb over a file of a size."""
    if sys.stderr.isatty():
        with _bar(verb, size) as shown:
            yield Moved(shown)
    else:
        yield Moved(_lines(verb))


def _lines(verb: str) -> Callable[[int, int, float], None]:
    last = 0

    def shown(done: int, _place: int, rate: float) -> None:
        nonlocal last
        if done // _EVERY > last // _EVERY:
            terminal.say(f"caselore: {verb}: {done:,} rows, {rate:,.0f} rows/s")
        last = done

    return shown


@contextmanager
def _bar(verb: str, size: int) -> Iterator[Callable[[int, int, float], None]]:
    from rich.console import Console  # noqa: PLC0415 - only where a terminal shows a bar
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn(verb),
        BarColumn(),
        TextColumn("{task.fields[rows]:,} rows, {task.fields[rate]:,.0f} rows/s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(verb, total=size or None, rows=0, rate=0.0)
        yield lambda done, place, rate: bar.update(task, completed=place, rows=done, rate=rate)
