"""Reads a rule file of the guards and finds the places of a text that its rules fit.

Must not scan with a backtracking engine: the text is hostile and may be long.
"""

from __future__ import annotations

import bisect
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

import re2


@dataclass(frozen=True)
class Rule:
    """One named pattern, with the literals of which a text must hold one for it to be tried.

    `hints` are found in any case, `exact` as they are; `near` is a pattern in their place.
    The pattern is compiled when a hint is first met: most rules never meet theirs.
    """

    name: str
    written: bytes
    hints: tuple[bytes, ...]
    exact: tuple[bytes, ...]
    near: bytes
    options: dict[str, Any]

    @cached_property
    def pattern(self) -> Any:
        """Compile the pattern."""
        return re2.compile(self.written, options())

    def hint(self) -> bytes:
        """Give one pattern for what must stand near."""
        folded = b"|".join(re2.escape(hint) for hint in self.hints)
        parts = [b"(?i:" + folded + b")"] if folded else []
        exact = [re2.escape(hint) for hint in self.exact]
        near = [b"(?:" + self.near + b")"] if self.near else []
        return b"|".join([*parts, *exact, *near])


@dataclass(frozen=True, slots=True)
class Found:
    """A place that a rule fits: byte offsets of the whole, and of each group that took part."""

    rule: Rule
    first: int
    last: int
    spans: tuple[tuple[int, int], ...]
    cut: bool  # the match reaches the end of its window: what follows belongs to it


def options() -> Any:
    """Give the bounds of a large pattern."""
    given = re2.Options()
    given.max_mem = 64 << 20
    given.log_errors = False
    return given


class RuleSet:
    """A file of rules, behind one pass for their literals."""

    def __init__(self, rules: tuple[Rule, ...], reach: int) -> None:
        """Build the pass over all hints; `reach` is how many bytes around one a rule may see."""
        self.rules = rules
        self.reach = reach
        self.hint = b"|".join(rule.hint() for rule in rules)
        self._hint = re2.compile(self.hint, options())
        self._which = re2.Set.SearchSet(options())
        for rule in rules:
            self._which.Add(rule.hint())
        self._which.Compile()

    @classmethod
    def load(cls, file: str, *, reach: int, flags: str = "") -> RuleSet:
        """Read a rule file of this package."""
        text = resources.files("caselore.guards").joinpath(file).read_text(encoding="utf-8")
        read = tomllib.loads(text)
        parts = read.get("parts", {})
        return cls(tuple(_rule(_whole(table, parts), flags) for table in read["rule"]), reach)

    @cached_property
    def words(self) -> frozenset[str]:
        """Give the plain words that stand in the patterns."""
        whole = " ".join(rule.options["pattern"] for rule in self.rules)
        return frozenset(_WORDS.findall(_ESCAPED.sub(" ", whole)))

    @cached_property
    def closed(self) -> tuple[tuple[str, Any], ...]:
        """Give each rule's name and its pattern for text whose blanks are lost."""
        return tuple(
            (rule.name, re2.compile(_closed(rule.options["pattern"]).encode(), options()))
            for rule in self.rules
        )

    def hints_in(self, text: bytes) -> bool:
        """Say whether a literal of any rule stands in a text."""
        return bool(self._hint.search(text))

    def find(self, text: bytes) -> Iterator[Found]:
        """Give every place that a rule fits, rule by rule within a window."""
        for first, last in self._windows(text):
            window = text[first:last]
            # A set that runs out of its memory answers nothing; a window has a hint, so try all.
            for index in sorted(self._which.Match(window) or range(len(self.rules))):
                yield from _places(self.rules[index], window, first)

    def _windows(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Give the merged stretches around hints; long ones are cut so that each is bounded."""
        open_window: tuple[int, int] | None = None
        for hit in self._hint.finditer(text):
            first = max(0, hit.start() - self.reach)
            last = min(len(text), hit.end() + self.reach)
            if (
                open_window
                and first <= open_window[1]
                and last - open_window[0] <= 16 * self.reach
            ):
                open_window = open_window[0], last
                continue
            if open_window:
                yield open_window
            open_window = first, last
        if open_window:
            yield open_window


def _whole(table: dict[str, Any], parts: dict[str, str]) -> dict[str, Any]:
    """Put the named parts into a rule's pattern; parts may hold parts that stand before them."""
    known: dict[str, str] = {}
    for name, part in parts.items():
        known[name] = _PART.sub(lambda at: known[at.group(1)], part)
    patterns = {key: table[key] for key in ("pattern", "near") if key in table}
    return table | {
        key: _PART.sub(lambda at: known[at.group(1)], text) for key, text in patterns.items()
    }


def _rule(table: dict[str, Any], flags: str) -> Rule:
    hints = [str(hint) for hint in table.get("hints", ())]
    return Rule(
        name=table["name"],
        written=(flags + table["pattern"]).encode(),
        hints=tuple(hint.encode() for hint in hints if hint == hint.lower()),
        exact=tuple(hint.encode() for hint in hints if hint != hint.lower()),
        near=(flags + table["near"]).encode() if "near" in table else b"",
        options=table,
    )


def _places(rule: Rule, window: bytes, offset: int) -> Iterator[Found]:
    groups = range(1, rule.pattern.groups + 1) if rule.pattern.groups else range(1)
    for match in rule.pattern.finditer(window):
        spans = tuple(
            (match.start(group) + offset, match.end(group) + offset)
            for group in groups
            if match.end(group) > match.start(group)
        )
        if spans:
            cut = match.end() == len(window)
            yield Found(rule, match.start() + offset, match.end() + offset, spans, cut)


class Lines:
    """Finds the line of an offset."""

    def __init__(self, text: bytes) -> None:
        """Index the newlines once."""
        self._ends = [at.start() for at in _NEWLINE.finditer(text)]

    def __call__(self, offset: int) -> int:
        """Give the 1-based line that holds this byte."""
        return bisect.bisect_left(self._ends, offset) + 1


def _closed(pattern: str) -> str:
    """Let what is written with blanks match without them."""
    for blanks, none in ((r"\s+", r"\s*"), (r"[\s,]+", r"[\s,]*"), (r"\b", "")):
        pattern = pattern.replace(blanks, none)
    return f"(?is){pattern}"


_WORDS = re.compile(r"[a-z]{2,}")
_ESCAPED = re.compile(r"\\[a-zA-Z]")
_PART = re.compile(r"<<([A-Z_]+)>>")
_NEWLINE = re2.compile(b"\n", options())
