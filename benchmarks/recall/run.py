"""Measures the memory at 10,000 and more incidents: import, writes, recall, files, main memory.

Yardsticks in the same run: plain SQLite FTS5 over the same texts, asked for all words and for the
eight rarest; a bare loop of fsync for durable writes; with `--peers` Chroma and LanceDB, installed
into a virtual environment that is thrown away. Milliseconds are CPU of this process (on Postgres
that of the client), median and 99th percentile.
`run.py [SIZE]… [--postgres postgresql://…] [--peers] [--no-fts5]`; quality.py tells what is found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from caselore import logs, settings, wiring
from caselore.incidents import ingest
from caselore.memory import Actor, Filters, Memory, Role, Signed

FAMILIES, SERVICES, MONTHS = 200, 20, 20
START = datetime(2024, 3, 1, tzinfo=UTC)
TEST, OPEN = Filters(environment="test"), Filters(status="observed")
IDLE = """
import os, sys
from pathlib import Path
from caselore import logs, settings, wiring
with wiring.build(settings.load()) as app:
    app.memory.recall(text=sys.argv[1])
    print(Path(f"/proc/{os.getpid()}/status").read_text().split("VmRSS:")[1].split()[0])
"""
ACTOR = Actor("bench", Role.IMPORT)
VERBS = [
    "could not open",
    "refused",
    "timed out on",
    "lost",
    "rejected",
    "failed to lock",
    "ran out of",
    "overflowed",
]
NOUNS = [
    "spool",
    "socket",
    "ledger",
    "quota",
    "schema",
    "replica",
    "volume",
    "token",
    "bucket",
    "shard",
    "queue",
    "certificate",
]
PARTS = [
    "billing",
    "search",
    "mail",
    "auth",
    "cart",
    "stock",
    "report",
    "media",
    "order",
    "price",
    "import",
    "sync",
]


def text_of(family: int, service: int, chance: random.Random) -> str:
    """Write the failing lines of one incident: its family decides the words, chance the values."""
    own = random.Random(family)
    noun, verb, part = own.choice(NOUNS), own.choice(VERBS), own.choice(PARTS)
    lines = [
        f"{part}.{noun}Error: worker {chance.randint(1, 99)} {verb} the {noun} of {part} f{'abcdefghij'[family % 10]}{family // 10}x"
    ]
    for depth in range(5):
        where, what = own.choice(PARTS), own.choice(NOUNS)
        lines.append(
            f'  File "{where}/{what}_{own.choice(PARTS)}.py", line {own.randint(1, 900)}, in {own.choice(VERBS).replace(" ", "_")}_{what}'
        )
        lines.append(
            f"    {what} = self.{where}_{own.choice(NOUNS)}({own.choice(NOUNS)}, retry={depth}, id={chance.getrandbits(40):x})"
        )
    lines.append(
        f"service-{service} stopped after {chance.randint(1, 900)} s, request {chance.getrandbits(64):x}"
    )
    return "\n".join(lines)


def rows(size: int) -> Iterator[tuple[int, dict[str, str]]]:
    """Give closed incidents, a fifth of them signed by a person."""
    chance = random.Random(7)
    for number in range(size):
        family, service = number % FAMILIES, number // FAMILIES % SERVICES
        at = (START + timedelta(days=chance.uniform(0, 30 * MONTHS))).isoformat()
        row = {
            "deployment_id": f"d{number}", "service": f"service-{service}", "branch": "main",
            "environment": chance.choice(("production", "staging", "test")), "occurred_at": at,
            "error": text_of(family, service, chance),
        }  # fmt: skip
        if number // FAMILIES % 5 == 0:
            row |= {
                "root_cause": f"cause {family}", "resolution": f"do what fixes {family}",
                "outcome": "resolved", "confirmed_by": f"person{number % 7}", "confirmed_at": at,
            }  # fmt: skip
        yield number + 1, row


def light(text: str) -> Signed:
    """Sign by the family alone: the memory is measured here, not the reading of logs."""
    family = text.split(" f")[1].split("\n", maxsplit=1)[0]
    id = "sig1:" + hashlib.sha256(family.encode()).hexdigest()[:24]
    return Signed(id, "unknown", "", text.split(":", maxsplit=1)[0], "", "", "", False)


def cpu(work: Callable[[], object]) -> float:
    """Give the CPU seconds of a call."""
    before = time.process_time()
    work()
    return time.process_time() - before


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Give the CPU and the wall seconds of a call; what is wall alone is the server's, or others'."""
    wall = time.perf_counter()
    return cpu(work), time.perf_counter() - wall


