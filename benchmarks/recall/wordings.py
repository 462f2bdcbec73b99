"""Measures whether a failure is found again in other words: 59 causes, each told in four ways.

words.toml holds what was recorded, the same cause as another tool says it, and as a person asks;
the fourth is the record with other numbers. Each is asked bare and within lines of a CI job
("noisy"), of a bank that holds the 59 records alike. Beside caselore's text index and its whole
recall stand BM25 over words and over runs of four characters of the masked text, worked out here
in plain Python over the same texts: no model in any of them. `wordings.py`
"""

from __future__ import annotations

import math
import random
import re
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from caselore import settings, wiring
from caselore.logs.masking import masked

WORDS = Path(__file__).with_name("words.toml")
MOST = 5
ABOVE = (
    "Running with runner 17.{0}.0 on pool-{1}",
    "Fetching changes with git depth set to {0}...",
    "Checking out {2} as detached HEAD (ref is feature/{1})...",
    "Restoring cache for default-{0}-protected...",
    "$ make check",
    "collected {1} items, {0} workers",
    "step {0}/12 took {1} ms",
)
BELOW = (
    "Uploading artifacts... reports/{1}.xml: found 1 matching file",
    "Cleaning up project directory and file based variables",
    "Saving cache for failed job, {0} files",
    "section_end:17000{1}:after_script",
)
Search = Callable[[str], Sequence[str]]
"""Gives names of causes, the best first."""


class Bm25:
    """The textbook's ranking over any cutting of a text into terms."""

    def __init__(self, texts: dict[str, str], cut: Callable[[str], list[str]]) -> None:
        """Count the terms of each text."""
        self.cut = cut
        self.counts = {name: Counter(cut(text)) for name, text in texts.items()}
        self.often = Counter(term for held in self.counts.values() for term in held)
        self.mean = sum(sum(held.values()) for held in self.counts.values()) / len(texts)

    def search(self, text: str) -> list[str]:
        """Give the names of the texts that share a term, the best first."""
        terms, total = set(self.cut(text)), len(self.counts)
        scores = {}
        for name, held in self.counts.items():
            long = 0.25 + 0.75 * sum(held.values()) / self.mean
            score = sum(
                math.log(1 + (total - self.often[t] + 0.5) / (self.often[t] + 0.5))
                * held[t] * 2.2 / (held[t] + 1.2 * long)
                for t in terms if t in held
            )  # fmt: skip
            if score:
                scores[name] = score
        return sorted(scores, key=lambda name: (-scores[name], name))


def words(text: str) -> list[str]:
    """Cut a text into words as it stands."""
    return re.findall(r"\w+", text.lower())


def runs(text: str) -> list[str]:
    """Cut a masked text into runs of four characters."""
    low = " ".join(masked(line) for line in text.split("\n")).lower()
    return [low[at : at + 4] for at in range(max(1, len(low) - 3))]


def renumbered(text: str) -> str:
    """Give the text of another run: every number is another one."""
    return re.sub(r"\d+", lambda at: str(int(at.group()) * 7 + 13)[-len(at.group()) :], text)


def noisy(text: str, chance: random.Random) -> str:
    """Put lines of a job round a text."""
    values = (chance.randint(2, 9), chance.randint(100, 999), f"{chance.getrandbits(32):08x}")
    above, below = (
        [line.format(*values) for line in some if chance.random() < 0.8] for some in (ABOVE, BELOW)
    )
    return "\n".join((*above, text, *below))


def told(hits: Sequence[Sequence[str]], names: Sequence[str]) -> str:
    """Give hit@5 and the mean reciprocal rank."""
    ranks = [list(found).index(n) + 1 if n in found else 0 for found, n in zip(hits, names, strict=True)]  # fmt: skip
    inside = sum(0 < rank <= MOST for rank in ranks) / len(ranks)
    return f"{inside:5.2f} /{sum(1 / rank for rank in ranks if rank) / len(ranks):6.3f}"


def ours(app: wiring.App) -> dict[str, Search]:
    """Give the text index alone, and the whole recall with what it shows as near."""
    memory = app.memory

    def index(text: str) -> list[str]:
        with memory._store.reading() as view:
            ids = memory._index.search(view, memory.bank, text, 20)
            return [view.case(memory.bank, id).deployment for id in ids]

    def recall(text: str) -> list[str]:
        found = memory.recall(text=text, limit=10)
        return [hit.case.record.body.deployment for hit in (*found.hits, *found.nearest)]

    return {"caselore, text index": index, "caselore, whole recall": recall}


def main() -> None:
    """Print hit@5 / MRR for each way of asking."""
    causes = tomllib.loads(WORDS.read_text("utf-8"))["cause"]
    names = [one["name"] for one in causes]
    for dress in ("clean", "noisy"):
        wear = str if dress == "clean" else partial(noisy, chance=random.Random(59))
        records = {one["name"]: wear(one["recorded"]) for one in causes}
        asked = {
            "near": [wear(renumbered(one["recorded"])) for one in causes],
            "cross-tool": [wear(one["other"]) for one in causes],
            "words": [one["person"] for one in causes],
        }
        with tempfile.TemporaryDirectory() as folder:
            env = {"CASELORE_HOME": folder}
            with wiring.build(settings.load(environment=env)) as app:
                rows = [
                    {"deployment_id": name, "service": "any", "error": text,
                     "root_cause": f"cause {number}", "resolution": f"mend {number}", "outcome": "resolved",
                     "confirmed_by": "ana", "confirmed_at": "2026-02-03"}
                    for number, (name, text) in enumerate(records.items())
                ]  # fmt: skip
                app.import_incidents(rows)
                ways: dict[str, Search] = {
                    "BM25, words": Bm25(records, words).search,
                    "BM25, masked, runs of four characters": Bm25(records, runs).search,
                    **ours(app),
                }
                for way, search in ways.items():
                    hits = {kind: [search(text) for text in some] for kind, some in asked.items()}
                    every = [found for some in hits.values() for found in some]
                    cells = [told(some, names) for some in hits.values()]
                    cells.append(told(every, names * len(hits)))
                    print(f"  {dress:6} {way:<40} " + "  ".join(cells), flush=True)


if __name__ == "__main__":
    print(f"  {'':6} {'hit@5 / MRR':<40} near           cross-tool     words          all")
    main()
