"""Measures what the command line costs before it does anything: CPU seconds of `--help` and of small reads.

Yardstick: `caselore --help` and `caselore read --help` under 0.3 s of CPU. Exit code 1 if one is over.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 0.3
RUNS = 7
LOG = (
    "$ pytest -q\n"
    + "ok\n" * 2000
    + "E   assert 1 == 2\nFAILED tests/test_a.py::test_b - assert 1 == 2\n"
)


def cpu(*arguments: str) -> float:
    """Give the CPU seconds of one run, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "caselore", *arguments], stdout=subprocess.DEVNULL, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Print a table and tell whether the limits hold."""
    slow = False
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "build.log"
        log.write_text(LOG)
        os.environ["CASELORE_HOME"] = folder
        for limit, *arguments in (
            (LIMIT, "--help"),
            (LIMIT, "read", "--help"),
            (LIMIT, "confirm", "--help"),
            (None, "read", "--json", str(log)),
            (None, "incidents", "--json"),
        ):
            cpu(*arguments)
            taken = statistics.median(cpu(*arguments) for _ in range(RUNS))
            over = limit is not None and taken > limit
            slow = slow or over
            shown = " ".join(Path(part).name for part in arguments)
            print(f"{taken:6.3f} s CPU  caselore {shown}{'   OVER ' + str(limit) if over else ''}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
