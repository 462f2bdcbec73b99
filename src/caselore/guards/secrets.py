"""Masks credentials in a text: by their formats, by the name beside them, and by exact value.

Must not give the secret back in a finding, change the number of lines, or be slower than linear.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any
from urllib.parse import quote

import re2

from caselore.guards import plausible, quiet, splits
from caselore.guards.rules import Found, RuleSet
from caselore.guards.views import Views

REACH = 256  # bytes around a literal that a rule may see; a longer value is followed to its end
KEY_BYTES = 32_000  # bytes within which a private key must end
KEY_LINES = 200  # lines of a private key that is never closed
PASSES = 8  # rounds of masking
NEAR = 2  # lines around a mask that are looked at again
EXACT_LEAST = 4  # a shorter value of the user's would mask half of a log
ENCODED_LEAST = 8  # a shorter one is not looked for in base64 or hex

_RUN = re.compile(rb"[A-Za-z0-9_+/=.~%-]*")
_KEY_BODY = re.compile(rb"[A-Za-z0-9+/=]{16,}")
_MASK = re.compile(r"\[masked:([a-z-]{1,40}):\d+\]")
_Known = Any  # a compiled pattern of the user's own values, or None
_WRAPPED = frozenset({"base64", "base32", "hex"})
_BY_LINE = "private-key"  # is followed over its lines anyway
# Rules that go by the name beside a value: a line's end may part two things that are not one.
_BESIDE = frozenset(
    {
        *("url-credentials", "auth-header", "key-header", "curl-user", "cookie", "password"),
        *("connection-string", "secret-assignment", "basic-auth"),
    }
)
_named: dict[str, tuple[str, ...]] = {"values": ()}


def also_mask(values: Iterable[str]) -> None:
    """Mask these values wherever they stand, from now on: the user says that they are secret."""
    _named["values"] = tuple(values)


def named_values() -> tuple[str, ...]:
    """Give the values that are masked because the user named them."""
    return _named["values"]


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
    that is split by colours, invisible characters, escapes, wrapping or an encoding is masked
    where it stands; one that only a redrawn screen shows is masked in its line as shown.
    """
    exact = tuple(exact)
    if not text:
        return Masked(text, ())
    if not (exact or _named["values"]) and quiet.holds_nothing(text, _rules()):
        return Masked(text, ())
    return redact_views(Views(text), exact)


def hold_any(texts: Sequence[str]) -> bool:
    """Say whether one of several texts, each for itself, holds what would be masked."""
    if not _named["values"] and quiet.hold_nothing(texts, _rules()):
        return False
    return any(redact(one).findings for one in dict.fromkeys(texts))


def redact_views(views: Views, exact: Iterable[str] = ()) -> Masked:
    """Mask the secrets of a text whose views another guard may share."""
    known = _forms((*_named["values"], *exact))
    lines = views.raw.split(b"\n") if (changes := _masks(views, known)) else []
    for number, line in changes.items():
        lines[number] = line
    for first, last in _neighbourhoods(sorted(changes), len(lines)):
        lines[first:last] = _settled(b"\n".join(lines[first:last]), known).split(b"\n")
    text = b"\n".join(lines).decode("utf-8", "surrogatepass") if lines else views.text
    return Masked(text, tuple(_findings(text, views.text)))


def _settled(piece: bytes, known: _Known) -> bytes:
    """Mask until nothing more comes to light: a mask can free what was glued to it."""
    for _ in range(PASSES):
        changes = _masks(Views(piece.decode("utf-8", "surrogatepass")), known)
        if not changes:
            break
        lines = piece.split(b"\n")
        for number, line in changes.items():
            lines[number] = line
        piece = b"\n".join(lines)
    return piece


