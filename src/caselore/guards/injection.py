"""Finds text that gives orders to a model: a signal that holds a write and marks an excerpt.

Must not be taken for a boundary (no text detector is one), change the text, or call a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from caselore.guards import normalise
from caselore.guards.rules import Lines, RuleSet

REACH = 400  # bytes of context around a literal that a rule may see


@dataclass(frozen=True, slots=True, order=True)
class Injection:
    """One finding: the line, the rule, and whether a screen shows it or only the bytes hold it."""

    line: int
    rule: str
    view: str


@cache
def _rules() -> RuleSet:
    return RuleSet.load("injection.toml", reach=REACH, flags="(?is)")


def scan(text: str) -> tuple[Injection, ...]:
    """Find orders to a model in both views of a text, in order of lines.

    A finding of the shown view is not repeated for the raw one.
    """
    seen = normalise.shown(text)
    found = {(line, rule): "shown" for line, rule in _hits(seen)}
    for view in _raw_views(text, seen):
        for line, rule in _hits(view):
            found.setdefault((line, rule), "raw")
    return tuple(sorted(Injection(line, rule, view) for (line, rule), view in found.items()))


def _raw_views(text: str, seen: str) -> list[str]:
    """Give the views that say more than the screen: redrawn, invisible and look-alike text."""
    views = []
    if "\r" in text or "\x08" in text or "\x1b" in text:
        bare = normalise.plain(text).replace("\r", " ")
        if bare != seen:
            views.append(bare)
    if not text.isascii():
        revealed = normalise.skeleton(normalise.revealed(seen))
        if revealed != seen:
            views.append(revealed)
    return views


def _hits(view: str) -> set[tuple[int, str]]:
    """Find the rules that fit one view, with their lines."""
    data = view.encode("utf-8", "surrogatepass")
    found = list(_rules().find(data))
    if not found:
        return set()
    line = Lines(data)
    return {(line(place.first), place.rule.name) for place in found}
