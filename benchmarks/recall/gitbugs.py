"""Measures recall on GitBugs, public bug reports of which people said that they are duplicates.

FOLDER is a copy of that data set: in a folder a project, `…bugs.csv` with the columns Summary,
Issue id and Description beside others, and pairs in files of two columns, Issue id and Duplicate
id (`…-combined.csv`), several ids in one cell. The reports of a project are stored, each that has
a duplicate among them is asked for with its own words, and is itself no answer. Beside caselore's
text index stands BM25 over words (FTS5). `gitbugs.py FOLDER [--most 20000] [--asked 500]`
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import sqlite3
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from caselore import settings, wiring
from caselore.memory import Actor, Role, Signed

MOST_WORDS, LENGTH = 60, 2_000  # of a question to FTS5; characters of a report
PLACES = (1, 5, 10)
ACTOR = Actor("bench", Role.IMPORT)


class Project(NamedTuple):
    """The reports of a project by id, and which are duplicates of which, both ways."""

    name: str
    reports: dict[str, str]
    duplicates: dict[str, set[str]]


def projects(folder: Path) -> Iterator[Project]:
    """Read every project of a folder; files that are neither reports nor pairs are left."""
    csv.field_size_limit(sys.maxsize)
    for place in sorted({file.parent for file in folder.rglob("*.csv")}):
        reports: dict[str, str] = {}
        duplicates: dict[str, set[str]] = defaultdict(set)
        for file in sorted(place.glob("*.csv")):
            for row in rows_of(file):
                one = id_of(row.get("issue id", ""))
                if "summary" in row and one:
                    words = (row["summary"], row.get("description", ""))
                    reports.setdefault(one, "\n".join(filter(None, words))[:LENGTH])
                for other in re.findall(r"\d+", other_ids(row)):
                    if one and other != one:
                        duplicates[one].add(other)
                        duplicates[other].add(one)
        known = {
            one: held for one in reports if (held := duplicates.get(one, set()) & reports.keys())
        }
        if reports:
            yield Project(place.name, reports, known)


def rows_of(file: Path) -> Iterator[dict[str, str]]:
    """Give the rows of a file, names of columns in small letters, cells without blanks round them."""
    with file.open(encoding="utf-8", errors="replace", newline="") as source:
        for row in csv.DictReader(source):
            yield {
                str(name).strip().lower(): str(cell or "").strip() for name, cell in row.items()
            }


def other_ids(row: Mapping[str, str]) -> str:
    """Give the cell that names duplicates, under each of its published headings."""
    return row.get("duplicate id") or row.get("duplicates") or ""


def id_of(cell: str) -> str:
    """Give the number of an issue."""
    found = re.search(r"\d+", cell)
    return found.group() if found else ""


def alone(text: str) -> Signed:
    """Sign each text apart: words alone are measured."""
    id = "sig1:" + hashlib.sha256(text.encode()).hexdigest()[:24]
    return Signed(id, "unknown", "", "", "", "", "", False)


def measured(project: Project, most: int, asked: int) -> dict[str, list[float]]:
    """Give how often a duplicate is among the first 1, 5 and 10, by each way."""
    wanted = [one for one in project.duplicates if len(project.reports[one]) > 3][:asked]
    needed = {other for one in wanted for other in (one, *project.duplicates[one])}
    kept = [*sorted(needed), *(one for one in project.reports if one not in needed)]
    reports = {one: project.reports[one] for one in kept[: max(most, len(needed))]}
    plain = sqlite3.connect(":memory:")
    plain.execute("CREATE VIRTUAL TABLE plain USING fts5(name UNINDEXED, body)")
    plain.executemany("INSERT INTO plain VALUES (?, ?)", reports.items())
    with tempfile.TemporaryDirectory() as folder, opened(folder) as app:
        rows = (
            {"deployment_id": one, "service": project.name, "error": text.replace("\0", "")}
            for one, text in reports.items()
            if text.strip()
        )
        memory = app.memory
        memory.import_incidents(enumerate(rows, 1), ACTOR, sign=alone)
        ways = {"caselore, text index": index_of(memory), "BM25 over words, FTS5": words_of(plain)}
        return {
            way: [hits(search, wanted, project, place) for place in PLACES]
            for way, search in ways.items()
        }


def opened(folder: str) -> wiring.App:
    """Open a memory of its own."""
    return wiring.build(settings.load(environment={"CASELORE_HOME": folder}))


def hits(search, wanted: list[str], project: Project, place: int) -> float:
    """Give the part of the questions with a duplicate among the first answers."""
    found = 0
    for one in wanted:
        answers = [other for other in search(project.reports[one]) if other != one][:place]
        found += not project.duplicates[one].isdisjoint(answers)
    return found / len(wanted) if wanted else 0.0


def index_of(memory):
    """Ask the text index."""

    def search(text: str) -> list[str]:
        with memory._store.reading() as view:
            ids = memory._index.search(view, memory.bank, text, 12)
            return [view.case(memory.bank, id).deployment for id in ids]

    return search


def words_of(plain: sqlite3.Connection):
    """Ask FTS5 for the first words of a text."""

    def search(text: str) -> list[str]:
        words = list(dict.fromkeys(re.findall(r"\w+", text.lower())))[:MOST_WORDS]
        query = " OR ".join(f'"{word}"' for word in words)
        rows = plain.execute("SELECT name FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 12", (query,))  # fmt: skip
        return [name for (name,) in rows]

    return search


def main() -> None:
    """Print a row a project and way."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("folder", type=Path)
    given.add_argument("--most", type=int, default=20_000, help="reports of a project")
    given.add_argument("--asked", type=int, default=500, help="questions a project")
    options = given.parse_args()
    for project in projects(options.folder):
        told = f"{project.name}: {len(project.reports):,} reports, {len(project.duplicates):,} with a duplicate"
        print(told, flush=True)
        if project.duplicates:
            for way, found in measured(project, options.most, options.asked).items():
                cells = "  ".join(
                    f"hit@{at} {one:.2f}" for at, one in zip(PLACES, found, strict=True)
                )
                print(f"  {way:<28} {cells}", flush=True)


if __name__ == "__main__":
    main()
