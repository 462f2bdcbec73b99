"""Small exhibits: a page, an event on it, a strategy, a prediction and a briefing."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from caselore.memory.evidence import (
    Briefing,
    CompetitorEvent,
    Prediction,
    Report,
    Snapshot,
    Strategy,
)
from caselore.memory.exhibits import Filing

AT = datetime(2026, 2, 3, 8, 0, tzinfo=UTC)
TEXT = "Velora buys Pinewood Analytics for $28M. The deal closed on 2 February 2026."
QUOTE = "Velora buys Pinewood Analytics for $28M."


def page(url="https://news.example/a", text=TEXT, findings=(), **more):
    digest = hashlib.sha256(text.encode()).hexdigest()
    body = Snapshot(url, text, digest, "2026-02-03T08:00:00Z", tier="press", **more)
    return Filing(body, f"{url} {digest}", AT, AT, findings=findings)


def report(snapshot, quote=QUOTE, text=TEXT, **more):
    first = text.index(quote)
    values = {"url": "https://news.example/a", "tier": "press", **more}
    return Report(quote, snapshot, first, first + len(quote), **values)


def event(snapshot, known_as="deal", when=AT, **more):
    given = more.pop("report", None) or report(snapshot)
    values = {
        "competitor": "Velora", "event_type": "acquisition", "date": "2026-02-02",
        "title": "Velora buys Pinewood Analytics", "amount": 28e6, "currency": "USD",
        "impact_floor": 6.0, **more,
    }  # fmt: skip
    body = CompetitorEvent(report=given, **values)
    words = f"{body.competitor} {body.title} {body.event_type} {given.quote}"
    links = (("report", f"{known_as} here"), ("quotes", snapshot)) if snapshot else ()
    return Filing(body, known_as, when, when, words=words, links=links)


def strategy(**more):
    values = {
        "competitor": "Velora", "topic": "consolidation",
        "statement": "Velora grows by buying", "confidence": 0.5, **more,
    }  # fmt: skip
    return Filing(Strategy(**values), "", AT, AT)


def prediction(**more):
    values = {
        "competitor": "Velora", "statement": "Velora raises its price", "probability": 0.6,
        "opens": "2026-02-04", "deadline": "2026-05-01", "event_type": "pricing_change", **more,
    }  # fmt: skip
    return Filing(Prediction(**values), "", AT, AT)


def briefing(**more):
    values = {
        "topic": "analytics", "run": "run-1", "status": "completed", "competitors": ("Velora",),
        "since": "", "until": "2026-02-03", "document": "{}", **more,
    }  # fmt: skip
    return Filing(Briefing(**values), "", AT, AT)
