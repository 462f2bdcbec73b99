"""Finds text that gives orders to a model: a signal that holds a write and marks an excerpt.

Must not be taken for a boundary (no text detector is one), change the text, or call a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from caselore.guards import decode, normalise
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

    The shown view is what a terminal shows; the raw view is all that the bytes say: redrawn,
    invisible, look-alike and encoded text. A finding of the first is not repeated for the second.
    """
    seen = decode.unprefixed(normalise.shown(text))
    found = {place: "shown" for place in _hits(seen)}
    for view in _raw_views(text, seen):
        for place in _hits(view):
            found.setdefault(place, "raw")
    for place in _decoded_hits(seen):
        found.setdefault(place, "raw")
    return tuple(sorted(Injection(line, rule, view) for (line, rule), view in found.items()))


def _raw_views(text: str, seen: str) -> list[str]:
    """Give the views that say more than the screen: redrawn, invisible and look-alike text."""
    views = []
    if "\x08" in text or "\x1b" in text or "\r" in text:
        bare = normalise.spoken(text)
        if bare:
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


def _decoded_hits(view: str) -> set[tuple[int, str]]:
    """Find the rules that fit what a view encodes, at the line where that starts."""
    data = view.encode("utf-8", "surrogatepass")
    hits = [(offset, rule) for offset, text in decode.decoded(data) for _, rule in _hits(text)]
    line = Lines(data) if hits else None
    return {(line(offset), rule) for offset, rule in hits} if line else set()
