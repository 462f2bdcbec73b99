"""Turns text of unknown origin into lines that are safe and readable on a terminal.

Must not decide what is said: callers give the words, this gives colour, width and safety.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_WIDEST = 100
_NARROWEST = 40


def safe(text: str) -> str:
    """Show what a terminal would obey, hide or reorder as escapes like \\x1b or \\u202e."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character) for character in text.expandtabs(4))


def one_line(text: str) -> str:
    """Give safe text on one line."""
    return safe(" ".join(text.split()))


def _visible(character: str) -> str:
    if character == "\n":
        return character
    # Cc control, Cf bidirectional and zero-width, Cs half characters, Zl and Zp line breaks
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Cn"):
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return character


@dataclass(frozen=True, slots=True)
class Paper:
    """Where human output goes: how wide it is and whether it takes colour."""

    width: int = 80
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO | None, *, no_color: bool) -> Paper:
        """Measure a stream."""
        columns = shutil.get_terminal_size((80, 24)).columns
        width = max(_NARROWEST, min(columns, _WIDEST))
        return cls(width, colour=bool(stream and stream.isatty()) and not no_color)

    def ink(self, text: str, *styles: str) -> str:
        """Colour a finished piece of text; the text must be safe already."""
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    def heading(self, text: str) -> str:
        """Give a section heading."""
        return self.ink(text, "bold")

    def wrap(self, text: str, *, indent: str = "  ", first: str | None = None) -> list[str]:
        """Make text safe and break it to the paper's width, keeping its own line breaks."""
        lines: list[str] = []
        for number, part in enumerate(safe(text).split("\n")):
            lead = first if first is not None and number == 0 else indent
            lines += textwrap.wrap(
                part,
                self.width,
                initial_indent=lead,
                subsequent_indent=indent,
                break_on_hyphens=False,
            ) or [lead.rstrip()]
        return lines

    def cut(self, text: str, room: int) -> str:
        """Make text safe, put it on one line and cut it."""
        flat = safe(text).replace("\n", " ")
        return flat if len(flat) <= room else flat[: max(1, room - 1)] + "…"

    def command(self, words: Iterable[str], *, first: str, indent: str) -> list[str]:
        """Break a command between words so that a shell takes it again, with backslashes."""
        lines = [first]
        for word in map(one_line, words):
            full = len(lines[-1]) + len(word) + 3 > self.width
            if full and lines[-1] not in (first, indent):
                lines[-1] += " \\"
                lines.append(indent)
            lines[-1] += f" {word}"
        return lines

    def table(self, rows: Iterable[tuple[str, str]]) -> list[str]:
        """Lay out name and text pairs in two columns."""
        kept = [(name, text) for name, text in rows if text]
        wide = max((len(name) for name, _ in kept), default=0)
        lines: list[str] = []
        for name, text in kept:
            pad = " " * (wide - len(name))
            shown = self.wrap(text, indent=" " * (wide + 4), first=f"  {name}{pad}  ")
            lines += [shown[0].replace(name, self.ink(name, "dim"), 1), *shown[1:]]
        return lines


def day(at: datetime) -> str:
    """Write the day of a time in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d}"


def minute(at: datetime) -> str:
    """Write a time to the minute in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def say(line: str) -> None:
    """Write to standard error, where progress and warnings go; unheard where that cannot be."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:  # the disk is full or the reader has left: what is said is only a courtesy
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end
