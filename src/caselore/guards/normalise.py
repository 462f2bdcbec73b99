"""Gives the views of a text that guards judge: what a terminal shows, and all its bytes say.

Must not change the number of lines, do any I/O, or take more than linear time.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import re2

from caselore.guards import lookalikes

# Sequences of a terminal: CSI (colours, cursor), OSC (titles, links), other strings, escapes.
# OSC and DCS strings end at BEL or ESC \; one that never ends stops at its line's end, so that no
# unterminated escape can hide the rest of a log.
_CSI = r"\x1b\[[0-?]*[ -/]*[@-~]"
_OSC = r"\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
_ESCAPE = re.compile(rf"{_CSI}|{_OSC}|\x1b[ -/]*[0-~]?")
_UNMOVING = re.compile(rf"\x1b\[[0-?]*[ -/]*[@-BDEFHIL-~]|{_OSC}")  # all but C, G, J and K
_PIECE = re.compile(rf"{_CSI}|{_OSC}|\x1b[ -/]*[0-~]?|\r|\x08+|[^\x1b\r\x08]+")
_OTHER_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]+")
_COLOUR = re.compile(_CSI.encode())
_ANY_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_JOINT = re.compile(r"\x1b\[0?m ?\x1b\[[0-9;]+m")  # one colour ends, the next begins
_RIGHT = re.compile(rb"\x1b\[\d*C")  # stands for a blank
_STRING = re.compile(rb"\x1b[\]PX^_\\]")  # around words that a terminal does not show
_OTHER_ESCAPE = re.compile(rb"\x1b[ -/]*[0-~]?")
_CONCEALED = re.compile(r"\x1b\[(?:\d{1,3};)*8m[^\x1b\n]*")
_REDRAWS = re.compile(r"[\r\x08]|\x1b\[[0-9;]*[JKGC]")

_INVISIBLE = frozenset(
    [
        *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x3164, 0xFEFF, 0xFFA0),
        *(*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)),
        *(*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0xE0000, 0xE0080)),
    ]
)
INVISIBLE = "".join(map(chr, sorted(_INVISIBLE)))
_INVISIBLE_RUN = re.compile(f"[{INVISIBLE}]+")
_TURNED = re.compile("\u202e([^\u202c\n]*)")  # shown from right to left
_INVISIBLE_BYTES = re2.compile(b"|".join(chr(c).encode() for c in sorted(_INVISIBLE)))


def plain(text: str) -> str:
    """Give the text without terminal escapes; redrawn parts stay."""
    return _ESCAPE.sub("", text) if "\x1b" in text else text


def shown(text: str) -> str:
    """Give what a terminal shows: escapes, carriage returns and backspaces applied by line."""
    ends = text.replace("\r\n", "\n")
    if "\x1b" in ends:
        ends = _CONCEALED.sub("", ends)
    if _REDRAWS.search(ends):
        ends = "\n".join(map(_shown_line, ends.split("\n")))
    return _OTHER_CONTROLS.sub("", plain(ends))


def said(data: bytes) -> bytes:
    """Give all that the bytes say: formatting gone, strings of the terminal and messages kept."""
    if b"\x1b" in data:
        if _RIGHT.search(data):
            data = _RIGHT.sub(b" ", data)
        data = _COLOUR.sub(b"", data)
        if b"\x1b" in data:
            data = _OTHER_ESCAPE.sub(b"", _STRING.sub(b"\x1f", data))
    return data if data.isascii() else _all_revealed(data)


def _all_revealed(data: bytes) -> bytes:
    """Spell out or drop what no screen shows, in the lines that hold such characters."""
    out, at = [], 0
    found = _INVISIBLE_BYTES.search(data)
    while found:
        first = data.rfind(b"\n", 0, found.start()) + 1
        last = data.find(b"\n", found.start())
        last = len(data) if last < 0 else last
        line = _revealed_line(data[first:last].decode("utf-8", "surrogatepass"))
        out += [data[at:first], line.encode("utf-8", "surrogatepass")]
        at = last
        found = _INVISIBLE_BYTES.search(data, last)
    return b"".join([*out, data[at:]]) if out else data


def joined(text: str) -> str:
    """Give lines whose words are cut into coloured pieces, with the pieces put together."""
    whole = _ANY_COLOUR.sub("", _ANY_COLOUR.sub("", _JOINT.sub("", text)))
    return said(whole.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def _shown_line(line: str) -> str:
    """Play one line on a one-line screen."""
    ends = line.rstrip("\r")
    if "\r" not in ends and "\x08" not in ends and not ("\x1b" in ends and _REDRAWS.search(ends)):
        return ends
    for clear in ("\r\x1b[0K", "\r\x1b[K", "\x1b[2K\r"):  # most redraws: a new start for the line
        ends = ends[ends.rfind(clear) + len(clear) :] if clear in ends else ends
    if not _REDRAWS.search(ends):
        return ends
    if "\x1b" in ends:
        ends = _UNMOVING.sub("", ends)
    if "\x1b" not in ends and "\x08" not in ends:
        return _overwritten(ends.split("\r"))
    cells: list[str] = []
    at = 0
    for piece in _PIECE.findall(ends):
        at = _play(cells, at, piece)
    return "".join(cells)


def _overwritten(texts: list[str]) -> str:
    """Give what stays of texts written over each other, all from the first column."""
    parts: list[str] = []
    covered = 0
    for text in reversed(texts):
        if len(text) > covered:
            parts.append(text[covered:])
            covered = len(text)
    return "".join(parts)


def _play(cells: list[str], at: int, piece: str) -> int:
    """Apply one piece of a line to the cells; give the new column."""
    first = piece[0]
    if first == "\r":
        return 0
    if first == "\x08":
        return max(0, at - len(piece))
    if first == "\x1b":
        return _move(cells, at, piece)
    cells[at : at + len(piece)] = piece
    return at + len(piece)


def _move(cells: list[str], at: int, escape: str) -> int:
    """Apply the escapes that erase or move within the line; all others show nothing."""
    last, argument = escape[-1], escape[2:-1]
    if not escape.startswith("\x1b[") or last not in "KJGC":
        return at
    if last == "G":
        return 0 if argument in ("", "0", "1") else at
    if last == "C":
        if at >= len(cells):
            cells.append(" ")
        return at + 1
    if argument in ("", "0"):
        del cells[at:]
    elif argument == "2":
        cells.clear()  # the column is let go too: keeping it would pad once more for each erasure
        return 0
    return at


def has_invisible(text: str) -> bool:
    """Say whether the text holds characters that no screen shows."""
    if text.isascii():
        return False
    return _INVISIBLE_BYTES.search(text.encode("utf-8", "surrogatepass")) is not None


def revealed(text: str) -> str:
    """Give what the bytes say: hidden messages decoded, other invisible characters dropped."""
    if not has_invisible(text):
        return text
    return "\n".join(map(_revealed_line, text.split("\n")))


def _revealed_line(line: str) -> str:
    if line.isascii():
        return line
    turned = _TURNED.sub(lambda run: run.group(1)[::-1], line)
    return _INVISIBLE_RUN.sub(lambda run: _spoken(run.group()), turned)


def _spoken(run: str) -> str:
    """Decode a run of invisible characters that spells a message; drop any other."""
    letters = [_spelt(ord(char)) for char in run]
    message = "".join(letter for letter in letters if letter)
    return f" {message} " if len(message) >= 4 else ""


def _spelt(code: int) -> str:
    """Give the letter that a tag character or variation selector stands for, or nothing."""
    if 0xE0020 <= code < 0xE007F:
        return chr(code - 0xE0000)
    if 0xE0100 <= code < 0xE01F0:
        byte = code - 0xE0100 + 16
        return chr(byte) if 32 <= byte < 127 else ""
    return ""


@cache
def _skeleton_map() -> dict[int, str]:
    return {ord(char): latin for latin, chars in lookalikes.LOOKALIKES.items() for char in chars}


def skeleton(text: str) -> str:
    """Give the text in plain letters: compatibility forms, accents and look-alikes replaced."""
    if text.isascii():
        return text
    return "\n".join(line if line.isascii() else _bare(line) for line in text.split("\n"))


def _bare(line: str) -> str:
    composed = unicodedata.normalize("NFKC", line.translate(_skeleton_map()))
    bare = (c for c in unicodedata.normalize("NFD", composed) if unicodedata.category(c) != "Mn")
    return "".join(bare).translate(_skeleton_map())
