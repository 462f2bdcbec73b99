"""Masks credentials in a text: by their formats, by the name beside them, and by exact value.

Must not give the secret back in a finding, change the number of lines, or be slower than linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from caselore.guards import normalise, plausible
from caselore.guards.rules import Found, RuleSet

REACH = 256  # bytes around a literal that a rule may see; a longer value is followed to its end
KEY_BYTES = 32_000  # bytes within which a private key must end
KEY_LINES = 200  # lines of a private key that is never closed
PASSES = 8  # rounds of masking
EXACT_LEAST = 4  # a shorter value of the user's would mask half of a log

_RUN = re.compile(rb"[A-Za-z0-9_+/=.~%-]*")
_KEY_BODY = re.compile(rb"[A-Za-z0-9+/=]{16,}")
_MASK = re.compile(r"\[masked:([a-z-]{1,40}):\d+\]")


@dataclass(frozen=True, slots=True, order=True)
class Secret:
    """One finding: where the mask stands in the masked text (1-based line, columns from 0)."""

    line: int
    rule: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Masked:
    """A text whose secrets are masked, with as many lines as before."""

    text: str
    findings: tuple[Secret, ...]


@dataclass(frozen=True, slots=True)
class _Span:
    first: int
    last: int
    rule: str


@cache
def _rules() -> RuleSet:
    return RuleSet.load("secrets.toml", reach=REACH)


def redact(text: str, exact: Iterable[str] = ()) -> Masked:
    """Mask the secrets of a text; `exact` are values that are secret because the user says so.

    A mask reads `[masked:RULE:N]`, where N is the length rounded up to a power of two. A value
    that is split by colours or by redrawing is found as the screen shows it; its line then
    stands in the result as shown.
    """
    masked = _mask(text, exact)
    for view in (normalise.plain, normalise.shown, normalise.revealed):
        masked = _through(view(masked), masked, exact)
    return Masked(masked, tuple(_findings(masked, text)))


def _through(view: str, masked: str, exact: Iterable[str]) -> str:
    """Take over those lines of a view in which a secret comes to light."""
    if view == masked:
        return masked
    again = _mask(view, exact)
    if again == view:
        return masked
    lines = zip(masked.split("\n"), view.split("\n"), again.split("\n"), strict=True)
    return "\n".join(old if seen == new else new for old, seen, new in lines)


def _mask(text: str, exact: Iterable[str]) -> str:
    """Mask until nothing more comes to light: a mask can free what was glued to it."""
    data = text.encode("utf-8", "surrogatepass")
    for _ in range(PASSES):
        spans = _disjoint([*_exact(data, exact), *_spans(data)])
        if not spans:
            break
        data = _replaced(data, spans)
    return data.decode("utf-8", "surrogatepass")


def _replaced(data: bytes, spans: Iterable[_Span]) -> bytes:
    out, at = [], 0
    for span in spans:
        out += [data[at : span.first], _sign(span)]
        at = span.last
    return b"".join([*out, data[at:]])


def _sign(span: _Span) -> bytes:
    """Give the mask of a span, with its length class."""
    size = 1 << (span.last - span.first - 1).bit_length()
    return f"[masked:{span.rule}:{size}]".encode()


def _exact(data: bytes, values: Iterable[str]) -> Iterator[_Span]:
    known = {value.encode() for value in values if len(value) >= EXACT_LEAST}
    if known:
        longest_first = sorted(known, key=lambda value: (-len(value), value))
        for hit in re.finditer(b"|".join(map(re.escape, longest_first)), data):
            yield from _each_line(data, _Span(hit.start(), hit.end(), "named-value"))


def _spans(data: bytes) -> Iterator[_Span]:
    """Give the spans of all rules in the order of precedence within a window."""
    end = key_end = 0
    for found in _rules().find(data):
        if found.rule.options.get("block"):
            for span in _key_lines(data, found) if found.first >= key_end else ():
                key_end = span.last
                yield span
            continue
        for first, last in found.spans:
            if first >= end and plausible.accepts(data[first:last], found.rule.options):
                end_of_run = _RUN.match(data, last)
                stop = end_of_run.end() if end_of_run and found.cut else last
                end = stop if found.cut else end
                yield _Span(first, stop, found.rule.name)


def _key_lines(data: bytes, found: Found) -> Iterator[_Span]:
    """Give the body of a private key, line by line, from its opening to its end."""
    at, end = found.last, data.find(b"-----END", found.last, found.last + KEY_BYTES)
    closed = end >= 0 and data.count(b"\n", at, end) <= KEY_LINES
    for _ in range(KEY_LINES):
        stop = data.find(b"\n", at)
        stop = len(data) if stop < 0 else stop
        stop = min(stop, end) if closed else stop
        bodies = [
            _Span(m.start(), m.end(), found.rule.name) for m in _KEY_BODY.finditer(data, at, stop)
        ]
        yield from bodies
        if (
            stop >= len(data)
            or (closed and stop == end)
            or not (closed or bodies or at == found.last)
        ):
            return
        at = stop + 1


def _each_line(data: bytes, span: _Span) -> Iterator[_Span]:
    """Split a span at its line ends, so that masking keeps the lines."""
    at = span.first
    for part in data[span.first : span.last].split(b"\n"):
        if part:
            yield _Span(at, at + len(part), span.rule)
        at += len(part) + 1


def _disjoint(spans: Iterable[_Span]) -> list[_Span]:
    """Merge spans that overlap; the one that was named first names the whole."""
    named = sorted(enumerate(spans), key=lambda item: (item[1].first, item[0]))
    out: list[tuple[int, _Span]] = []
    for rank, span in named:
        if out and span.first < out[-1][1].last:
            before, last = out[-1]
            rule = last.rule if before <= rank else span.rule
            merged = _Span(last.first, max(last.last, span.last), rule)
            out[-1] = (min(before, rank), merged)
        else:
            out.append((rank, span))
    return [span for _, span in out]


def _findings(masked: str, before: str) -> Iterator[Secret]:
    """Read the findings off the masks, leaving out those that the text brought along."""
    if masked == before:
        return
    brought = before.split("\n") if "[masked:" in before else []
    for number, line in enumerate(masked.split("\n"), 1):
        if "[masked:" in line and (not brought or brought[number - 1] != line):
            for mark in _MASK.finditer(line):
                yield Secret(number, mark.group(1), mark.start(), mark.end())
