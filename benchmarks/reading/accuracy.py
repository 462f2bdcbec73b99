"""How well logs are read and repeats are recognised, on labelled cases that are not part of this project.

usage: python benchmarks/reading/accuracy.py --cases FOLDER [--tools-off | --without TOOL,TOOL] [--worst 10]

FOLDER holds cases.jsonl (id, set, repo, seq, truth as line ranges, group, log, green) and the logs, gzipped.
Must not tune anything: it only measures, and it shows the worst answers.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import itertools
import json
import statistics
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from caselore.logs import GreenLines, Reading, Signature, read
from caselore.logs.signs import book

BUDGET = 40


@dataclass(frozen=True)
class Scored:
    """One case and how it was answered."""

    id: str
    set: str
    repo: str
    seq: int
    group: str
    cover: float
    at10: float
    tight: float
    line: bool
    signature: Signature


def shown(reading: Reading, budget: int) -> set[int]:
    numbers = (n for r in reading.excerpt for n in range(r.first, r.last + 1))
    return set(itertools.islice(numbers, budget))


def score(job: tuple[Path, dict[str, Any], bool, frozenset[str]]) -> Scored:
    folder, case, tools, without = job
    data = gzip.decompress((folder / case["log"]).read_bytes())
    passing = case["green"] and gzip.decompress((folder / case["green"]).read_bytes())
    green = GreenLines.of(passing) if passing else None
    reading = read(data, name=case["id"], green=green, budget=BUDGET, using=book(tools, without))
    truth = [n for first, last in case["truth"] for n in range(first, last + 1)]
    first, got = set(truth[:BUDGET]), shown(reading, BUDGET)
    point = reading.failing_line
    text = data.split(b"\n")
    right = point in set(truth) and bool(text[(point or 1) - 1].strip())
    return Scored(
        case["id"], case["set"], case["repo"], case["seq"] if isinstance(case["seq"], int) else 0, case["group"] or "",
        len(first & got) / len(first), min(1.0, len(first & shown(reading, 10)) / min(10, len(first))),
        len(got & set(truth)) / len(got) if got else 0.0, right, reading.signature,
    )  # fmt: skip


def averages(rows: list[Scored]) -> dict[str, float]:
    repos: dict[str, list[Scored]] = collections.defaultdict(list)
    for row in rows:
        repos[row.repo].append(row)
    names = ("cover", "line", "at10", "tight")
    out = {name: statistics.mean(getattr(r, name) for r in rows) for name in names}
    for name in names[:2]:
        out[f"{name}_by_repo"] = statistics.mean(
            statistics.mean(getattr(r, name) for r in v) for v in repos.values()
        )
    return {name: round(value, 3) for name, value in out.items()}


def pairs(rows: list[Scored]) -> dict[str, float]:
    """Compare signatures with labels, pair by pair inside a repository."""
    both = wrong = missed = 0
    for a, b in itertools.combinations(rows, 2):
        if a.repo == b.repo:
            same, said = a.group == b.group, a.signature.id == b.signature.id
            both, wrong, missed = (
                both + (same and said),
                wrong + (said and not same),
                missed + (same and not said),
            )
    return {
        "precision": round(both / (both + wrong), 3),
        "recall": round(both / (both + missed), 3),
    }


def replay(rows: list[Scored]) -> dict[str, float]:
    """Go through each repository in order: is a repeat called known, and nothing else?"""
    called = right = repeats = found = fresh = quiet = 0
    for repo in {r.repo for r in rows}:
        past: list[Scored] = []
        for row in sorted((r for r in rows if r.repo == repo), key=lambda r: r.seq):
            claims = (
                []
                if row.signature.generic
                else [p.group for p in past if p.signature.id == row.signature.id]
            )
            called, right = called + bool(claims), right + (row.group in claims)
            if any(p.group == row.group for p in past):
                repeats, found = repeats + 1, found + (row.group in claims)
            else:
                fresh, quiet = fresh + 1, quiet + (not claims)
            past.append(row)
    return {
        "known_precision": round(right / called, 3),
        "known_recall": round(found / repeats, 3),
        "new": round(quiet / fresh, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--tools-off", action="store_true")
    parser.add_argument("--without", default="")
    parser.add_argument("--worst", type=int, default=0)
    given = parser.parse_args()
    cases = [json.loads(line) for line in (given.cases / "cases.jsonl").open()]
    without = frozenset(filter(None, given.without.split(",")))
    jobs = [(given.cases, case, not given.tools_off, without) for case in cases]
    with Pool() as pool:
        scored = pool.map(score, jobs, chunksize=8)
    for name in sorted({row.set for row in scored}):
        rows = [row for row in scored if row.set == name]
        print(name, len(rows), json.dumps(averages(rows)))
        if name == "logchunks":
            print("  signatures", json.dumps(pairs(rows)), json.dumps(replay(rows)))
        for row in sorted(rows, key=lambda r: (r.line, r.cover))[: given.worst]:
            print(f"  worst: cover {row.cover:.2f} line {row.line} {row.id}")


if __name__ == "__main__":
    main()
