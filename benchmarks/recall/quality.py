"""Measures what recall finds: near-duplicates among 200 families × 20 services, and other words.

Near-duplicates: 20 months of dates, recency on; a new failure of a family and a service must be
answered by what was confirmed of that family. Words: words.toml, 20 causes hidden among ten
thousand other failures, asked in another tool's wording and in a person's; BM25 over words in
the same run is the yardstick. `quality.py [SIZE]`.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import tomllib
from pathlib import Path

import run as bench

from caselore import settings, wiring
from caselore.incidents import ingest

WORDS = Path(__file__).with_name("words.toml")
ASKED = 200


def near_duplicates(size: int) -> tuple[float, float]:
    """Give hit@1 of the family's fix, and how often the own service stands first if it has one."""
    chance = bench.random.Random(23)
    with tempfile.TemporaryDirectory() as folder, opened(folder) as app:
        app.memory.import_incidents(bench.rows(size), bench.ACTOR, sign=bench.light)
        right = same = own = 0
        for number in range(ASKED):
            family, service = number % bench.FAMILIES, number % bench.SERVICES
            text = bench.text_of(family, service, chance)
            row = {"deployment_id": f"new{number}", "service": f"service-{service}", "error": text}
            app.memory.import_incidents([(1, row)], bench.ACTOR, sign=bench.light)
            found = app.memory.recall(incident=f"new{number}").hits
            right += bool(found) and found[0].case.outcome.cause == f"cause {family}"
            if service % 5 == 0:  # only these have anything confirmed
                own += 1
                same += bool(found) and found[0].case.record.body.service == f"service-{service}"
    return right / ASKED, same / own


def opened(folder: str) -> wiring.App:
    """Open a memory of its own."""
    return wiring.build(settings.load(environment={"CASELORE_HOME": folder}))


def other_words(size: int) -> dict[str, tuple[float, float]]:
    """Give hit@5 of ours and of BM25 over words, for each way of asking."""
    causes = tomllib.loads(WORDS.read_text("utf-8"))["cause"]
    with tempfile.TemporaryDirectory() as folder, opened(folder) as app:
        app.memory.import_incidents(bench.rows(size), bench.ACTOR, sign=bench.light)
        rows = [
            {"deployment_id": one["name"], "service": "asked", "error": one["recorded"]}
            for one in causes
        ]
        app.memory.import_incidents(enumerate(rows, 1), bench.ACTOR, sign=ingest.sign)
        plain = sqlite3.connect(":memory:")
        plain.execute("CREATE VIRTUAL TABLE plain USING fts5(name UNINDEXED, body)")
        others = (("", row["error"]) for _, row in bench.rows(size))
        ours = ((one["name"], one["recorded"]) for one in causes)
        plain.executemany("INSERT INTO plain VALUES (?, ?)", [*others, *ours])
        return {
            way: (
                sum(_found(app, one[way], one["name"]) for one in causes) / len(causes),
                sum(_by_words(plain, one[way], one["name"]) for one in causes) / len(causes),
            )
            for way in ("recorded", "other", "person")
        }


def _found(app: wiring.App, text: str, name: str) -> bool:
    """Say whether the text arm brings the cause among its first five."""
    with app.memory._store.reading() as view:
        ids = app.memory._index.search(view, app.memory.bank, text, 5)
        return any(view.case(app.memory.bank, id).deployment == name for id in ids)


def _by_words(plain: sqlite3.Connection, text: str, name: str) -> bool:
    words = {w.lower() for w in "".join(c if c.isalnum() else " " for c in text).split()}
    query = " OR ".join(f'"{word}"' for word in sorted(words))
    found = plain.execute(
        "SELECT name FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 5", (query,)
    )
    return (name,) in found.fetchall()


def main() -> None:
    """Print both tables."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    first, same = near_duplicates(size)
    bench.say(f"near-duplicates among {size:,}: hit@1", f"{first:8.2f}")
    bench.say("the own service first, where it has a fix", f"{same:8.2f}")
    for way, (ours, words) in other_words(size).items():
        bench.say(f"asked as {way}: hit@5, ours and BM25 words", f"{ours:8.2f} {words:8.2f}")


if __name__ == "__main__":
    main()
