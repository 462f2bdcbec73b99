"""Remember what passing runs of a job printed, as a compact set of masked-line hashes.

Must not keep any text: only hashes leave this module.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from caselore.errors import BadInput
from caselore.logs.masking import quick
from caselore.logs.page import Page, shown_lines
from caselore.logs.source import Source

_MAGIC: Final = b"green1\n"
_MOST: Final = 400_000
_CHUNK: Final = 1 << 20


def line_hash(line: bytes) -> int:
    """Hash the masked form of a shown line to 64 bits; 0 for a line without content."""
    text = quick(line)
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") if text else 0


@dataclass(frozen=True, slots=True)
class GreenLines:
    """The lines that passing runs of one job printed."""

    hashes: frozenset[int]
    label: str

    @classmethod
    def of(cls, source: BinaryIO | bytes, *, label: str = "a passing run") -> GreenLines:
        """Read a passing log; of a very large one the first 400,000 distinct lines count."""
        found: set[int] = set()
        for data in Source(source).chunks(_CHUNK):
            lines, _marks = shown_lines(data)
            found.update(line_hash(line) for line in set(lines))
            if len(found) > _MOST:
                break
        found.discard(0)
        return cls(frozenset(found), label)

    def merge(self, *others: GreenLines) -> GreenLines:
        """Join the lines of several runs under the label of this one."""
        return GreenLines(self.hashes.union(*(o.hashes for o in others)), self.label)

    def knows(self, line: bytes) -> bool:
        """Say whether a passing run printed this line too."""
        hashed = line_hash(line)
        return hashed == 0 or hashed in self.hashes

    def new_lines(self, page: Page) -> list[bool]:
        """Say for each line of a page whether it is new against the passing runs."""
        return [not self.knows(line) for line in page.data.split(b"\n")]

    def to_bytes(self) -> bytes:
        """Give a compact form for storage: 8 bytes a line."""
        name = self.label.encode()
        return (
            _MAGIC
            + struct.pack(">II", len(name), len(self.hashes))
            + name
            + b"".join(_packed(self.hashes))
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> GreenLines:
        """Read what `to_bytes` gave. Raises BadInput on anything else."""
        head = len(_MAGIC) + 8
        if not data.startswith(_MAGIC) or len(data) < head:
            raise BadInput("this is no stored green run")
        name, count = struct.unpack(">II", data[len(_MAGIC) : head])
        body = data[head + name :]
        if len(body) != 8 * count:
            raise BadInput("this stored green run is cut")
        hashes = struct.unpack(f">{count}Q", body)
        return cls(frozenset(hashes), data[head : head + name].decode())


def _packed(hashes: Iterable[int]) -> Iterator[bytes]:
    """Pack hashes in order, so that equal sets are equal bytes."""
    return (struct.pack(">Q", h) for h in sorted(hashes))
