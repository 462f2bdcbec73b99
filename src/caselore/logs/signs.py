"""Find which signs and which reader starts each line of a page carries, in one pass of the engine.

Must not weigh them: that is ranking's work.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Final

from caselore.logs.engine import Engine
from caselore.logs.page import Page
from caselore.logs.tools import Reader, readers

TALK: Final = 8  # lines of a program's own log that make it one


Meaning = tuple[frozenset[str], tuple[int, ...], tuple[int, ...]]
"""The signs of a line, the readers that it opens, and the readers whose `after` it is."""


@dataclass(frozen=True, slots=True)
class Book:
    """Every pattern that is looked for, and what each stands for."""

    readers: tuple[Reader, ...]
    engine: Engine
    sign: tuple[str, ...]  # pattern number -> its sign, "" for a pattern of a reader
    opens: tuple[int, ...]  # pattern number -> the reader that it opens, or -1
    allows: tuple[int, ...]  # pattern number -> the reader whose `after` it is, or -1


@dataclass(frozen=True, slots=True)
class Marked:
    """What stands where in a page."""

    signs: dict[int, frozenset[str]]
    opens: dict[int, tuple[int, ...]]  # line -> readers that may start there
    allows: dict[int, list[int]]  # reader -> lines of its `after`
    talks: bool = False  # a program printed its own log here
    places: dict[str, list[int]] = field(default_factory=dict)  # sign -> lines, when first asked
    weights: dict[int, float] = field(default_factory=dict)  # what shapes found out per line

    def has(self, line: int, *names: str) -> bool:
        """Say whether a line carries any of these signs."""
        found = self.signs.get(line)
        return found is not None and not found.isdisjoint(names)

    def lines(self, *names: str) -> list[int]:
        """List the lines that carry any of these signs, in order."""
        if not self.places:
            for i in sorted(self.signs):
                for name in self.signs[i]:
                    self.places.setdefault(name, []).append(i)
        found = [self.places[name] for name in names if name in self.places]
        if len(found) < 2:
            return list(found[0]) if found else []
        return sorted(set().union(*found))


@cache
def table() -> dict[str, list[str]]:
    """Load signs.toml."""
    text = resources.files("caselore.logs").joinpath("signs.toml").read_text(encoding="utf-8")
    loaded: dict[str, list[str]] = tomllib.loads(text)
    return loaded


@cache
def book(tools: bool = True, without: frozenset[str] = frozenset(), kind: str = "") -> Book:
    """Compile the book; `tools=False` or `without` leave readers out, to measure them."""
    chosen = tuple(r for r in readers() if tools and r.tool not in without)
    rows: list[tuple[str, str, int, int]] = []
    rows += [(pattern, sign, -1, -1) for sign, patterns in table().items() for pattern in patterns]
    for number, reader in enumerate(chosen):
        rows += [(pattern, "", number, -1) for pattern in reader.start]
        rows += [(pattern, "", -1, number) for pattern in reader.after]
    engine = Engine([row[0] for row in rows], "lines", kind)
    return Book(
        chosen,
        engine,
        tuple(row[1] for row in rows),
        tuple(row[2] for row in rows),
        tuple(row[3] for row in rows),
    )


def mark(page: Page, using: Book) -> Marked:
    """Run the engine over a page."""
    signs: dict[int, frozenset[str]] = {}
    opens: dict[int, tuple[int, ...]] = {}
    allows: dict[int, list[int]] = {}
    met: dict[frozenset[int], Meaning] = {}  # most lines of a log match what others match
    for line, numbers in using.engine.lines(page.data, page.starts).items():
        key = frozenset(numbers)
        meaning = met.get(key)
        if meaning is None:
            meaning = met[key] = _meaning(using, key)
        found, begun, after = meaning
        if found:
            signs[line] = found
        if begun:
            opens[line] = begun
        for reader in after:
            allows.setdefault(reader, []).append(line)
    talk = sum(1 for found in signs.values() if "talk" in found)
    return Marked(signs, opens, {k: sorted(v) for k, v in allows.items()}, talk >= TALK)


def _meaning(using: Book, numbers: frozenset[int]) -> Meaning:
    """Say what a line carries that these patterns match."""
    begun = {using.opens[n] for n in numbers if using.opens[n] >= 0}
    return (
        frozenset(using.sign[n] for n in numbers) - {""},
        tuple(sorted(begun)),
        tuple(using.allows[n] for n in numbers if using.allows[n] >= 0),
    )


def first_after(lines: Sequence[int], line: int) -> bool:
    """Say whether any of these sorted lines stands above `line`."""
    return bool(lines) and lines[0] < line
