"""Measures the server: pages over a large memory, and many clients at once.

Pages: CPU milliseconds of this process for each page over a bank of N incidents, the server
included; yardstick in the same run: `/healthz`, which reads nothing. Load: 50 readers and 5
writers against one server process (`--postgres URL`: two, on that database).

    run.py [N] [--seconds 60] [--postgres postgresql://…] [--home FOLDER]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "web"), str(ROOT / "benchmarks")]

from load import put  # noqa: E402
from recall.run import ACTOR, light, rows  # noqa: E402
from serving import environment, running  # noqa: E402
from test_load import process  # noqa: E402

from caselore import settings, wiring  # noqa: E402
from caselore.memory import Actor, Role  # noqa: E402

PAGES = (
    "/healthz",
    "/",
    "/?limit=100",
    "/?service=service-3&novelty=known",
    "/?status=confirmed",
    "/incidents/d77",
    "/precedents",
    "/precedents?q=could+not+open+socket",
    "/ledger",
    "/numbers",
    "/api/v1/incidents?limit=100",
    "/api/v1/incidents?service=service-3&limit=20",
)
TIMES = 7


def filled(home: Path, size: int) -> None:
    """Fill a home, unless it is."""
    home.mkdir(exist_ok=True, parents=True)
    chosen = settings.load(environment=environment(home), folder=home.parent)
    with wiring.build(chosen) as app:
        if app.memory.ledger_head() < size:
            app.memory.import_incidents(rows(size), ACTOR, sign=light)


def pages(home: Path) -> None:
    """Print what each page costs: the first time, and the median of the others."""
    with running(home) as served, served.client("human") as client:
        print(f"{'page':48s} {'bytes':>8s} {'first':>8s} {'median':>8s}   CPU ms")
        for path in PAGES:
            taken = []
            for _ in range(TIMES):
                served.app.memory.remember_green("bench", "page", b"", "", Actor("b", Role.CI))
                before = time.process_time()
                answer = client.get(path)
                taken.append((time.process_time() - before) * 1e3)
                assert answer.status_code == 200, (path, answer.text)
            size, rest = len(answer.content), statistics.median(taken[1:])
            print(f"{path:48s} {size:8d} {taken[0]:8.1f} {rest:8.1f}")


def many(home: Path, seconds: float, postgres: str) -> None:
    """Print what many clients at once were answered."""
    more = {"CASELORE_DATABASE_URL": postgres} if postgres else {}
    chosen = settings.load(environment=environment(home, **more), folder=home.parent)
    with wiring.build(chosen) as app:
        name = f"load-{time.time_ns()}"
        token, _ = app.memory.create_token(Role.CI, name, None, Actor("ana", Role.HUMAN))
    with ExitStack() as stack:
        servers = 2 if postgres else 1
        urls = [stack.enter_context(process(home, **more)) for _ in range(servers)]
        load = put(urls, token, seconds=seconds)
    print(f"{len(urls)} server(s), {seconds:.0f} s, errors: {len(load.wrong)}")
    for words, taken in (("reads", sorted(load.reads)), ("writes", sorted(load.writes))):
        if not taken:
            continue
        middle, last = taken[len(taken) // 2], taken[int(len(taken) * 0.99)]
        print(f"{words:8s} {len(taken):6d}   {middle * 1e3:8.1f} {last * 1e3:8.1f}   wall ms")
    print(*load.wrong[:3], sep="\n")


def main() -> None:
    """Measure both."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("size", nargs="?", type=int, default=10_000)
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--postgres", default="")
    asked.add_argument("--home", type=Path)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = given.home or Path(folder) / "home"
        if given.size:
            filled(home, given.size)
            pages(home)
        many(home if given.home else Path(folder) / "load", given.seconds, given.postgres)


if __name__ == "__main__":
    main()
