"""Put the steps of reading together: source, page, signs, regions, blocks, ranking, excerpt, signature.

Must not hold rules of its own about what a failure looks like.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

from caselore.logs import families as family_table
from caselore.logs import signature as identity
from caselore.logs.blocks import Block, tool_blocks
from caselore.logs.excerpt import Span, choose
from caselore.logs.green import GreenLines
from caselore.logs.page import Page, Segment, build
from caselore.logs.ranking import Ranked, failing_line, rank
from caselore.logs.reading import Range, Reading, Redaction, Signature, Suspicion
from caselore.logs.sections import Region, regions
from caselore.logs.shapes import shape_blocks
from caselore.logs.signs import Book, Marked, book, mark
from caselore.logs.source import Source

BUDGET: Final = 40
_BLOCK_LINES: Final = 60
_SHOWN_WIDTH: Final = 2000
Rarity = Callable[[Signature], float]


@dataclass(frozen=True, slots=True)
class Judged:
    """A page with everything that was found out about it."""

    page: Page
    marked: Marked
    failed: tuple[Region, ...]
    ranked: list[Ranked]
    line: int | None
    new: list[bool] | None


def read(
    source: BinaryIO | bytes,
    *,
    name: str,
    green: GreenLines | None = None,
    budget: int = BUDGET,
    rarity: Rarity | None = None,
    families: Sequence[family_table.Family] = (),
    using: Book | None = None,
) -> Reading:
    """Read one log.

    Any bytes are answered: a log without a failure gives no failing line and a generic signature.
    """
    log = Source(source)
    data = log.at(0, log.size)
    count = data.count(b"\n") + (0 if data.endswith(b"\n") or not data else 1)
    judged = judge(build([Segment(1, data)]), green, using or book())
    spans = choose(judged.page, judged.marked, judged.ranked, judged.line, budget, judged.new)
    excerpt, redactions, injection = _shown(judged.page, spans)
    block = _block_text(judged)
    signature = _signed(judged, block, green, rarity, families)
    number = None if judged.line is None else judged.page.numbers[judged.line]
    notes = [f"new against {green.label}" if green else "no green run given"]
    return Reading(
        name, count, log.size, False, number, excerpt, signature, redactions, injection,
        hashlib.sha256(data).hexdigest(), block, tuple(notes), green.label if green else None,
    )  # fmt: skip


def judge(page: Page, green: GreenLines | None, using: Book) -> Judged:
    """Find and rank everything on a page."""
    marked = mark(page, using)
    failed = regions(page, marked)
    barriers = page.gaps | frozenset(marked.lines("exit"))
    blocks: list[Block] = tool_blocks(page, marked, using, barriers)
    blocks += shape_blocks(page, marked, barriers, failed)
    new = green.new_lines(page) if green else None
    ranked = rank(page, marked, blocks, failed, new)
    return Judged(page, marked, failed, ranked, failing_line(page, marked, ranked, new), new)


def _shown(
    page: Page, spans: Sequence[Span]
) -> tuple[tuple[Range, ...], tuple[Redaction, ...], tuple[Suspicion, ...]]:
    """Turn spans into ranges with masked text, and scan them for secrets and instructions."""
    ranges: list[Range] = []
    for span in spans:
        first, last = page.numbers[span.first], page.numbers[span.last]
        text = "\n".join(line[:_SHOWN_WIDTH] for line in page.lines[span.first : span.last + 1])
        ranges.append(Range(first, last, text, span.why))
    return tuple(ranges), (), ()


def _block_text(judged: Judged) -> str:
    """Give the text of the top block: what is signed and compared."""
    if not judged.ranked:
        return ""
    block = judged.ranked[0].block
    lines = judged.page.lines[block.first : min(block.last + 1, block.first + _BLOCK_LINES)]
    return "\n".join(line[:_SHOWN_WIDTH] for line in lines)


def _signed(
    judged: Judged,
    block: str,
    green: GreenLines | None,
    rarity: Rarity | None,
    extra: Sequence[family_table.Family],
) -> Signature:
    """Sign the top block."""
    if not judged.ranked or judged.line is None:
        return identity.nothing()
    top = judged.ranked[0].block
    line = judged.page.lines[judged.line]
    lines = tuple(block.split("\n"))
    family = family_table.family_of((line, *lines), top.family, extra)
    facts = identity.Facts(top.tool, line, lines, top.unit, top.error, top.message, top.frame)
    signed = identity.sign(facts, family.name, rarity)
    if green is not None and green.knows(line.encode("utf-8", "replace")):
        return identity.refused(signed)
    return signed
