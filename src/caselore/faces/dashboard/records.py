"""The pages of precedents, the ledger and the quarantine.

Must not read more than a page shows.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from caselore.errors import CaseloreError
from caselore.faces.dashboard.page import registered, show
from caselore.faces.http import paging
from caselore.faces.http.access import Reader
from caselore.memory.browsing import BEGIN, END, Place
from caselore.memory.ports import Wanted
from caselore.wiring import documents
from caselore.wiring.door import Visitor

router = APIRouter()
LISTED = 50
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
