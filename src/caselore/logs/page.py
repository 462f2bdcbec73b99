"""Turn raw bytes of a log into the lines that a terminal would show, with their original numbers.

Must not judge what a line means; tokens of CI systems are kept apart as marks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain
from typing import Final

LINE_CAP: Final = 16_384
_ANSI: Final = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]"
    rb"|\x1b[\]_P^][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    rb"|\x1b[()#%][0-9A-Za-z]|\x1b[=>78A-Z\\]"
    rb"|\^\[\[[0-9;?]*[A-Za-z]"
)
_BARE_COLOUR: Final = re.compile(rb"\[(?:0|1|22|3[0-9]|9[0-7]|39)(?:;[0-9]{1,3})*m|\[0K")
_MARK: Final = re.compile(
    rb"travis_(?:fold|time):(?:start|end):[^\r\n]*|section_(?:start|end):[0-9]+:[^\r\n]*"
)
_MARK_WORDS: Final = (b"travis_", b"section_")
_STAMP: Final = (
    rb"[\[(]?(?:task |taskcluster )?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]"
    rb"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?"
    rb"(?: ?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?[\])]?"
    rb"(?: [0-9]{2}[OE][+ ]?)?(?:[ ]\|(?: [\w.-]+ \|)?)?"
)
_CLOCK: Final = rb"[\[(]?[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,:][0-9]+)?[\])]?"
_TEAMCITY: Final = rb"\[[0-9]{2}:[0-9]{2}:[0-9]{2}\][WEFi ]?:[ \t]+(?:\[[^\]\n]{1,60}\] ?)?"
_ACTIONS: Final = rb"[^\t\n]{1,80}\t[^\t\n]{1,80}\t"
_COMPOSE: Final = (  # a bare number is a line of quoted code
    rb"[A-Za-z][\w.-]{0,39}(?:[-_][0-9]{1,3}[ \t]|[ \t]{2})[ \t]*\|(?: |$)"
)
_BUILDKIT: Final = rb"#[0-9]{1,3} [0-9]+\.[0-9]+ "
_SYSLOG: Final = (
    rb"[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [\w.-]+ [\w./-]+(?:\[[0-9]+\])?: "
)
_HARNESS: Final = rb"[ ]+(?:INFO|DEBUG) -(?:[ ]{0,2}(?:PID [0-9]+ \| )?|$)"
_AFTER_ACTIONS: Final = (
    rb"(?:"
    + _STAMP
    + rb"[ \t]?|"
    + _SYSLOG
    + rb"|"
    + _BUILDKIT
    + rb")"
    + rb"(?:[ \t]*"
    + _CLOCK
    + rb"[ \t]?)?(?:"
    + _HARNESS
    + rb")?"
    + rb"|^"
    + _TEAMCITY
    + rb"|^"
    + _CLOCK
    + rb"(?:"
    + _HARNESS
    + rb"|[ \t]|$)"
    + rb"|^"
    + _COMPOSE
    + rb"|^[ ]*INFO -  ?"
)
_BOM: Final = rb"^(?:\xef\xbb\xbf)?"
_PREFIX: Final = re.compile(_BOM + _AFTER_ACTIONS)  # for a line without a tab, which is most
_TABBED_PREFIX: Final = re.compile(_BOM + rb"(?:" + _ACTIONS + rb")?" + _AFTER_ACTIONS)
_SAMPLE: Final = 240


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive raw lines of a log."""

    first: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Mark:
    """A token of a CI system that a terminal would not show."""

    line: int
    text: str


@dataclass
class Page:
    """The lines to judge. `numbers[i]` is the 1-based number of line i in the log."""

    lines: list[str]
    data: bytes
    numbers: Sequence[int]
    marks: list[Mark] = field(default_factory=list)
    gaps: frozenset[int] = frozenset()
    segments: tuple[Segment, ...] = ()

    def raw(self, first: int, last: int) -> list[str]:
        """Give the lines of the log with these numbers as they were written."""
        for segment in self.segments:
            lines = self._split[segment.first]
            if segment.first <= first < segment.first + len(lines):
                part = lines[first - segment.first : last - segment.first + 1]
                return [_capped(line).decode("utf-8", "replace") for line in part]
        return []

    @cached_property
    def _split(self) -> dict[int, list[bytes]]:
        """Raw lines of each segment, by the number of its first line."""
        return {segment.first: segment.data.split(b"\n") for segment in self.segments}

    @cached_property
    def starts(self) -> list[int]:
        """Byte offset in `data` at which each line starts."""
        sizes = [len(part) + 1 for part in self.data.split(b"\n")]
        return [0, *accumulate(sizes[:-1])]

    def index(self, number: int) -> int:
        """Give the line of the page that holds this line of the log, or the one before it."""
        return max(0, bisect_right(self.numbers, number) - 1)


