"""Choose the ranges of lines to show: disjoint, in order of importance, within a budget.

Must not change the order that ranking gave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from caselore.logs.page import Page
from caselore.logs.ranking import Ranked
from caselore.logs.signs import Marked

_PAD_ABOVE: Final = 3
_PAD_BELOW: Final = 4
_WEAKEST: Final = 35.0  # points below the best that a further block may have


@dataclass(frozen=True, slots=True)
class Span:
    """Page lines first to last, with why they are shown."""

    first: int
    last: int
    why: str


def choose(
    page: Page,
    marked: Marked,
    ranked: Sequence[Ranked],
    line: int | None,
    budget: int,
    new: Sequence[bool] | None,
) -> list[Span]:
    """Fill the budget: the best block whole, what comes next, then what stands round the best."""
    chosen: list[Span] = []
    taken: set[int] = set()
    left = budget
    wanted = list(_wanted(ranked, line, budget))
    if new is not None:
        wanted = wanted[:1] + [s for w in wanted[1:] for s in [w]]
    for span in wanted[:1] + _padding(page, marked, wanted[:1]) + wanted[1:]:
        for piece in _free(span, taken):
            cut = _cut(page, piece, left)
            if cut is None:
                continue
            chosen.append(cut)
            taken.update(range(cut.first, cut.last + 1))
            left = budget - _cost(page, chosen)
            if left <= 0:
                return chosen
    return chosen


def _wanted(ranked: Sequence[Ranked], line: int | None, budget: int) -> Iterator[Span]:
    """Give the blocks as spans; of one longer than the budget, head and the part round its line."""
    for number, each in enumerate(ranked):
        block = each.block
        if number and each.score < ranked[0].score - _WEAKEST and number > 3:
            return
        size = block.last - block.first + 1
        point = line if number == 0 and line is not None else block.line
        if size <= budget or point - block.first < budget:
            yield Span(block.first, block.last, block.why)
            continue
        head = budget // 3
        yield Span(
            max(block.first, point - head), min(block.last, point + budget - head - 1), block.why
        )


def _padding(page: Page, marked: Marked, spans: Sequence[Span]) -> list[Span]:
    """Take some lines round the best block, as far as they are output of the same command."""
    if not spans:
        return []
    first = last = spans[0].first
    for i in range(spans[0].first - 1, max(-1, spans[0].first - 1 - _PAD_ABOVE), -1):
        if marked.has(i, "exit", "command") or i + 1 in page.gaps:
            break
        first = i
    end = spans[0].last
    last = end
    for i in range(end + 1, min(len(page.lines), end + 1 + _PAD_BELOW)):
        if i in page.gaps:
            break
        last = i
        if marked.has(i, "exit"):
            break
    pads = []
    if last > end:
        pads.append(Span(end + 1, last, "just below"))
    if first < spans[0].first:
        pads.append(Span(first, spans[0].first - 1, "just above"))
    return pads


def _free(span: Span, taken: set[int]) -> Iterator[Span]:
    """Give the parts of a span that are not shown yet."""
    start: int | None = None
    for i in range(span.first, span.last + 1):
        if i in taken:
            if start is not None:
                yield Span(start, i - 1, span.why)
            start = None
        elif start is None:
            start = i
    if start is not None:
        yield Span(start, span.last, span.why)


def _cut(page: Page, span: Span, left: int) -> Span | None:
    """Shorten a span to the lines that are left, and trim blank ends."""
    first, last = span.first, span.last
    while first <= last and not page.lines[first].strip():
        first += 1
    while last > first and not page.lines[last].strip():
        last -= 1
    if first > last or left <= 0:
        return None
    while last > first and page.numbers[last] - page.numbers[first] + 1 > left:
        last -= 1
    return Span(first, last, span.why)


def _cost(page: Page, spans: Sequence[Span]) -> int:
    """Count the lines of the log that spans cover."""
    return sum(page.numbers[s.last] - page.numbers[s.first] + 1 for s in spans)
