"""The pages of competitive intelligence: competitors, one of them, and the page of a quote.

Must not start a run or write: a page only shows what is kept.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from caselore.faces.dashboard import charts
from caselore.faces.dashboard.page import registered, show
from caselore.faces.http.access import Reader

router = APIRouter()
LISTED, EVENTS = 200, 100
DAYS = 180
AROUND = 6_000  # characters of a stored page shown on each side of a quote; `.json` has all


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


@registered(router, "/why/{claim:path}")
def why(
    request: Request,
    visitor: Reader,
    claim: str,
    first: Annotated[int, Query(ge=0, le=10**9)] = 0,
    last: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Response:
    """Show a claim's or an event's quote within the stored page, as it read when it was fetched.

    Of a stored page itself, the characters from `first` to `last` are the quote.
    """
    document = visitor.app.intel.why(claim)
    said = document.get("claim") or dict.fromkeys(("text", "verdict", "competitor"))
    part = _part(document["text"], document.get("first", first), document.get("last", last))
    return show(request, visitor, "why.html", document, claim=said, part=part, most=2 * AROUND)


def _part(text: str, first: int, last: int) -> dict[str, Any]:
    """Give the quote with the text around it, and how much of the page is left away."""
    last = max(first, min(last, first + AROUND))
    begin, end = max(0, first - AROUND), last + AROUND
    return {
        "before": text[begin:first], "quote": text[first:last], "after": text[last:end],
        "earlier": min(begin, len(text)), "later": max(0, len(text) - end),
    }  # fmt: skip