def build(segments: Sequence[Segment]) -> Page:
    """Normalise segments of a log into one page."""
    lines: list[bytes] = []
    numbers: list[int] = []
    marks: list[Mark] = []
    gaps: list[int] = []
    for segment in segments:
        if lines:
            gaps.append(len(lines))
        base = len(lines)
        shown, tokens = shown_lines(segment.data)
        lines.extend(shown)
        numbers.extend(range(segment.first, segment.first + len(shown)))
        marks.extend(Mark(base + at, text) for at, text in tokens)
    page = _squeezed(lines, numbers, marks, gaps)
    page.segments = tuple(segments)
    return page


def shown_lines(data: bytes) -> tuple[list[bytes], list[tuple[int, str]]]:
    """Give the lines as shown, and the CI tokens with their line index."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\x1b" in data or b"^[[" in data:
        data = _ANSI.sub(b"", data)
    elif b"[0m" in data or b"[39m" in data:
        data = _BARE_COLOUR.sub(b"", data)
    data, marks = _without_tokens(data)
    lines = data.split(b"\n")
    if b"\r" in data:
        lines = [_last_part(line) if b"\r" in line else line for line in lines]
    if b"\x08" in data:
        lines = [_rubbed_out(line) if b"\x08" in line else line for line in lines]
    if max(map(len, lines)) > LINE_CAP:
        lines = [_capped(line) for line in lines]
    return _unprefixed(lines), marks


def _without_tokens(data: bytes) -> tuple[bytes, list[tuple[int, str]]]:
    """Take fold, timer and section tokens out of a text; give both."""
    found: list[tuple[int, str]] = []
    rest: list[bytes] = []
    line = end = 0
    for place in sorted(chain.from_iterable(_places(data, word) for word in _MARK_WORDS)):
        token = _MARK.match(data, place) if place >= end else None
        if token is None:
            continue
        line += data.count(b"\n", end, place)
        found.append((line, token.group().decode("utf-8", "replace")))
        rest.append(data[end:place])
        end = token.end()
    return (b"".join([*rest, data[end:]]) if found else data), found


def _places(data: bytes, word: bytes) -> Iterator[int]:
    """Give each place of a word: a search for plain text is far faster than for a pattern."""
    place = data.find(word)
    while place >= 0:
        yield place
        place = data.find(word, place + 1)


def _last_part(line: bytes) -> bytes:
    """Keep what stands on screen after carriage returns: the last part that is not blank."""
    parts = [part for part in line.split(b"\r") if part.strip()]
    return parts[-1] if parts else b""


def _rubbed_out(line: bytes) -> bytes:
    """Apply backspaces; a long run of them (spinners) keeps what follows the last one."""
    if line.count(b"\x08") > 200:
        return line.rsplit(b"\x08", 1)[1]
    kept: list[int] = []
    for byte in line:
        if byte != 8:
            kept.append(byte)
        elif kept:
            kept.pop()
    return bytes(kept)


def _capped(line: bytes) -> bytes:
    """Keep head and tail of a very long line."""
    if len(line) <= LINE_CAP:
        return line
    half = LINE_CAP // 2
    return line[:half] + b" ... " + line[-half:]


def _unprefixed(lines: list[bytes]) -> list[bytes]:
    """Strip timestamps and prefixes of runners and containers where the log has them."""
    if not _has_prefixes(lines):
        return lines
    once = _stripped(lines)
    return _stripped(once) if _has_prefixes(once) else once


def _stripped(lines: list[bytes]) -> list[bytes]:
    """Strip what stands before each line's own text."""
    found = [_TABBED_PREFIX.match(x) if b"\t" in x else _PREFIX.match(x) for x in lines]
    return [x[each.end() :] if each else x for x, each in zip(lines, found, strict=True)]


def _has_prefixes(lines: list[bytes]) -> bool:
    """Say whether an evenly spread sample of the lines shows prefixes."""
    step = max(1, len(lines) // _SAMPLE)
    sample = [line for line in lines[::step] if line.strip()]
    found = sum(1 for line in sample if _TABBED_PREFIX.match(line))
    return found * 50 >= len(sample) > 0 and found > 0


def _squeezed(lines: list[bytes], numbers: list[int], marks: list[Mark], gaps: list[int]) -> Page:
    """Drop the blank lines of a log that puts some after each line, so that blocks stay whole."""
    full = [i for i, line in enumerate(lines) if line.strip() not in (b"", b"nl")]
    if len(lines) < 40 or len(full) * 20 > len(lines) * 11:
        return _page(lines, numbers, marks, gaps)
    position = {i: k for k, i in enumerate(full)}
    kept = [lines[i] for i in full]
    where = [numbers[i] for i in full]

    def moved(i: int) -> int:
        return position.get(i, bisect_right(full, i))

    moved_marks = [Mark(moved(mark.line), mark.text) for mark in marks]
    return _page(kept, where, moved_marks, [moved(i) for i in gaps])


def _page(
    lines: list[bytes], numbers: Sequence[int], marks: list[Mark], gaps: Iterable[int]
) -> Page:
    """Decode once and keep both forms."""
    data = b"\n".join(lines)
    text = data.decode("utf-8", "replace").split("\n")
    return Page(text, data, numbers, marks, frozenset(gaps))
