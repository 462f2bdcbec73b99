"""What the memory needs of a store about the repair loop, as small Protocols.

Must not know any database.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple, Protocol

from caselore.memory.rows import AttemptRow, ChangeRow, OutboxRow

NEWEST = 60  # attempts of a change that a step reads; older ones only where asked for
COUNTED = 30  # delivered ones that it reads: more than any bound lets through in a row


class InboxRow(NamedTuple):
    """A hint that something happened to a change; attended to once the forge was read after it."""

    bank: str
    source: str
    key: str
    change: str
    received_at: str
    attended_at: str


class LeaseRow(NamedTuple):
    """Who works on something until when; a higher fence makes every lower one stale."""

    bank: str
    name: str
    holder: str
    fence: int
    until: str
    tries: int


class LoopReads(Protocol):
    """What one consistent view of the store says of tracked changes."""

    def change(self, bank: str, id: str) -> ChangeRow | None: ...
    def changes(
        self, bank: str, state: str = "", after: str = "", limit: int = 1_000_000
    ) -> list[ChangeRow]:
        """Give changes in a state, `live` being any but done, without their documents."""

    def changes_due(self, bank: str, now: str, after: str, limit: int) -> list[ChangeRow]:
        """Give the live changes whose next look is due or was never set, without documents."""

    def changes_by_id(self, bank: str, ids: Collection[str]) -> list[ChangeRow]:
        """Give live changes, without their documents."""

    def changes_telling(self, bank: str, text: str) -> list[str]:
        """Give the ids of changes in whose attempts, events or state a text stands, in order."""

    def attempts(self, bank: str, change: str) -> list[AttemptRow]: ...
    def attempts_some(
        self, bank: str, change: str, pipelines: Collection[str]
    ) -> list[AttemptRow]:
        """Give the newest attempts, the newest delivered, and all of some pipelines, in order."""

    def outgoing(
        self, bank: str, target: str = "", after: int = 0, limit: int = 1_000
    ) -> list[OutboxRow]:
        """Give the events that wait to be taken, in order."""

    def outgoing_of(self, bank: str, change: str) -> list[OutboxRow]: ...
    def outgoing_open(self, bank: str, change: str) -> list[OutboxRow]:
        """Give the events of a change that wait to be taken."""

    def outgoing_one(self, bank: str, id: str) -> list[OutboxRow]: ...
    def heard(self, bank: str, limit: int) -> list[InboxRow]:
        """Give the hints that nobody looked at yet, in order."""

    def lease(self, bank: str, name: str) -> LeaseRow | None: ...


class LoopWrites(Protocol):
    """What may change that is no part of the account: hints, and who works on what."""

    def hear(self, rows: list[InboxRow]) -> None: ...
    def attend(self, bank: str, change: str, until: str, at: str) -> None:
        """Mark the hints about a change, received up to a time, as looked at."""

    def put_looks(self, bank: str, due: Mapping[str, str]) -> None:
        """Say when changes are looked at next."""

    def forget_hints(self, bank: str, before: str) -> None: ...
    def put_lease(self, row: LeaseRow) -> None: ...
    def end_lease(self, bank: str, name: str, fence: int) -> None: ...
