"""Load the tool readers: data files that say how failures of one tool start, end and are named.

Must not judge lines itself; README.md beside this file describes the format.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

from caselore.errors import BadInput

_LISTS = (
    "start", "end", "last", "keep", "before", "needs", "unless", "after", "line", "parts",
)  # fmt: skip
_PLAIN: dict[str, Any] = {
    "why": "", "weight": 50, "family": "", "blanks": 1, "max": 200, "run": False, "bridge": 0,
    "pick": "first", "bottom": False, "body": False,
}  # fmt: skip


@dataclass(frozen=True)
class Reader:
    """How a failure of one tool looks; patterns are compiled when first needed, most never are."""

    tool: str
    why: str
    weight: int
    family: str
    start: tuple[str, ...]
    after: tuple[str, ...]
    written: Mapping[str, tuple[str, ...]]
    blanks: int
    max: int
    run: bool
    bridge: int
    pick: str
    bottom: bool
    body: bool

    @cached_property
    def starts(self) -> tuple[re.Pattern[str], ...]:
        """Lines that open a block."""
        return self._each("start")

    @cached_property
    def line(self) -> tuple[re.Pattern[str], ...]:
        """Lines to point at, in order of preference."""
        return self._each("line")

    @cached_property
    def parts(self) -> tuple[re.Pattern[str], ...]:
        """Patterns that only extract named parts."""
        return self._each("parts")

    @cached_property
    def end(self) -> re.Pattern[str] | None:
        """The first line that no longer belongs to a block."""
        return any_of(self.written["end"])

    @cached_property
    def last(self) -> re.Pattern[str] | None:
        """A line that belongs to a block and closes it."""
        return any_of(self.written["last"])

    @cached_property
    def keep(self) -> re.Pattern[str] | None:
        """Lines with which a block goes on."""
        return any_of(self.written["keep"])

    @cached_property
    def before(self) -> re.Pattern[str] | None:
        """Lines above the start that belong to a block."""
        return any_of(self.written["before"])

    @cached_property
    def needs(self) -> re.Pattern[str] | None:
        """A line without which it is no failure."""
        return any_of(self.written["needs"])

    @cached_property
    def unless(self) -> re.Pattern[str] | None:
        """A line with which it is no failure."""
        return any_of(self.written["unless"])

    def _each(self, field: str) -> tuple[re.Pattern[str], ...]:
        """Compile the patterns of a field one by one."""
        return tuple(re.compile(p) for p in self.written[field])


def check(reader: Reader) -> None:
    """Compile everything that a reader holds.

    Raises BadInput where a pattern is none.
    """
    for field, patterns in reader.written.items():
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as problem:
                raise BadInput(f"{reader.tool}, {field}: {pattern}: {problem}") from problem


def any_of(patterns: Iterable[str]) -> re.Pattern[str] | None:
    """Join patterns into one that matches where any does; None for none."""
    joined = "|".join(f"(?:{ungrouped(p)})" for p in patterns)
    return re.compile(joined) if joined else None


def ungrouped(pattern: str) -> str:
    """Turn named groups into plain ones, so that patterns can be joined."""
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


def parse(text: str, name: str) -> tuple[Reader, ...]:
    """Read the readers of one file.

    Raises BadInput where a field is unknown or missing; `check` compiles the patterns.
    """
    document = tomllib.loads(text)
    return tuple(_reader(row, document["tool"], name) for row in document.get("reader", ()))


def _reader(row: Mapping[str, Any], tool: str, name: str) -> Reader:
    """Check the fields of one reader."""
    unknown = set(row) - set(_LISTS) - set(_PLAIN) - {"tool"}
    if unknown or not row.get("start"):
        raise BadInput(f"{name}: a reader has unknown fields {sorted(unknown)} or no start")
    written = {key: _list(row.get(key, [])) for key in _LISTS}
    plain = {key: row.get(key, default) for key, default in _PLAIN.items()}
    named = {"tool": row.get("tool", tool), "why": plain.pop("why") or f"{tool} failure"}
    return Reader(
        start=written["start"], after=written["after"], written=written, **named, **plain
    )


def _list(value: str | list[str]) -> tuple[str, ...]:
    """Take one pattern or a list of them."""
    return (value,) if isinstance(value, str) else tuple(value)


@cache
def readers() -> tuple[Reader, ...]:
    """Load every reader of this folder, in order of file name."""
    folder = resources.files(__name__)
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return tuple(r for f in files for r in parse(f.read_text(encoding="utf-8"), f.name))
