"""Gives a log as plain bytes whose lines can be counted: unpacked, and out of UTF-16.

Must not change a line's number, nor unpack without a bound.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import lzma
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from caselore.errors import BadInput

if TYPE_CHECKING:
    from caselore.logs import Reading

MOST = 1024**3  # bytes that a packed log may unpack to
_CHUNK = 1024 * 1024
_PACKED: dict[bytes, tuple[str, Callable[..., Any]]] = {
    b"\x1f\x8b": ("gzip", gzip.open),
    b"BZh": ("bzip2", bz2.open),
    b"\xfd7zXZ\x00": ("xz", lzma.open),
}
_CLOSED = {b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf\x27\x1c": "7z"}
_WIDE = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


@dataclass(frozen=True, slots=True)
class Plain:
    """A log as plain bytes, and what it was before."""

    file: BinaryIO
    note: str = ""
    bytes: int = 0
    digest: str = ""

    def of_the_original(self, reading: Reading) -> Reading:
        """Let a reading speak of the file that was given: its size, its digest, and the note."""
        if not self.note:
            return reading
        notes = (*reading.notes, self.note)
        if not self.bytes:
            return replace(reading, notes=notes)
        return replace(reading, digest=self.digest, bytes=self.bytes, notes=notes)


@contextmanager
def plain(file: BinaryIO, *, digest: bool = False) -> Iterator[Plain]:
    """Give a log's plain bytes; `digest` asks for the SHA-256 of a packed one.

    Raises: BadInput where it unpacks to more than MOST bytes.
    """
    head = _head(file)
    packed = next((one for magic, one in _PACKED.items() if head.startswith(magic)), None)
    wide = next((one for magic, one in _WIDE.items() if head.startswith(magic)), "")
    closed = next((one for magic, one in _CLOSED.items() if head.startswith(magic)), "")
    if not packed and not wide:
        yield Plain(file, f"this is a {closed} archive: unpack it first" if closed else "")
        return
    with tempfile.TemporaryFile() as spool:
        size, hashed = _passed(file) if digest else (_size(file), "")
        note = _unpack(file, spool, *packed) if packed else _narrow(file, spool, wide)
        spool.seek(0)
        yield Plain(spool, note, size, hashed)


def _head(file: BinaryIO) -> bytes:
    if not (hasattr(file, "seekable") and file.seekable()):
        return b""
    at = file.tell()
    head = file.read(8)
    file.seek(at)
    return head


def _size(file: BinaryIO) -> int:
    at = file.tell()
    size = file.seek(0, io.SEEK_END) - at
    file.seek(at)
    return size


def _passed(file: BinaryIO) -> tuple[int, str]:
    at, size, hashed = file.tell(), 0, hashlib.sha256()
    while chunk := file.read(_CHUNK):
        hashed.update(chunk)
        size += len(chunk)
    file.seek(at)
    return size, hashed.hexdigest()


def _unpack(file: BinaryIO, spool: IO[bytes], name: str, opener: Callable[..., Any]) -> str:
    """Unpack into the spool as far as that is possible; say what was done."""
    size = 0
    try:
        with opener(file) as source:
            while chunk := source.read(_CHUNK):
                size += len(chunk)
                if size > MOST:
                    raise BadInput(f"The {name} log unpacks to more than {MOST:,} bytes.")
                spool.write(chunk)
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, OSError) as error:
        if getattr(error, "errno", None):  # the disk, not the file's content
            raise
        return f"unpacked from {name}, which is damaged or cut"
    return f"unpacked from {name}"


def _narrow(file: BinaryIO, spool: IO[bytes], name: str) -> str:
    decoder = codecs.getincrementaldecoder(name)(errors="replace")
    while chunk := file.read(_CHUNK):
        spool.write(decoder.decode(chunk).encode("utf-8", "replace"))
    spool.write(decoder.decode(b"", final=True).encode("utf-8", "replace"))
    return f"decoded from {name}"
