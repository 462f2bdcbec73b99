"""Which signatures count as one failure, because people joined them, and which were parted again.

Must not compute an identity: signatures are given, people join them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from caselore.errors import BadInput
from caselore.memory.encoding import Body, stamp
from caselore.memory.exports import FORMAT, core, fingerprint
from caselore.memory.given import exported, time
from caselore.memory.ports import Evidence, Reads
from caselore.memory.projection import spoken_by
from caselore.memory.records import Actor, short
from caselore.memory.rows import LinkRow
from caselore.memory.writing import Pen, why_body

KINDS = frozenset({"merge", "split"})
_RELATIONS = ("merged", "parted", "undone")


class Groups:
    """The groups of one bank; a signature that nobody joined is a group of its own."""

    def __init__(self, links: Iterable[LinkRow] = ()) -> None:
        """Take joins and partings in the order of the ledger."""
        self._beside: dict[str, set[str]] = defaultdict(set)
        for link in sorted(links, key=lambda one: (one.seq, one.place)):
            for one, other in ((link.subject, link.target), (link.target, link.subject)):
                if link.relation == "merged":
                    self._beside[one].add(other)
                else:
                    self._beside[one].discard(other)

    def of(self, signature: str) -> tuple[str, ...]:
        """Give all signatures that count as one with this one, itself included, in order."""
        if signature not in self._beside:
            return (signature,)
        found, edge = {signature}, [signature]
        while edge:
            beside = self._beside.get(edge.pop(), set()) - found
            found |= beside
            edge += beside
        return tuple(sorted(found))

    def name(self, signature: str) -> str:
        """Give one name for a whole group."""
        return self.of(signature)[0] if self._beside else signature

    def names(self) -> dict[str, str]:
        """Give the name of its group for each signature that counts with another."""
        return {one: self.name(one) for one, beside in self._beside.items() if beside}

    def joined(self, signature: str) -> tuple[str, ...]:
        """Give those that a person joined with this very one."""
        return tuple(sorted(self._beside.get(signature, ())))


def groups(known: Evidence, bank: str) -> Groups:
    """Read the groups of a bank."""
    merged = known.related(bank, "merged")
    return Groups((*merged, *known.related(bank, "parted")) if merged else ())


def merge_body(why: str, into: str) -> Body:
    """Give what the ledger keeps of two signatures that count as one."""
    return {**why_body(why), "into": short("a signature", into, limit=4_000, needed=True)}


def split_body(why: str, others: Iterable[str]) -> Body:
    """Give what the ledger keeps of a signature that counts with these no more."""
    given = [short("a signature", one, limit=4_000, needed=True) for one in others]
    return {**why_body(why), "from": given}


def export(view: Reads, bank: str, since: datetime | None) -> Iterator[dict[str, Any]]:
    """Give each joining and parting since a time as a row that an import takes."""
    for entry, body in _said(view, bank):
        if since is None or entry.at >= stamp(since):
            actor, at = spoken_by(entry, body)
            yield {
                "caselore": FORMAT,
                "kind": entry.action,
                "signature": entry.subject,
                "actor": actor,
                "at": at,
                "body": core(body),
            }


def _said(view: Reads, bank: str) -> Iterator[tuple[Any, Body]]:
    links = (link for one in _RELATIONS for link in view.related(bank, one))
    seen: dict[int, str] = {link.seq: link.subject for link in links}
    for seq in sorted(seen):
        for entry, payload in view.entries(bank, seen[seq]):
            if entry.seq == seq and payload is not None:
                yield entry, json.loads(payload.body)


def is_grouping_row(row: Mapping[str, Any]) -> bool:
    """Say whether an exported row joins or parts signatures."""
    return row.get("kind") in KINDS


def take(pen: Pen, row: Mapping[str, Any], actor: Actor) -> bool:
    """Write what an exported row says; false where it was known. Raises BadInput."""
    with exported():
        kind, given = row["kind"], row["body"]
        subject = short("a signature", row["signature"], limit=4_000, needed=True)
        who, at = Actor.parse(row["actor"]), time(row["at"])
        body = (
            merge_body(given["why"], given["into"])
            if kind == "merge"
            else split_body(given["why"], given["from"])
        )
    own = (subject, fingerprint(kind, str(who), at, body))
    late = set[str]()
    for entry, heard in _said(pen.store, pen.bank):
        said, then = spoken_by(entry, heard)
        if own == (entry.subject, fingerprint(entry.action, said, then, heard)):
            return False
        if entry.action != kind and then > at:
            late |= _undone(subject, entry.subject, heard)
    undone = sorted(late & set(_others(body)))
    body = {
        **body,
        "origin": {"actor": str(who), "at": at},
        **({"late": undone} if undone else {}),
    }
    written = pen.write(kind, subject, body, actor)
    if written.refusal:
        raise BadInput(written.refusal)
    return True


def _others(body: Body) -> list[str]:
    """Give the signatures that a joining or parting is about, beside its subject."""
    return [body["into"]] if "into" in body else list(body["from"])


def _undone(subject: str, said_of: str, body: Body) -> set[str]:
    """Give the signatures of which, beside `subject`, an entry says the contrary."""
    others = set(_others(body))
    return others if said_of == subject else {said_of} if subject in others else set()
