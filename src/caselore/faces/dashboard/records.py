"""The pages of precedents, one signature, the ledger and the quarantine.

Must not read more than a page shows.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from fastapi import APIRouter, Request, Response

from caselore.errors import CaseloreError, NotFound
from caselore.faces.dashboard import charts
from caselore.faces.dashboard.page import registered, show
from caselore.faces.http import paging
from caselore.faces.http.access import Reader
from caselore.memory.browsing import BEGIN, END, Place
from caselore.memory.ports import Wanted
from caselore.memory.records import Case
from caselore.wiring import documents
from caselore.wiring.door import Visitor

router = APIRouter()
LISTED = 50
OF_SIGNATURE = 200  # occurrences that a signature's page looks at
DAYS = 60
FOUND = 20


@registered(router, "/precedents")
def precedents(request: Request, visitor: Reader, q: str = "", cursor: str = "") -> Response:
    """Show what people confirmed; with words, what is nearest to them."""
    words = q.strip()[:2_000]
    document = _searched(visitor, words) if words else _confirmed(visitor, cursor)
    return show(request, visitor, "precedents.html", document, words=words)


def _searched(visitor: Visitor, words: str) -> dict[str, Any]:
    found = visitor.app.recall(text=words, limit=FOUND).to_json()
    return {**found, "named": _named(visitor, words), "next_cursor": None, "items": []}


def _named(visitor: Visitor, words: str) -> dict[str, Any] | None:
    try:
        return documents.case_line(visitor.app.memory.get(words))
    except CaseloreError:
        return None


def _confirmed(visitor: Visitor, cursor: str) -> dict[str, Any]:
    after = Place(*paging.place(cursor, 2)) if cursor else BEGIN
    page = visitor.app.memory.page(Wanted(status="confirmed"), LISTED, after)
    return {
        "precedents": [],
        "nearest": [],
        "named": None,
        "items": [documents.case_line(case) for case in page.cases],
        "next_cursor": paging.cursor(*page.next) if page.next else None,
    }


@registered(router, "/signatures/{signature}")
def signature(request: Request, visitor: Reader, signature: str) -> Response:
    """Show one cause: its occurrences over time, fixes that held and that failed."""
    memory = visitor.app.memory
    cases = memory.of_signature(signature, OF_SIGNATURE)
    if not cases:
        raise NotFound("No incident has this signature.")
    lines = [documents.case_line(case) for case in cases]
    document = {
        "signature": lines[0]["signature"],
        "occurrences": documents.occurrences(memory.occurrences(signature)),
        "fixes": [documents.fix(one) for one in memory.fixes(signature)],
        "returned": returned(cases),
        "items": lines,
        "shown": len(lines),
    }
    days = Counter(one["happened_at"][:10] for one in lines)
    bars = charts.daily(days, visitor.app.now().date(), DAYS)
    return show(request, visitor, "signature.html", document, bars=bars)


def returned(cases: tuple[Case, ...]) -> list[dict[str, Any]]:
    """Say when the failure came back after a fix that was confirmed to have worked."""
    found = []
    for fixed in cases:
        told = fixed.outcome
        if told is None or told.result != "succeeded":
            continue
        later = [one for one in cases if one.record.happened_at > told.confirmed_at]
        if later:
            back = min(later, key=lambda one: one.record.happened_at)
            days = (back.record.happened_at - told.confirmed_at).days
            found.append(
                {
                    "fixed": fixed.id,
                    "resolution": told.resolution,
                    "incident": back.id,
                    "deployment": back.record.body.deployment or None,
                    "days": days,
                }
            )
    return found


@registered(router, "/ledger")
def ledger(
    request: Request, visitor: Reader, subject: str = "", cursor: str = "", verify: str = ""
) -> Response:
    """Show who did what, the latest first; verify the chain where it is asked."""
    memory = visitor.app.memory
    at = paging.number(cursor) if cursor else END
    found = memory.ledger_before(at, LISTED + 1, subject.strip() or None)
    last = found[LISTED - 1].entry.seq if len(found) > LISTED else None
    document = {
        "items": [documents.public_entry(one) for one in found[:LISTED]],
        "next_cursor": paging.cursor(last) if last else None,
        "verification": documents.verification(memory.ledger_verify()) if verify else None,
    }
    return show(request, visitor, "ledger.html", document, subject=subject.strip())


@registered(router, "/quarantine")
def quarantine(request: Request, visitor: Reader) -> Response:
    """Show what the guards hold until a person looks at it."""
    memory = visitor.app.memory
    items = []
    for held in memory.quarantine_list()[:LISTED]:
        line = documents.case_line(memory.get(held.subject))
        items.append({**line, "held": documents.held(held)})
    return show(request, visitor, "quarantine.html", {"items": items})
