"""Find the parts of a log worth looking at: one streaming pass, then windows round the anchors.

Must not hold more than one chunk and the windows; a small log is one window.
"""

from __future__ import annotations

import hashlib
import math
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from caselore.logs.engine import Find, Found, first_hits
from caselore.logs.line_ends import fastest, one_by_one
from caselore.logs.page import Segment
from caselore.logs.signs import table
from caselore.logs.source import CHUNK, Source
from caselore.logs.tools import readers

if TYPE_CHECKING:
    from concurrent.futures import Future

SMALL: Final = 3 << 20
_HEAD: Final = 16 << 10
_TAIL: Final = 128 << 10
_BEFORE, _AFTER = 6 << 10, 10 << 10
_BEFORE_EXIT: Final = 48 << 10
_LARGE: Final = 40 << 20
_MOST, _MOST_OF_LARGE = (
    3 << 20,
    640 << 10,
)  # bytes to judge; of a very large log less, to keep pace
_WORTH: Final = 24 << 20  # bytes for which compiling the native search pays
_BATCH: Final = 4  # chunks
_READ_AHEAD: Final = 2  # batches
_SEARCHERS: Final = 2  # threads; reading and counting take half as long as the search
_KEPT: Final = 3  # first and last hits kept for each anchor
_EXIT: Final = 100.0
_STRONG: Final = 50.0
_LIGHTEST: Final = 80  # lighter ones are found by the strong signs; each pattern costs speed
_ANYTHING: Final = re.compile(
    r"^\^?((?:\(\?(?:P<\w+>|:))*)\.\*"
)  # text of any kind need not be searched
# Fixed text that suffices: the engine looks for the end of what is fixed, often a common word.
_TELLS: Final = re.compile(r"\\b(?:\[\w+\]|\w)*[a-z]{4} \w{3,} (?=\(\?:)")
_INDENT: Final = re.compile(r"^(?:\\s|\[ \\t\])[*+](?!\?)")  # the lead-in holds it
_LEAD_IN: Final = r"(?:^|[ \t\r\]|mK>])"


@dataclass(frozen=True, slots=True)
class Scanned:
    """What the pass over a log found."""

    segments: tuple[Segment, ...]
    lines: int
    digest: str
    whole: bool
    tail: bytes


@dataclass(slots=True)
class _Spot:
    """Where one anchor was met: the first and last few places, and in how many chunks."""

    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    chunks: int = 0

    def add(self, offset: int) -> None:
        """Remember a place."""
        self.chunks += 1
        if len(self.first) < _KEPT:
            self.first.append(offset)
        else:
            self.last = [*self.last[1 - _KEPT :], offset]


_Batch = list[tuple[int, bytes]]
"""Chunks with their offsets; a thread is handed several, as each hand-over costs time too."""


def scan(source: Source, *, digest: bool = False) -> Scanned:
    """Read a log once and give the parts to judge; `digest` asks for its SHA-256 too.

    Hashing a large log takes longer than all the rest.
    """
    if source.size <= SMALL:
        data = source.at(0, source.size)
        lines = data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)
        hashed = hashlib.sha256(data).hexdigest() if digest else ""
        return Scanned((Segment(1, data),), lines, hashed, True, data[-4096:])
    return _streamed(source, hashlib.sha256() if digest else None)


