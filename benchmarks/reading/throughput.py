"""How fast logs are read, beside grep (and ripgrep where it is installed) in the same run.

usage: python benchmarks/reading/throughput.py [--megabytes 100] [--runs 5] [--json]

Writes its logs into a temporary folder. Each row is the best of the runs; the ratio is to `grep -c ''` on the same file.
Must not read any log that is not made here.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from caselore.logs import engine, read
from caselore.logs.scan import anchors

WORDS = [
    "compile",
    "link",
    "cache",
    "fetch",
    "resolve",
    "package",
    "module",
    "target",
    "layer",
    "suite",
    "case",
    "queue",
    "worker",
]
FAILURE = """=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1, 2]) == 4
E       assert 3 == 4

tests/test_total.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_total.py::test_total - assert 3 == 4
##[error]Process completed with exit code 1.
"""


def plain(rng: random.Random, i: int) -> str:
    return f"2026-11-30T12:{i // 60 % 60:02d}:{i % 60:02d}.123Z {' '.join(rng.choices(WORDS, k=9))} {i}"


def coloured(rng: random.Random, i: int) -> str:
    if i % 7 == 0:
        return "\r".join(f"\x1b[2K{p:3d}% [{'=' * (p // 5):20s}]" for p in range(0, 101, 20))
    return f"\x1b[32m[{i % 100:3d}%]\x1b[0m Building \x1b[1m{rng.choice(WORDS)}{i}.o\x1b[0m"


def noisy(rng: random.Random, i: int) -> str:
    if i % 5 == 0:
        return f"WARN  {rng.choice(WORDS)}: connection timed out, error ignored, attempt {i}"
    return plain(rng, i)


def write(path: Path, line: Callable[[random.Random, int], str], size: int) -> Path:
    """Write a log of about `size` bytes that ends in a failing test; its block of lines is repeated."""
    rng = random.Random(7)
    block = "".join(line(rng, i) + "\n" for i in range(20_000)).encode()
    with path.open("wb") as out:
        while out.tell() + len(block) < size:
            out.write(block)
        out.write(FAILURE.encode())
    return path


def one_line(path: Path, size: int) -> Path:
    with path.open("wb") as out:
        while out.tell() < size:
            out.write(b"word " * 100_000)
        out.write(b" fatal: no space left on device")
    return path


def best(runs: int, work: Callable[[], object]) -> float:
    took = []
    for _ in range(runs):
        before = time.perf_counter()
        work()
        took.append(time.perf_counter() - before)
    return min(took)


def command(*words: str) -> Callable[[], object]:
    return lambda: subprocess.run(words, stdout=subprocess.PIPE, check=False)


def whole(path: Path) -> Callable[[], object]:
    def work() -> object:
        with path.open("rb") as stream:
            return read(stream, name=path.name)

    return work


def rows(folder: Path, megabytes: int, runs: int) -> Iterator[dict[str, object]]:
    size = megabytes * 1_000_000
    logs = {
        "large, plain": write(folder / "plain.log", plain, size),
        "large, colours and progress bars": write(folder / "coloured.log", coloured, size),
        "large, many warnings": write(folder / "noisy.log", noisy, size),
        "one line": one_line(folder / "line.log", size // 2),
    }
    (folder / "patterns").write_text("\n".join(anchors()[0]))
    for name, path in logs.items():
        count = path.stat().st_size / 1e6
        grep = best(runs, command("grep", "-c", "", str(path)))
        ours = best(runs, whole(path))
        row: dict[str, object] = {
            "log": name,
            "grep_mb_s": round(count / grep),
            "caselore_mb_s": round(count / ours),
            "ratio": round(grep / ours, 2),
        }
        if shutil.which("rg"):
            rg = best(1, command("rg", "-c", "-f", str(folder / "patterns"), str(path)))
            row["ripgrep_same_patterns_mb_s"] = round(count / rg)
        yield row


def small(folder: Path, runs: int) -> dict[str, object]:
    """Read a thousand small logs in one process."""
    data = write(folder / "small.log", noisy, 30_000).read_bytes()
    rng = random.Random(3)
    body = "".join(noisy(rng, i) + "\n" for i in range(300))
    logs = [body.encode() + data] * 1000
    took = best(min(runs, 2), lambda: [read(log, name="small") for log in logs])
    return {"logs": len(logs), "bytes_each": len(logs[0]), "logs_per_s": round(len(logs) / took)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engine.use_cache(folder / "cache")
        base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        table = list(rows(folder, given.megabytes, given.runs))
        extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) / 1024
        found = {
            "large": table,
            "extra_memory_mb": round(extra, 1),
            "small": small(folder, given.runs),
        }
    if given.json:
        print(json.dumps(found))
        return
    for row in table:
        print("  ".join(f"{key} {value}" for key, value in row.items()))
    print(f"extra memory {found['extra_memory_mb']} MB; small logs: {found['small']}")


if __name__ == "__main__":
    main()
