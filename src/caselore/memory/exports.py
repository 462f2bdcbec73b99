"""Writes records with all that was said of them as JSON rows, and reads such rows again.

Must not judge whether a row may come in: the gate does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from caselore.errors import BadInput
from caselore.guards import names, secrets
from caselore.guards.names import quoted
from caselore.memory.cases import VERDICTS
from caselore.memory.closed import CHECKS, checked_as, masked_url
from caselore.memory.encoding import Body, canonical, digest, incident_of, stamp
from caselore.memory.given import exported, moment, must_be_a_flag, must_count, time
from caselore.memory.ledger import Entry
from caselore.memory.ports import Reads, Wanted
from caselore.memory.projection import spoken_by
from caselore.memory.records import Actor, Incident, Kind, Role, Signed, prose, short
from caselore.memory.rows import CaseRow
from caselore.memory.writing import (
    flake_body,
    outcome_body,
    proposal_body,
    resign_body,
    superseded_body,
    why_body,
)

FORMAT = 1
SEAL = frozenset({"seal", "previous"})  # what only ties a line to the one before it


class Said(NamedTuple):
    """One verdict of an exported row."""

    action: str
    body: Body


class Exported(NamedTuple):
    """An exported row, read."""

    id: str
    incident: Incident
    happened_at: datetime
    sources: tuple[str, ...]
    findings: tuple[str, ...]
    origin: Body
    said: tuple[Said, ...]


def export(view: Reads, bank: str, since: datetime | None) -> Iterator[dict[str, Any]]:
    """Give each record that was written or judged since a time, one row a record."""
    for row in view.cases(bank, Wanted()):
        entries = [
            (entry, json.loads(payload.body))
            for entry, payload in view.entries(bank, row.id)
            if payload is not None
        ]
        if since is None or entries[-1][0].at >= stamp(since):
            yield _row(row, entries)


def _row(row: CaseRow, entries: list[tuple[Entry, Body]]) -> dict[str, Any]:
    first, body = next((entry, body) for entry, body in entries if entry.seq == row.seq)
    actor, at = spoken_by(first, body)
    places = {entry.seq: place for place, (entry, _) in enumerate(entries)}
    return {
        "caselore": FORMAT,
        "kind": row.kind,
        "id": row.id,
        "status": row.status,
        "actor": actor,
        "recorded_at": at,
        "happened_at": row.happened_at,
        "sources": body["sources"],
        "findings": body["findings"],
        "incident": body["incident"],
        "verdicts": [
            _said(entry, body, places) for entry, body in entries if entry.action in VERDICTS
        ],
    }


def _said(entry: Entry, body: Body, places: Mapping[int, int]) -> dict[str, Any]:
    actor, at = spoken_by(entry, body)
    return {"kind": entry.action, "actor": actor, "at": at, "body": core(body)}


_NOT_SAID = frozenset({"origin", "proposals", "late"})


def core(body: Body) -> Body:
    """Give a verdict's own words, without who brought it in or where it stands in a ledger."""
    return {name: value for name, value in body.items() if name not in _NOT_SAID}


def fingerprint(action: str, actor: str, at: str, body: Body) -> str:
    """Give one key for a verdict, the same in every bank."""
    return digest(action, actor, at, canonical(core(body)))


def read_exported(row: Mapping[str, Any]) -> Exported:
    """Read one exported row. Raises BadInput with the reason."""
    if row.get("caselore") != FORMAT:
        raise BadInput(f"format {quoted(row.get('caselore'))}; this caselore reads {FORMAT}")
    if row.get("kind") != Kind.INCIDENT.value:
        raise BadInput(f"kind is {quoted(row.get('kind'))}; only incidents can be imported")
    with exported():
        _check_names(row["incident"])
        _check_kinds(row["incident"])
        row = _masked(row) if _holds_secret(row) else row
        return Exported(
            id=names.check_name(short("id", row["id"], limit=80, needed=True), "id"),
            incident=incident_of({**row["incident"], "url": masked_url(row["incident"]["url"])}),
            happened_at=moment(row["happened_at"]),
            sources=tuple(short("a source", one, limit=4_000) for one in row["sources"]),
            findings=tuple(short("a finding", one) for one in row["findings"]),
            origin=_origin(row["actor"], row["recorded_at"]),
            said=tuple(_read_said(one) for one in row["verdicts"]),
        )


def _check_names(incident: Body) -> None:
    """Hold a run's names to the rules by which they are taken everywhere. Raises BadInput."""
    for label in CHECKS:
        if short(label, incident[label]):
            checked_as(label, incident[label])


def _check_kinds(incident: Body) -> None:
    """Hold numbers and flags to their kinds, which no reader of a text looks at."""
    failing = incident["failing_line"]
    must_count(incident["log_lines"], incident["log_bytes"], 0 if failing is None else failing)
    must_count(*(one[name] for one in incident["excerpt"] for name in ("first", "last")))
    must_be_a_flag(incident["signature"]["generic"])


def _holds_secret(row: Mapping[str, Any]) -> bool:
    return secrets.hold_any(texts_in(value for name, value in row.items() if name not in SEAL))


def texts_in(values: Iterable[Any]) -> list[str]:
    """Give every text within JSON values, names of fields apart."""
    found, todo = [], list(values)
    for one in todo:  # it grows meanwhile
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            todo.extend(one.values())
        elif isinstance(one, list):
            todo.extend(one)
    return found


def _masked(value: Any) -> Any:
    """Give a JSON value whose texts hold no secret."""
    if isinstance(value, str):
        return secrets.redact(value).text
    if isinstance(value, list):
        return [_masked(one) for one in value]
    return (
        {name: _masked(one) for name, one in value.items()} if isinstance(value, dict) else value
    )


def _origin(actor: str, at: str) -> Body:
    who = Actor.parse(actor)
    check = names.check_person if who.role is Role.HUMAN else names.check_name
    check(who.name, "actor's name")
    return {"actor": str(who), "at": time(at)}


def _read_said(one: Mapping[str, Any]) -> Said:
    action, body = one["kind"], one["body"]
    if action not in VERDICTS:
        raise BadInput(f"unknown verdict {quoted(action)}")
    return Said(action, {**_READERS[action](body), "origin": _origin(one["actor"], one["at"])})


def _unlike(body: Body) -> Body:
    return {**why_body(body["why"]), "other": short("other", body["other"], needed=True)}


def _resigned(body: Body) -> Body:
    must_be_a_flag(body["signature"]["generic"])
    return resign_body(Signed(**body["signature"]))


def _held(body: Body) -> Body:
    return {**why_body(body["why"]), "proposals": []}


_READERS = {
    "confirm": lambda body: outcome_body(**body),
    "propose": lambda body: proposal_body(**body),
    "refute": lambda body: why_body(prose("why", body["why"])),
    "retract": lambda body: why_body(prose("why", body["why"])),
    "unlike": _unlike,
    "single_out": lambda body: why_body(prose("why", body["why"])),
    "supersede": lambda body: superseded_body(body["why"], body["by"]),
    "vouch": lambda body: {},
    "resign": _resigned,
    "flake": lambda body: flake_body(body["commit"], body["label"]),
    "release": _held,
    "drop": _held,
}