def _streamed(source: Source, digest: Any) -> Scanned:
    """Pass over a large log by chunks; search and hash run in threads beside reading."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  a small log needs none

    patterns, weights = anchors()
    spots = [_Spot() for _ in patterns]
    places, counts = [0], [1]
    search = _anchor_search(source.size >= _WORTH)
    line_ends = fastest() if source.size >= _WORTH else one_by_one
    with ThreadPoolExecutor(_SEARCHERS) as pool, ThreadPoolExecutor(1) as hasher:
        waiting: deque[Future[Found]] = deque()
        hashed: Future[None] | None = None
        for batch in _batches(source):
            if hashed is not None:
                hashed.result()
            if digest is not None:
                hashed = hasher.submit(_hash, digest, batch)
            waiting.append(pool.submit(_search, search, batch))
            for place, chunk in batch:
                counts.append(counts[-1] + line_ends(chunk))
                places.append(place + len(chunk))
            if len(waiting) > _READ_AHEAD:
                _note(spots, waiting.popleft().result())
        for pending in waiting:
            _note(spots, pending.result())
    tail = source.at(max(0, source.size - 4096), 4096)
    total = counts[-1] - (1 if tail.endswith(b"\n") else 0)
    windows = _windows(spots, weights, source.size)
    segments = tuple(_segments(source, windows, places, counts))
    return Scanned(segments, total, digest.hexdigest() if digest else "", False, tail)


def _batches(source: Source) -> Iterator[_Batch]:
    """Give the chunks of a log, several at a time."""
    place = 0
    batch: _Batch = []
    for chunk in source.chunks(CHUNK):
        batch.append((place, chunk))
        place += len(chunk)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _search(search: Find, batch: _Batch) -> Found:
    """Find where in the log the chunks of a batch meet which anchor."""
    return [(place + end, number) for place, chunk in batch for end, number in search(chunk)]


def _hash(digest: Any, batch: _Batch) -> None:
    """Add the chunks of a batch to a digest."""
    for _, chunk in batch:
        digest.update(chunk)


def _note(spots: Sequence[_Spot], found: Found) -> None:
    """Remember where the log met which anchor."""
    for place, number in found:
        spots[number].add(place)


@cache
def _anchor_search(worth: bool) -> Find:
    """Compile the anchors once."""
    return first_hits(anchors()[0], "anchors", worth=worth)


@cache
def anchors() -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Give the patterns of the pass, made to fit raw lines, and what each is worth."""
    rows = [(p, _EXIT) for p in table()["exit"]]
    rows += [(p, _STRONG) for p in table()["strong"] if _telling(p)]
    for reader in readers():
        if reader.weight >= _LIGHTEST and not reader.after:
            rows += [(p, float(reader.weight)) for p in reader.start if _telling(p)]
    return tuple(_raw(p) for p, _ in rows), tuple(w for _, w in rows)


def _telling(pattern: str) -> bool:
    """Say whether a pattern holds enough fixed text to be searched for in raw lines."""
    plain = re.sub(r"\(\?[P:<>\w]*|\\.|\[[^\]]*\]|[*+?{}()|^$.0-9,]", " ", pattern)
    return any(len(word) >= 4 for word in plain.split())


def _raw(pattern: str) -> str:
    """Let a pattern meet raw lines, whose start may hide behind a stamp or a colour."""
    pattern = _ANYTHING.sub(r"\1", pattern)
    if long := _TELLS.match(pattern):
        pattern = long.group()
    if pattern.startswith("^"):
        pattern = _LEAD_IN + _INDENT.sub("", pattern[1:], count=1)
    return pattern[:-1] if pattern.endswith("$") and not pattern.endswith("\\$") else pattern


def _windows(spots: Sequence[_Spot], weights: Sequence[float], size: int) -> list[tuple[int, int]]:
    """Choose the byte ranges to load: head, tail, and round the anchors that tell most."""
    chosen = [(0, min(size, _HEAD)), (max(0, size - _TAIL), size)]
    total = _HEAD + _TAIL
    ranked = sorted(_worth(spots, weights), reverse=True)
    for _value, minus, before in ranked:
        offset = -minus
        window = (max(0, offset - before), min(size, offset + _AFTER))
        if any(a <= offset - before // 4 and offset + _AFTER // 4 <= b for a, b in chosen):
            continue
        total += window[1] - window[0]
        if total > (_MOST if size < _LARGE else _MOST_OF_LARGE):
            break
        chosen.append(window)
    return chosen


def _worth(spots: Sequence[_Spot], weights: Sequence[float]) -> Iterator[tuple[float, int, int]]:
    """Rate each place: by the anchor's weight, and by how seldom it is met in this log."""
    for spot, weight in zip(spots, weights, strict=True):
        if not spot.chunks:
            continue
        common = 6.0 * math.log2(spot.chunks)
        before = _BEFORE_EXIT if weight == _EXIT else _BEFORE
        for rank, offset in enumerate(spot.first):
            yield weight - common - 4 * rank, -offset, before
        for rank, offset in enumerate(reversed(spot.last)):
            yield weight - common - 2 - 4 * rank, -offset, before


def _segments(
    source: Source, windows: list[tuple[int, int]], places: list[int], counts: list[int]
) -> Iterator[Segment]:
    """Load windows, joined where they touch, cut at line ends and numbered."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(windows):
        if joined and first <= joined[-1][1] + 1024:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    for first, last in joined:
        chunk = bisect_right(places, first) - 1
        lead = source.at(places[chunk], first - places[chunk])
        data = source.at(first, last - first)
        number = counts[chunk] + lead.count(b"\n")
        if first and not lead.endswith(b"\n") and lead:
            cut = data.find(b"\n") + 1
            if cut:
                data, number = data[cut:], number + 1
        end = data.rfind(b"\n")
        if last < source.size and end > 0:
            data = data[:end]
        yield Segment(number, data)
