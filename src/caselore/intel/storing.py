"""Takes one event from a caller: from a stored page, or with the caller's own note as its page.

Must not take an agent's word: its quote stands in a stored page, or the gate refuses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from caselore.errors import BadInput, GateRefused, NotFound
from caselore.guards.names import check_competitor, check_url, quoted
from caselore.intel import attributes
from caselore.intel.candidates import Candidate, proper, telling
from caselore.intel.claims import locate
from caselore.intel.days import parse_iso
from caselore.intel.entities import Book, Entity
from caselore.intel.intake import Intake, Reported
from caselore.intel.pages import Page, text_page
from caselore.intel.screening import screen
from caselore.intel.stored_pages import snapshot_filing
from caselore.intel.trust import Trust
from caselore.memory.api import Memory
from caselore.memory.evidence import (
    EVENT_TYPES,
    MODALITIES,
    CompetitorEvent,
    Report,
    Snapshot,
    one_of,
)
from caselore.memory.exhibit_ports import Sought
from caselore.memory.exhibits import Exhibit, Filing
from caselore.memory.records import Actor, Kind, Role, prose, short

_FIELDS = frozenset(
    {"competitor", "event_type", "date", "title", "description", "amount", "currency", "quote",
     "snapshot", "url", "first", "last", "text", "count", "plan", "party", "unit", "before",
     "change_percent", "private", "modality", "type", "event_date", "source", "source_url",
     "evidence", "confidence", "impact_score"}
)  # fmt: skip


def store_event(
    memory: Memory,
    given: Mapping[str, Any],
    actor: Actor,
    now: datetime,
    book: Book,
    trust: Trust,
    intake: Intake | None = None,
) -> tuple[str, bool]:
    """Take one event; give its id and whether it is new. Raises BadInput, GateRefused, NotFound."""
    row = _read(given)
    entity = book.by_name(row["competitor"]) or next(
        iter(Book((_entity(row["competitor"]),)).entities)
    )
    page = _page(memory, row, actor, now, book, trust)
    if page is None:
        return _refused(memory, row, entity, actor, now)
    place = locate(row["quote"], page.text, int(row["first"]))
    if place is None:
        raise GateRefused(
            f"the quote stands nowhere in {page.snapshot or 'the page'}",
            hint="Quote the stored page word for word.",
        )
    said = _candidate(row, entity, page, place, now)
    own = intake or Intake(memory, actor, vouched=True)
    if page.findings:
        return _held(memory, said, page, actor)
    own.take([Reported(page, said)])
    changed = [*own.new, *own.touched]
    if own.left_out and not changed:
        raise GateRefused(own.left_out[-1].reason, hint="")
    return (
        (changed[-1], bool(own.new) and own.new[-1] == changed[-1])
        if changed
        else (_known(own, said), False)
    )


def _entity(name: str) -> Entity:
    from caselore.intel.entities import make  # noqa: PLC0415

    return make(name)


def _known(intake: Intake, said: Candidate) -> str:
    return intake.nearest(said)


def _read(given: Mapping[str, Any]) -> dict[str, Any]:
    """Read a caller's fields. Raises BadInput."""
    if not isinstance(given, Mapping):
        raise BadInput(f"an event is a JSON object, not {type(given).__name__}")
    unknown = sorted(set(given) - _FIELDS)
    if unknown:
        raise BadInput(f"an event has no field {quoted(unknown[0])}")
    row = dict(given)
    name = check_competitor(short("competitor", row.get("competitor", ""), needed=True))
    event_type = one_of(
        "event_type", str(row.get("event_type") or row.get("type") or ""), EVENT_TYPES
    )
    title = short(
        "title",
        row.get("title") or row.get("description") or row.get("quote") or "",
        limit=2_000,
        needed=True,
    )
    quote = prose(
        "quote",
        row.get("quote") or row.get("evidence") or row.get("description") or title,
        needed=True,
    )
    url = str(row.get("url") or row.get("source_url") or "")
    if url:
        check_url(url)
    return {
        **{key: row.get(key) for key in ("before", "change_percent", "count")},
        "competitor": name, "event_type": event_type, "title": title, "quote": quote, "url": url,
        "date": _date(row.get("date") or row.get("event_date")),
        "amount": _number("amount", row.get("amount")), "currency": str(row.get("currency") or ""),
        "snapshot": str(row.get("snapshot") or ""), "first": row.get("first") or 0,
        "text": prose("text", row.get("text") or "", limit=2_000_000),
        "plan": str(row.get("plan") or ""), "party": str(row.get("party") or ""),
        "unit": str(row.get("unit") or ""), "private": bool(row.get("private", False)),
        "modality": one_of("modality", str(row.get("modality") or "asserted"), MODALITIES),
    }  # fmt: skip


def _date(value: Any) -> str:
    if value in (None, ""):
        return ""
    found = parse_iso(value) if isinstance(value, str) else None
    if found is None:
        raise BadInput(f"the date {quoted(value)} is none; it reads like 2026-10-03")
    return found.isoformat()