def plain(text: str) -> int:
    """Do the same amount of Python each time: how busy the machine is shows in how long it takes."""
    return sum(len(word.lower().replace("e", "a")) for _ in range(40) for word in text.split())


def spread(taken: list[float]) -> str:
    """Write median and 99th percentile in milliseconds."""
    ordered = sorted(taken)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"{statistics.median(ordered) * 1e3:8.1f} {last * 1e3:8.1f}"


def say(what: str, words: str) -> None:
    """Print one line of the table."""
    print(f"  {what:<44} {words}", flush=True)


def fts5(folder: Path, size: int, asked: list[str]) -> None:
    """Do the same with plain FTS5: one row a text, commits of 500."""
    link = sqlite3.connect(folder / "plain.db", isolation_level=None)
    link.execute("PRAGMA journal_mode = WAL")
    link.execute("CREATE VIRTUAL TABLE plain USING fts5(body)")
    link.execute("CREATE VIRTUAL TABLE words USING fts5vocab(plain, row)")

    def fill() -> None:
        link.execute("BEGIN")
        for number, row in rows(size):
            link.execute("INSERT INTO plain VALUES (?)", (row["error"],))
            if number % 500 == 0:
                link.execute("COMMIT")
                link.execute("BEGIN")
        link.execute("COMMIT")

    say("plain FTS5: rows a second", f"{size / cpu(fill):8.0f}")
    families = [number * 37 % FAMILIES for number in range(len(asked))]

    def ask(text: str, most: int) -> list[tuple[int]]:
        words = sorted(
            {word.lower() for word in "".join(c if c.isalnum() else " " for c in text).split()}
        )
        if most < len(words):
            often = {
                w: (link.execute("SELECT doc FROM words WHERE term = ?", (w,)).fetchone() or (0,))[
                    0
                ]
                for w in words
            }
            words = sorted((w for w in words if often[w]), key=lambda w: (often[w], w))[:most]
        query = " OR ".join(f'"{word}"' for word in words)
        return link.execute(
            "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 50", (query,)
        ).fetchall()

    for name, most in (("all words", 999), ("8 rarest", 8)):
        say(
            f"plain FTS5, {name}: p50, p99 ms",
            spread([cpu(lambda t=text, m=most: ask(t, m)) for text in asked[:30]]),
        )
        first = [ask(text, most)[0][0] - 1 for text in asked[:30]]
        right = [row % FAMILIES == family for row, family in zip(first, families, strict=False)]
        say(f"plain FTS5, {name}: near-duplicates, hit@1", f"{sum(right) / len(right):8.2f}")
    link.close()
    say("plain FTS5: MB", f"{(folder / 'plain.db').stat().st_size / 1e6:8.1f}")


def megabytes(folder: Path) -> float:
    """Give the size of all files of a folder."""
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) / 1e6


