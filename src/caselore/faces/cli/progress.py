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
_REFRESH = 0.1  # seconds between two updates of the bar

Moved = Callable[[int, int], None]


@contextmanager
def rows(verb: str, size: int) -> Iterator[Moved]:
    """Give a function that is told the row's number and the bytes read so far."""
    if sys.stderr.isatty():
        with _bar(verb, size) as moved:
            yield moved
    else:
        yield _lines(verb)


def _lines(verb: str) -> Moved:
    began = time.monotonic()

    def moved(number: int, _at: int) -> None:
        if number % _EVERY == 0:
            rate = number / max(time.monotonic() - began, 0.001)
            terminal.say(f"caselore: {verb}: {number:,} rows, {rate:,.0f} rows/s")

    return moved


@contextmanager
def _bar(verb: str, size: int) -> Iterator[Moved]:
    from rich.console import Console  # noqa: PLC0415 - only where a terminal shows a bar
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn(verb),
        BarColumn(),
        TextColumn("{task.fields[rows]:,} rows, {task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    began = time.monotonic()
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(verb, total=size or None, rows=0, rate=0.0)
        last = 0.0

        def moved(number: int, at: int) -> None:
            nonlocal last
            elapsed = time.monotonic() - began
            if elapsed - last > _REFRESH:
                last = elapsed
                bar.update(task, completed=at, rows=number, rate=number / elapsed)

        yield moved
