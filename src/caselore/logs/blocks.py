"""Run the tool readers over a page: whole blocks of failure output with what names them.

Must not compare blocks with each other; ranking does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from caselore.logs.page import Page
from caselore.logs.signs import Book, Marked
from caselore.logs.tools import Reader

CAP: Final = 1000  # characters of a line that a pattern of a reader may see
_PARTS: Final = ("unit", "error", "message", "frame")
_MOST_BLOCKS: Final = 400


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


def tool_blocks(page: Page, marked: Marked, book: Book, barriers: frozenset[int]) -> list[Block]:
    """Find the blocks of all readers; `barriers` are lines that no block crosses."""
    found: list[Block] = []
    until: dict[int, int] = {}
    for start in sorted(marked.opens):
        for number in marked.opens[start]:
            reader = book.readers[number]
            if until.get(number, -1) >= start or len(found) > _MOST_BLOCKS:
                continue
            if reader.after and not _allowed(marked.allows.get(number, []), start):
                continue
            block = _block(page, marked, reader, number, start, barriers)
            if block is not None:
                found.append(block)
                until[number] = block.last
    return found


def _allowed(lines: list[int], start: int) -> bool:
    """Say whether a line that a reader asks for stands above."""
    return bool(lines) and lines[0] < start


def _block(
    page: Page, marked: Marked, reader: Reader, number: int, start: int, barriers: frozenset[int]
) -> Block | None:
    """Take one block; None where the reader's own conditions say that it is no failure."""
    again = (
        frozenset(i for i, n in marked.opens.items() if number in n) if reader.run else frozenset()
    )
    last = _last(page, reader, start, barriers, again)
    if reader.body and last == start:
        return None
    text = [page.lines[i][:CAP] for i in range(start, last + 1)]
    if reader.needs and not any(reader.needs.search(line) for line in text):
        return None
    if reader.unless and any(reader.unless.search(line) for line in text):
        return None
    first = _first(page, reader, start, barriers)
    line, sure = _line(reader, text)
    parts = _parts(reader, text, line)
    return Block(
        first, last, start + line, reader.weight, reader.why, reader.tool, reader.family,
        bottom=reader.bottom, sure=sure, **parts,
    )  # fmt: skip


def _last(
    page: Page, reader: Reader, start: int, barriers: frozenset[int], again: frozenset[int]
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
