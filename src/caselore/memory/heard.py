"""Knows what was said already of the records that an import's rows are about.

Must not answer from what was read before the batch alone: what the batch itself wrote counts, too.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

from caselore.memory.encoding import Body, canonical
from caselore.memory.exports import Said, core
from caselore.memory.lateness import marked
from caselore.memory.ledger import Entry, Stored
from caselore.memory.ports import Reads
from caselore.memory.projection import spoken_by
from caselore.memory.rows import CaseRow

PIECE = 200  # records whose verdicts are read at once

Word = tuple[Entry, Body]


class Heard:
    """The verdicts on some records, read some hundred records at a time."""

    def __init__(self, view: Reads, bank: str, ids: Sequence[str]) -> None:
        """Prepare for these records, which will be asked for in about this order."""
        self._view, self._bank = view, bank
        self._ids = list(dict.fromkeys(ids))
        self._places = {id: place // PIECE for place, id in enumerate(self._ids)}
        self._read: dict[int, dict[str, list[Word]]] = {}
        self._written: dict[str, list[Word]] = defaultdict(list)

    def note(self, entry: Entry, body: Body) -> None:
        """Hear what the batch itself says of a record."""
        self._written[entry.subject].append((entry, body))

    def news(self, row: CaseRow, said: tuple[Said, ...]) -> tuple[Said, ...]:
        """Give what was not yet said of a record; what newer words undid is marked as late."""
        heard, settled = set[tuple[str, ...]](), ""
        unsigned = any(one.body.get("origin") is None for one in said)
        for entry, body in self._of(row.id):
            who, at = spoken_by(entry, body)
            told = canonical(core(body))
            heard.add((entry.action, who, at, told))
            if unsigned:  # such a proposal has no date of its own: its words decide
                heard.add((entry.action, told))
            settled = at if entry.seq == row.verdict_seq else settled
        return marked([one for one in said if _named(one) not in heard], settled)

    def _of(self, id: str) -> list[Word]:
        written = self._written.get(id, [])
        return self._before(id) + written if id in self._places else written

    def _before(self, id: str) -> list[Word]:
        place = self._places[id]
        if place not in self._read:
            some = self._ids[place * PIECE : (place + 1) * PIECE]
            self._read = {place: _words(self._view.judged(self._bank, some))}
        return self._read[place].get(id, [])


def _words(stored: Iterable[Stored]) -> dict[str, list[Word]]:
    found: dict[str, list[Word]] = defaultdict(list)
    for entry, payload in stored:
        if payload is not None:
            found[entry.subject].append((entry, json.loads(payload.body)))
    return found


def _named(said: Said) -> tuple[str, ...]:
    """Name a verdict as the set of what was heard does: by its words, and who gave it when."""
    told, origin = canonical(core(said.body)), said.body.get("origin")
    return (said.action, origin["actor"], origin["at"], told) if origin else (said.action, told)