def _neighbourhoods(numbers: list[int], count: int) -> Iterator[tuple[int, int]]:
    """Give the lines around changed ones, together where they touch."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        first, last = max(0, number - NEAR), min(count, number + NEAR + 1)
        if spans and first <= spans[-1][1]:
            first = spans.pop()[0]
        spans.append((first, last))
    yield from spans


def _masks(views: Views, known: _Known) -> dict[int, bytes]:
    """Give the lines that hold secrets in any view, masked, by their number from 0.

    Where only the screen shows a secret, the line stands as shown.
    """
    said = views.said
    own = list(_every(said, known))
    spans = [*own, *_over_breaks(said, known, own), *_in_escapes(said, known)]
    spans += _in_encodings(views, known)
    changes = dict(_placed(views, _disjoint(spans))) if spans else {}
    on_screen = list(_every(views.screen, known))
    if on_screen:
        lines = views.screen.split(b"\n")
        for number, held in splits.by_line(views.screen, map(_plain, _disjoint(on_screen))):
            if number not in changes:
                changes[number] = _signed(lines[number], [(*s, s[1] - s[0]) for s in held])
    return changes


def _placed(views: Views, spans: list[_Span]) -> Iterator[tuple[int, bytes]]:
    """Put the masks where the spans of what is said stand in the lines of the raw text."""
    raw, said = views.raw.split(b"\n"), views.said.split(b"\n")
    for number, held in splits.by_line(views.said, map(_plain, spans)):
        line = raw[number]
        origin = splits.aligned(line, said[number])
        if origin is None:
            yield number, _signed(said[number], [(*s, s[1] - s[0]) for s in held])
        else:
            placed = [(origin[f], origin[last - 1] + 1, rule, last - f) for f, last, rule in held]
            yield number, _signed(line, placed)


def _every(data: bytes, known: _Known) -> Iterator[_Span]:
    yield from _exact(data, known)
    yield from _spans(data)


def _over_breaks(said: bytes, known: _Known, own: list[_Span]) -> Iterator[_Span]:
    """Find what runs over the end of a line: a wrap at a width, or a continuation.

    What is whole on its line (`own`) takes nothing from the next where that may be another text.
    """
    whole = splits.joined(said)
    ends = {span.last for span in own}
    for span in _every(whole.data, known) if whole.data else ():
        sure = whole.breaks(span.first, span.last)
        if not sure or span.rule == _BY_LINE:
            continue
        pieces = list(whole.back(span.first, span.last))
        if all(sure) or not (span.rule in _BESIDE or pieces[0][1] in ends):
            yield from (_Span(first, last, span.rule) for first, last in pieces)


def _in_escapes(said: bytes, known: _Known) -> Iterator[_Span]:
    """Find what stands behind escapes of JSON, URLs or entities."""
    lines = [
        (first, *splits.unescaped(said[first:last])) for first, last in splits.escaped_lines(said)
    ]
    data = b"\n".join(text for _, text, _ in lines)
    for number, held in splits.by_line(data, map(_plain, _every(data, known))):
        offset, _, origin = lines[number]
        for first, last, rule in held:
            yield _Span(offset + origin[first], offset + origin[last], rule)


def _in_encodings(views: Views, known: _Known) -> Iterator[_Span]:
    """Find stretches that are the base64 or hex of something secret, as a whole."""
    for part in views.decoded:
        if part.way in _WRAPPED:
            inner = next(_every(part.text.encode("utf-8", "surrogatepass"), known), None)
            if inner:
                yield from _each_line(views.said, _Span(part.first, part.last, inner.rule))


def _signed(data: bytes, places: Iterable[tuple[int, int, str, int]]) -> bytes:
    """Replace each place by the mask of its rule and of the length of what it hides."""
    out, at = [], 0
    for first, last, rule, size in places:
        out += [data[at:first], f"[masked:{rule}:{1 << (size - 1).bit_length()}]".encode()]
        at = last
    return b"".join([*out, data[at:]])


def _plain(span: _Span) -> splits.Span:
    return span.first, span.last, span.rule


@lru_cache(maxsize=16)
def _forms(values: tuple[str, ...]) -> _Known:
    """Give one pattern for the user's values, as they are and as tools encode them."""
    forms: set[bytes] = set()
    for value in values:
        if len(value) >= EXACT_LEAST:
            forms |= {value.encode(), quote(value, safe="").encode(), _in_json(value)}
        if len(value) >= ENCODED_LEAST:
            forms |= {value.encode().hex().encode(), *_in_base64(value.encode())}
    if not forms:
        return None
    longest_first = sorted(forms, key=lambda form: (-len(form), form))
    return re2.compile(b"|".join(map(re2.escape, longest_first)))


def _in_json(value: str) -> bytes:
    return json.dumps(value)[1:-1].encode()


def _in_base64(value: bytes) -> Iterator[bytes]:
    """Give what a value looks like within base64, at each of the three places it can start."""
    for before, skipped in enumerate((0, 2, 3)):
        whole = base64.b64encode(bytes(before) + value)
        yield whole[skipped : (before + len(value)) * 8 // 6]


def _exact(data: bytes, known: _Known) -> Iterator[_Span]:
    if known is not None:
        for hit in known.finditer(data):
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
