"""Keeps whole logs for a while where the settings ask for it, masked, and gives their lines again.

Must not keep a line that was not masked, nor any log where nobody asked for it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from caselore.wiring.unpacking import plain

if TYPE_CHECKING:
    from caselore.memory.aside_ports import Aside
    from caselore.settings import Settings

HEAD, TAIL = 1024**2, 3 * 1024**2  # bytes that are kept of a very large log
LINE = 4_000  # characters of a line
# a terminal wipes out the markers of sections, by which the page folds
_MARKERS = re.compile(
    r"(section_(?:start|end):\d+:[\w.-]+(?:\[[^\]\n]*\])?|travis_(?:fold|time):[\w.:,=-]+)"
    r"\r?(?:\x1b\[0?K)?"
)


def place(settings: Settings) -> Aside:
    """Choose where that is, beside the evidence: the same database server, or a file."""
    if settings.database_url:
        from caselore.memory.stores.aside_table import AsideTable  # noqa: PLC0415

        return AsideTable(settings.database_url)
    from caselore.memory.stores.aside_file import AsideFile  # noqa: PLC0415

    return AsideFile(settings.database.parent / "aside.db")


class Line(NamedTuple):
    """One line of a log, by its number from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Whole:
    """A log as it is kept: its first lines, and its last ones where it was too large."""

    lines: int
    """Of the log."""
    parts: tuple[tuple[int, tuple[str, ...]], ...]
    """The number of the first line of each part, and its lines."""

    def every(self) -> Iterator[Line]:
        """Give each line that is kept."""
        for first, texts in self.parts:
            for at, text in enumerate(texts):
                yield Line(first + at, text)

    def packed(self) -> bytes:
        """Give it as it is stored."""
        return zlib.compress(json.dumps([self.lines, self.parts]).encode(), 6)

    @classmethod
    def unpacked(cls, data: bytes) -> Whole:
        """Read it again."""
        lines, parts = json.loads(zlib.decompress(data))
        return cls(lines, tuple((first, tuple(texts)) for first, texts in parts))


def taken(file: BinaryIO) -> Whole:
    """Read and mask a log from where a file stands."""
    with plain(file) as found:
        head = found.file.read(HEAD)
        rest, skipped = _end_of(found.file)
    if not skipped:
        texts = _masked(head + rest)
        return Whole(len(texts), ((1, texts),))
    # whole lines only; the two cut ones at the gap are left out
    begin, _, _ = head.rpartition(b"\n")
    _, _, end = rest.partition(b"\n")
    texts, last = _masked(begin), _masked(end)
    first = head.count(b"\n") + skipped + 2
    return Whole(first + len(last) - 1, ((1, texts), (first, last)))


def _end_of(file: BinaryIO) -> tuple[bytes, int]:
    """Give the last bytes of a file, and how many line ends come before them."""
    held, skipped, more = b"", 0, False
    while piece := file.read(1024 * 1024):
        held += piece
        if len(held) > 2 * TAIL:
            skipped += held[:-TAIL].count(b"\n")
            held, more = held[-TAIL:], True
    if len(held) > TAIL and more:
        skipped += held[:-TAIL].count(b"\n")
        held = held[-TAIL:]
    return held, skipped if more else 0


def _masked(data: bytes) -> tuple[str, ...]:
    from caselore.guards import normalise, secrets  # noqa: PLC0415

    text = data.removesuffix(b"\n").decode("utf-8", "replace")
    lines = normalise.shown(_MARKERS.sub(r"\1 ", secrets.redact(text).text)).split("\n")
    return tuple(line[:LINE] for line in lines)


def whole(aside: Aside, bank: str, incident: str, now: datetime) -> Whole | None:
    """Give an incident's log, if it is kept."""
    packed = aside.log(bank, incident, now)
    return Whole.unpacked(packed) if packed else None
