"""How well claims are held against their quotes: what it catches by kind of change, what it refuses wrongly, and labelled pairs.

    python benchmarks/verifier/run.py [--rounds 8] [--pairs FILE.jsonl]

The pairs over general passages are read in two halves: rules were mended on the open one, the other was held out. FILE holds
pairs of a public set, one JSON object a line, such as FEVER, VitaminC, SciFact, WiCE or AttributionBench give them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "fakes"))

import told_pairs

from caselore.intel.labelled import Labelled, judged, read_pair, scores


def labelled(pairs):
    """Judge pairs of the tests' own form."""
    rows = [Labelled(one.claim, one.evidence, one.label, one.title) for one in pairs]
    return [(row, judged(row)) for row in rows]


def changes(rounds: int, seed: int) -> dict[str, object]:
    """Give what is caught of each kind of change, and the faithful pairs that are refused."""
    asked, caught = Counter(), Counter()
    for one in told_pairs.changed_pairs(rounds, seed):
        asked[one.kind] += 1
        caught[one.kind] += judged(Labelled(one.claim, one.evidence, "")).verdict != "verified"
    true = labelled(told_pairs.true_pairs(rounds, seed))
    verdicts = Counter(found.verdict for _, found in true)
    numbers = {"digits", "words", "percent", "money", "scale", "range", "year"}
    among = sum(asked[kind] for kind in numbers)
    return {
        "changed": sum(asked.values()),
        "numbers caught": round(sum(caught[kind] for kind in numbers) / among, 4),
        "caught by kind": {
            kind: f"{caught[kind]}/{asked[kind]} = {caught[kind] / asked[kind]:.3f}"
            for kind in sorted(asked)
        },
        "faithful": len(true),
        "faithful refused": round(1 - verdicts["verified"] / len(true), 4),
        "verdicts of the faithful": dict(verdicts),
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=Path)
    given = parser.parse_args()
    begin = time.process_time()
    figures: dict[str, object] = {"one thing changed": changes(given.rounds, given.seed)}
    for half in ("open", "held out"):
        figures[f"general pairs, {half}"] = scores(labelled(told_pairs.written(half)))
    for name in ("styles", "fresh"):
        figures[f"in the manner of public sets, {name}"] = scores(
            labelled(told_pairs.styled(name))
        )
    figures["CPU, s"] = round(time.process_time() - begin, 1)
    if given.pairs:
        lines = given.pairs.read_text("utf-8").splitlines()
        rows = [read_pair(json.loads(line)) for line in lines if line.strip()]
        figures[str(given.pairs.name)] = scores([(row, judged(row)) for row in rows])
    print(json.dumps(figures, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
