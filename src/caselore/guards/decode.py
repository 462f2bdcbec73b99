"""Undoes the encodings in which text hides: base64, hex, escapes, entities, tags, spaced letters.

Must not decode twice, run code, or take more than linear time; what it gives is only for scanning.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote_to_bytes

import re2

LEAST = 24  # decoded characters below which nothing is said

_PREFIX = re2.compile(rb"(?m)^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[0-9.,:+Z-]*\]?[ \t|]")
_STAMPED = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")

_BASE64 = rb"[A-Za-z0-9+/_-]{36,}={0,2}"
_HEX = rb"(?:[0-9a-fA-F]{2}[ :]?){28,}"
_SPACED = rb"(?:[A-Za-z][ _.-]{1,3}){12,}[A-Za-z]"
# Signs of an encoding that mixes with plain text: the line around them is decoded as a whole.
_PERCENT = rb"(?:%[0-9A-Fa-f]{2}[A-Za-z0-9_.~+-]{0,20}){3}"
_ESCAPES = rb"(?:\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})[^\\\n]{0,8}){3}"
_MARKUP = rb"&#x?[0-9a-fA-F]{2,6};|</?[a-zA-Z][^<>\n]{0,100}>"
STRETCH = 4_000  # bytes of a line that are decoded at once

_TAG = re.compile(r"</?[a-zA-Z!][^<>\n]{0,200}>")
_UNICODE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")


def unprefixed(text: str) -> str:
    """Give the text without the time stamps that a runner puts before each line."""
    if not _STAMPED.search(text, 0, 4_000):
        return text
    return str(_PREFIX.sub(b"", text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace"))


def decoded(data: bytes) -> Iterator[tuple[int, str]]:
    """Give each stretch that decodes to readable text: its byte offset and that text."""
    for pattern, decode, whole_line in _DECODERS:
        for first, last in _stretches(pattern, data, whole_line):
            text = decode(data[first:last])
            if len(text) >= LEAST and _readable(text):
                yield first, text


def _stretches(pattern: re2._Regexp, data: bytes, whole_line: bool) -> Iterator[tuple[int, int]]:
    """Give the places of an encoding, or the lines around them, each once."""
    end = 0
    for found in pattern.finditer(data):
        if not whole_line:
            yield found.span()
        elif found.start() >= end:
            low = max(end, found.start() - STRETCH)
            first = max(low, data.rfind(b"\n", low, found.start()) + 1)
            end = data.find(b"\n", found.end(), first + 2 * STRETCH)
            end = min(len(data), first + 2 * STRETCH) if end < 0 else end
            yield first, end


def _readable(text: str) -> bool:
    """Say whether a decoded text is text: letters and blanks, not noise."""
    sample = text[:400]
    letters = sum(char.isalpha() or char == " " for char in sample)
    return letters >= 0.7 * len(sample) and " " in sample


def _from_base64(run: bytes) -> str:
    body = run.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    try:
        raw = base64.b64decode(body[: len(body) - len(body) % 4], validate=True)
    except (binascii.Error, ValueError):
        return ""
    return raw.decode("utf-8", "replace")


def _from_hex(run: bytes) -> str:
    digits = run.translate(None, b" :")
    return bytes.fromhex(digits[: len(digits) & ~1].decode()).decode("utf-8", "replace")


def _from_percent(run: bytes) -> str:
    return unquote_to_bytes(run.replace(b"+", b" ")).decode("utf-8", "replace")


def _from_escapes(run: bytes) -> str:
    text = run.decode("utf-8", "replace")
    return _UNICODE.sub(lambda hit: chr(int(hit.group(1) or hit.group(2), 16)), text)


def _from_markup(run: bytes) -> str:
    return _TAG.sub("", html.unescape(run.decode("utf-8", "replace")))


def _from_spaced(run: bytes) -> str:
    words = re.split(rb"[ _.-]{2,}", run)
    return b" ".join(re.sub(rb"[ _.-]", b"", word) for word in words).decode()


_DECODERS: tuple[tuple[re2._Regexp, Callable[[bytes], str], bool], ...] = (
    (re2.compile(_BASE64), _from_base64, False),
    (re2.compile(_HEX), _from_hex, False),
    (re2.compile(_SPACED), _from_spaced, False),
    (re2.compile(_PERCENT), _from_percent, True),
    (re2.compile(_ESCAPES), _from_escapes, True),
    (re2.compile(_MARKUP), _from_markup, True),
)
