"""Choose the ranges of lines to show: disjoint, in order of importance, within a budget.

Must not change the order that ranking gave.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from caselore.logs.blocks import Block
from caselore.logs.page import Page
from caselore.logs.ranking import Ranked
from caselore.logs.signs import Marked

_PAD_ABOVE: Final = 3
_PAD_BELOW: Final = 4
_NEAR: Final = 35.0  # points below the best at which a new run is as good as its
_LEAD: Final = 4  # lines of a new run shown before its first block
_JOIN: Final = 2  # known lines that may part a new run
_WEAKEST: Final = 35.0  # points below the best that a further block may have
_ALSO: Final = 2  # further causes of which at least the line is shown
_ITS_LINE: Final = ", its line"
_BESIDE: Final = 1  # lines shown on either side of the failing line, where it would be cut off
_IDLE: Final = re.compile(r"^\W*(?:(?:INFO|DEBUG|NOTE)\b\W*(?:[0-9]+ \w+\W*)?)?$")


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
    causes: Sequence[Block] = (),
) -> list[Span]:
    """Fill the budget: the best block whole, what comes next, then what stands round the best.

    Of two further causes at least the line is shown, and each range of a cause says of which.
    """
    also = [Span(b.line, b.line, b.why) for b in causes[1 : 1 + _ALSO]]
    order = _order(page, marked, ranked, line, budget, new)
    chosen = _fill(page, order, budget, also)
    return [_of_cause(span, causes) for span in chosen]


def _fill(page: Page, order: Sequence[Span], budget: int, also: Sequence[Span]) -> list[Span]:
    """Cut spans to the budget, in order; `also` is sure of a place, not of an early one."""
    chosen: list[Span] = []
    taken: set[int] = set()
    for span in [*order, *also]:
        for piece in _free(span, taken):
            inside = range(piece.first, piece.last + 1)
            owed = sum(1 for s in also if s.first not in taken and s.first not in inside)
            left = budget - _cost(page, chosen) - (0 if span in also else owed)
            cut = _cut(page, piece, left)
            if cut is not None:
                chosen.append(cut)
                taken.update(range(cut.first, cut.last + 1))
    return chosen


def _of_cause(span: Span, causes: Sequence[Block]) -> Span:
    """Say of which of several causes a span tells."""
    if len(causes) < 2 or span.why.startswith("just "):
        return span
    for number, block in enumerate(causes, 1):
        if span.first <= block.last and block.first <= span.last:
            return Span(span.first, span.last, f"cause {number} of {len(causes)}: {span.why}")
    return span


def _order(
    page: Page,
    marked: Marked,
    ranked: Sequence[Ranked],
    line: int | None,
    budget: int,
    new: Sequence[bool] | None,
) -> list[Span]:
    """Order the spans that are worth showing."""
    wanted = list(_wanted(ranked, line, budget))
    if line is None:
        wanted = [
            Span(
                max(0, len(page.lines) - budget),
                len(page.lines) - 1,
                "the end of the log: nothing states a failure",
            )
        ]
    if new is not None:
        near = [r.block for r in ranked if r.score > ranked[0].score - _NEAR]
        spans = [Span(b.first, b.last, b.why) for b in near]
        order = _new_runs(page, marked, spans, wanted, new, line)
        order = _with_line(order, line, budget)
    else:
        lead = 2 if len(wanted) > 1 and wanted[1].why.endswith(_ITS_LINE) else 1
        pads = _padding(page, marked, wanted[:1]) if lead == 1 else []
        order = wanted[:lead] + pads + wanted[lead:]
    return order + _padding(page, marked, order[:1], 12) + wanted


def _wanted(ranked: Sequence[Ranked], line: int | None, budget: int) -> Iterator[Span]:
    """Give the blocks as spans; of a long one, its head and the part round its line."""
    for number, each in enumerate(ranked):
        block = each.block
        if number > 3 and each.score < ranked[0].score - _WEAKEST:
            return
        point = line if number == 0 and line is not None else block.line
        if block.last - block.first < budget or not block.first <= point <= block.last:
            yield Span(block.first, block.last, block.why)
        else:
            yield from _long(block.first, block.last, point, block.why, budget)


def _long(first: int, last: int, point: int, why: str, budget: int) -> Iterator[Span]:
    """Cut a block that is longer than the budget."""
    around = budget // 4
    head = budget - around
    if point - first < head - 2:
        yield Span(first, last, why)
        return
    yield Span(first, first + head - 1, why)
    yield Span(
        max(first + head, point - around // 2),
        min(last, point + around - around // 2),
        why + _ITS_LINE,
    )


def _new_runs(
    page: Page,
    marked: Marked,
    near: Sequence[Span],
    wanted: Sequence[Span],
    new: Sequence[bool],
    line: int | None,
) -> list[Span]:
    """Take what a passing run did not say: runs that hold a block in time order, then the others.

    Of the others those come first that stand nearest to the failing line: what differs far above
    is a version, a cache or a download.
    """
    runs = [_tidy(page, marked, run) for run in _runs(marked, new)]
    point = len(page.lines) if line is None else line
    echoes = [r for r in runs if all(marked.has(i, "command") for i in range(r.first, r.last + 1))]
    others = [r for r in runs if r not in echoes]
    best = [r for r in others if _meets(r, near)]
    told = [r for r in others if r not in best and _meets(r, wanted)]
    rest = [r for r in others if r not in best and r not in told]
    rest.sort(key=lambda r: min(abs(r.first - point), abs(r.last - point)))
    return [
        *(_from_block(r, near) for r in best),
        *(_from_block(r, wanted) for r in told),
        *rest,
        *echoes,
    ]


def _from_block(run: Span, blocks: Sequence[Span]) -> Span:
    """Let a long run begin shortly before its first block, so that the block is surely shown."""
    first = min(b.first for b in blocks if run.first <= b.last and b.first <= run.last)
    if first - run.first <= _LEAD:
        return run
    return Span(first - _LEAD, run.last, run.why)


def _tidy(page: Page, marked: Marked, run: Span) -> Span:
    """Drop rulers and chatter from both ends of a run; a run of nothing else stays."""
    idle = [
        marked.has(i, "ruler") or bool(_IDLE.match(page.lines[i][:80]))
        for i in range(run.first, run.last + 1)
    ]
    if all(idle):
        return run
    return Span(run.first + idle.index(False), run.last - idle[::-1].index(False), run.why)


def _with_line(order: list[Span], line: int | None, budget: int) -> list[Span]:
    """Put the failing line first where the budget would end before it."""
    left = budget
    for span in order:
        if line is None or span.first <= line < span.first + left:
            return order
        left -= span.last - span.first + 1
        if left <= 0:
            break
    if line is None:
        return order
    return [Span(max(0, line - _BESIDE), line + _BESIDE, "the failing line"), *order]


def _meets(run: Span, spans: Sequence[Span]) -> bool:
    """Say whether a run overlaps any of these spans."""
    return any(run.first <= s.last and s.first <= run.last for s in spans)


def _runs(marked: Marked, new: Sequence[bool]) -> Iterator[Span]:
    """Join new lines that at most two known or blank ones part.

    The steps of a stack that begins with a new line belong to it: a framework's are the same in
    every stack, so a passing run that printed any knows them.
    """
    first: int | None = None
    last = 0
    for i, fresh in enumerate(new):
        if not fresh:
            last = i if first is not None and last == i - 1 and marked.has(i, "frame") else last
            continue
        if first is not None and i - last > _JOIN:
            yield Span(first, last, "not in a passing run")
            first = None
        first = i if first is None else first
        last = i
    if first is not None:
        yield Span(first, last, "not in a passing run")


def _padding(page: Page, marked: Marked, spans: Sequence[Span], more: int = 0) -> list[Span]:
    """Take some lines round the best block, as far as they are output of the same command."""
    if not spans:
        return []
    first = last = spans[0].first
    for i in range(spans[0].first - 1, max(-1, spans[0].first - 1 - _PAD_ABOVE - more), -1):
        if marked.has(i, "exit", "command") or i + 1 in page.gaps:
            break
        first = i
    end = spans[0].last
    last = end
    for i in range(end + 1, min(len(page.lines), end + 1 + _PAD_BELOW + more)):
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