def measured(memory: Memory, size: int, asked: list[str]) -> None:
    """Fill a memory and ask it, whole calls with ranking and reasons."""
    steps: dict[str, float] = {}
    texts = [row["error"] for _, row in islice(rows(size), 500)]
    for what, work in (("reading", ingest.sign), ("screening", ingest.screen)):
        for length, some in (("long", texts), ("short", [one.split("\n")[0] for one in texts])):
            work(some[0])
            taken = cpu(lambda w=work, s=some: [w(one) for one in s]) / len(some)
            say(f"{what} one {length} error text: ms", f"{taken * 1e3:8.3f}")

    def fill() -> None:
        memory.import_incidents(rows(size), ACTOR, sign=light)

    index = memory._index.catch_up
    memory._index.catch_up = lambda bank, written=1: steps.update(
        index=cpu(lambda: index(bank, written))
    )
    wall = time.perf_counter()
    steps["all"] = cpu(fill)
    wall = time.perf_counter() - wall
    memory._index.catch_up = index
    say(
        "import: rows a second, CPU; wall",
        f"{size / (steps['all'] - steps.get('index', 0)):8.0f} {size / wall:8.0f}",
    )
    say("text index: rows a second", f"{size / max(steps.get('index', 0), 1e-9):8.0f}")
    chance = random.Random(11)
    ids = [memory.resolve(f"d{chance.randrange(size)}") for _ in range(100)]
    signatures = [memory.get(id).record.body.signature.id for id in ids]
    for what, call in (
        ("recall, an exact repeat: p50, p99 ms", [lambda i=i: memory.recall(incident=i) for i in ids]),
        ("recall, no fix known: p50, p99 ms", [lambda i=i: memory.recall(incident=i, filters=OPEN) for i in ids]),
        ("recall of a text: p50, p99 ms", [lambda t=t: memory.recall(text=t) for t in asked]),
        ("recall, filtered: p50, p99 ms", [lambda i=i: memory.recall(incident=i, filters=TEST) for i in ids]),
        ("the index alone: p50, p99 ms", [lambda t=t: alone(memory, t) for t in asked]),
        ("occurrences of a signature: p50, p99 ms", [lambda s=s: memory.occurrences(s) for s in signatures]),
        ("how common a signature is: p50, p99 ms", [lambda s=s: memory.rarity(s) for s in signatures]),
    ):  # fmt: skip
        call[0]()
        yard = [cpu(lambda: plain(asked[0])) for _ in range(20)]
        both = [timed(one) for one in call]
        words = f"{spread([one for one, _ in both])}  wall {spread([one for _, one in both])}"
        say(what, f"{words}  yardstick {statistics.median(yard) * 1e3:.2f}")
    right = 0
    for text, family in zip(asked, range(len(asked)), strict=False):
        hits = memory.recall(text=text).hits
        right += bool(hits) and hits[0].case.outcome.cause == f"cause {family * 37 % FAMILIES}"
    say("near-duplicates, hit@1", f"{right / len(asked):8.2f}")


def writes(memory: Memory, folder: Path) -> None:
    """Write incidents one by one, each durable, beside a bare loop of writing and fsync."""
    many = 200
    incidents = [
        ingest.to_incident(
            logs.read(text_of(n, n, random.Random(n)).encode(), name="log"),
            service="one-by-one", deployment=f"w{n}",
        )
        for n in range(many)
    ]  # fmt: skip
    wall = time.perf_counter()
    taken = cpu(lambda: [memory.observe(one, Actor("bench", Role.CI)) for one in incidents])
    wall = time.perf_counter() - wall
    bare = time.perf_counter()
    with (folder / "bare").open("wb") as file:
        for _ in range(many):
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
    bare = time.perf_counter() - bare
    say(
        "durable writes one by one, a second: wall; CPU", f"{many / wall:8.0f} {many / taken:8.0f}"
    )
    say("bare write and fsync, a second; times ours", f"{many / bare:8.0f} {wall / bare:8.1f}")


def imports(app: wiring.App) -> None:
    """Import as people do: signing and guards on, rows from JSON lines."""
    for what, errors in (
        ("long texts, all different", [row["error"] for _, row in islice(rows(1_000), 1_000)]),
        ("one line, 50 texts", [f"ERROR: step {n % 50} failed: no relation t{n % 50}" for n in range(10_000)]),
        ("one line, all different", [f"ERROR: {PARTS[n % 12]} refused request {n} of tenant {n * 7}" for n in range(3_000)]),
    ):  # fmt: skip
        lines = [
            json.dumps({
                "deployment_id": f"{len(errors)}-{n}", "service": f"service-{n % 20}",
                "error": error, "root_cause": f"cause {n % 50}",
                "resolution": f"fix {n % 50}", "outcome": "resolved",
                "confirmed_by": "ana", "confirmed_at": "2026-02-03T10:00:00Z",
            }).encode()
            for n, error in enumerate(errors)
        ]  # fmt: skip
        index, memory = [0.0], app.memory
        catch_up = memory._index.catch_up
        memory._index.catch_up = lambda bank, written=1, up=catch_up, held=index: held.append(
            cpu(lambda: up(bank, written))
        )
        taken = cpu(lambda some=lines: app.import_incidents(app.rows(some)))
        memory._index.catch_up = catch_up
        again = cpu(lambda some=lines: app.import_incidents(app.rows(some)))
        each = [len(lines) / one for one in (taken - sum(index), taken, again)]
        words = " ".join(f"{one:8.0f}" for one in each)
        say(f"import, {what}: rows/s, with index, again", words)


