"""What the memory needs of a store to list causes and to count, as a small Protocol.

Must not know any database.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple, Protocol

from caselore.memory.rows import CaseRow

Names = Mapping[str, str]
"""The name of the group of each signature that people joined with others."""


class Chosen(NamedTuple):
    """Which cases to group or count; empty means any."""

    status: str = ""
    service: str = ""
    environment: str = ""
    family: str = ""


class GroupRow(NamedTuple):
    """The cases of one signature, or of one group of them, counted."""

    signature: str
    times: int
    first: str
    last: str
    worked: int
    proposed: int


class Facet(NamedTuple):
    """How many cases share these four facts."""

    status: str
    service: str
    environment: str
    family: str
    times: int


class Recurrence(NamedTuple):
    """Of the specific failures: how many were seen before, and how many had a confirmed fix."""

    times: int
    seen_before: int
    answerable: int


class CountReads(Protocol):
    """What one consistent view of the store says in numbers."""

    def groups(
        self,
        bank: str,
        chosen: Chosen,
        novelty: str,
        after: tuple[str, str],
        limit: int,
        joined: Names,
    ) -> list[GroupRow]: ...
    def newest_of(
        self, bank: str, chosen: Chosen, signatures: Collection[str], last: str
    ) -> CaseRow | None: ...
    def of_signature(
        self, bank: str, signatures: Collection[str], limit: int
    ) -> list[CaseRow]: ...
    def facets(self, bank: str) -> list[Facet]: ...
    def novelties(self, bank: str, chosen: Chosen, joined: Names) -> dict[str, int]: ...
    def days(self, bank: str, since: str) -> list[tuple[str, int]]: ...
    def recurrence(self, bank: str, since: str, joined: Names) -> Recurrence: ...
    def said(self, bank: str, since: str) -> dict[str, int]: ...
    def fixed(self, bank: str, since: str, limit: int) -> list[tuple[str, str]]: ...
