"""Measures imports: rows of one kind, distinct lines, distinct texts of twelve lines, again, own export.

CPU is that of this process and of those that sign for it, together; the wall stands beside it, as
two processes can work at once. Main memory is the most that this process, and that one of its
helpers, ever held. Each shape goes into a store of its own.
`importing.py [ROWS] [--postgres postgresql://…] [--no-processes]`; the database must be empty.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import run as bench

from caselore import settings, wiring
from caselore.wiring.results import Imported

SHAPES = ("of one kind", "one line, all different", "twelve lines, all different")


def errors(shape: str, many: int) -> Iterator[str]:
    """Give the texts of a shape."""
    if shape == "of one kind":
        return (f"ERROR: step {n % 50} failed: no relation t{n % 50}" for n in range(many))
    if shape.startswith("one line"):
        some = bench.PARTS
        return (
            f"ERROR: {some[n % 12]} refused request {n} of tenant {n * 7}" for n in range(many)
        )
    return (row["error"] for _, row in islice(bench.rows(many), many))


def lines(shape: str, many: int) -> list[bytes]:
    """Give closed incidents as JSON lines."""
    return [
        json.dumps({
            "deployment_id": f"d{n}", "service": f"service-{n % 20}", "error": error,
            "root_cause": f"cause {n % 50}", "resolution": f"fix {n % 50}", "outcome": "resolved",
            "confirmed_by": "ana", "confirmed_at": "2026-02-03T10:00:00Z",
        }).encode()
        for n, error in enumerate(errors(shape, many))
    ]  # fmt: skip


def used() -> float:
    """Give the CPU seconds of this process and of all that ended."""
    own, ended = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime


def told(what: str, rows: int, work: Callable[[], Imported], index: list[float]) -> None:
    """Print rows a second of a piece of work, by all CPU, by the wall, and without the index."""
    index.clear()
    wall, before, own = time.perf_counter(), used(), time.process_time()
    report = work().report
    if report.refused:
        raise SystemExit(f"refused: {report.refused[0]}")
    own = time.process_time() - own
    both, wall = used() - before, time.perf_counter() - wall
    spent = [own - sum(index), own, both, wall]
    words = "  ".join(f"{rows / max(one, 1e-9):8.0f}" for one in spent)
    bench.say(what, words)


def measured(shape: str, many: int, database: str, processes: int | None) -> None:
    """Import a shape, again, and its export into a bank of its own."""
    rows = lines(shape, many)
    with tempfile.TemporaryDirectory() as folder:
        env = {"CASELORE_HOME": folder, "CASELORE_DATABASE_URL": database}
        bank = "b" + "".join(c for c in shape if c.isalpha())
        with wiring.build(settings.load(environment={**env, "CASELORE_BANK": bank})) as app:
            index = timed_index(app)
            told(f"{shape}: new", many, lambda: app.import_incidents(app.rows(rows), processes=processes), index)  # fmt: skip
            told("  again: nothing is added", many, lambda: app.import_incidents(app.rows(rows), processes=processes), index)  # fmt: skip
            out = [json.dumps(row).encode() for row in app.memory.export()]
            digest = app.memory.ledger_verify().ok
        size = bench.megabytes(Path(folder))
        other = {**env, "CASELORE_BANK": bank + "2"}
        with wiring.build(settings.load(environment=other)) as app:
            index = timed_index(app)
            told("  its own export, into another bank", len(out), lambda: app.import_incidents(app.rows(out), processes=processes), index)  # fmt: skip
        bench.say("  chain whole; MB of files before the export", f"{digest!s:>8}  {size:8.1f}")


def timed_index(app: wiring.App) -> list[float]:
    """Note the CPU seconds of each writing of the text index."""
    spent: list[float] = []
    catch_up = app.memory._index.catch_up
    app.memory._index.catch_up = lambda bank, written=1: spent.append(
        bench.cpu(lambda: catch_up(bank, written))
    )
    return spent


def main() -> None:
    """Print one table."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("rows", nargs="?", type=int, default=20_000)
    given.add_argument("--postgres", default="", help="an empty database")
    given.add_argument("--shapes", default="012", help="which, by number")
    given.add_argument("--no-processes", action="store_true")
    options = given.parse_args()
    processes = 0 if options.no_processes else None
    titles = ("own CPU but index", "own CPU", "all CPU", "wall")
    bench.say(f"{options.rows:,} rows; rows a second by", "  ".join(f"{t:>8}" for t in titles))
    for number in map(int, options.shapes):
        measured(SHAPES[number], options.rows, options.postgres, processes)
    own, ended = (
        resource.getrusage(who).ru_maxrss / 1024
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    bench.say("most main memory, MB: this, largest helper", f"{own:8.0f}  {ended:8.0f}")


if __name__ == "__main__":
    main()
