"""Keeps at hand the events that a report may belong to: those of its competitor and type, of the weeks around it.

Must not read what lies too far away in time to be the same event.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time

from caselore.intel.candidates import Candidate
from caselore.intel.dossier import Dossier, as_candidate, put_together
from caselore.intel.modality import Mode
from caselore.intel.origins import reach_of
from caselore.memory.api import Memory
from caselore.memory.encoding import stamp
from caselore.memory.exhibit_ports import Sought
from caselore.memory.records import Kind

DENIED_FOR = 120  # days by which a denial reaches back and ahead
Known = tuple[Dossier, Candidate]
Shelf = tuple[str, str, int]
"""A competitor, a type of event, a week counted from year 1."""


@dataclass
class KnownEvents:
    """What one run looked up, and what it has taken in since."""

    memory: Memory
    _held: dict[str, Known] = field(default_factory=dict)
    _shelves: dict[Shelf, dict[str, None]] = field(default_factory=dict)
    _read: set[Shelf] = field(default_factory=set)

    def around(self, said: Candidate) -> dict[str, Known]:
        """Give the events, by id, that a report may belong to."""
        middle, around = _week(said.date), _weeks(said)
        shelves = [_shelf(said, middle + off) for off in range(around, -around - 1, -1)]
        missing = [one[2] for one in shelves if one not in self._read]
        if missing:
            self._load(said, min(missing), max(missing))
            self._read.update(shelves)
        return {id: self._held[id] for one in shelves for id in self._shelves.get(one, ())}

    def held(self, id: str) -> Known | None:
        """Give an event as it was last looked up or put."""
        return self._held.get(id)

    def put(self, said: Candidate, id: str, known: Known) -> None:
        """Keep an event as it now stands, where its day now lies."""
        old = self._held.get(id)
        if old is not None:
            self._shelves[_shelf(said, _week(old[0].date))].pop(id, None)
        self._held[id] = known
        self._shelves.setdefault(_shelf(said, _week(known[0].date)), {})[id] = None

    def _load(self, said: Candidate, first: int, last: int) -> None:
        sought = Sought(
            Kind.COMPETITOR_EVENT.value, said.entity.key, said.event_type,
            since=_begin(first), until=_begin(last + 1), limit=5_000,
        )  # fmt: skip
        for one in self.memory.exhibits(sought):
            if one.id not in self._held and one.status.value not in {"retracted", "quarantined"}:
                dossier = put_together(one)
                self._held[one.id] = dossier, as_candidate(dossier, said.entity)
                shelf = _shelf(said, _week(dossier.date))
                self._shelves.setdefault(shelf, {})[one.id] = None


def _shelf(said: Candidate, week: int) -> Shelf:
    return said.entity.key, said.event_type, week


def _weeks(said: Candidate) -> int:
    """Give the weeks before and after a report in which the same event, or what it denies, may lie."""
    days = DENIED_FOR if said.mode is Mode.DENIED else reach_of(said.event_type)
    return days // 7 + 1


def _week(day: str) -> int:
    return date.fromisoformat(day[:10]).toordinal() // 7


def _begin(week: int) -> str:
    """Give the first moment of a week, within the days that a date can have."""
    day = date.fromordinal(min(max(7 * week, 1), date.max.toordinal()))
    return stamp(datetime.combine(day, time.min, UTC))
