"""Tell the independent causes of a failed job apart from consequences and repetitions of them.

Must not rank: the first cause is the best block, the others follow in the order of the log.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from caselore.logs.blocks import Block
from caselore.logs.masking import masked
from caselore.logs.page import Page
from caselore.logs.ranking import Ranked
from caselore.logs.reading import Cause
from caselore.logs.sections import Region

_MOST: Final = 5
_LOOK: Final = 30  # blocks, best first
_LIKE: Final = 8.0  # points: within one command another cause is as weighty as the first
_OTHER: Final = 26.0  # points: what ends another command may be of a lighter kind
_LEAST: Final = 42.0
_APART: Final = 2  # lines
_NAME, _SENTENCE = 6, 16  # characters that are not repeated by chance
_MOSTLY: Final = 0.7  # of the words of the shorter line
_WORD: Final = re.compile(r"[A-Za-z][\w.-]+")
_LISTS: Final = ("list of", "listed", "summary", "last output", "all that")


def causes(
    page: Page, ranked: Sequence[Ranked], line: int | None, failed: Sequence[Region]
) -> tuple[tuple[Cause, Block], ...]:
    """Give the causes with their blocks, the first real one first; empty where nothing failed."""
    if not ranked or line is None:
        return ()
    found = [(line, ranked[0].block)]
    for each in ranked[1:_LOOK]:
        if len(found) == _MOST or each.score < ranked[0].score - _OTHER or each.score < _LEAST:
            break
        if _own(page, each.block, found, failed):
            found.append((each.block.line, each.block))
    rows = [found[0], *sorted(found[1:], key=lambda row: row[0])]
    return tuple((Cause(page.numbers[at], b.why, b.tool, b.unit), b) for at, b in rows)


def _own(
    page: Page, block: Block, found: Sequence[tuple[int, Block]], failed: Sequence[Region]
) -> bool:
    """Say whether a block is a cause of its own beside those found."""
    if block.around or block.why.startswith(_LISTS) or " list of " in block.why:
        return False
    first = found[0][1]
    same = _command(block, failed) == _command(first, failed)
    if same and (block.weight < first.weight - _LIKE or block.bottom):
        return False  # a consequence; a command aborts once
    return not any(_again(page, block, line, other) for line, other in found)


def _command(block: Block, failed: Sequence[Region]) -> int:
    """Number the failed command that printed a block; -1 for none."""
    return next((n for n, region in enumerate(failed) if block.line in region), -1)


def _again(page: Page, block: Block, line: int, other: Block) -> bool:
    """Say whether a block tells of the same failure as another, or stands in it."""
    if block.first <= other.last + _APART and other.first <= block.last + _APART:
        return True
    one, two = page.lines[block.line].strip(), page.lines[line].strip()
    alike = _alike(_words(one), _words(two))
    if block.unit and other.unit:
        same, own = _same_unit(block.unit, other.unit), block.tool == other.tool
        if same and (alike or not own):
            return True
        alike = alike and not own  # a runner that names its items reports each of them
    if alike:
        return True
    told = (block.message, other.message, one, two)
    texts = ("\n".join(page.lines[b.first : b.last + 1]) for b in (other, block, other, block))
    return any(len(t) >= _SENTENCE and t in text for t, text in zip(told, texts, strict=True))


def _words(line: str) -> set[str]:
    """Give the words of a masked line."""
    return {word.lower() for word in _WORD.findall(masked(line))}


def _alike(one: set[str], two: set[str]) -> bool:
    """Say whether the shorter of two lines says little that the longer one does not."""
    return len(one & two) >= _MOSTLY * max(1, min(len(one), len(two)))


def _same_unit(one: str, two: str) -> bool:
    """Say whether two names are of one unit, of which one may leave out where it stands."""
    a, b = _last(one), _last(two)
    return one == two or (a == b and len(a) >= _NAME)


def _last(unit: str) -> str:
    """Give the last part of the name of a unit."""
    return (
        unit.replace("::", " ").replace(".", " ").replace(">", " ").split(" ")[-1] if unit else ""
    )
