"""Puts an event together from all its reports: which amount and day hold, which quote shows them, and why.

Must not show a value that none of its reports says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from caselore.intel.candidates import DATE_RANK, Candidate, proper, telling
from caselore.intel.entities import Entity
from caselore.intel.impact import impact_of
from caselore.intel.trust import WEIGHT
from caselore.memory.encoding import stamp
from caselore.memory.evidence import CompetitorEvent, Report, read
from caselore.memory.exhibits import Exhibit
from caselore.memory.filing import HEARD
from caselore.memory.records import Status

SUPERSEDED = Status.SUPERSEDED.value


@dataclass(frozen=True, slots=True)
class Dossier:
    """One event as it stands: the values that hold, and what speaks for them."""

    id: str
    event: CompetitorEvent
    best: Report
    reports: tuple[Report, ...]
    date: str
    date_from: str
    amount: float | None
    currency: str
    before: float | None
    change_percent: float | None
    origins: int
    status: str
    counts: bool
    trusted: bool
    contradictions: tuple[str, ...]
    first_known: str
    recorded_at: datetime
    told_at: datetime
    """When the last thing was said of it."""
    later: tuple[tuple[datetime, str], ...] = ()
    """What was said of it after it was filed, each with when."""

    @property
    def urls(self) -> tuple[str, ...]:
        """Give every address that reports it, each once."""
        return tuple(dict.fromkeys(one.url for one in self.reports))

    @property
    def impact_floor(self) -> float:
        """Give the least impact by the values that hold."""
        return self._impact()[0]

    def _impact(self) -> tuple[float, str]:
        text = f"{self.event.title} {self.best.quote}"
        return impact_of(
            self.event.event_type, text, self.amount, self.change_percent, self.event.count
        )

    @property
    def impact_score(self) -> float:
        """Give the floor with what a model added."""
        return round(min(10.0, self.impact_floor + self.event.impact_added), 1)

    @property
    def confidence(self) -> float:
        """Give how sure it is that it happened, 0 to 0.98: by origins and their tiers."""
        return confidence_of(one.tier for one in _by_origin(self.reports))

    def to_json(self) -> dict[str, Any]:
        """Give the shape of CONTRACT, with what explains the figures."""
        event = self.event
        return {
            "id": self.id, "competitor": event.competitor, "event_type": event.event_type,
            "date": self.date, "date_from": self.date_from, "title": self.best.title or event.title,
            "amount": self.amount, "currency": self.currency or None, "before": self.before,
            "change_percent": self.change_percent, "plan": event.plan or None,
            "unit": event.unit or None, "count": event.count, "party": event.party or None,
            "origins": self.origins, "reports": len(self.reports), "quote": self.best.quote,
            "snapshot": self.best.snapshot, "url": self.best.url, "urls": list(self.urls),
            "first": self.best.first, "last": self.best.last,
            "impact_score": self.impact_score, "impact_floor": self.impact_floor,
            "impact_why": self._impact()[1], "confidence": self.confidence,
            "tier": self.best.tier, "trusted": self.trusted, "status": self.status,
            "known_since": self.first_known, "contradictions": list(self.contradictions),
        }  # fmt: skip


_SURE = {
    "primary": 0.9,
    "press": 0.75,
    "field": 0.7,
    "trade": 0.65,
    "aggregator": 0.35,
    "unknown": 0.4,
    "forum": 0.2,
}


def confidence_of(tiers: Iterable[str]) -> float:
    """Give 1 - product(1 - trust) over independent origins, at most 0.98."""
    doubt = 1.0
    for tier in tiers:
        doubt *= 1 - _SURE.get(tier, 0.3)
    return round(min(0.98, 1 - doubt), 2)


def _by_origin(reports: Iterable[Report]) -> list[Report]:
    best: dict[str, Report] = {}
    for one in reports:
        kept = best.get(one.origin)
        if kept is None or WEIGHT[one.tier] > WEIGHT[kept.tier]:
            best[one.origin] = one
    return list(best.values())


def put_together(exhibit: Exhibit, known: str = "") -> Dossier:
    """Give an event's dossier; with `known`, only from what was known by then."""
    event = exhibit.body
    assert isinstance(event, CompetitorEvent)
    reports = [event.report]
    origins, wrong, notes, later = 1, set[float](), list[str](), list[tuple[datetime, str]]()
    trusted, status = event.report.tier in HEARD, exhibit.status.value
    if known and status == SUPERSEDED:
        status = Status.OBSERVED.value  # until what supersedes it is known
    for said in exhibit.said:
        if said.kind == "corroborate":
            report = read(Report, said.body["report"])
            if known and report.known_at > known:
                continue
            reports.append(report)
            origins += bool(said.body["independent"])
            trusted = trusted or report.tier in HEARD or bool(said.body["independent"])
            later.append((said.at, _also(report, bool(said.body["independent"]))))
        elif said.kind == "correct":
            if known and (said.body.get("known_at") or stamp(said.at)) > known:
                continue
            if said.body["relation"] == SUPERSEDED:
                status = exhibit.status.value
            wrong |= set(said.body.get("wrong", ()))
            notes.append(str(said.body["why"]))
            later.append((said.at, str(said.body["why"])))
    amount, currency, more = _amount(reports, wrong)
    date, told = day_of_reports(reports, event)
    best = _quote(reports, amount)
    before = best.before if best.before is not None else event.before
    percent = event.change_percent
    if before and amount is not None:
        percent = round(100 * (amount - before) / before, 1)
    return Dossier(
        id=exhibit.id, event=event, best=best, reports=tuple(reports), date=date, date_from=told,
        amount=amount, currency=currency or event.currency, before=before, change_percent=percent,
        origins=origins, status=status, counts=exhibit.counts, trusted=trusted if known else exhibit.trusted,
        contradictions=(*notes, *more), first_known=min(one.known_at for one in reports), recorded_at=exhibit.recorded_at, told_at=max([exhibit.recorded_at, *(said.at for said in exhibit.said)]), later=tuple(later),
    )  # fmt: skip


