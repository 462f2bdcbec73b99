"""The first page: what failed, grouped by cause, what waits for a person first.

Must not hide what it counts: every facet says how many, and every state is in the address.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel

from caselore.faces.dashboard.page import fresh, registered, show
from caselore.faces.http import paging
from caselore.faces.http.access import Reader
from caselore.memory.browsing import BEGIN, Place
from caselore.memory.count_ports import Chosen, Facet
from caselore.memory.counting import NOVELTIES, Cause
from caselore.memory.ports import Wanted
from caselore.wiring import documents
from caselore.wiring.door import Visitor

router = APIRouter()
FACETS = ("status", "service", "environment", "family")
WAITING = 8  # of each kind that waits for a person
VALUES = 12  # of a facet that are shown
STALE = 3  # seconds that counts may be behind


class Asked(BaseModel):
    """What the address asks for."""

    status: str = ""
    service: str = ""
    environment: str = ""
    family: str = ""
    novelty: str = ""
    cursor: str = ""
    limit: int = 50

    def chosen(self) -> Chosen:
        """Give which cases are meant."""
        return Chosen(self.status, self.service, self.environment, self.family)

    def size(self) -> int:
        """Give how many causes one page has."""
        return min(max(self.limit, 1), 200)


@registered(router, "/", "/index.json")
def inbox(request: Request, visitor: Reader, asked: Annotated[Asked, Query()]) -> Response:
    """Show what failed, the latest first, grouped by cause."""
    memory, chosen = visitor.app.memory, asked.chosen()
    after = Place(*paging.place(asked.cursor, 2)) if asked.cursor else BEGIN
    novelty = asked.novelty if asked.novelty in NOVELTIES else ""
    found = memory.causes(chosen, novelty, asked.size(), after)
    counts: list[Facet] = fresh(request).get("facets", visitor, memory.facets, STALE)
    kinds: dict[str, int] = fresh(request).get(
        f"novelties {tuple(chosen)}", visitor, lambda: memory.novelties(chosen), STALE
    )
    first = not asked.cursor and chosen == Chosen() and not novelty
    document = {
        "causes": [cause(one) for one in found.causes],
        "next_cursor": paging.cursor(*found.next) if found.next else None,
        "waiting": _waiting(visitor, counts) if first else [],
        "facets": {
            "novelty": [{"value": kind, "times": kinds[kind]} for kind in NOVELTIES],
            **{name: facet(name, chosen, counts) for name in FACETS},
        },
        "total": sum(one.times for one in counts),
    }
    kept = {name: getattr(asked, name) for name in (*FACETS, "novelty")}
    return show(request, visitor, "inbox.html", document, asked=kept, head=memory.ledger_head())


def cause(one: Cause) -> dict[str, Any]:
    """Give one cause with its newest incident."""
    row = one.newest
    return {
        "signature": row.signature,
        "generic": bool(row.generic),
        "family": row.family,
        "tool": row.tool,
        "unit": row.unit,
        "newest": {
            "incident": row.id,
            "deployment": row.deployment or None,
            "service": row.service,
            "environment": row.environment,
            "stage": row.stage,
            "status": row.status,
            "title": row.title,
        },
        "times": one.times,
        "first": one.first.isoformat(),
        "last": one.last.isoformat(),
        "worked": one.worked,
        "proposed": one.proposed,
        "novelty": one.novelty,
    }


def _waiting(visitor: Visitor, counts: Iterable[Facet]) -> list[dict[str, Any]]:
    """Give what only a person can decide; asked of the store only where there is some."""
    there = Counter[str]()
    for one in counts:
        there[one.status] += one.times
    memory = visitor.app.memory
    return [
        documents.case_line(case)
        for status in ("quarantined", "proposed")
        if there[status]
        for case in memory.page(Wanted(status=status), WAITING).cases
    ]


def facet(name: str, chosen: Chosen, counts: Iterable[Facet]) -> list[dict[str, Any]]:
    """Count the values of one fact among the cases that all other chosen facts leave."""
    found: Counter[str] = Counter()
    others = {key: value for key, value in chosen._asdict().items() if value and key != name}
    for one in counts:
        if all(getattr(one, key) == value for key, value in others.items()):
            found[getattr(one, name)] += one.times
    kept = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"value": value, "times": times} for value, times in kept[:VALUES] if value]
