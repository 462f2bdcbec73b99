"""Holds one text in the views that guards judge, each made once and shared by all of them.

Must not judge what a view says, change the number of lines, or take more than linear time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

import re2

from caselore.guards import decode, lookalikes, normalise

Spans = tuple[tuple[int, int], ...]
"""Whole lines by their offsets, in order, without the last line end."""


# What makes a line show something else than its bytes say.
_SPECIAL = re2.compile(
    r"[\x07\x08]|\r[^\r\n]|\x1b(?:[\]PX^_]|\[(?:[0-9;]*[JKGC]|(?:\d{1,3};)*8m))|"
    f"[{normalise.INVISIBLE}]"
)
_ODD_SCRIPTS = (
    "\u0300-\u036f\u2000-\u200a\u2100-\u214f\u249c-\u24e9\uff01-\uff5e\U0001d400-\U0001d7ff"
)
_ODD_SCRIPTS += "\U0001f110-\U0001f189\ua730-\ua7ff\u1d00-\u1d7f\u0250-\u02af\u20d0-\u20ff"
_LOOKALIKES = "".join(char for chars in lookalikes.LOOKALIKES.values() for char in chars)
_ODD = re2.compile(f"[{_ODD_SCRIPTS}{''.join(c for c in _LOOKALIKES if not c.isascii())}]")
# Words cut into coloured pieces of a few letters: six in a row are no layout.
_PIECES = re2.compile(
    r"(?:\x1b\[[0-9;]{0,12}m[^\x1b\n]{0,4}(?:\x1b\[?[0-9;]{0,4}[^\x1b\n]{0,2})?\x1b\[0?m ?){6}"
)


class Views:
    """One text in its views, as UTF-8; every view has the text's lines."""

    def __init__(self, text: str) -> None:
        """Take the text; a view is made when first asked for."""
        self.text = text

    @cached_property
    def raw(self) -> bytes:
        """Give the text as it is."""
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def said(self) -> bytes:
        """Give all that the bytes say, without formatting and with hidden messages spelt out."""
        return normalise.said(self.raw)

    @cached_property
    def unstamped(self) -> bytes:
        """Give what is said without the time stamps that a runner puts before each line."""
        return decode.unprefixed(self.said)

    @cached_property
    def special(self) -> Spans:
        """Give the lines on which a screen shows something else than what is said."""
        return tuple(_merged(_lines_with(_SPECIAL, self.raw)))

    @cached_property
    def screen(self) -> bytes:
        """Give the special lines and their neighbours as a screen shows them; others are blank."""
        return _only(self.raw, _wider(self.raw, self.special), normalise.shown)

    @cached_property
    def bare(self) -> bytes:
        """Give the lines with odd letters, and their neighbours, in plain ones."""
        if self.said.isascii():
            return b""
        odd = tuple(_merged(_lines_with(_ODD, self.said)))
        return _only(self.said, _wider(self.said, odd), normalise.skeleton)

    @cached_property
    def pieced(self) -> bytes:
        """Give the lines whose words are cut into coloured pieces, joined; others are blank."""
        if b"\x1b" not in self.raw:
            return b""
        return _only(self.raw, tuple(_lines_with(_PIECES, self.raw)), normalise.joined)

    @cached_property
    def decoded(self) -> tuple[decode.Decoded, ...]:
        """Give what stretches of the text encode."""
        return tuple(decode.decoded(self.said))


def _lines_with(pattern: re2._Regexp, data: bytes) -> Iterator[tuple[int, int]]:
    """Give the lines in which a pattern is found, each once."""
    found = pattern.search(data)
    while found:
        first = data.rfind(b"\n", 0, found.start()) + 1
        last = data.find(b"\n", found.start())
        last = len(data) if last < 0 else last
        yield first, last
        found = pattern.search(data, last)


def _merged(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join spans that touch or overlap."""
    open_span: tuple[int, int] | None = None
    for first, last in spans:
        if open_span and first <= open_span[1] + 1:
            open_span = open_span[0], max(last, open_span[1])
            continue
        if open_span:
            yield open_span
        open_span = first, last
    if open_span:
        yield open_span


def _wider(data: bytes, spans: Spans) -> Spans:
    """Take in the line above and the line below of each span: a sentence may run over them."""
    wide = []
    for first, last in spans:
        above = data.rfind(b"\n", 0, max(0, first - 1)) + 1
        below = data.find(b"\n", last + 1)
        wide.append((above, len(data) if below < 0 else below))
    return tuple(_merged(wide))


def _only(data: bytes, spans: Spans, change: Callable[[str], str]) -> bytes:
    """Give those lines changed and every other line blank."""
    if not spans:
        return b""
    out, at = [], 0
    for first, last in spans:
        lines = data[first:last].decode("utf-8", "surrogatepass")
        out += [
            b"\n" * data.count(b"\n", at, first),
            change(lines).encode("utf-8", "surrogatepass"),
        ]
        at = last
    return b"".join([*out, b"\n" * data.count(b"\n", at)])
