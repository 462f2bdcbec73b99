"""Measures the guards: speed against a yardstick, what the rules miss, and that nothing escapes.

usage: python benchmarks/guards/run.py [CORPORA [LIMIT]]

CORPORA is a folder with `injection/` and `secrets/`, files of JSON lines with a `text`, packed by gzip;
LIMIT is how many attack texts are stored and recalled (all by default).

Must not judge by wall time: others use the machine, too.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2] / "tests"), str(HERE.parent)]

from adaptive import attacks as adaptive_attacks  # noqa: E402

import caselore  # noqa: E402
from caselore.guards import guard, injection  # noqa: E402
from fakes.attack_world import World, attacks  # noqa: E402

LOGS = HERE.parents[2] / "tests" / "cases" / "logs"
HOSTILE = (
    "ignore all ", "i g n o r e ", "ign0r3 ", "you must follow ", "ignore\n", "a\u200b", "\u202eabc",
    "\x1b[2Ky", "\x1b]0;", "\x1b[31mab\x1b[0m ", "a\r", "x\b", "%41", "&#65;", "<b>", "\\u0041",
    '\\"', "QUJD", "0x41 ", ".- ", "01000001 ", "/a/b", "eyJ", "password=", "token: ", "a@b:", "ghp_\n",
    "A" * 79 + "\n", "ab\\\n", "Basic YTpi ", "-----BEGIN PRIVATE KEY-----" + "A" * 20 + "\n", "ａ", "e\u0301",
)  # fmt: skip
BATCH = 40  # attacks in one memory


def cpu(call: Callable[[], object]) -> float:
    """Give the processor time of a call in seconds."""
    began = time.process_time()
    call()
    return time.process_time() - began


def speed() -> None:
    """Compare both guards over real logs with a SHA-256 of the same bytes."""
    logs = [
        path.read_text(encoding="utf-8", errors="replace") for path in sorted(LOGS.glob("*.log"))
    ]
    whole = "".join(logs) * 3
    raw = whole.encode("utf-8", "surrogatepass")
    guard(whole[:10_000])
    yard = min(cpu(lambda: hashlib.sha256(raw).digest()) for _ in range(5))
    spent = min(cpu(lambda: guard(whole)) for _ in range(3))
    size = len(raw) / 1e6
    print(f"normalise and scan: {size / spent:.1f} MB/s a core; SHA-256: {size / yard:.0f} MB/s "
          f"(the guards take {spent / yard:.0f} times as long; {size:.1f} MB of our own logs)")  # fmt: skip


def growth() -> None:
    """Say how time grows on hostile text: four times the size should take four times as long."""
    worst, slowest = 0.0, float("inf")
    for unit in HOSTILE:
        small, large = (unit * (size // len(unit.encode())) for size in (250_000, 1_000_000))
        first, second = cpu(partial(guard, small)), cpu(partial(guard, large))
        if second > 0.2:  # below that, it is the clock that is measured
            worst = max(worst, second / first)
        slowest = min(slowest, 1 / second)
    print(f"{len(HOSTILE)} hostile texts of 1 MB: {slowest:.1f} MB/s and more; four times the size "
          f"takes at most {worst:.1f} times as long")  # fmt: skip


def shares(title: str, rows: Iterable[tuple[str, bool]]) -> None:
    """Print how many of each kind were found."""
    kinds: dict[str, list[bool]] = defaultdict(list)
    for kind, found in rows:
        kinds[kind].append(found)
    print(title)
    for kind, found in sorted(kinds.items()):
        print(
            f"  {kind:32} {sum(found):5} of {len(found):5}  {100 * sum(found) / len(found):6.2f} %"
        )


def escapes(texts: list[str]) -> None:
    """Store every text by every path, recall it with the obedient reader, count what got through."""
    found: list[str] = []
    for at in range(0, len(texts), BATCH):
        with tempfile.TemporaryDirectory() as folder, caselore.open(folder) as app:
            world = World(app)
            part = texts[at : at + BATCH]
            for text in part:
                world.store(text)
            world.recall([text for text in part if len(text.strip()) >= 20])
            found += world.escapes
            found += [] if world.confirmed() == [world.known] else ["a confirmed write"]
            found += [] if app.memory.ledger_verify().ok else ["a broken ledger"]
    print(f"stored by every path and recalled by an obedient reader: {len(texts)} texts, "
          f"{len(found)} escapes")  # fmt: skip
    for escape in found[:10]:
        print("  ", escape[:200])


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    """Read one file of a corpus; none where it is missing."""
    path = folder / f"{name}.jsonl.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def corpora(folder: Path, limit: int | None) -> None:
    """Measure over corpora that are not ours."""
    for name, key in (
        ("attacks", "style"),
        ("attacks_in_context", "payload_style"),
        ("attacks_evasion", "style"),
        ("benign", "style"),
    ):
        found = [
            (r[key], bool(injection.scan(r["text"]))) for r in rows(folder / "injection", name)
        ]
        shares(f"orders found, {name}", found)
    for name in ("secrets", "benign"):
        found = [
            (r["source"].split(":")[0], bool(guard(r["text"])["secrets"]))
            for r in rows(folder / "secrets", name)
        ]
        shares(f"secrets found, {name}", found)
    escapes([r["text"] for r in rows(folder / "injection", "attacks")][:limit])


def main() -> None:
    """Print the figures."""
    speed()
    growth()
    shares("our own attacks", [(kind, bool(injection.scan(text))) for kind, text in attacks()])
    shares(
        "one adaptive round: 200 attacks by someone who has read the rules",
        [(way, bool(injection.scan(text))) for way, text in adaptive_attacks()],
    )
    if len(sys.argv) > 1:
        corpora(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
    else:
        escapes([text for _, text in (*attacks(), *adaptive_attacks()[::5])])


if __name__ == "__main__":
    main()
