"""Puts together what a terminal, a shell or an encoding has split, and finds the way back.

Must not judge what is a secret, change the number of lines, or take more than linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import re2

Span = tuple[int, int, str]
"""First and last byte of a secret, and its rule."""

# Widths at which terminals and tools break lines. Elsewhere two breaks alike make a width.
WIDTHS = frozenset(
    {60, 64, 70, 72, 75, 76, 77, 78, 79, 80, 100, 110, 120, 128, 132, 140, 160, 200}
)
LEAST_WIDTH, MOST_WIDTH = 16, 400
MOST_LINES = 80  # of one wrapped text

# Signs of a credential on both sides of a line's end.
BREAK = re2.compile(rb"T{6}\r?\nT|T\r?\nT{8}|\\\r?\n".replace(b"T", rb"[A-Za-z0-9_+/=.~%:@-]"))
ESCAPED = re2.compile(rb"\\[\"/u]|%[0-9A-Fa-f]{2}|&(?:quot|amp|#x?[0-9a-fA-F]{2,5});")
_ESCAPE = re.compile(
    rb"\\u00([2-7][0-9a-fA-F])|\\(?=[\"/'])|%([2-7][0-9A-Fa-f])|&(quot|amp);"
    rb"|&#(?:x([2-7][0-9a-fA-F])|(\d{2,3}));"
)
_SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_]|[ -/]*[0-~]?)")


@dataclass(frozen=True, slots=True)
class Joined:
    """Wrapped lines put together: the text, where each piece stands in it and in the source."""

    data: bytes
    starts: tuple[int, ...]
    sources: tuple[int, ...]
    sure: tuple[bool, ...]  # whether the break behind a piece is one for certain

    def back(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Give the pieces of a span in the source."""
        at = bisect_right(self.starts, first) - 1
        while first < last:
            end = self.starts[at + 1] if at + 1 < len(self.starts) else len(self.data)
            stop = min(last, end)
            offset = self.sources[at] - self.starts[at]
            yield first + offset, stop + offset
            first, at = stop, at + 1

    def breaks(self, first: int, last: int) -> tuple[bool, ...]:
        """Give, for each break within a span, whether it is one for certain."""
        low, high = bisect_right(self.starts, first) - 1, bisect_right(self.starts, last - 1) - 1
        return self.sure[low:high]


def joined(data: bytes) -> Joined:
    """Give every text that may have been broken at a width or continued by a backslash."""
    out, starts, sources, sure = bytearray(), [], [], []
    for pieces in _groups(data):
        for first, last, certain in pieces:
            starts.append(len(out))
            sources.append(first)
            sure.append(certain)
            out += data[first:last]
        out += b"\n\n"
        starts.append(len(out) - 2)
        sources.append(pieces[-1][1])
        sure.append(False)
    return Joined(bytes(out), tuple(starts), tuple(sources), tuple(sure))


Piece = tuple[int, int, bool]


def _groups(data: bytes) -> Iterator[list[Piece]]:
    """Give the runs of lines that hang together, as pieces without their line ends."""
    open_group: list[Piece] = []
    width_before = 0
    for found in BREAK.finditer(data):
        end = data.index(b"\n", found.start())
        first = data.rfind(b"\n", 0, end) + 1
        last = end - 1 if data[end - 1 : end] == b"\r" else end
        continued = data[last - 1 : last] == b"\\"
        last -= continued
        below = data.find(b"\n", end + 1)
        below = len(data) if below < 0 else below
        width, next_width = last - first, below - end - 1
        if not continued and not LEAST_WIDTH <= width <= MOST_WIDTH:
            continue
        goes_on = bool(open_group) and open_group[-1][0] == first
        even = width == next_width or (goes_on and width == width_before)
        certain = continued or (next_width <= width and (width in WIDTHS or even))
        if goes_on and not certain:
            continue  # the last line of a wrapped text is short; what follows is another
        if goes_on and len(open_group) < MOST_LINES:
            open_group[-1] = (first, last, certain)
        else:
            if open_group:
                yield open_group
            open_group = [(first, last, certain)]
        open_group.append((end + 1, below, False))
        width_before = width
    if open_group:
        yield open_group


def escaped_lines(data: bytes) -> Iterator[tuple[int, int]]:
    """Give the lines that hold escapes of JSON, URLs or entities."""
    found = ESCAPED.search(data)
    while found:
        first = data.rfind(b"\n", 0, found.start()) + 1
        last = data.find(b"\n", found.start())
        last = len(data) if last < 0 else last
        yield first, last
        found = ESCAPED.search(data, last)


def unescaped(line: bytes) -> tuple[bytes, list[int]]:
    """Give a line without its escapes, and for each byte of it where it came from."""
    out, at = bytearray(), 0
    origin: list[int] = []
    for found in _ESCAPE.finditer(line):
        out += line[at : found.start()]
        origin += range(at, found.start())
        char = _meant(found)
        out += char
        origin += [found.start()] * len(char)
        at = found.end()
    out += line[at:]
    return bytes(out), [*origin, *range(at, len(line) + 1)]


def _meant(escape: re.Match[bytes]) -> bytes:
    """Give the character that an escape stands for; a backslash before a sign is nothing."""
    named = {b"quot": b'"', b"amp": b"&"}.get(escape.group(3) or b"")
    if named:
        return named
    code = escape.group(1) or escape.group(2) or escape.group(4)
    if code:
        return bytes([int(code, 16)])
    number = int(escape.group(5) or 0)
    return bytes([number]) if 32 <= number < 127 else b""


def aligned(raw: bytes, view: bytes) -> list[int] | None:
    """Give for each byte of a view of a line where it stands in the raw line.

    None where the view says more than a raw line without its formatting does.
    """
    if raw == view:
        return list(range(len(raw) + 1))
    origin: list[int] = []
    at = 0
    for byte in view:
        while at < len(raw) and raw[at] != byte:
            at = _behind(raw, at)
        if at >= len(raw):
            return None
        origin.append(at)
        at += 1
    return [*origin, at]


def _behind(raw: bytes, at: int) -> int:
    """Step over an escape sequence as a whole, or over one byte."""
    sequence = _SEQUENCE.match(raw, at) if raw[at] == 0x1B else None
    return sequence.end() if sequence and sequence.end() > at else at + 1


def by_line(data: bytes, spans: Iterable[Span]) -> Iterator[tuple[int, list[Span]]]:
    """Group spans by their line: its number from 0, and the spans from its start."""
    line, start = 0, 0
    held: list[Span] = []
    for first, last, rule in sorted(spans):
        ends = data.count(b"\n", start, first)
        if ends:
            if held:
                yield line, held
            line, start, held = line + ends, data.rfind(b"\n", start, first) + 1, []
        held.append((first - start, last - start, rule))
    if held:
        yield line, held
