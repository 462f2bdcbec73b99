"""Writes exhibits with all that was said of them as JSON rows, and takes such rows in again.

Must not judge whether a row may come in: the gate does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set
from datetime import datetime
from typing import Any, NamedTuple

from caselore.errors import BadInput
from caselore.guards import names
from caselore.guards.names import quoted
from caselore.memory import filing
from caselore.memory.encoding import Body, canonical, digest, stamp
from caselore.memory.evidence import PREFIXES, of_body, to_body
from caselore.memory.given import exported, moment, time
from caselore.memory.ports import Reads
from caselore.memory.records import Actor, Kind, short
from caselore.memory.rows import ExhibitRow
from caselore.memory.writing import Pen, refuse_erased

FORMAT = 1
_KEPT = ("known_as", "happened_at", "known_at", "words", "links", "findings", "marked")
_SAID = filing.FOLLOWING | {"retract", "release", "drop", "vouch"}


class Arrived(NamedTuple):
    """What became of one row."""

    added: bool
    news: int


def export(
    view: Reads, bank: str, since: datetime | None, *, private: bool = False
) -> Iterator[dict[str, Any]]:
    """Give each exhibit in the order of writing; private notes only where they are asked for.

    Without them also what quotes them is left out: reports of public events, and whole briefings.
    """
    hidden: set[str] = set()
    for row in view.all_exhibits(bank):
        if row.private and not private:
            hidden.add(row.id)
            continue
        out, last = _row(view, row, hidden)
        if row.kind == Kind.BRIEFING.value and any(id in str(out["body"]) for id in hidden):
            continue
        if since is None or last >= stamp(since):
            yield out


def _row(view: Reads, row: ExhibitRow, hidden: Set[str]) -> tuple[dict[str, Any], str]:
    said: list[dict[str, Any]] = []
    first: dict[str, Any] = {}
    last = row.recorded_at
    for entry, payload in view.entries(row.bank, row.id):
        if payload is None:
            continue
        body = json.loads(payload.body)
        origin = body.pop("origin", None) or {
            "actor": f"{entry.role}:{entry.actor}",
            "at": entry.at,
        }
        last = max(last, entry.at)
        if entry.seq == row.seq:
            first = {"actor": origin["actor"], "recorded_at": origin["at"], "body": body}
        elif body.get("report", {}).get("snapshot") not in hidden:
            said.append({"kind": entry.action, **origin, "body": body})
    head = {"caselore": FORMAT, "kind": row.kind, "id": row.id, "status": row.status}
    return {**head, **first, "verdicts": said}, last


def is_exhibit_row(row: Mapping[str, Any]) -> bool:
    """Say whether an exported row is one of these rather than an incident."""
    return row.get("kind") in {kind.value for kind in PREFIXES}


def take(pen: Pen, row: Mapping[str, Any], actor: Actor) -> Arrived:
    """Take one exported row in. Raises BadInput with the reason."""
    with exported():
        return _take(pen, row, actor)


def _take(pen: Pen, row: Mapping[str, Any], actor: Actor) -> Arrived:
    if row["caselore"] != FORMAT:
        raise BadInput(f"format {quoted(row['caselore'])}; this caselore reads {FORMAT}")
    kind, id = Kind(row["kind"]), names.check_name(short("id", row["id"], limit=80), "id")
    if not id.startswith(PREFIXES[kind]):
        raise BadInput(f"{quoted(id)} is no id of a {kind.value}")
    body = _body(kind, row["body"], _origin(row["actor"], row["recorded_at"]))
    erased = refuse_erased(pen.store, pen.bank, id, body["known_as"])
    if erased:
        raise BadInput(erased)
    present = pen.store.exhibit(pen.bank, id) or (
        pen.store.exhibit_known(pen.bank, body["known_as"]) if body["known_as"] else None
    )
    if present is None:
        _write(pen, filing.ACTION_OF[kind], id, body, actor)
    return Arrived(present is None, _hear(pen, present.id if present else id, row, actor))


def _body(kind: Kind, given: Body, origin: Body) -> Body:
    body = of_body(kind, given["filed"])
    for label in ("happened_at", "known_at"):
        moment(given[label])
    if not isinstance(given["marked"], bool) or not all(
        isinstance(one, str) for one in (*given["words"], *given["findings"], given["known_as"])
    ):
        raise BadInput("not an exported record: a field is of the wrong kind")
    return {
        **{name: given[name] for name in _KEPT},
        "kind": kind.value,
        "filed": to_body(body),
        "subject": body.subject,
        "label": body.label,
        "origin": origin,
    }


def _hear(pen: Pen, id: str, row: Mapping[str, Any], actor: Actor) -> int:
    """Write what was not yet said of an exhibit here; give how much that was."""
    heard = set()
    for entry, payload in pen.store.entries(pen.bank, id):
        if payload is not None:
            body = json.loads(payload.body)
            body.pop("origin", None)
            heard.add(digest(entry.action, canonical(body)))
    news = 0
    for one in row["verdicts"]:
        action, body = one["kind"], one["body"]
        if action not in _SAID:
            raise BadInput(f"unknown verdict {quoted(action)}")
        if digest(action, canonical(body)) not in heard:
            said = {**body, "origin": _origin(one["actor"], one["at"])}
            _write(pen, action, id, said, actor, history=True)
            news += 1
    return news


def _write(
    pen: Pen, action: str, id: str, body: Body, actor: Actor, *, history: bool = False
) -> None:
    written = pen.write(action, id, body, actor, history=history)
    if written.refusal:
        raise BadInput(written.refusal)


def _origin(actor: str, at: str) -> Body:
    return {"actor": str(Actor.parse(actor)), "at": time(at)}
