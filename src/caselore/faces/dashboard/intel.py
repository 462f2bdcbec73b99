"""The pages of competitive intelligence: competitors, and one with its events and predictions.

Must not start a run or write: a page only shows what is kept.
"""

from __future__ import annotations

from collections import Counter

from fastapi import APIRouter, Request, Response

from caselore.faces.dashboard import charts
from caselore.faces.dashboard.page import registered, show
from caselore.faces.http.access import Reader

router = APIRouter()
LISTED, EVENTS = 200, 100
DAYS = 180


@registered(router, "/intel")
def competitors(request: Request, visitor: Reader) -> Response:
    """Show competitors, and how good the predictions about them were."""
    intel = visitor.app.intel
    rows = sorted(intel.competitors(), key=lambda one: -one["events"])[:LISTED]
    document = {
        "items": [intel.profile(one["competitor"]).to_json() for one in rows],
        "calibration": intel.calibration().to_json(),
    }
    return show(request, visitor, "intel.html", document)


@registered(router, "/intel/{competitor:path}")
def competitor(request: Request, visitor: Reader, competitor: str) -> Response:
    """Show one competitor: events with their quotes, strategies, predictions."""
    intel = visitor.app.intel
    events = intel.history(competitor, limit=EVENTS)
    document = {
        "profile": intel.profile(competitor).to_json(),
        "events": events,
        "strategy": intel.strategy(competitor),
        "predictions": intel.predictions(competitor)[-EVENTS:],
    }
    days = Counter(one["date"][:10] for one in events)
    bars = charts.daily(days, visitor.app.now().date(), DAYS)
    return show(request, visitor, "competitor.html", document, bars=bars)
