"""What the memory needs of a store about records that are no incidents, as a small Protocol.

Must not know any database.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple, Protocol

from caselore.memory.ledger import Stored
from caselore.memory.rows import ExhibitRow


class Sought(NamedTuple):
    """Which exhibits to list; empty means any."""

    kind: str
    subject: str = ""
    label: str = ""
    status: str = ""
    since: str = ""
    until: str = ""
    known: str = ""
    """The last moment at which they may have become known."""
    limit: int = 1_000_000_000


class Counted(NamedTuple):
    """How many exhibits of one subject share a label and a state."""

    label: str
    status: str
    counts: int
    trusted: int
    times: int
    origins: int
    last: str
    recent: int = 0
    """How many of them happened lately."""
    grave: int = 0
    """How many of those have much impact."""


class ExhibitReads(Protocol):
    """What one consistent view of the store says of exhibits."""

    def exhibit(self, bank: str, id: str) -> ExhibitRow | None: ...
    def exhibit_known(self, bank: str, known_as: str) -> ExhibitRow | None: ...
    def exhibits_named(self, bank: str, name: str) -> list[ExhibitRow]: ...
    def exhibits_at(self, bank: str, seqs: Collection[int]) -> list[ExhibitRow]: ...
    def entries_of_some(self, bank: str, subjects: Collection[str]) -> Iterator[Stored]:
        """Give what the ledger says of any of some, in its order: one question for many."""

    def exhibits(self, bank: str, sought: Sought) -> Iterator[ExhibitRow]:
        """Give exhibits of a kind, the newest first."""

    def all_exhibits(self, bank: str) -> Iterator[ExhibitRow]:
        """Give every exhibit in the order of writing."""

    def exhibit_subjects(self, bank: str, kind: str) -> dict[str, int]: ...
    def exhibits_filed_last(self, bank: str, kind: str) -> str:
        """Tell when one of a kind was recorded last; empty where there is none."""

    def exhibit_counts(
        self, bank: str, sought: Sought, recent: str = "", grave: int = 0
    ) -> list[Counted]:
        """Count in one pass, which is what a profile of many events has time for."""

    def words_seqs(self, bank: str, word: str, limit: int) -> list[int]:
        """Give the newest exhibits that hold a word."""