def idle(place: dict[str, str], text: str) -> float:
    """Give the main memory, in MB, of a process that recalled once and waits."""
    run = subprocess.run(
        [sys.executable, "-c", IDLE, text],
        capture_output=True, text=True, check=True, env={**place, "PATH": ""},
    )  # fmt: skip
    return int(run.stdout) / 1024


def peers(size: int, asked: list[str]) -> None:
    """Let Chroma and LanceDB do the same, in a virtual environment that is thrown away."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        install = [python, "-m", "pip", "install", "--quiet", "chromadb", "lancedb", "numpy"]
        if subprocess.run(install, check=False).returncode:
            say("Chroma, LanceDB", "could not be installed here")
            return
        texts = [row["error"] for _, row in rows(size)]
        (folder / "texts.json").write_text(json.dumps(texts), "utf-8")
        families = [number * 37 % FAMILIES for number in range(len(asked))]
        questions = {"text": asked, "family": families, "families": FAMILIES}
        (folder / "asked.json").write_text(json.dumps(questions), "utf-8")
        subprocess.run([python, Path(__file__).with_name("peers.py"), folder], check=False)


def alone(memory: Memory, text: str) -> None:
    """Ask the text index and nothing else."""
    with memory._store.reading() as view:
        memory._index.search(view, memory.bank, text, 50)


def first_call(home: str, text: str) -> float:
    """Give the CPU seconds of a fresh process's recall."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "caselore", "recall", "--json", text]
    subprocess.run(
        words,
        stdout=subprocess.DEVNULL,
        check=False,
        env={"CASELORE_DATABASE_URL": home, "PATH": "", "CASELORE_HOME": tempfile.gettempdir()}
        if "://" in home
        else {"CASELORE_HOME": home, "PATH": ""},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print one table a size."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("sizes", nargs="*", type=int, default=[10_000])
    given.add_argument("--postgres", default="", help="an empty database")
    given.add_argument("--no-fts5", action="store_true")
    given.add_argument("--peers", action="store_true", help="Chroma and LanceDB, too")
    options = given.parse_args()
    for size in options.sizes:
        chance = random.Random(13)
        asked = [text_of(n * 37 % FAMILIES, n % SERVICES, chance) for n in range(100)]
        for store in ("sqlite", *(["postgres"] if options.postgres else [])):
            with tempfile.TemporaryDirectory() as folder:
                print(f"{size:,} incidents, {store}", flush=True)
                place = options.postgres if store == "postgres" else folder
                env = {
                    "CASELORE_HOME": folder,
                    "CASELORE_DATABASE_URL": options.postgres if store == "postgres" else "",
                }
                with wiring.build(settings.load(environment=env)) as app:
                    measured(app.memory, size, asked)
                    writes(app.memory, Path(folder))
                    imports(app)
                say("main memory of an idle process, MB", f"{idle(env, asked[3][:300]):8.0f}")
                say("files: MB", f"{megabytes(Path(folder)):8.1f}")
                say(
                    "first recall of a fresh process: ms",
                    f"{statistics.median(first_call(place, asked[3][:300]) for _ in range(3)) * 1e3:8.0f}",
                )
                if store == "sqlite" and not options.no_fts5:
                    fts5(Path(folder), size, asked)
        if options.peers:
            peers(size, asked)


if __name__ == "__main__":
    main()
