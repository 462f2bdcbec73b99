"""Opens the stored page at the place of a claim's quote: the answer to "how do you know?".

Must not fetch: the page is shown as it was stored, also when it reads otherwise by now.
"""

from __future__ import annotations

from typing import Any, Protocol

from caselore.errors import NotFound
from caselore.guards.names import quoted
from caselore.intel.dossier import put_together
from caselore.memory.api import Memory
from caselore.memory.evidence import PREFIXES, CompetitorEvent, Snapshot
from caselore.memory.exhibit_ports import Sought
from caselore.memory.exhibits import Exhibit
from caselore.memory.records import Kind

AROUND = 240  # characters of the page shown on each side of a quote
REPORTS = 50  # reports of one event that are listed


class Desk(Protocol):
    """What is asked of the desk."""

    def brief(self, run: str = "") -> dict[str, Any]: ...
    def event(self, id: str) -> dict[str, Any]: ...


def why(desk: Desk, memory: Memory, claim: str) -> dict[str, Any]:
    """Give a claim with its quote in the stored page. Raises NotFound."""
    name = claim.strip()
    if name.startswith(PREFIXES[Kind.SNAPSHOT]):
        return page_json(memory.exhibit(name))
    said = _claim(desk, name)
    page = memory.exhibit(said["snapshot"])
    body = page.body
    assert isinstance(body, Snapshot)
    first, last = said["first"], said["last"]
    newest = next(memory.exhibits(Sought(Kind.SNAPSHOT.value, label=body.url, limit=1)), page)
    changed = newest.id != page.id and said["quote"] not in getattr(newest.body, "text", "")
    return {
        "claim": {name: said.get(name) for name in ("id", "text", "verdict", "event", "competitor")},
        "quote": body.text[first:last], "first": first, "last": last,
        **{name: value for name, value in page_json(page).items() if name != "id"},
        "snapshot": page.id,
        "context": {"before": body.text[max(0, first - AROUND) : first], "after": body.text[last : last + AROUND]},
        "page_says_so_now": not changed, "newest_snapshot": newest.id,
        "reports": _reports(memory, said.get("event") or ""),
    }  # fmt: skip


def _reports(memory: Memory, event: str) -> list[dict[str, Any]]:
    """Give every place that says what an event is, with its own words."""
    found = memory.exhibit(event) if event else None
    names = ("url", "title", "snapshot", "first", "last", "quote", "tier", "origin")
    told = put_together(found).reports if found and isinstance(found.body, CompetitorEvent) else ()
    return [{name: getattr(one, name) for name in names} for one in told][:REPORTS]


def _claim(desk: Desk, name: str) -> dict[str, Any]:
    """Find a claim by its id, its event, its text or its number in the last briefing."""
    if name.startswith(PREFIXES[Kind.COMPETITOR_EVENT]):
        event = desk.event(name)
        return {
            **event,
            "text": event["quote"],
            "verdict": "verified",
            "event": event["id"],
            "id": event["id"],
        }
    run, dot, _ = name.rpartition(".")
    if name.startswith("run_") and dot:
        for one in desk.brief(run)["claims"]:
            if one["id"] == name:
                return dict(one)
    else:
        claims = desk.brief()["claims"]
        for number, one in enumerate(claims, 1):
            if name in {one["text"], one["shown"], str(number)} or (
                len(name) > 12 and name in one["text"]
            ):
                return dict(one)
    raise NotFound(
        f"no claim is named {quoted(name)}", hint="`caselore intel brief` shows each claim's id."
    )


def page_json(one: Exhibit) -> dict[str, Any]:
    """Give a stored page. Raises NotFound where the record is none."""
    body = one.body
    if not isinstance(body, Snapshot):
        raise NotFound(f"{quoted(one.id)} is no stored page")
    return {
        "id": one.id, "snapshot": one.id, "url": body.url, "title": body.title, "text": body.text,
        "hash": body.digest, "fetched_at": body.fetched_at, "published": body.published or None,
        "published_from": body.published_from or None, "tier": body.tier, "status": one.status.value,
        "findings": list(one.findings),
    }  # fmt: skip
