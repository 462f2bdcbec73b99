"""Read a log from bytes or a seekable stream, in chunks cut at line ends, with bounded memory.

Must not hold more than one chunk, and must not interpret what it reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import SEEK_END
from typing import BinaryIO, Final

CHUNK: Final = 256 * 1024


class Source:
    """The bytes of one log."""

    def __init__(self, raw: BinaryIO | bytes) -> None:
        """Take bytes, or a stream that can seek."""
        self._data = raw if isinstance(raw, bytes) else None
        self._stream = None if isinstance(raw, bytes) else raw
        self.size = len(raw) if isinstance(raw, bytes) else raw.seek(0, SEEK_END)

    def at(self, offset: int, length: int) -> bytes:
        """Read `length` bytes from `offset`."""
        if self._data is not None:
            return self._data[offset : offset + length]
        assert self._stream is not None
        self._stream.seek(offset)
        return self._stream.read(length)

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """Give the log in chunks that end at a line end; very long lines come in pieces."""
        start = end = 0
        while end < self.size:
            data = self.at(start, end + size - start)
            if len(data) <= end - start:
                break  # the file became shorter
            cut = data.rfind(b"\n", end - start) + 1
            end = start + len(data)
            if not cut and len(data) > 2 * size:
                cut = len(data)
            if cut:
                yield data if cut == len(data) else data[:cut]
                start += cut
        if start < end:
            yield self.at(start, end - start)
