"""What the memory needs of a store about work that is to be done later, as small Protocols.

Must not know any database, nor what any work is.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, Protocol


class JobRow(NamedTuple):
    """One job: what is to be done when, and who is at it until when."""

    bank: str
    id: str
    seq: int
    kind: str
    lock: str
    once: str
    place: str
    about: str
    due_at: str
    state: str
    """waiting, running or failed; what is done is gone."""
    tries: int
    holder: str
    until: str
    error: str


Hold = tuple[str, str, int]
"""A job's id, its holder, and its tries when it was taken: a later holder has more."""


class LaterReads(Protocol):
    """What one consistent view of the store says of jobs."""

    def jobs_due(self, bank: str, now: str) -> bool: ...
    def jobs_in(self, bank: str, state: str, limit: int) -> list[JobRow]: ...
    def schedule(self, bank: str, name: str) -> str:
        """Give the last due time of a schedule; empty where it is not known yet."""


class LaterWrites(Protocol):
    """What may change of jobs, none of it a part of the account."""

    def add_job(self, row: JobRow) -> bool:
        """Put a job in; False where one of its `once` waits already."""

    def free_jobs(self, bank: str, now: str, words: str) -> None:
        """Let jobs wait again whose holder gave no sign of life in time."""

    def take_jobs(
        self,
        bank: str,
        kinds: Collection[str],
        place: str,
        now: str,
        hold: tuple[str, str],
        limit: int,
    ) -> list[JobRow]:
        """Hold jobs that are due, by (holder, until); of each lock one, the first deferred."""

    def hold_jobs(self, bank: str, holder: str, until: str) -> None: ...
    def end_job(self, bank: str, hold: Hold) -> None:
        """Take a job away, unless another holds it by now."""

    def leave_job(
        self, bank: str, hold: Hold, state: str, due_at: str, error: str, free: bool
    ) -> None:
        """Let a job wait or fail, unless another holds it by now; `free`: it was no try."""

    def try_job(self, bank: str, id: str, now: str) -> None:
        """Let a failed job wait again, as if it had never been tried."""

    def forget_failures(self, bank: str, before: str) -> None: ...
    def put_schedule(self, bank: str, name: str, last_at: str) -> None: ...
