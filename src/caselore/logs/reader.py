"""Put the steps of reading together: page, signs, regions, blocks, ranking, excerpt, signature.

Must not hold rules of its own about what a failure looks like.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO, Final

from caselore.logs import families as family_table
from caselore.logs import signature as identity
from caselore.logs.blocks import Block, tool_blocks
from caselore.logs.causes import causes
from caselore.logs.excerpt import choose
from caselore.logs.green import GreenLines
from caselore.logs.page import Page, build
from caselore.logs.ranking import Ranked, failing_line, rank
from caselore.logs.reading import Cause, Reading, Signature
from caselore.logs.reports import again_blocks, report_blocks
from caselore.logs.scan import scan
from caselore.logs.sections import Region, passed_until, regions
from caselore.logs.shapes import shape_blocks
from caselore.logs.shown import masked_text, shown
from caselore.logs.signs import Book, Marked, book, mark
from caselore.logs.source import Source
from caselore.logs.truncation import notes_on_cuts

BUDGET: Final = 40
_ABOVE: Final = 25  # lines before a block that may tell what was going on
_BLOCK_LINES: Final = 60
_OWN_WORDS: Final = 2  # words with which a line needs nothing round it to be told from others
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
    digest: bool = False,
) -> Reading:
    """Read one log; `digest` asks for its SHA-256, which costs as much as reading it.

    Any bytes are answered: a log without a failure gives no failing line and a generic signature.
    """
    log = Source(source)
    scanned = scan(log, digest=digest)
    judged = judge(build(scanned.segments), green, using or book())
    told = causes(judged.page, judged.ranked, judged.line, judged.failed)
    blocks = [block for _, block in told]
    spans = choose(
        judged.page, judged.marked, judged.ranked, judged.line, budget, judged.new, blocks
    )
    excerpt, redactions, injection = shown(judged.page, spans)
    block = masked_text(_block_lines(judged))
    signature = _signed(judged, block, green, rarity, families)
    number = None if judged.line is None else judged.page.numbers[judged.line]
    cuts = list(notes_on_cuts(judged.page, judged.marked, scanned.tail))
    notes = [*cuts, f"new against {green.label}" if green else "no green run given"]
    if not scanned.whole:
        notes.append("a large log: read through once, judged round its anchors")
    return Reading(
        name, scanned.lines, log.size, bool(cuts), number, excerpt, signature,
        redactions, injection, scanned.digest, block, tuple(notes), green.label if green else None,
        _without_secrets(told),
    )  # fmt: skip


def signature_of(data: bytes, families: Sequence[family_table.Family] = ()) -> Signature:
    """Give the signature that `read` gives of a log, without choosing what to show of it."""
    judged = judge(build(scan(Source(data)).segments), None, book())
    return _signed(judged, masked_text(_block_lines(judged)), None, None, families)


def _without_secrets(told: Sequence[tuple[Cause, Block]]) -> tuple[Cause, ...]:
    """Give causes whose units may leave."""
    return tuple(replace(cause, unit=masked_text([cause.unit])) for cause, _ in told)


def judge(page: Page, green: GreenLines | None, using: Book) -> Judged:
    """Find and rank everything on a page."""
    marked = mark(page, using)
    failed = regions(page, marked)
    barriers = page.gaps | frozenset(marked.lines("exit")) | {region.end for region in failed}
    blocks: list[Block] = tool_blocks(page, marked, using, barriers)
    blocks += shape_blocks(page, marked, barriers, failed)
    blocks += report_blocks(page, marked, barriers)
    blocks += again_blocks(page, marked, blocks, barriers)
    new = green.new_lines(page) if green else None
    over = passed_until(page, marked) if green is None else -1  # beside a passing run, it failed
    ranked = [r for r in rank(page, marked, blocks, failed, new) if r.block.line > over]
    return Judged(page, marked, failed, ranked, failing_line(page, marked, ranked, new), new)


def _block_lines(judged: Judged) -> list[str]:
    """Give the lines of the top block: what is signed and compared."""
    if judged.line is None:
        return []
    block = judged.ranked[0].block
    own = block.around and judged.line == block.last
    if own and identity.words_of(judged.page.lines[judged.line]) >= _OWN_WORDS:
        return [judged.page.lines[judged.line]]
    return judged.page.lines[block.first : min(block.last + 1, block.first + _BLOCK_LINES)]


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
    raw = judged.page.lines[judged.line]
    line = raw if block == raw else masked_text([raw])
    lines = tuple(block.split("\n"))
    above = judged.page.lines[max(0, top.first - _ABOVE) : top.first]
    family = family_table.family_of((line, *lines), top.family, extra, above)
    parts = [
        part and masked_text([part]) for part in (top.unit, top.error, top.message, top.frame)
    ]
    facts = identity.Facts(top.tool, line, lines, *parts)
    signed = identity.sign(facts, family.name, rarity)
    if green is not None and green.knows(raw.encode("utf-8", "replace")):
        return identity.refused(signed)
    return signed
