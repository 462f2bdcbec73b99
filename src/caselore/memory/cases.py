"""Puts a record together with all that was said of it, from one view of the store.

Must not write, rank or judge.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from caselore.memory.encoding import Body, incident_of, unstamp
from caselore.memory.ledger import Entry
from caselore.memory.ports import Told
from caselore.memory.projection import spoken_by
from caselore.memory.records import (
    Actor,
    Case,
    Kind,
    Outcome,
    Proposal,
    Record,
    Status,
    Verdict,
)
from caselore.memory.rows import CaseRow, LinkRow

FAR = 20  # links that a chain is followed in each direction
VERDICTS = frozenset(
    {
        "confirm",
        "refute",
        "unlike",
        "propose",
        "vouch",
        "flake",
        "resign",
        "release",
        "drop",
        "supersede",
        "single_out",
        "retract",
    }
)


_NONE: Mapping[int, Body] = {}


def assemble(view: Told, row: CaseRow, read: Mapping[int, Body] = _NONE) -> Case:
    """Give the whole case of a row, with all that was said of it; `read`: bodies, read before."""
    said = [
        (entry, read.get(entry.seq) or json.loads(payload.body))
        for entry, payload in view.entries(row.bank, row.id)
        if payload is not None
    ]
    bodies = {entry.seq: body for entry, body in said}
    verdicts = tuple(verdict(entry, body) for entry, body in said if entry.action in VERDICTS)
    spoken = {one.seq: one for one in verdicts}
    return Case(
        record=record_of(row, _as_signed(bodies[row.seq], verdicts, row)),
        status=Status(row.status),
        outcome=outcome_of(row, bodies.get(row.outcome_seq)),
        verdicts=verdicts,
        proposed=_proposal(spoken.get(row.proposal_seq)),
        precedents=tuple(precedents(view, row)),
        followers=tuple(followers(view, row)),
        counts=bool(row.counts),
        superseded_by=superseded_by(view, row),
        supersedes=tuple(supersedes(view, row)),
    )


def _as_signed(body: Body, verdicts: Iterable[Verdict], row: CaseRow) -> Body:
    """Give what was observed with its latest signature, or the one of its own it was given."""
    observed = body["incident"]["signature"]
    signed = [observed, *(one.body["signature"] for one in verdicts if one.kind == "resign")][-1]
    if signed is observed and row.signature == observed["id"]:
        return body
    signature = {**signed, "id": row.signature}
    return {**body, "incident": {**body["incident"], "signature": signature}}


def record_of(row: CaseRow, body: Body) -> Record:
    """Give the immutable record from its row and the payload that brought it."""
    return Record(
        id=row.id,
        bank=row.bank,
        kind=Kind(row.kind),
        body=incident_of(body["incident"]),
        actor=Actor.parse(row.actor),
        sources=tuple(body["sources"]),
        happened_at=unstamp(row.happened_at),
        recorded_at=unstamp(row.recorded_at),
    )


def outcome_of(row: CaseRow, body: Body | None) -> Outcome | None:
    """Give the outcome that stands, if one does."""
    if body is None or not row.outcome_seq:
        return None
    return Outcome(
        cause=body["cause"],
        resolution=body["resolution"],
        result=body["result"],
        why_failed=body["why_failed"],
        confirmed_by=row.confirmed_by,
        confirmed_at=unstamp(row.confirmed_at),
        precedents=tuple(body["precedents"]),
        proof=tuple(body["proof"]),
    )


def verdict(entry: Entry, body: Body) -> Verdict:
    """Give one verdict with the person who gave it, not the one who imported it."""
    actor, at = spoken_by(entry, body)
    return Verdict(entry.seq, entry.action, entry.subject, Actor.parse(actor), unstamp(at), body)


def _proposal(said: Verdict | None) -> Proposal | None:
    if said is None:
        return None
    body = said.body
    return Proposal(said.seq, body["cause"], body["resolution"], said.actor, said.at)


def precedents(view: Told, row: CaseRow) -> Iterator[str]:
    """Name the records that a case's standing outcome calls its precedents."""
    for link in _standing(view.links_of(row.bank, row.id), row):
        target = pointed_at(view, row, link.target)
        if target:
            yield target


def followers(view: Told, row: CaseRow) -> Iterator[str]:
    """Name the records whose standing outcome calls this one a precedent."""
    names = {row.id, row.deployment} - {""}
    found: dict[str, None] = {}
    for link in view.links_to(row.bank, sorted(names)):
        other = view.case(row.bank, link.subject)
        if other and _standing([link], other) and pointed_at(view, other, link.target) == row.id:
            found.setdefault(other.id)
    yield from found


def _standing(links: Iterable[LinkRow], row: CaseRow) -> list[LinkRow]:
    return [link for link in links if link.relation == "precedent" and link.seq == row.outcome_seq]


def superseded_by(view: Told, row: CaseRow) -> str:
    """Name the record whose outcome replaces a case's, while that verdict stands."""
    if row.beneath != Status.SUPERSEDED.value:
        return ""
    links = view.links_of(row.bank, row.id)
    return next((link.target for link in links if link.seq == row.verdict_seq), "")


def supersedes(view: Told, row: CaseRow) -> Iterator[str]:
    """Name the records whose outcomes a case's replaces."""
    for link in view.links_to(row.bank, [row.id]):
        other = view.case(row.bank, link.subject) if link.relation == "superseded" else None
        if other and superseded_by(view, other) == row.id and link.seq == other.verdict_seq:
            yield other.id


def pointed_at(view: Told, row: CaseRow, name: str) -> str:
    """Give the id that a link means: an id, or a deployment, best of the same service."""
    known = view.case(row.bank, name)
    if known:
        return known.id
    fits = [one for one in view.named(row.bank, name) if one.deployment == name]
    fits = [one for one in fits if one.id != row.id]
    fits.sort(key=lambda one: (one.happened_at, one.id))
    fits.sort(key=lambda one: (one.service != row.service, not one.outcome_seq))
    return fits[0].id if fits else ""


def chain(view: Told, row: CaseRow) -> tuple[tuple[Case, int], ...]:
    """Give a case's precedents (depth below 0), itself (0) and its followers (above 0)."""
    back = _along(view, row, precedents)
    ahead = _along(view, row, followers)
    found = [(one, -depth) for one, depth in reversed(back)]
    found += [(row, 0), *ahead]
    return tuple((assemble(view, one), depth) for one, depth in found)


def _along(
    view: Told, row: CaseRow, step: Callable[[Told, CaseRow], Iterator[str]]
) -> list[tuple[CaseRow, int]]:
    """Follow links breadth first, each record once, however they circle."""
    seen, found, edge = {row.id}, list[tuple[CaseRow, int]](), [row]
    for depth in range(1, FAR + 1):
        ids = [id for one in edge for id in step(view, one)]
        rows = (view.case(row.bank, id) for id in dict.fromkeys(ids) if id not in seen)
        edge = [one for one in rows if one]
        seen.update(one.id for one in edge)
        found += [(one, depth) for one in edge]
    return found
