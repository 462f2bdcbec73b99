"""What is kept beside the evidence for a while: answers to keyed requests, and whole logs.

Must not hold anything that cannot be lost: no ledger tells of it, and no answer rests on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple, Protocol

from caselore.errors import Conflict, UnderWay
from caselore.memory.encoding import stamp

KEPT = timedelta(hours=24)  # an answer
UNFINISHED = timedelta(minutes=2)  # after which a request without an answer is taken for dead
MOST = 2 * 1024**3  # bytes of packed logs; the oldest go first


class Answer(NamedTuple):
    """What a request was answered."""

    status: int
    body: str


class Aside(Protocol):
    """A place of its own, which every process of a memory shares."""

    def claim(self, key: str, request: str, now: datetime) -> Answer | None:
        """Take a key for a request, or give what the same request was answered.

        Raises: UnderWay while the first is; Conflict where the key is another request's.
        """

    def answered(self, key: str, request: str, now: datetime) -> Answer | None:
        """Give what a request was answered, if it is done; the key is not taken."""

    def keep(self, key: str, status: int, body: str) -> None:
        """Remember the answer to a key that was taken."""

    def free(self, key: str) -> None:
        """Give a key back whose request came to nothing."""

    def put_log(
        self, bank: str, incident: str, packed: bytes, until: datetime, now: datetime
    ) -> None:
        """Keep an incident's log until then, and let go of what is past or too much."""

    def log(self, bank: str, incident: str, now: datetime) -> bytes | None:
        """Give an incident's log, if it is kept."""

    def forget(self, bank: str, ids: Iterable[str]) -> None:
        """Remove the logs of these records, and every answer that names one, from every file."""

    def close(self) -> None:
        """Let go of what is held open."""


def told(request: str) -> str:
    """Give what tells a request from another, and nothing of what it says."""
    return sha256(request.encode("utf-8", "replace")).hexdigest()


class Kept(NamedTuple):
    """A row of a key."""

    request: str
    at: str
    status: int | None
    body: str | None


def judged(row: Kept | None, request: str, now: datetime) -> Answer | None:
    """Say what a key's row means for a request: its answer, or None where it may be taken.

    Raises: UnderWay, Conflict.
    """
    if row is None:
        return None
    if row.request != request:
        raise Conflict(
            "This Idempotency-Key was used for another request.",
            hint="Use a new key for each request; repeat a key only with the very same body.",
        )
    if row.status is not None:
        return Answer(row.status, row.body or "")
    if row.at >= stamp(now - UNFINISHED):
        raise UnderWay()
    return None
