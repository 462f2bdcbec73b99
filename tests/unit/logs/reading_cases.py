"""The table of reading cases: logs, what is right about each, and what the reader answers.

Must not judge a log itself: what is right stands in tests/cases/logs/expected.json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from caselore.logs import Reading, read
from caselore.logs.page import Segment, build
from caselore.logs.reader import judge
from caselore.logs.signs import book

LOGS = Path(__file__).resolve().parents[2] / "cases" / "logs"
KNOWN_WRONG = LOGS / "known_wrong.json"
ASPECTS = ("line", "must", "tool", "family")
BUDGET = 40


@dataclass(frozen=True)
class Case:
    """One log and what is right about it."""

    file: str
    tools: tuple[str, ...]
    families: tuple[str, ...]
    failing_lines: tuple[int, ...]
    must_show: tuple[tuple[int, int], ...]
    origin: str
    passing: bool

    @property
    def name(self) -> str:
        return self.file.removesuffix(".log")

    @property
    def data(self) -> bytes:
        return (LOGS / self.file).read_bytes()


@cache
def cases() -> tuple[Case, ...]:
    """Every case of the table."""
    rows = json.loads((LOGS / "expected.json").read_text(encoding="utf-8"))
    return tuple(
        Case(
            row["file"],
            tuple(row["tool"].split("|")),
            tuple(row["family"].split("|")),
            tuple(row["failing_lines"]),
            tuple((first, last) for first, last in row["must_show"]),
            row["origin"],
            row["passing"],
        )
        for row in rows
    )


def failing() -> tuple[Case, ...]:
    return tuple(c for c in cases() if not c.passing)


def passing() -> tuple[Case, ...]:
    return tuple(c for c in cases() if c.passing)


def known_wrong() -> dict[str, Any]:
    """What is not right yet, by `name/aspect`, with the answer that is given instead."""
    table: dict[str, Any] = json.loads(KNOWN_WRONG.read_text(encoding="utf-8"))
    return table


def shown(reading: Reading) -> frozenset[int]:
    """The first lines of the excerpt, up to the budget."""
    lines: list[int] = []
    for part in reading.excerpt:
        lines += [n for n in range(part.first, part.last + 1) if n not in lines]
    return frozenset(lines[:BUDGET])


@cache
def reading_of(case: Case) -> Reading:
    return read(case.data, name=case.file, budget=BUDGET)


def answer(case: Case, aspect: str) -> tuple[Any, bool]:
    """What the reader says about one aspect, and whether it is right."""
    reading = reading_of(case)
    if aspect == "line":
        return reading.failing_line, reading.failing_line in case.failing_lines
    if aspect == "tool":
        return reading.signature.tool, reading.signature.tool in case.tools
    if aspect == "family":
        return reading.signature.family, reading.signature.family in case.families
    seen = shown(reading)
    missing = [
        list(span) for span in case.must_show if not seen.issuperset(range(span[0], span[1] + 1))
    ]
    return missing, not missing


def fired(case: Case) -> list[str]:
    """The tool readers that call something in a log a failure."""
    judged = judge(build([Segment(1, case.data)]), None, book())
    return sorted({f"{r.block.tool}: {r.block.why}" for r in judged.ranked if r.block.tool})


# The same log as another run, another runner or another file system would have written it.

_OF_THE_RUNNER = ("section_", "travis_", "_bk;t=", "##[", "\r")
# Two digits or more that stand alone; an HTTP status or the version of a format is a word, not a number.
_NUMBER = re.compile(
    r"(?<![\w.\[;:/#-])(?<!version )(?<!ERROR )(?<!\()(?![45]\d\d\b)\d{2,}(?![\w.;:\]%-])"
)


def _lines(change: Callable[[str], str], data: bytes) -> bytes:
    return "\n".join(change(line) for line in data.decode("utf-8", "replace").split("\n")).encode()


def _coloured(line: str) -> str:
    plain = not line or any(token in line for token in _OF_THE_RUNNER)
    return line if plain else f"\x1b[33m{line}\x1b[0m"


def _turned(match: re.Match[str]) -> str:
    return "".join(str(int(d) % 9 + 1) if d != "0" else "0" for d in match[0])


VARIANTS: dict[str, Callable[[bytes], bytes]] = {
    "CRLF line ends": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "colours added": lambda data: _lines(_coloured, data),
    "time stamps added": lambda data: _lines(
        lambda line: f"2026-04-01T10:00:00.000Z {line}", data
    ),
    "other numbers": lambda data: _lines(lambda line: _NUMBER.sub(_turned, line), data),
    "other folders": lambda data: data.replace(b"/builds/shop/pay", b"/home/runner/jobs/pay/pay"),
}


def pin() -> dict[str, Any]:
    """Everything that is wrong now, in the form of the known-wrong table."""
    wrong: dict[str, Any] = {}
    for case in failing():
        for aspect in ASPECTS:
            said, right = answer(case, aspect)
            if not right:
                wrong[f"{case.name}/{aspect}"] = said
        for variant, change in VARIANTS.items():
            if _signed(change(case.data), case.file) != reading_of(case).signature.id:
                wrong[f"{case.name}/{variant}"] = "another signature"
        wrong |= {f"{case.name}/{kind}": "elsewhere" for kind in _misled(case)}
    for case in passing():
        if found := fired(case):
            wrong[f"{case.name}/passing"] = found
    return wrong


def _misled(case: Case) -> list[str]:
    from longer_jobs import LONGER

    return [kind for kind, make in LONGER.items() if not stands(case, make(case))]


def stands(case: Case, longer: tuple[bytes, int] | None) -> bool:
    """Whether the same failing line and signature are found in a longer job."""
    if longer is None:
        return True
    short, there = reading_of(case), read(longer[0], name=case.file)
    if short.failing_line is None:
        return True  # nothing was found that could be found again
    moved = short.failing_line + longer[1]
    return (moved, short.signature.id) == (there.failing_line, there.signature.id)


def _signed(data: bytes, name: str) -> str:
    return read(data, name=name).signature.id


if __name__ == "__main__":
    table = pin()
    rows = ",\n".join(
        f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in sorted(table.items())
    )
    KNOWN_WRONG.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    print(f"{len(table)} known wrong answers")