def _number(label: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadInput(f"{label} must be a number")
    if not math.isfinite(value):
        raise BadInput(f"{label} must be a finite number, not {value}")
    return float(value)


def _page(
    memory: Memory, row: dict[str, Any], actor: Actor, now: datetime, book: Book, trust: Trust
) -> Page | None:
    """Give the stored page of an event, or a person's own words as one; none for an agent's."""
    if row["snapshot"]:
        return _stored(memory.exhibit(row["snapshot"]))
    if row["url"]:
        for one in memory.exhibits(Sought(Kind.SNAPSHOT.value, label=row["url"], limit=20)):
            if (
                isinstance(one.body, Snapshot)
                and locate(row["quote"], one.body.text, 0) is not None
            ):
                return _stored(one)
    if actor.role is Role.AGENT:
        return None
    text = row["text"] or (
        row["quote"] if row["title"] in row["quote"] else f"{row['title']}\n{row['quote']}"
    )
    page = text_page(
        row["url"] or f"note:{actor.name}", text, fetched_at=now, published=row["date"],
        published_from="", private=row["private"], title=row["title"], source="note",
    )  # fmt: skip
    tier = trust.tier(page, book) if row["url"] else "field"
    page = page.having(tier="field" if tier == "unknown" else tier, findings=screen(page))
    filed = memory.file_all([snapshot_filing(page)], actor)[0]
    if filed.refusal:
        raise GateRefused(filed.refusal, hint="")
    return page.having(snapshot=filed.id)


def _stored(one: Exhibit) -> Page:
    body = one.body
    if not isinstance(body, Snapshot):
        raise NotFound(f"{one.id} is no stored page")
    held = one.status.value == "quarantined"
    return Page(
        body.url, body.text, body.title, fetched_at=one.happened_at, published=body.published,
        published_from=body.published_from, snapshot=one.id, tier=body.tier, private=body.private,
        findings=one.findings or ("held",) if held else (),
    )  # fmt: skip


def _candidate(
    row: dict[str, Any], entity: Entity, page: Page, place: tuple[int, int], now: datetime
) -> Candidate:
    quote = page.text[place[0] : place[1]]
    said = f"{row['title']}. {quote}" if row["title"] not in quote else quote
    made = Candidate(
        entity=entity, event_type=row["event_type"], quote=quote, first=place[0], last=place[1],
        title=row["title"], date=row["date"] or page.published or now.date().isoformat(),
        date_from="sentence" if row["date"] else "page" if page.published else "fetched",
        amount=row["amount"], currency=row["currency"], before=_number("before", row["before"]),
        change_percent=_number("change_percent", row["change_percent"]), unit=row["unit"],
        plan=row["plan"], count=row["count"], party=row["party"], strength=3, lead=True,
        tokens=telling(said, entity), names=proper(said, entity), heading=row["title"],
    )  # fmt: skip
    return _completed(made, said)


def _completed(made: Candidate, said: str) -> Candidate:
    """Fill in what the caller left out but the words say."""
    if made.event_type == "pricing_change" and made.amount is None:
        found = attributes.prices(said, made.entity)
        if found:
            one = found[0]
            return made.having(
                amount=one.amount, currency=made.currency or one.currency, before=made.before or one.before,
                change_percent=made.change_percent if made.change_percent is not None else one.percent,
                unit=made.unit or one.unit, plan=made.plan or one.plan,
            )  # fmt: skip
    if made.event_type in {"acquisition", "funding"} and made.amount is None:
        amount = attributes.main_amount(said, 0)
        if amount:
            return made.having(amount=amount.value, currency=amount.currency)
    if made.event_type == "hiring" and made.count is None:
        return made.having(count=attributes.worker_count(said))
    return made


def _event(said: Candidate, report: Report) -> CompetitorEvent:
    return CompetitorEvent(
        competitor=said.entity.name, event_type=said.event_type, date=said.date, title=said.title,
        report=report, amount=said.amount, currency=said.currency,
    )  # fmt: skip


def _refused(
    memory: Memory, row: dict[str, Any], entity: Entity, actor: Actor, now: datetime
) -> tuple[str, bool]:
    """Let the gate refuse an event without a page, so that the refusal stands in the ledger."""
    report = Report(row["quote"], "", 0, len(row["quote"]), row["url"] or "none")
    made = Candidate(
        entity,
        row["event_type"],
        row["quote"],
        0,
        len(row["quote"]),
        row["title"],
        date=row["date"] or now.date().isoformat(),
    )
    filed = memory.file_all([Filing(_event(made, report), "", now, now)], actor)[0]
    raise GateRefused(
        filed.refusal or "an event needs a quote in a stored snapshot",
        hint="Let `caselore intel run` fetch the page first, then name its snapshot and quote it word for word.",
    )


def _held(memory: Memory, said: Candidate, page: Page, actor: Actor) -> tuple[str, bool]:
    """Keep an event whose words a guard found fault with, until a person looks."""
    report = Report(
        said.quote, page.snapshot, said.first, said.last, page.url, tier=page.tier, date=said.date
    )
    at = page.fetched_at
    assert at is not None
    filing = Filing(_event(said, report), "", at, at, findings=page.findings)
    filed = memory.file_all([filing], actor)[0]
    if filed.refusal:
        raise GateRefused(filed.refusal, hint="")
    return filed.id, True
