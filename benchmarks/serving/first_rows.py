"""Measures how long a real browser waits for the first rows of the inbox, over a large memory.

Milliseconds from the start of a navigation to the first painted row, with an empty cache, wall
time; yardstick in the same run: the sign-in page, which reads nothing of the memory. On a loaded
machine the difference of the two counts; `run.py` has the CPU time of each page.

    first_rows.py [N] [--times 9] [--home FOLDER]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from pathlib import Path

from run import filled  # also puts the tests' folders on the path

from browser import launched  # isort: skip
from test_load import process  # isort: skip

PAGES = {"/sign-in": "main form", "/": "tr[data-row]", "/?limit=100": "tr[data-row]"}
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


def looked(browser, address: str, row: str) -> float:
    """Open a page in a new context and give when its first row was painted."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address, wait_until="load")
    page.wait_for_selector(row)
    page.wait_for_function(f"({PAINTED}) !== null")
    painted = float(page.evaluate(PAINTED))
    context.close()
    return painted


def main() -> None:
    """Measure."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("size", nargs="?", type=int, default=100_000)
    asked.add_argument("--times", type=int, default=9)
    asked.add_argument("--home", type=Path)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = given.home or Path(folder) / "home"
        filled(home, given.size)
        with process(home) as url, launched() as browser:
            print(f"{given.size} incidents, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}")
            print(f"{'page':16s} {'first':>8s} {'median':>8s} {'best':>8s}   wall ms")
            for path, row in PAGES.items():
                taken = [looked(browser, url + path, row) for _ in range(given.times)]
                middle = statistics.median(taken)
                print(f"{path:16s} {taken[0]:8.0f} {middle:8.0f} {min(taken):8.0f}")


if __name__ == "__main__":
    main()
