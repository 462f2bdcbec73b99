"""What the memory needs of a bank of another system that mirrors its confirmed records.

Must not know that system's client or address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol


class Kept(NamedTuple):
    """One confirmed record as it is mirrored."""

    id: str
    text: str
    at: str
    service: str
    result: str


class Unit(NamedTuple):
    """One memory of the other bank, as it stands there."""

    id: str
    document: str
    text: str
    at: str
    service: str


class Delivered(NamedTuple):
    """What a delivery did."""

    entries: int
    """The last ledger entry that is delivered."""
    head: int
    kept: int = 0
    removed: int = 0


class Mirror(Protocol):
    """A bank elsewhere. Every method raises Unavailable where it does not answer."""

    @property
    def name(self) -> str:
        """Name the bank and where it is."""

    def retain(self, records: Sequence[Kept]) -> None:
        """Keep records; one that is kept already is replaced."""

    def remove(self, id: str) -> None:
        """Remove a record and all that was made of it; nothing happens where it is not there."""

    def recall(self, question: str, limit: int) -> list[str]:
        """Give the ids under which the closest memories were kept, best first, each once."""

    def units(self) -> Iterator[Unit]:
        """Give all memories of the bank."""
