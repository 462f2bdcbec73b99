"""Undoes the encodings in which text hides: base64, hex, escapes, entities, tags, spaced letters.

Must not decode deeper than twice, run code, or take more than linear time; what it gives is only
for scanning.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

import re2

LEAST = 24  # decoded characters below which nothing is said
DEPTH = 2  # an encoding of an encoding is the last that is looked into
PATH_LIKE = 12  # characters a slash; where they are fewer, it is a path
STRETCH = 4_000  # bytes of a line that are decoded at once


@dataclass(frozen=True, slots=True)
class Decoded:
    """A stretch that encodes text: its bytes from `first` to `last`, the text, and by what."""

    first: int
    last: int
    text: str
    way: str


_PREFIX = re2.compile(rb"(?m)^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[0-9.,:+Z-]*\]?[ \t|]")
STAMPED = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")

_BASE64 = rb"(?:[A-Za-z0-9][+/_-]?){34,}={0,2}"
_BASE32 = rb"\b[A-Z2-7]{40,}={0,6}"
_ASCII85 = rb"<~[!-uz]{30,}~>"
_HEX = rb"(?:[0-9a-fA-F]{2}[ :,]?){24,}|(?:(?:0|\\)x[0-9a-fA-F]{2}[ ,]{0,2}){24,}"
_BINARY = rb"(?:[01]{8}[ ,]?){20,}"
_MORSE = rb"(?:[.-]{1,6}[ /]{1,3}){24,}"
# One word spelt out within a line; the line is read with it put together.
_SPELT = rb"\b(?:[A-Za-z][ _.*-]){4,}[A-Za-z]\b"
# Letters one by one, with blanks, signs or line ends between them.
_SPACED = rb"\b(?:[A-Za-z][ _.*|/~+,:;\t\n-]{1,4}){12,}[A-Za-z]\b"
# Signs of an encoding that mixes with plain text: the line around them is decoded as a whole.
_PERCENT = rb"(?:%[0-9A-Fa-f]{2}[A-Za-z0-9_.~+-]{0,20}){3}"
_ESCAPES = rb"(?:\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})[^\\\n]{0,8}){3}"
_MARKUP = (
    rb"&#x?[0-9a-fA-F]{2,6};|[a-zA-Z]</?[a-zA-Z][^<>\n]{0,60}>[a-zA-Z]"
    rb"|(?:</?[a-zA-Z][^<>\n]{0,100}>[^<>\n]{0,60}){2}"
)

_TAG = re.compile(r"</?[a-zA-Z!][^<>\n]{0,200}>")
_UNICODE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_SPELT_WORD = re.compile(rb"\b(?:[A-Za-z][ _.*-]){3,}[A-Za-z]\b")
_NAME_LIKE = re.compile(rb"[A-Za-z0-9+/_-]+=*")
_HEX_LIKE = re.compile(rb"[0-9a-fA-F]{48,}|[A-Z2-7]{40,}=*|[01]+")
_CAPITAL, _SMALL, _DIGIT = re.compile(rb"[A-Z]"), re.compile(rb"[a-z]"), re.compile(rb"[0-9]")
_NO_LETTER = re.compile(r"[\W\d_]+")
_SIGN = re.compile(rb"[ _.*|/~+,:;\t\n-]")
_WORD_END = re.compile(rb"[ _.*|/~+,:;\t\n-]{2,}")


@dataclass(frozen=True, slots=True)
class _Decoder:
    """One encoding: how to find it, undo it, and whether text within it may be encoded again."""

    way: str
    pattern: re2._Regexp
    decode: Callable[[bytes], str]
    whole_line: bool = False
    wraps: bool = False


def unprefixed(data: bytes) -> bytes:
    """Give the text without the time stamps that a runner puts before each line."""
    if not STAMPED.search(data, 0, 4_000):
        return data
    return bytes(_PREFIX.sub(b"", data))


def decoded(data: bytes, depth: int = DEPTH) -> Iterator[Decoded]:
    """Give each stretch that decodes to readable text, and what that text encodes in turn."""
    for low, high in _sieved(data):
        part = data[low:high]
        for decoder in map(_DECODERS.__getitem__, sorted(_WHICH.Match(part) or _ALL)):
            for first, last in _stretches(decoder, part):
                text = decoder.decode(part[first:last])
                if len(text) < LEAST:
                    continue
                if _readable(text) or (decoder.wraps and _is_token(text)):
                    yield Decoded(low + first, low + last, text, decoder.way)
                if depth > 1 and decoder.wraps:
                    for inner in decoded(text.encode("utf-8", "surrogatepass"), depth - 1):
                        yield Decoded(low + first, low + last, inner.text, inner.way)


def _sieved(data: bytes) -> Iterator[tuple[int, int]]:
    """Give the lines that hold any encoding, by one pass; those that touch come together."""
    first = last = -1
    for found in ANY.finditer(data):
        if _is_name(found.group()):
            continue
        if found.start() <= last:
            last = last if found.end() <= last else _line_end(data, found.end())
            continue
        if last >= 0:
            yield first, last
        first = data.rfind(b"\n", 0, found.start()) + 1
        last = _line_end(data, found.end())
    if last >= 0:
        yield first, last


def _is_name(run: bytes) -> bool:
    """Say whether a long run is a path or a name: base64 of text mixes capitals and digits."""
    if not _NAME_LIKE.fullmatch(run) or (_HEX_LIKE.fullmatch(run) and len(run) % 2 == 0):
        return False
    mixed = _CAPITAL.search(run) and _SMALL.search(run) and _DIGIT.search(run)
    return not mixed or run.count(b"/") * PATH_LIKE > len(run)


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _stretches(decoder: _Decoder, data: bytes) -> Iterator[tuple[int, int]]:
    """Give the places of an encoding, or the lines around them, each once."""
    end = 0
    for found in decoder.pattern.finditer(data):
        if not decoder.whole_line:
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
    letters = len(_NO_LETTER.sub("", sample)) + sample.count(" ")
    return letters >= 0.7 * len(sample) and (" " in sample or sample.isascii())


def _is_token(text: str) -> bool:
    """Say whether a decoded text may be a credential: printable, of one alphabet."""
    return text.isascii() and text.isprintable()


def may_say(text: str) -> bool:
    """Say whether a decoded text may be a text, a credential, or encode another one."""
    return _readable(text) or _is_token(text) or bool(ANY.search(text.encode()))


def _from_base64(run: bytes) -> str:
    if run.count(b"/") * PATH_LIKE > len(run):
        return ""
    body = run.rstrip(b"=").translate(_URL_SAFE)
    try:
        raw = base64.b64decode(body + b"=" * (-len(body) % 4), validate=True)
    except (binascii.Error, ValueError):
        return ""
    return raw.decode("utf-8", "replace")


def _from_base32(run: bytes) -> str:
    body = run.rstrip(b"=")
    try:
        return base64.b32decode(body + b"=" * (-len(body) % 8)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _from_ascii85(run: bytes) -> str:
    try:
        return base64.a85decode(run, adobe=True).decode("utf-8", "replace")
    except ValueError:
        return ""


def _from_hex(run: bytes) -> str:
    digits = re.sub(rb"(?:0|\\)x|[ :,]", b"", run)
    return bytes.fromhex(digits[: len(digits) & ~1].decode()).decode("utf-8", "replace")


def _from_percent(run: bytes) -> str:
    return unquote_to_bytes(run.replace(b"+", b" ")).decode("utf-8", "replace")


def _from_escapes(run: bytes) -> str:
    text = run.decode("utf-8", "replace")
    return _UNICODE.sub(lambda hit: chr(int(hit.group(1) or hit.group(2), 16)), text)


def _from_markup(run: bytes) -> str:
    return _TAG.sub("", html.unescape(run.decode("utf-8", "replace")))


def _from_binary(run: bytes) -> str:
    digits = re.sub(rb"[ ,]", b"", run)
    return bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits) - 7, 8)).decode(
        "utf-8", "replace"
    )


def _from_morse(run: bytes) -> str:
    words = re.split(rb" ?/ ?|  +", run)
    return " ".join("".join(_MORSE_CODE.get(code, "") for code in word.split()) for word in words)


def _from_spelt(run: bytes) -> str:
    whole = _SPELT_WORD.sub(lambda at: _SIGN.sub(b"", at.group()), run)
    return whole.decode("utf-8", "replace")


def _from_spaced(run: bytes) -> str:
    return b" ".join(_SIGN.sub(b"", word) for word in _WORD_END.split(run)).decode()


_MORSE_CODES = (
    b".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- "
    b".-- -..- -.-- --.. .-.-.- --..--"
)
_MORSE_CODE = dict(zip(_MORSE_CODES.split(), "abcdefghijklmnopqrstuvwxyz.,", strict=True))
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_DECODERS = (
    _Decoder("base64", re2.compile(_BASE64), _from_base64, wraps=True),
    _Decoder("base32", re2.compile(_BASE32), _from_base32, wraps=True),
    _Decoder("ascii85", re2.compile(_ASCII85), _from_ascii85, wraps=True),
    _Decoder("hex", re2.compile(_HEX), _from_hex, wraps=True),
    _Decoder("binary", re2.compile(_BINARY), _from_binary),
    _Decoder("morse", re2.compile(_MORSE), _from_morse),
    _Decoder("spelt", re2.compile(_SPELT), _from_spelt, whole_line=True),
    _Decoder("spaced", re2.compile(_SPACED), _from_spaced),
    _Decoder("percent", re2.compile(_PERCENT), _from_percent, whole_line=True, wraps=True),
    _Decoder("escapes", re2.compile(_ESCAPES), _from_escapes, whole_line=True),
    _Decoder("markup", re2.compile(_MARKUP), _from_markup, whole_line=True),
)
_ALL = range(len(_DECODERS))
ANY = re2.compile(b"|".join(decoder.pattern.pattern for decoder in _DECODERS))
# Encodings within which another one is looked for: what has none of them holds none within.
WRAPPED = re2.compile(b"|".join(one.pattern.pattern for one in _DECODERS if one.wraps))
_WHICH = re2.Set.SearchSet()
for _decoder in _DECODERS:
    _WHICH.Add(_decoder.pattern.pattern)
_WHICH.Compile()
