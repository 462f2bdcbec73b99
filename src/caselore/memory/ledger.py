"""The append-only account: entries that hash each other, payloads that entries only commit to.

Must not know what an action means, nor touch storage, clock or randomness.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from caselore.memory.encoding import canonical_row

GENESIS = "0" * 64


class Entry(NamedTuple):
    """One line of the account; every column is under the hash."""

    bank: str
    seq: int
    at: str
    actor: str
    role: str
    action: str
    subject: str
    commitment: str
    previous: str
    hash: str


class Payload(NamedTuple):
    """What an entry is about; it can be erased without breaking the chain."""

    salt: str
    body: str


class Stored(NamedTuple):
    """An entry as a store keeps it, with its payload unless that was erased."""

    entry: Entry
    payload: Payload | None


class Head(NamedTuple):
    """Where a bank's chain ends."""

    seq: int
    hash: str


EMPTY = Head(0, GENESIS)


class Broken(NamedTuple):
    """The first thing that does not hold, and where."""

    place: str
    reason: str


class Verification(NamedTuple):
    """The answer to "is this account what was written"."""

    ok: bool
    entries: int
    head: str
    broken: Broken | None


def commit_to(payload: Payload) -> str:
    """Give the commitment that stays when the payload is erased."""
    return hashlib.sha256((payload.salt + payload.body).encode()).hexdigest()


def entry_hash(entry: tuple[str | int, ...]) -> str:
    """Hash an entry's columns, its predecessor's hash included."""
    return hashlib.sha256(canonical_row(entry[:9]).encode()).hexdigest()


def extend(head: Head, unsealed: Entry, payload: Payload) -> Entry:
    """Give the entry that follows `head`, sealed."""
    bank, _, at, actor, role, action, subject, *_ = unsealed
    linked = (bank, head.seq + 1, at, actor, role, action, subject, commit_to(payload), head.hash)
    return Entry(*linked, entry_hash(linked))


def fault(head: Head, stored: Stored) -> str:
    """Say what is wrong with an entry as the successor of `head`; empty where nothing is."""
    entry, payload = stored
    if entry.seq != head.seq + 1:
        return f"entry {head.seq + 1} is missing; entry {entry.seq} stands in its place"
    if entry.previous != head.hash:
        return "it does not follow the entry before it"
    if entry.hash != entry_hash(entry):
        return "its content does not give its hash"
    if payload is not None and commit_to(payload) != entry.commitment:
        return "its payload is not what was written"
    return ""


def walk(stored: Iterable[Stored]) -> tuple[Head, Broken | None]:
    """Follow a chain to its end or to its first broken link."""
    head = EMPTY
    for one in stored:
        reason = fault(head, one)
        if reason:
            return head, Broken(f"ledger entry {one.entry.seq}", reason)
        head = Head(one.entry.seq, one.entry.hash)
    return head, None
