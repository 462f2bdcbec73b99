"""What a recall needs of a further arm, of vectors, and of a model that makes them.

Must not know any library, address or file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from caselore.memory.ports import Narrow, Reads

Vector = Sequence[float]


def unmeasured(_: int) -> float | None:
    """Measure nothing: for an arm that only brings records."""
    return None


@dataclass(frozen=True, slots=True)
class Brought:
    """What an arm brings for one question: ids of records, never their content."""

    arm: str
    """What brought them, as a person reads it."""
    ids: tuple[str, ...] = ()
    close: Callable[[int], float | None] = unmeasured
    """How close a ledger entry is to the question: deviations above what is unrelated."""
    trouble: str = ""
    """Why it brought nothing, or not all that it could; empty where all is well."""


class Arm(Protocol):
    """One more way to find records for a question; never needed, never the truth."""

    def prepare(self, bank: str, text: str, limit: int) -> None:
        """Do what may take long, before a view is opened; trouble is told by `ask`."""

    def ask(self, view: Reads, bank: str, text: str, limit: int, narrow: Narrow) -> Brought:
        """Give the closest records, best first; trouble is told, never raised."""


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def model(self) -> str:
        """Name the model and its version: vectors of another name are not compared."""

    def records(self, texts: Sequence[str]) -> list[Vector]:
        """Give a vector for each text that is kept. Raises: Unavailable."""

    def questions(self, texts: Sequence[str]) -> list[Vector]:
        """Give a vector for each question. Raises: Unavailable."""


class VectorStatus(NamedTuple):
    """How far the vectors of a bank are."""

    model: str
    place: str
    entries: int
    """The last ledger entry whose text has a vector."""
    head: int
    texts: int
    bytes: int
    sound: bool
    trouble: str = ""


class Derived(Protocol):
    """Vectors as they are looked after; derived from the store and removed at will."""

    def catch_up(
        self, bank: str, progress: Callable[[int], None] | None = None, *, anew: bool = False
    ) -> None:
        """Embed all that has no vector yet. Raises: Unavailable; what was done is kept."""

    def behind(self) -> None:
        """Embed in a thread from now on: for a process that stays."""

    def stir(self, bank: str) -> None:
        """Begin to embed what was written, where a thread does it; returns at once."""

    def forget(self, bank: str) -> None:
        """Keep no vector of what was erased. Raises: StoreBusy."""

    def status(self, bank: str) -> VectorStatus:
        """Say how far the vectors are."""

    def close(self) -> None: ...


class Vectors(Arm, Derived, Protocol):
    """The arm that compares meaning."""
