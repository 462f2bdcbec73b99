"""Writes what was erased as rows of an export, and keeps what such rows name out of a bank.

Must not bring content back, nor remove any on the word of anyone but a person.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from caselore.errors import BadInput
from caselore.guards import names
from caselore.guards.names import quoted
from caselore.memory.encoding import Body, stamp
from caselore.memory.exports import FORMAT
from caselore.memory.given import exported, time
from caselore.memory.ports import Reads
from caselore.memory.projection import spoken_by
from caselore.memory.records import Actor, short
from caselore.memory.rows import CaseRow, ErasedRow, ExhibitRow
from caselore.memory.writing import Pen, why_body

KIND = "erased"
LONGEST = 200  # characters of a key by which a record is known again


class Buried(NamedTuple):
    """What became of a tombstone: whether it is new here, and of which record content went."""

    added: bool
    gone: str = ""


def export(view: Reads, bank: str, since: datetime | None) -> Iterator[dict[str, Any]]:
    """Give each erasure since a time, in the order of the ledger."""
    stones = [row for row in view.rows("erased") if isinstance(row, ErasedRow)]
    for stone in sorted((row for row in stones if row.bank == bank), key=lambda row: row.seq):
        if since is None or stone.erased_at >= stamp(since):
            yield from _row(view, stone)


def _row(view: Reads, stone: ErasedRow) -> Iterator[dict[str, Any]]:
    for entry, payload in view.entries(stone.bank, stone.id):
        if entry.seq == stone.seq and payload is not None:
            body = json.loads(payload.body)
            actor, at = spoken_by(entry, body)
            yield {
                "caselore": FORMAT,
                "kind": KIND,
                "id": stone.id,
                "known_as": stone.known_as,
                "actor": actor,
                "at": at,
                "body": {"why": body["why"]},
            }


def is_tombstone_row(row: Mapping[str, Any]) -> bool:
    """Say whether an exported row says that a record was erased."""
    return row.get("kind") == KIND


def take(pen: Pen, row: Mapping[str, Any], actor: Actor, person: Actor | None) -> Buried:
    """Keep out what was erased elsewhere; what stands here goes if a `person` brings the row.

    Raises BadInput with the reason.
    """
    with exported():
        id, body = _read(row)
    known = pen.store.tombstone(pen.bank, id)
    here = _here(pen, id, body["known_as"])
    if here is not None:
        _erase(pen, here, body, person)
        known = known or (pen.store.tombstone(pen.bank, id) if here.id == id else None)
        if here.id == id:
            return Buried(True, id)
    if known is None:
        _write(pen, "bury", id, body, actor)
    return Buried(known is None, here.id if here else "")


def _read(row: Mapping[str, Any]) -> tuple[str, Body]:
    if row["caselore"] != FORMAT:
        raise BadInput(f"format {quoted(row['caselore'])}; this caselore reads {FORMAT}")
    who, at = Actor.parse(row["actor"]), time(row["at"])
    names.check_person(who.name, "actor's name")
    body = {
        **why_body(row["body"]["why"]),
        "known_as": short("known_as", row["known_as"], limit=LONGEST),
        "origin": {"actor": str(who), "at": at},
    }
    return names.check_name(short("id", row["id"], limit=80, needed=True), "id"), body


def _here(pen: Pen, id: str, known_as: str) -> CaseRow | ExhibitRow | None:
    """Give what stands in this bank under a name of what was erased elsewhere."""
    view, bank = pen.store, pen.bank
    row = view.case(bank, id) or view.exhibit(bank, id)
    if row is not None and row.known_as != known_as:
        raise BadInput(f"the id {id} belongs to another record here")
    if row is None and known_as:
        return view.known(bank, known_as) or view.exhibit_known(bank, known_as)
    return row


def _erase(pen: Pen, here: CaseRow | ExhibitRow, body: Body, person: Actor | None) -> None:
    if person is None:
        who, at = body["origin"]["actor"], body["origin"]["at"][:10]
        raise BadInput(
            f"{here.id} was erased by {quoted(who)} on {at} but stands here, and only a person "
            f"erases: import this as a person, or run `caselore erase {here.id}`"
        )
    _write(pen, "erase", here.id, {**body, "known_as": here.known_as}, person)


def _write(pen: Pen, action: str, id: str, body: Body, actor: Actor) -> None:
    written = pen.write(action, id, body, actor)
    if written.refusal:
        raise BadInput(written.refusal)
