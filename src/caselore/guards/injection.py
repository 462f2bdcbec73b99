"""Finds text that gives orders to a model: a signal that holds a write and marks an excerpt.

Must not be taken for a boundary (no text detector is one), change the text, or call a model.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from caselore.guards import disguise, mentions, quiet
from caselore.guards.browsing import browsed
from caselore.guards.decode import Decoded
from caselore.guards.rules import Lines, RuleSet
from caselore.guards.views import Views

REACH = 400  # bytes of context around a literal that a rule may see

_LEAD = re.compile(rb"[\s.!?:;,>\"'(\[{#*|]*")  # what an order starts behind

Place = tuple[int, str]
"""A line and the rule that fits there."""


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
    """Find orders to a model in all views of a text, in order of lines."""
    if quiet.gives_no_order(text, _rules()):
        return ()
    return scan_views(Views(text))


def scan_views(views: Views) -> tuple[Injection, ...]:
    """Find orders in views that another guard may share.

    A finding is `shown` where a screen or a browser shows it, and `raw` where only the bytes hold
    it: redrawn, concealed, invisible, look-alike, disguised or encoded text, comments, attributes
    and hidden parts of HTML.
    """
    said = _hits(views.unstamped)
    on_screen = _hits(views.screen)
    hidden = _Hidden(views)
    seen = _seen(views.screen, on_screen)
    found = {place: "shown" if place in seen else "raw" for place in on_screen}
    seen = _seen(views.unstamped, said)
    for place in said:
        found.setdefault(place, "shown" if place in seen and place[0] not in hidden else "raw")
    for place in (*_hits(views.bare), *_hits(views.pieced), *_decoded_hits(views)):
        found.setdefault(place, "raw")
    return tuple(sorted(Injection(line, rule, view) for (line, rule), view in found.items()))


def _seen(data: bytes, places: set[Place]) -> set[Place]:
    """Give those of the places that a browser would show, too."""
    page = browsed(data) if places else data
    return places if page == data else _hits(page)


class _Hidden:
    """The lines on which a screen shows something else than the bytes say."""

    def __init__(self, views: Views) -> None:
        """Count the lines of the special spans."""
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        line, at = 1, 0
        for first, last in views.special:
            line += views.raw.count(b"\n", at, first)
            self._firsts.append(line)
            line += views.raw.count(b"\n", first, last)
            self._lasts.append(line)
            at = last

    def __contains__(self, line: int) -> bool:
        at = bisect.bisect_right(self._firsts, line) - 1
        return at >= 0 and line <= self._lasts[at]


def _hits(data: bytes) -> set[Place]:
    """Find the rules that fit one view, by line; what prose only quotes does not count."""
    found = [place for place in _rules().find(data) if not mentions.is_mention(data, place)]
    if not found:
        return set()
    line = Lines(data)
    return {(line(_start(data, place.first)), place.rule.name) for place in found}


def _start(data: bytes, first: int) -> int:
    """Give where an order's words start: what stands before them may end the line above."""
    lead = _LEAD.match(data, first)
    return lead.end() if lead else first


def _decoded_hits(views: Views) -> set[Place]:
    """Find the rules that fit what the text encodes or disguises, where that starts."""
    hidden = [*views.decoded, *disguise.uncovered(views.said, _rules().words)]
    hits = [(part.first, rule) for part in hidden for rule in set(_rules_of(part))]
    line = Lines(views.said) if hits else None
    return {(line(offset), rule) for offset, rule in hits} if line else set()


def _rules_of(part: Decoded) -> Iterator[str]:
    """Give the names of the rules that fit a decoded text."""
    data = part.text.encode("utf-8", "surrogatepass")
    yield from (found.rule.name for found in _rules().find(data))
    if part.way == "spaced":
        yield from (name for name, pattern in _rules().closed if pattern.search(data))
