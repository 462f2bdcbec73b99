"""Puts further arms beside the words: what they bring, in turn, and how close it is.

Must not let an arm decide: it brings ids and a measure, the records are read from the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from caselore.memory.arm_ports import Arm, Brought
from caselore.memory.ports import Narrow, Reads
from caselore.memory.rows import CaseRow


class Arms:
    """The answers of all further arms to one question."""

    def __init__(self, brought: Iterable[Brought] = ()) -> None:
        """Hold what the arms brought."""
        self._brought = tuple(brought)

    @classmethod
    def asked(
        cls, arms: Sequence[Arm], view: Reads, bank: str, text: str, limit: int, narrow: Narrow
    ) -> Arms:
        """Ask every arm."""
        return cls(arm.ask(view, bank, text, limit, narrow) for arm in arms)

    @property
    def notes(self) -> tuple[str, ...]:
        """Tell which arm could not answer, or not from all, and why."""
        return tuple(f"{one.arm}: {one.trouble}" for one in self._brought if one.trouble)

    def beside(self, ids: Sequence[str]) -> list[str]:
        """Give the ids that words brought and those of the arms in turn, each once."""
        turns = zip_longest(ids, *(one.ids for one in self._brought))
        return list(dict.fromkeys(id for turn in turns for id in turn if id is not None))

    def closeness(self, row: CaseRow) -> float | None:
        """Give how close a record is, by its failure or by what a person said of it."""
        if not self._brought:
            return None
        seqs = (row.seq, *((row.outcome_seq,) if row.outcome_seq else ()))
        measured = (one.close(seq) for one in self._brought for seq in seqs)
        return max((one for one in measured if one is not None), default=None)

    def places(self, row: CaseRow) -> tuple[str, ...]:
        """Name each arm that brought a record, with the place that it gave it."""
        if not self._brought:
            return ()
        return tuple(
            f"place {one.ids.index(row.id) + 1} by {one.arm}"
            for one in self._brought
            if row.id in one.ids
        )
