"""How fast logs are read, beside `grep -c ''` (and ripgrep with the same patterns) in the same run.

usage: python benchmarks/reading/run.py [--megabytes 100] [--runs 7] [--logs 1000] [--json]

Writes its logs into a temporary folder. Each run times grep and then caselore on the same file; a ratio is grep's time over
caselore's in that run, and what is shown is the median over the runs, by the clock and by CPU (all threads and children).
Must not read any log that is not made here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from caselore.logs import engine, read
from caselore.logs.scan import anchors

WORDS = ["compile", "link", "cache", "fetch", "resolve", "package", "module", "target", "layer", "suite", "queue"]  # fmt: skip
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
LINES_REPEATED = 20_000
SMALL = {
    "25 kB, a warning in five lines": 320,
    "225 kB, a warning in five lines": 2800,
}  # name -> lines

Line = Callable[[random.Random, int], str]
Row = dict[str, object]


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


def text(line: Line, seed: int, lines: int) -> bytes:
    rng = random.Random(seed)
    return "".join(line(rng, i) + "\n" for i in range(lines)).encode()


def write(path: Path, line: Line, size: int) -> Path:
    """Write a log of about `size` bytes that ends in a failing test; its block of lines is repeated."""
    block = text(line, 7, LINES_REPEATED)
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


@dataclass(frozen=True)
class Took:
    """Seconds by the clock, and of CPU with all threads and children."""

    wall: float
    cpu: float


def cpu_now() -> float:
    each = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in each)


def timed(work: Callable[[], object]) -> Took:
    wall, cpu = time.perf_counter(), cpu_now()
    work()
    return Took(time.perf_counter() - wall, cpu_now() - cpu)


def command(*words: str | Path, home: Path | None = None) -> Callable[[], object]:
    """Run a program that answers 0 or 1; its output is read, as grep stops early where nobody looks."""
    environment = {**os.environ, "CASELORE_HOME": str(home)} if home else None

    def work() -> object:
        ended = subprocess.run(words, capture_output=True, check=False, env=environment)
        if ended.returncode > 1:
            raise SystemExit(f"{words[0]}: {ended.stderr[-300:].decode()}")
        return ended

    return work


def whole(path: Path) -> Callable[[], object]:
    def work() -> object:
        with path.open("rb") as stream:
            return read(stream, name=path.name)

    return work


def compared(path: Path, runs: int) -> Row:
    """Time grep and caselore in turns."""
    whole(path)()
    pairs = [(timed(command("grep", "-c", "", path)), timed(whole(path))) for _ in range(runs)]
    size = path.stat().st_size / 1e6
    return {
        "grep_mb_s": round(size / statistics.median(grep.wall for grep, _ in pairs)),
        "caselore_mb_s": round(size / statistics.median(ours.wall for _, ours in pairs)),
        "caselore_mb_per_cpu_s": round(size / statistics.median(ours.cpu for _, ours in pairs)),
        "ratio": round(statistics.median(grep.wall / ours.wall for grep, ours in pairs), 2),
        "cpu_ratio": round(statistics.median(grep.cpu / ours.cpu for grep, ours in pairs), 2),
    }


def large(folder: Path, megabytes: int, runs: int) -> Iterator[Row]:
    size = megabytes * 1_000_000
    logs = {
        "large, plain": write(folder / "plain.log", plain, size),
        "large, colours and progress bars": write(folder / "coloured.log", coloured, size),
        "large, many warnings": write(folder / "noisy.log", noisy, size),
        "one line": one_line(folder / "line.log", size // 2),
    }
    patterns = folder / "patterns"
    patterns.write_text("\n".join(engine.one_line(pattern) for pattern in anchors()[0]))
    for name, path in logs.items():
        row: Row = {"log": name, "mb": round(path.stat().st_size / 1e6), **compared(path, runs)}
        if shutil.which("rg"):
            rg = timed(command("rg", "-j1", "-a", "-c", "-f", patterns, path))
            row["ripgrep_same_patterns_mb_s"] = round(path.stat().st_size / 1e6 / rg.wall)
        yield row
        path.unlink()


def small(folder: Path, name: str, lines: int, logs: int, runs: int) -> Row:
    """Read many different small logs, in this process and by one command; caches of text do not help."""
    bodies = [text(noisy, seed, lines) + FAILURE.encode() for seed in range(logs)]
    took = [
        timed(lambda: [read(body, name="small") for body in bodies]) for _ in range(min(runs, 3))
    ]
    cpu = statistics.median(one.cpu for one in took)
    files = [folder / f"{i}.log" for i in range(logs)]
    for file, body in zip(files, bodies, strict=True):
        file.write_bytes(body)
    caselore = (sys.executable, "-m", "caselore", "read", "--json")
    home = folder / "home"
    home.mkdir()
    whole_command = timed(command(*caselore, *files, home=home))  # compiles its patterns, too
    shutil.rmtree(home)
    for file in files:
        file.unlink()
    return {
        "log": name,
        "bytes_each": len(bodies[0]),
        "logs_per_cpu_s": round(logs / cpu),
        "logs_per_s": round(logs / statistics.median(one.wall for one in took)),
        "one_command_logs_per_cpu_s": round(logs / whole_command.cpu),
    }


def first(folder: Path, runs: int) -> Row:
    """Time a whole command that reads one small log, beside one that only shows its help."""
    file = folder / "first.log"
    file.write_bytes(text(noisy, 1, 300) + FAILURE.encode())
    caselore = (sys.executable, "-m", "caselore")
    commands = {
        "read_cpu_s": (*caselore, "read", "--json", file),
        "help_cpu_s": (*caselore, "--help"),
        "bare_python_cpu_s": (sys.executable, "-c", "pass"),
    }
    return {
        name: round(
            statistics.median(timed(command(*words, home=folder)).cpu for _ in range(runs)), 3
        )
        for name, words in commands.items()
    }


def extra_memory(folder: Path, megabytes: int) -> Row:
    """Read a log twice as large in a process of its own that has read a small one before."""
    path = write(folder / "memory.log", coloured, 2 * megabytes * 1_000_000)
    words = (sys.executable, __file__, "--memory-of", str(path))
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    path.unlink()
    return {"log_mb": 2 * megabytes, "extra_mb": float(ended.stdout)}


def memory_of(path: Path) -> float:
    read(FAILURE.encode(), name="small")
    before = peak_kb()
    whole(path)()
    return round((peak_kb() - before) / 1024, 1)


def peak_kb() -> int:
    """Give the most memory that this program had; what getrusage says, a parent hands on."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    lines = status.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--logs", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--memory-of", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory_of:
        print(memory_of(given.memory_of))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engine.use_cache(folder / "cache")
        found = {
            "large": list(large(folder, given.megabytes, given.runs)),
            "small": [
                small(folder, kind, lines, given.logs, given.runs) for kind, lines in SMALL.items()
            ],
            "first": first(folder, given.runs),
            "memory": extra_memory(folder, given.megabytes),
        }
    if given.json:
        print(json.dumps(found))
        return
    for row in [*found["large"], *found["small"], found["first"], found["memory"]]:
        print("  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
