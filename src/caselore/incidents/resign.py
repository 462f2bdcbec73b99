"""Computes the identity of kept incidents anew, and shows what would merge and what would split.

Must not change what was observed: a plan is looked at first, then written through the gate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from caselore.incidents import ingest
from caselore.logs import signature as identity
from caselore.memory.api import Memory
from caselore.memory.records import Actor, Case, Incident, Signed


class Change(NamedTuple):
    """One incident whose identity is another one now."""

    incident: str
    old: str
    new: Signed


@dataclass(frozen=True, slots=True)
class Plan:
    """What re-signing a bank would change."""

    looked_at: int
    changes: tuple[Change, ...]
    merges: dict[str, list[str]]
    """A new signature, and the old ones that would become one in it."""
    splits: dict[str, list[str]]
    """An old signature, and those that it would fall apart into."""

    def to_json(self) -> dict[str, Any]:
        """Give the plan as the command prints it."""
        return {
            "looked_at": self.looked_at,
            "changes": [
                {"incident": c.incident, "old": c.old, "new": c.new.id} for c in self.changes
            ],
            "merges": [{"into": new, "from": old} for new, old in self.merges.items()],
            "splits": [{"from": old, "into": new} for old, new in self.splits.items()],
        }


def plan(cases: Iterable[Case]) -> Plan:
    """Sign every case anew and compare."""
    looked_at, changes = 0, list[Change]()
    into: dict[str, set[str]] = {}
    out_of: dict[str, set[str]] = {}
    for case in cases:
        looked_at += 1
        old, new = case.record.body.signature, current(case.record.body)
        into.setdefault(new.id, set()).add(old.id)
        out_of.setdefault(old.id, set()).add(new.id)
        if new.id != old.id:
            changes.append(Change(case.id, old.id, new))
    return Plan(looked_at, tuple(changes), _several(into), _several(out_of))


def apply(memory: Memory, found: Plan, actor: Actor) -> int:
    """Write the changes of a plan; give their number. Raises GateRefused unless a person."""
    for change in found.changes:
        memory.resign(change.incident, change.new, actor)
    return len(found.changes)


def _several(groups: dict[str, set[str]]) -> dict[str, list[str]]:
    return {one: sorted(ids) for one, ids in sorted(groups.items()) if len(ids) > 1}


def current(incident: Incident) -> Signed:
    """Give the identity that this version computes from what is kept of an incident."""
    old = incident.signature
    if not incident.block.strip():
        return old
    lines = tuple(incident.block.split("\n"))
    facts = identity.Facts(
        old.tool, _failing(incident), lines, old.unit, old.error, old.message, old.frame
    )
    new = identity.sign(facts, old.family)
    generic = new.generic or old.generic
    return replace(ingest.signed(new), family=old.family, generic=generic)


def _failing(incident: Incident) -> str:
    at = incident.failing_line
    for part in incident.excerpt:
        lines = part.text.split("\n")
        if at is not None and part.first <= at < part.first + len(lines):
            return lines[at - part.first]
    return incident.title
