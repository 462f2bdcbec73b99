"""Order the blocks of a page by how likely each is the failure itself and not its consequence.

Must not look at raw bytes or at tools beyond the weights that readers and shapes gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caselore.logs.blocks import Block, moved
from caselore.logs.masking import masked
from caselore.logs.page import Page
from caselore.logs.sections import Region
from caselore.logs.signs import Marked
from caselore.logs.weights import lead, weight_of

OUTSIDE: Final = 38.0  # a block outside every failed command
LATER: Final = 7.0  # each failed command after the first
EQUAL: Final = 3.0  # points within which the first block wins
AGAIN: Final = 15.0  # a block whose head stands further up, too
HOPELESS: Final = -50.0  # not shown at all
FAINT: Final = 4.0  # too little to call a line the failing one
HOLLOW: Final = 28.0  # a block whose own line only says that something failed
FAR: Final = 22.0  # a cause that ends a command, far from its end
NEAR_END: Final = 80  # lines
_BARE: Final = ("ruler", "wrapper", "section")
MERGE: Final = 5  # lines between neighbours of one kind


@dataclass(frozen=True, slots=True)
class Ranked:
    """A block with its final score."""

    block: Block
    score: float


def rank(
    page: Page,
    marked: Marked,
    blocks: Sequence[Block],
    failed: tuple[Region, ...],
    new: Sequence[bool] | None,
) -> list[Ranked]:
    """Score, deduplicate and merge; best first."""
    scored = [Ranked(b, _score(page, marked, b, failed, new)) for b in blocks]
    scored = [r for r in scored if r.score > HOPELESS]
    scored = _merged(page, marked, _same_head_once(page, scored, failed))
    return sorted(scored, key=lambda r: (-round(r.score / EQUAL), r.block.first, r.block.last))


def _score(
    page: Page,
    marked: Marked,
    block: Block,
    failed: tuple[Region, ...],
    new: Sequence[bool] | None,
) -> float:
    """Weigh one block by where it stands and by what a passing run also said."""
    score = block.weight + _place(page, block, failed, new is not None)
    exits = marked.has(block.line, "exit")
    empty = not block.sure if exits else marked.has(block.line, "wrapper")
    score -= HOLLOW if empty else 0.0
    if new is None:
        return score
    span = range(block.first, block.last + 1)
    fresh = sum(new[i] for i in span)
    if not fresh:
        return -99.0
    return score + 30 * fresh / len(span) - (15 if not new[block.line] else 0)


def _place(page: Page, block: Block, failed: tuple[Region, ...], green: bool) -> float:
    """Weigh the place of a block among the failed commands."""
    if not failed:
        return _without_region(page, block, green)
    for number, region in enumerate(failed):
        if block.line in region:
            change = -LATER * min(number, 3) * (1.0 if block.weight > 55 else 1.6)
            if block.bottom and not green and region.end - block.line > NEAR_END:
                change -= FAR
            return change
    return -OUTSIDE


def _without_region(page: Page, block: Block, green: bool) -> float:
    """Weigh the place where no command is known to have failed: the end counts, mildly."""
    left = len(page.lines) - block.line
    change = -8.0 * min(1.0, left / 2000) if block.bottom else 0.0
    if block.bottom and not green and left > 2 * NEAR_END:
        change -= FAR / 2
    return change


def _same_head_once(page: Page, scored: list[Ranked], failed: tuple[Region, ...]) -> list[Ranked]:
    """Of blocks with one masked head in one command, keep the first place with the best score."""
    best: dict[tuple[int, str, str], int] = {}
    ends: dict[tuple[int, str, str], int] = {}
    kept: list[Ranked] = []
    for each in sorted(scored, key=lambda r: (r.block.first, r.block.last)):
        key = (
            _region_of(each.block, failed),
            each.block.tool or each.block.why,
            masked(page.lines[each.block.line]),
        )
        if key in best:
            first = kept[best[key]]
            same = first.block.line == each.block.line
            block = each.block if same and each.score > first.score else first.block
            kept[best[key]] = Ranked(block, max(first.score, each.score))
            if not same:
                near = each.block.first - ends[key] <= MERGE
                kept.append(Ranked(each.block, each.score - (0.0 if near else AGAIN)))
        else:
            best[key] = len(kept)
            kept.append(each)
        ends[key] = each.block.last
    return kept


def _region_of(block: Block, failed: tuple[Region, ...]) -> int:
    """Number the failed command that a block belongs to; -1 for none."""
    return next((n for n, region in enumerate(failed) if block.line in region), -1)


def _merged(page: Page, marked: Marked, scored: list[Ranked]) -> list[Ranked]:
    """Join neighbours of one kind, unless a wrapper or an echo lies between."""
    kept: list[Ranked] = []
    for each in scored:
        last = kept[-1] if kept else None
        if last is not None and _joins(page, marked, last, each):
            kept[-1] = _joined(last, each)
        else:
            kept.append(each)
    return kept


def _joins(page: Page, marked: Marked, a: Ranked, b: Ranked) -> bool:
    """Say whether two neighbours are one piece of output."""
    one, two = a.block, b.block
    if (
        one.why != two.why
        or one.tool != two.tool
        or one.why.startswith(("numbered", "all", "last"))
    ):
        return False
    if abs(a.score - b.score) > 12 or not 0 <= two.first - one.last <= MERGE:
        return False
    return not any(
        marked.has(i, "wrapper", "exit", "command") for i in range(one.last + 1, two.first)
    )


def _joined(a: Ranked, b: Ranked) -> Ranked:
    """Join two blocks; the line of the clearly better one, else of the first, stays."""
    lead = b.block if b.score > a.score + 3 else a.block
    block = moved(lead, first=a.block.first, last=max(a.block.last, b.block.last))
    return Ranked(block, max(a.score, b.score))


def failing_line(
    page: Page, marked: Marked, ranked: Sequence[Ranked], new: Sequence[bool] | None
) -> int | None:
    """Choose the one line to point at: never a ruler, a blank, a wrapper or a bare header."""
    for each in ranked[:3]:
        block = each.block
        if each.score < FAINT:
            return None
        bare = not marked.has(block.line, "exit") and marked.has(block.line, *_BARE)
        if block.sure and page.lines[block.line].strip() and not bare:
            return block.line
        span = range(block.first, block.last + 1)
        usable = [i for i in span if page.lines[i].strip() and not marked.has(i, *_BARE)]
        if new is not None:
            usable = [i for i in usable if new[i]] or usable
        if usable:
            if not block.tool and block.line in usable and (new is None or new[block.line]):
                return block.line
            best = lead(page, marked, usable)
            return best if weight_of(page, marked, best) else _nearest(usable, block.line)
    return None


def _nearest(usable: list[int], line: int) -> int:
    """Give the usable line next to the one that the block named."""
    return min(usable, key=lambda i: abs(i - line))
