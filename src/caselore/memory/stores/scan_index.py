"""Finds records by reading what the store says of them, without any index of its own.

Must not return anything but ids, and must not decide what counts as near.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from caselore.memory.ledger import Stored
from caselore.memory.ports import ANYWHERE, IndexStatus, Narrow, Reads, Store
from caselore.memory.projection import spoken, spoken_line
from caselore.memory.terms import codes_in, key_grams


class _Shared(NamedTuple):
    """What one entry has in common with a question."""

    seq: int
    subject: str
    grams: frozenset[str]


def closest(rows: Iterable[Stored], asked: Sequence[str]) -> list[str]:
    """Give the subjects of entries that share a run of characters with a question, best first."""
    sought = frozenset(asked)
    found = [one for one in (_shared(row, sought) for row in rows) if one and one.grams]
    often = Counter(gram for one in found for gram in one.grams)
    weight = {gram: math.log(1 + len(found) / times) for gram, times in often.items()}
    scored = [(sum(weight[gram] for gram in sorted(one.grams)), one) for one in found]
    scored.sort(key=lambda pair: (-pair[0], -pair[1].seq))
    return list(dict.fromkeys(one.subject for _, one in scored))


def _shared(row: Stored, sought: frozenset[str]) -> _Shared | None:
    entry, payload = row
    text = spoken(entry, json.loads(payload.body)) if payload else ""
    return _Shared(entry.seq, entry.subject, sought.intersection(key_grams(text)))


def holding(rows: Iterable[Stored], code: str) -> list[str]:
    """Give the subjects of entries whose line holds a code, the newest first."""
    read = ((row.entry, json.loads(row.payload.body)) for row in rows if row.payload)
    found = [entry.subject for entry, body in read if code in codes_in(spoken_line(entry, body))]
    return list(dict.fromkeys(reversed(found)))


def known_by(narrow: Narrow, rows: Iterable[Stored]) -> Iterable[Stored]:
    """Leave out the entries that may not be known yet."""
    return (row for row in rows if not narrow.last or row.entry.seq <= narrow.last)


def fitting(view: Reads, bank: str, ids: Sequence[str], limit: int, narrow: Narrow) -> list[str]:
    """Give the first few ids whose records may be brought."""
    if narrow == ANYWHERE:
        return list(ids[:limit])
    fits = (
        id
        for some in _pieces(ids)
        for rows in (view.cases_of(bank, some),)
        for id in some
        if id in rows and narrow.admits(rows[id])
    )
    return list(islice(fits, limit))


def _pieces(ids: Sequence[str], size: int = 200) -> Iterable[Sequence[str]]:
    return (ids[at : at + size] for at in range(0, len(ids), size))


class ScanIndex:
    """Serves where no index can be kept: right, but slow beyond some thousand records."""

    def __init__(self, store: Store) -> None:
        """Read from a store."""
        self._store = store

    def search(
        self,
        view: Reads,
        bank: str,
        text: str,
        limit: int,
        narrow: Narrow = ANYWHERE,
        *,
        broad: bool = False,
    ) -> Sequence[str]:
        """Give the ids of the closest records, best first, the same order every time."""
        asked = key_grams(text)
        rows = view.spoken(bank, 0) if asked else iter(())
        return fitting(view, bank, closest(known_by(narrow, rows), asked), limit, narrow)

    def coded(
        self, view: Reads, bank: str, code: str, limit: int, narrow: Narrow = ANYWHERE
    ) -> Sequence[str]:
        """Give the ids of the newest records whose line holds a word as it stands."""
        rows = known_by(narrow, view.spoken(bank, 0))
        return fitting(view, bank, holding(rows, code.lower()), limit, narrow)

    def catch_up(self, bank: str, written: int = 1) -> None:
        """Do nothing: each search reads the store."""

    def forget(self, bank: str) -> None:
        """Do nothing: nothing is kept."""

    def rebuild(self, bank: str) -> None:
        """Do nothing: nothing is kept."""

    def status(self, bank: str) -> IndexStatus:
        """Say that nothing is kept."""
        with self._store.reading() as view:
            head = view.head(bank).seq
        return IndexStatus("none: each search reads the store", "", "", 0, head, 0, 0, True)

    def close(self) -> None:
        """Hold nothing."""
