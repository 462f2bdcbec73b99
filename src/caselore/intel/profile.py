"""Sums a competitor up: how many events, how sure, how risky; each figure with its reason.

Must not count a copy, a withdrawn event, or what only one source of low trust says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from caselore.intel.dossier import SUPERSEDED, put_together
from caselore.memory.api import Memory
from caselore.memory.encoding import stamp
from caselore.memory.evidence import key_of_name
from caselore.memory.exhibit_ports import Counted, Sought
from caselore.memory.records import Kind

STANDING = frozenset({"observed", "confirmed"})
WINDOW = 90  # days that the risk looks back
GRAVE = 8.0  # impact from which on an event is grave
CRITICAL, MEDIUM = 3, 5  # grave events for critical; events of any impact for medium


def confidence(independent: int) -> float:
    """Give min(0.98, 0.3 + 0.07 n), and 0 where nothing is known. Source: DESIGN, Intelligence."""
    return round(min(0.98, 0.3 + 0.07 * independent), 2) if independent else 0.0


def risk(grave: int, events: int) -> str:
    """Give the level of risk by grave and all events of the window."""
    if grave >= CRITICAL:
        return "critical"
    if grave >= 1:
        return "high"
    return "medium" if events >= MEDIUM else "low"


@dataclass(frozen=True, slots=True)
class Profile:
    """One competitor, summed up."""

    competitor: str
    total_events: int
    independent_events: int
    """The n of the confidence: origins over all events, so more than events where several outlets found out."""
    confidence_score: float
    risk_level: str
    by_type: dict[str, int]
    last_event_at: str
    why: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Give the shape of CONTRACT, with the reasons."""
        return {
            "competitor": self.competitor, "total_events": self.total_events,
            "independent_events": self.independent_events,
            "confidence_score": self.confidence_score, "risk_level": self.risk_level,
            "by_type": self.by_type, "last_event_at": self.last_event_at or None, "why": self.why,
        }  # fmt: skip


def profile(memory: Memory, name: str, now: datetime, *, known: datetime | None = None) -> Profile:
    """Sum a competitor up as of `now`; with `known`, from what was known by then."""
    key = key_of_name(name)
    moment = stamp(known) if known else ""
    sought = Sought(Kind.COMPETITOR_EVENT.value, key, until=moment, known=moment)
    since = now - timedelta(days=WINDOW)
    counted = (
        _as_known(memory, sought, since) if known else memory.exhibit_counts(sought, since, GRAVE)
    )
    rows = _standing(counted)
    grave = sum(one.grave for one in rows if one.trusted)
    lately = sum(one.recent for one in rows if one.trusted)
    total = _times(rows)
    independent = sum(one.origins for one in rows)
    by_type: dict[str, int] = {}
    for one in rows:
        by_type[one.label] = by_type.get(one.label, 0) + one.times
    last = max((one.last for one in rows), default="")
    return Profile(
        name, total, independent, confidence(independent), risk(grave, lately), by_type, last,
        {
            "confidence_score": f"min(0.98, 0.3 + 0.07 × {independent} independent origins)",
            "risk_level": f"in {WINDOW} days {grave} of impact {GRAVE:g} or more, {lately} of any;"
            " what one source of low trust alone says is not counted",
        },
    )  # fmt: skip


def _as_known(memory: Memory, sought: Sought, since: datetime) -> Iterable[Counted]:
    """Count events as they were known at a moment: what was told of some of them later is left away."""
    for row in memory.exhibit_rows(sought):
        status, trusted, origins = row.status, row.trusted, row.origins
        if row.said_seq != row.seq:
            then = put_together(memory.exhibit(row.id), sought.known)
            gone = status not in STANDING | {SUPERSEDED}
            status, trusted, origins = (
                row.status if gone else then.status,
                then.trusted,
                then.origins,
            )
        recent = row.happened_at >= stamp(since)
        grave = recent and row.impact >= round(GRAVE * 10)
        yield Counted(row.label, status, row.counts, int(trusted), 1, origins, row.happened_at, int(recent), int(grave))  # fmt: skip


def _standing(rows: Iterable[Counted]) -> list[Counted]:
    return [one for one in rows if one.status in STANDING and one.counts]


def _times(rows: Iterable[Counted]) -> int:
    return sum(one.times for one in rows)
