"""How quickly a profile and a search answer over many events, and what importing the stages costs.

    python benchmarks/intel/run.py [--events 100000]

CPU seconds of this process (user and system), the median of nine; the yardstick is one scan of the
same table, so that figures of a busy machine can be compared.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from caselore.intel.profile import profile
from caselore.memory.evidence import CompetitorEvent, Report, Snapshot
from caselore.memory.exhibit_ports import Sought
from caselore.memory.exhibits import Filing
from caselore.memory.records import Actor, Kind, Role
from caselore.settings import load
from caselore.wiring import open_memory

NOW = datetime(2026, 10, 8, tzinfo=UTC)
SYSTEM = Actor("bench", Role.SYSTEM)
WORDS = [
    "scanner",
    "viewer",
    "cache",
    "registry",
    "console",
    "planner",
    "bridge",
    "gateway",
    "catalog",
    "editor",
    "monitor",
    "ledger",
]
TYPES = [
    "feature_launch",
    "pricing_change",
    "hiring",
    "acquisition",
    "funding",
    "partnership",
    "market_signal",
]


def cpu(call: Callable[[], object], times: int = 9) -> float:
    """Give the median of the CPU milliseconds of a call."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        call()
        found.append(1000 * (time.process_time() - begin))
    return statistics.median(found)


def filled(home: Path, events: int, competitors: int):
    """Give a memory with many events."""
    memory = open_memory(load(home, environment={}))
    text = "Something happened at a company that is watched here."
    page = memory.file(
        Filing(Snapshot("https://news.example/a", text, "d", "2026"), "page", NOW, NOW), SYSTEM
    )
    report = Report(text, page.id, 0, len(text), "https://news.example/a", tier="press")
    for begin in range(0, events, 2_000):
        memory.file_all(
            (
                event(report, number, competitors)
                for number in range(begin, min(events, begin + 2_000))
            ),
            SYSTEM,
        )
    return memory


def event(report: Report, number: int, competitors: int) -> Filing:
    """Give one made-up event."""
    at = NOW - timedelta(hours=number % 9_000)
    word, other = WORDS[number % 12], WORDS[number // 12 % 12]
    title = f"Company {number % competitors} ships a {word} with {other} number {number}"
    body = CompetitorEvent(
        f"Company {number % competitors}",
        TYPES[number % 7],
        at.date().isoformat(),
        title,
        report,
        impact_floor=4.0,
    )
    return Filing(body, f"k{number}", at, at, words=f"{title} {body.event_type}")


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=100_000)
    count = parser.parse_args().events
    with tempfile.TemporaryDirectory() as place:
        begin = time.process_time()
        memory = filled(Path(place), count, 1)
        filing = time.process_time() - begin
        figures = {
            "events": count,
            "filing, s": round(filing, 1),
            "profile, ms": round(cpu(lambda: profile(memory, "Company 0", NOW)), 1),
            "search one rare word, ms": round(
                cpu(lambda: memory.search_exhibits("77777", Kind.COMPETITOR_EVENT, 10)), 1
            ),
            "search common words, ms": round(
                cpu(
                    lambda: memory.search_exhibits(
                        "company ships scanner", Kind.COMPETITOR_EVENT, 10
                    )
                ),
                1,
            ),
            "yardstick: every row once, ms": round(
                cpu(lambda: memory.exhibit_rows(Sought("competitor_event")), 3), 1
            ),
        }
        memory.close()
    code = "import time; b = time.process_time(); import caselore.intel.run, caselore.intel.collect.folder; print(time.process_time() - b)"
    runs = [
        float(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(5)
    ]
    figures["import of the stages, s"] = round(statistics.median(runs), 3)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