def _also(report: Report, independent: bool) -> str:
    """Say what one more report adds."""
    who = urlsplit(report.url).hostname or report.url
    return f"{who} reports it independently" if independent else f"{who} repeats it"


def _latest(reports: list[Report]) -> list[Report]:
    """Give of each address only what its newest version says."""
    newest: dict[str, Report] = {}
    for one in reports:
        kept = newest.get(one.url)
        if kept is None or one.known_at >= kept.known_at:
            newest[one.url] = one
    return list(newest.values())


def _amount(reports: list[Report], wrong: set[float]) -> tuple[float | None, str, tuple[str, ...]]:
    """Give the amount that most weight speaks for: each origin once, by its tier; ties to the later."""
    weights: dict[float, dict[str, int]] = {}
    for one in _latest(reports):
        if one.amount is not None and one.amount not in wrong:
            per = weights.setdefault(one.amount, {})
            per[one.origin] = max(per.get(one.origin, 0), WEIGHT[one.tier])
    if not weights:
        return None, "", ()
    later = {
        value: max(one.known_at for one in reports if one.amount == value) for value in weights
    }
    best = max(
        weights,
        key=lambda value: (
            sum(weights[value].values()),
            max(weights[value].values()),
            later[value],
        ),
    )
    currency = next((one.currency for one in reports if one.amount == best and one.currency), "")
    others = sorted({one.amount for one in reports if one.amount is not None} - {best})
    notes = tuple(
        f"{next(one.url for one in reports if one.amount == value)} says {value:,.10g} instead of {best:,.10g}"
        for value in others
    )
    return best, currency, notes


def day_of_reports(reports: Iterable[Report], event: CompetitorEvent) -> tuple[str, str]:
    """Give the day that the most exact report names; of equally exact ones the earliest."""

    def exact(one: Report) -> tuple[int, int]:
        rank = DATE_RANK.get(one.date_from, 0)
        return (min(rank, 3) if rank < 5 else rank), (WEIGHT[one.tier] if rank >= 5 else 0)

    dated = [one for one in reports if one.date]
    if not dated:
        return event.date, event.date_from
    top = max(exact(one) for one in dated)
    best = min((one for one in dated if exact(one) == top), key=lambda one: one.date)
    return best.date, best.date_from


def _quote(reports: list[Report], amount: float | None) -> Report:
    """Give the report to show: one that says the amount that holds, of the best tier, the earliest."""
    saying = [one for one in reports if one.amount == amount] or reports
    return max(
        saying,
        key=lambda one: (
            "\t" not in one.quote,
            WEIGHT[one.tier],
            [-ord(letter) for letter in one.known_at],
        ),
    )


def as_candidate(dossier: Dossier, entity: Entity) -> Candidate:
    """Give a stored event as one more report of a page, to compare with new ones."""
    event = dossier.event
    texts = " ".join(dict.fromkeys(one.quote for one in dossier.reports[:6]))
    return Candidate(
        entity=entity, event_type=event.event_type, quote=dossier.best.quote,
        first=dossier.best.first, last=dossier.best.last, title=event.title, date=dossier.date,
        date_from=dossier.date_from, amount=dossier.amount, currency=dossier.currency,
        before=dossier.before, change_percent=dossier.change_percent, unit=event.unit,
        plan=event.plan, count=event.count, party=event.party,
        tokens=telling(f"{event.report.quote} {event.report.title}", entity),
        names=proper(texts, entity), lead=True,
    )  # fmt: skip
