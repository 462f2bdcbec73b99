"""The page of figures: only what was measured, each with the number that it is of.

Must not estimate.
"""

from __future__ import annotations

from datetime import timedelta
from statistics import median
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from caselore.faces.dashboard import charts
from caselore.faces.dashboard.page import fresh, registered, show
from caselore.faces.http.access import Reader
from caselore.memory.counting import Figures

router = APIRouter()
STALE = 30  # seconds that figures may be behind


@registered(router, "/numbers")
def numbers(
    request: Request, visitor: Reader, days: Annotated[int, Query(ge=1, le=366)] = 30
) -> Response:
    """Show what was measured in the last days."""
    memory, now = visitor.app.memory, visitor.app.now()
    begin = (now - timedelta(days=days - 1)).replace(hour=0, minute=0, second=0, microsecond=0)
    figures: Figures = fresh(request).get(
        f"figures {days} {begin.date()}", visitor, lambda: memory.figures(begin), STALE
    )
    bars = charts.daily(dict(figures.days), now.date(), days)
    return show(request, visitor, "numbers.html", _document(figures, days), bars=bars, days=days)


def _document(figures: Figures, days: int) -> dict[str, Any]:
    seen = figures.recurrence
    hours = figures.hours
    return {
        "days": days,
        "incidents": {"n": sum(times for _, times in figures.days), "by_day": dict(figures.days)},
        "recurrence": _share(seen.seen_before, seen.times),
        "answerable": _share(seen.answerable, seen.times),
        "without_precedent": _share(seen.times - seen.answerable, seen.times),
        "said": dict(figures.said),
        "hours_to_fix": {
            "n": len(hours),
            "median": round(median(hours), 2) if hours else None,
            "p90": round(hours[int(0.9 * (len(hours) - 1))], 2) if hours else None,
        },
    }


def _share(part: int, n: int) -> dict[str, Any]:
    return {"share": round(part / n, 3) if n else None, "part": part, "n": n}
