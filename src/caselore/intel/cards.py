"""Battlecards that know their age, the history of prices, and alerts that say which rule fired.

Must not show a line without its event, nor one as fresh that a later event has overtaken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from caselore.intel.briefing import claim_text
from caselore.intel.days import apart
from caselore.intel.dossier import Dossier

Document = dict[str, Any]
STALE = 120  # days after which a line is stale by age alone
STANDING = frozenset({"observed", "confirmed"})


def battlecard(name: str, events: Sequence[Dossier], now: datetime) -> Document:
    """Give the newest line of each topic, and several of what stands beside each other, with age.

    A price is overtaken by the next one of its plan, a team by the next hires; a product is not
    by the next product.
    """
    today = now.date().isoformat()
    lines = []
    for (topic, _), some in _topics(events).items():
        newest = some[-1]
        age = apart(newest.date, today)
        why = (
            f"older than {STALE} days"
            if age > STALE
            else "disputed"
            if newest.contradictions
            else ""
        )
        lines.append(
            {
                "topic": topic, "fact": claim_text(newest), "as_of": newest.date,
                "age_days": age, "stale": bool(why), "stale_why": why, "event": newest.id,
                "url": newest.best.url, "kind": "fact", "confidence": newest.confidence,
                "replaces": [one.id for one in some[:-1]],
            }
        )  # fmt: skip
    return {"competitor": name, "as_of": today, "lines": lines}


SEVERAL = frozenset({"feature_launch", "acquisition", "partnership", "market_signal"})
MOST = 4  # lines of a type of which several stand


def _topics(events: Iterable[Dossier]) -> dict[tuple[str, str], list[Dossier]]:
    topics: dict[tuple[str, str], list[Dossier]] = {}
    for one in sorted(events, key=lambda each: (each.date, each.id)):
        if one.status in STANDING and one.counts:
            kind = one.event.event_type
            priced = kind == "pricing_change" and one.event.plan
            topic = f"{kind}: {one.event.plan}" if priced else kind
            topics.setdefault((topic, one.id if kind in SEVERAL else ""), []).append(one)
    return {key: some for key, some in topics.items() if _among_newest(key, list(topics))}


def _among_newest(key: tuple[str, str], keys: list[tuple[str, str]]) -> bool:
    return key in [one for one in keys if one[0] == key[0]][-MOST:]


def price_history(events: Iterable[Dossier]) -> list[Document]:
    """Give each change of a price in order, by plan and unit."""
    found = [
        {
            "plan": one.event.plan or None, "unit": one.event.unit or None, "date": one.date,
            "before": one.before, "amount": one.amount, "currency": one.currency or None,
            "change_percent": one.change_percent, "event": one.id, "url": one.best.url,
            "snapshot": one.best.snapshot, "quote": one.best.quote,
        }
        for one in events
        if one.event.event_type == "pricing_change" and one.status in STANDING
    ]  # fmt: skip
    return sorted(found, key=lambda row: (row["plan"] or "", row["date"], row["event"]))


def _weighed(one: Dossier) -> str:
    """Say what an impact is made of."""
    if not one.event.impact_added:
        return f"floor {one.impact_floor:g}"
    return f"floor {one.impact_floor:g} + {one.event.impact_added:g} by a model"


def alerts(events: Iterable[Dossier], threshold: float, since: str = "") -> list[Document]:
    """Give the grave events from a day on, grouped by competitor, with the rule that fired."""
    groups: dict[str, list[Document]] = {}
    for one in sorted(events, key=lambda each: (-each.impact_score, each.date)):
        told = one.status in STANDING and one.counts and one.trusted and one.date >= since[:10]
        if told and one.impact_score >= threshold:
            groups.setdefault(one.event.competitor, []).append(
                {
                    "event": one.id, "date": one.date, "impact": one.impact_score,
                    "rule": f"{one.to_json()['impact_why']}: {_weighed(one)} ≥ {threshold:g}",
                    "text": claim_text(one), "quote": one.best.quote, "url": one.best.url,
                }
            )  # fmt: skip
    return [{"competitor": name, "events": some} for name, some in groups.items()]
