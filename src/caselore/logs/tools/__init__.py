"""Load the tool readers: data files that say how failures of one tool start, end and are named.

Must not judge lines itself; README.md beside this file describes the format.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from caselore.errors import BadInput

_LISTS = ("start", "end", "last", "keep", "before", "needs", "unless", "after", "line", "parts")
_JOINED = ("end", "last", "keep", "before", "needs", "unless")
_PLAIN: dict[str, Any] = {
    "why": "", "weight": 50, "family": "", "blanks": 1, "max": 200, "run": False, "bridge": 0,
    "pick": "first", "bottom": False, "body": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reader:
    """How a failure of one tool looks."""

    tool: str
    why: str
    weight: int
    family: str
    start: tuple[str, ...]
    starts: tuple[re.Pattern[str], ...]
    end: re.Pattern[str] | None
    last: re.Pattern[str] | None
    keep: re.Pattern[str] | None
    before: re.Pattern[str] | None
    needs: re.Pattern[str] | None
    unless: re.Pattern[str] | None
    after: tuple[str, ...]
    line: tuple[re.Pattern[str], ...]
    parts: tuple[re.Pattern[str], ...]
    blanks: int
    max: int
    run: bool
    bridge: int
    pick: str
    bottom: bool
    body: bool


def any_of(patterns: Iterable[str]) -> re.Pattern[str] | None:
    """Join patterns into one that matches where any does; None for none."""
    joined = "|".join(f"(?:{ungrouped(p)})" for p in patterns)
    return re.compile(joined) if joined else None


def ungrouped(pattern: str) -> str:
    """Turn named groups into plain ones, so that patterns can be joined."""
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


def parse(text: str, name: str) -> tuple[Reader, ...]:
    """Read the readers of one file.

    Raises BadInput where a field is unknown, missing or no valid pattern.
    """
    document = tomllib.loads(text)
    return tuple(_reader(row, document["tool"], name) for row in document.get("reader", ()))


def _reader(row: Mapping[str, Any], tool: str, name: str) -> Reader:
    """Check and compile one reader."""
    unknown = set(row) - set(_LISTS) - set(_PLAIN) - {"tool"}
    if unknown or not row.get("start"):
        raise BadInput(f"{name}: a reader has unknown fields {sorted(unknown)} or no start")
    listed = {key: _list(row.get(key, [])) for key in _LISTS}
    plain = {key: row.get(key, default) for key, default in _PLAIN.items()}
    plain["why"] = plain["why"] or f"{tool} failure"
    try:
        compiled: dict[str, Any] = {key: any_of(listed[key]) for key in _JOINED}
        compiled |= {key: tuple(re.compile(p) for p in listed[key]) for key in ("line", "parts")}
        starts = tuple(re.compile(p) for p in listed["start"])
        fixed = {"tool": row.get("tool", tool), "start": listed["start"], "after": listed["after"]}
        return Reader(starts=starts, **fixed, **compiled, **plain)
    except re.error as problem:
        raise BadInput(f"{name}: {problem}") from problem


def _list(value: str | list[str]) -> tuple[str, ...]:
    """Take one pattern or a list of them."""
    return (value,) if isinstance(value, str) else tuple(value)


@cache
def readers() -> tuple[Reader, ...]:
    """Load every reader of this folder, in order of file name."""
    folder = resources.files(__name__)
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return tuple(r for f in files for r in parse(f.read_text(encoding="utf-8"), f.name))
