"""Run the tool readers over a page: whole blocks of failure output with what names them.

Must not compare blocks with each other; ranking does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from caselore.logs.page import Page
from caselore.logs.signs import Book, Marked
from caselore.logs.tools import Reader

CAP: Final = 1000  # characters of a line that a pattern of a reader may see
_PARTS: Final = ("unit", "error", "message", "frame")
_MOST_BLOCKS: Final = 400
_SHOWS_SOURCE: Final = 'File "'  # a step of such a stack has its source below, deeper


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of failure output: page lines first to last, `line` the one to point at."""

    first: int
    last: int
    line: int
    weight: float
    why: str
    tool: str = ""
    family: str = ""
    unit: str = ""
    error: str = ""
    message: str = ""
    frame: str = ""
    bottom: bool = False
    sure: bool = False  # the pattern of a reader chose `line`
    around: bool = False  # its lines only stand round `line`, they do not belong to it


def tool_blocks(page: Page, marked: Marked, book: Book, barriers: frozenset[int]) -> list[Block]:
    """Find the blocks of all readers; `barriers` are lines that no block crosses."""
    found: list[Block] = []
    places: dict[int, set[int]] = {}
    for line, numbers in marked.opens.items():
        for number in numbers:
            places.setdefault(number, set()).add(line)
    for number in sorted(places):
        reader = book.readers[number]
        above = marked.allows.get(number, []) if reader.after else [-1]
        starts = [
            line
            for line in sorted(places[number])
            if _allowed(above, line) and not quoted(page, marked, line)
        ]
        found += islice(_blocks(page, reader, starts, places[number], barriers), _MOST_BLOCKS)
    return sorted(found, key=lambda block: (block.first, block.last))


def _blocks(
    page: Page, reader: Reader, starts: list[int], again: set[int], barriers: frozenset[int]
) -> Iterator[Block]:
    """Find the blocks of one reader; what one block covers opens no other."""
    until = -1
    for start in starts:
        if start <= until:
            continue
        last = _last(page, reader, start, barriers, again if reader.run else set())
        text = [page.lines[i][:CAP] for i in range(start, last + 1)]
        if reader.needs and not any(reader.needs.search(line) for line in text):
            until = last  # a later start ends at the same line and lacks the same
            continue
        if (reader.body and last == start) or (
            reader.unless and any(reader.unless.search(line) for line in text)
        ):
            continue
        until = last
        yield _block(page, reader, start, text, barriers)


def indent(line: str) -> int:
    """Count the columns that a line is indented."""
    return len(line) - len(line.lstrip())


def quoted(page: Page, marked: Marked, i: int) -> bool:
    """Say whether a line is the source that a step of a stack shows under itself."""
    if not i or not marked.has(i - 1, "frame") or marked.has(i, "frame"):
        return False
    above = page.lines[i - 1]
    if above.lstrip().startswith(_SHOWS_SOURCE) and indent(page.lines[i]) > indent(above):
        return True
    return i + 1 < len(page.lines) and page.lines[i + 1].strip()[:1] in ("^", "~")


def _allowed(lines: list[int], start: int) -> bool:
    """Say whether a line that a reader asks for stands above."""
    return bool(lines) and lines[0] < start


def _block(
    page: Page, reader: Reader, start: int, text: list[str], barriers: frozenset[int]
) -> Block:
    """Make the block that a reader found in these lines."""
    line, sure = _line(reader, text)
    return Block(
        _first(page, reader, start, barriers), start + len(text) - 1, start + line,
        reader.weight, reader.why, reader.tool, reader.family,
        bottom=reader.bottom, sure=sure, around=False, **_parts(reader, text, line),
    )  # fmt: skip


def _last(
    page: Page, reader: Reader, start: int, barriers: frozenset[int], again: set[int]
) -> int:
    """Find the last line of a block by the reader's end rule."""
    last, blanks, foreign = start, 0, 0
    for i in range(start + 1, min(len(page.lines), start + reader.max)):
        line = page.lines[i][:CAP]
        if i in barriers:
            break
        if not line.strip():
            blanks += 1
            if blanks > reader.blanks:
                break
            continue
        opened = i in again
        if reader.end and reader.end.search(line) and not opened:
            break
        if reader.keep and not opened and not reader.keep.search(line):
            foreign += 1
            if foreign > reader.bridge:
                break
            continue
        if (
            not reader.run
            and not reader.keep
            and not reader.end
            and not reader.last
            and not line[0].isspace()
        ):
            break
        last, blanks, foreign = i, 0, 0
        if reader.last and reader.last.search(line):
            break
    return last


def _first(page: Page, reader: Reader, start: int, barriers: frozenset[int]) -> int:
    """Take the lines above the start that belong to it."""
    first = start
    while reader.before and first > 0 and first - 1 not in barriers and start - first < 12:
        if not reader.before.search(page.lines[first - 1][:CAP]):
            break
        first -= 1
    return first


def _line(reader: Reader, text: list[str]) -> tuple[int, bool]:
    """Choose the line to point at, as an offset into the block."""
    for pattern in reader.line:
        order = range(len(text)) if reader.pick == "first" else range(len(text) - 1, -1, -1)
        for i in order:
            if pattern.search(text[i]):
                return i, True
    return 0, not reader.line


def _parts(reader: Reader, text: list[str], line: int) -> dict[str, str]:
    """Read the named parts: of the start line, of the line pointed at, then of any line."""
    parts = dict.fromkeys(_PARTS, "")
    for pattern in reader.starts:
        _fill(parts, pattern.search(text[0]))
    for pattern in reader.line:
        _fill(parts, pattern.search(text[line]))
    for pattern in reader.parts:
        for each in text:
            if match := pattern.search(each):
                _fill(parts, match)
                break
    return parts


def _fill(parts: dict[str, str], match: re.Match[str] | None) -> None:
    """Take what a match names and is not known yet."""
    if match is None:
        return
    for name, value in match.groupdict().items():
        if value and name in parts and not parts[name]:
            parts[name] = value.strip()


def moved(block: Block, **changes: object) -> Block:
    """Give a copy with some fields changed."""
    return replace(block, **changes)  # type: ignore[arg-type]
