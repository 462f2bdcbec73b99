"""One bank of a store with its clock and randomness: what every verb of the memory starts from.

Must not append by itself: `gate.write` is the only way in.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime

from caselore.errors import StoreFull, Unavailable
from caselore.memory import naming
from caselore.memory.arm_ports import Arm, Derived
from caselore.memory.cases import assemble
from caselore.memory.encoding import Body
from caselore.memory.ports import Index, Store, Writes
from caselore.memory.records import Actor, Case, short
from caselore.memory.weights import Weights
from caselore.memory.writing import Pen, must_be_free, must_pass


def halfway(error: Unavailable, words: str, hint: str) -> Unavailable:
    """Give the error of a call of which a part is kept, in words that do not deny that."""
    why = "no room is left on the disk" if isinstance(error, StoreFull) else str(error)
    return type(error)(f"{words}: {why}", hint=hint)


class Bank:
    """What all verbs share; nothing crosses banks."""

    def __init__(
        self,
        store: Store,
        index: Index,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        weights: Weights | None = None,
        bank: str = "default",
        *,
        arms: Sequence[Arm] = (),
        vectors: Derived | None = None,
        random_hex: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        """Work on one bank of a store; nothing crosses banks.

        `arms` are further ways to find records for a question; `vectors` are looked after.
        """
        self.bank = short("the bank's name", bank, needed=True)
        self.weights = weights or Weights()
        self._store, self._index = store, index
        self._arms, self._vectors = tuple(arms), vectors
        self._clock, self._new_id, self._random = clock, new_id, random_hex

    @property
    def store(self) -> Store:
        """Give the store, for what is derived beside the memory: it is read, never written."""
        return self._store

    def _pen(self, view: Writes) -> Pen:
        return Pen(view, self.bank, self._clock(), self._random)

    def resolve(self, ref: str) -> str:
        """Give the id that a name means. Raises NotFound or Ambiguous."""
        with self._store.reading() as view:
            return naming.resolve(view, self.bank, ref).id

    def get(self, ref: str) -> Case:
        """Give one case with all that was said of it. Raises NotFound or Ambiguous."""
        with self._store.reading() as view:
            return assemble(view, naming.resolve(view, self.bank, ref))

    def _say(self, action: str, ref: str, body: Body, actor: Actor) -> Case:
        with self._store.writing(self.bank) as view:
            row = naming.resolve(view, self.bank, ref)
            if action == "confirm":
                must_be_free(row)
            written = self._pen(view).write(action, row.id, body, actor)
        must_pass(written)
        self._caught_up()
        return self.get(row.id)

    def _foresee(self, question: str | None, limit: int) -> None:
        """Let further arms do what may take long, before a view is opened for a question."""
        if question is not None:
            for arm in self._arms:
                arm.prepare(self.bank, question, limit)

    def _caught_up(self, written: int = 1) -> None:
        """Let the index take in what was written, and vectors where a thread makes them."""
        self._index.catch_up(self.bank, written)
        if self._vectors:
            self._vectors.stir(self.bank)

    def close(self) -> None:
        """Let go of the files."""
        if self._vectors:
            self._vectors.close()
        self._index.close()
        self._store.close()
