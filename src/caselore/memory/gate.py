"""The only way in: who may write what, as a table, and the functions that write.

Must not repair what it is given, and must not touch storage but to append one entry.
"""

from __future__ import annotations

import json
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from caselore.memory.encoding import Body, canonical, stamp
from caselore.memory.filing import VERBS, is_exhibit
from caselore.memory.ledger import Entry, Payload, Stored, extend
from caselore.memory.ports import Writes
from caselore.memory.projection import project
from caselore.memory.quoting import quote_stands
from caselore.memory.records import Actor, Role
from caselore.memory.rows import CaseRow, ExhibitRow

REFUSED = "refused"


class Rule(StrEnum):
    """What a cell of the table says."""

    YES = "yes"
    NO = "no"
    MARKED = "yes, marked; in no statistic until ci or a person vouches"
    QUOTED = "only with a quote in a stored snapshot"
    NAMED = "only if the row names the person and the date"
    HISTORY = "only as the history of a record that the same import brings"
    SETUP = "of role human only as the first one, before any person judged, and none from a token"


YES, NO, MARKED, QUOTED = Rule.YES, Rule.NO, Rule.MARKED, Rule.QUOTED
NAMED, HISTORY, SETUP = Rule.NAMED, Rule.HISTORY, Rule.SETUP
ROLES = (Role.CI, Role.SYSTEM, Role.AGENT, Role.IMPORT, Role.HUMAN)
TABLE: dict[str, dict[Role, Rule]] = {
    action: {**dict(zip(ROLES, cells, strict=True)), Role.READER: NO}
    for action, cells in {
        #                 ci     system agent   import   human
        "observe":       (YES,   YES,   MARKED, YES,     YES),
        "snapshot":      (YES,   YES,   MARKED, YES,     YES),
        "observe_event": (YES,   YES,   QUOTED, YES,     YES),
        "corroborate":   (YES,   YES,   QUOTED, YES,     YES),
        "correct":       (YES,   YES,   NO,     YES,     YES),
        "strategy":      (NO,    NO,    YES,    YES,     YES),
        "revise":        (NO,    NO,    YES,    YES,     YES),
        "predict":       (YES,   YES,   YES,    YES,     YES),
        "grade":         (YES,   YES,   NO,     YES,     YES),
        "brief":         (YES,   YES,   MARKED, YES,     YES),
        "vouch":         (YES,   YES,   NO,     YES,     YES),
        "green":         (YES,   YES,   NO,     YES,     YES),
        "flake":         (YES,   YES,   NO,     HISTORY, YES),
        "resign":        (NO,    YES,   NO,     HISTORY, YES),
        "propose":       (NO,    NO,    YES,    YES,     YES),
        "confirm":       (NO,    NO,    NO,     NAMED,   YES),
        "refute":        (NO,    NO,    NO,     NAMED,   YES),
        "unlike":        (NO,    NO,    NO,     NAMED,   YES),
        "supersede":     (NO,    NO,    NO,     NAMED,   YES),
        "merge":         (NO,    NO,    NO,     NAMED,   YES),
        "split":         (NO,    NO,    NO,     NAMED,   YES),
        "single_out":    (NO,    NO,    NO,     HISTORY, YES),
        "retract":       (NO,    NO,    NO,     HISTORY, YES),
        "release":       (NO,    NO,    NO,     HISTORY, YES),
        "drop":          (NO,    NO,    NO,     HISTORY, YES),
        "erase":         (NO,    NO,    NO,     NO,      YES),
        "expire":        (NO,    NO,    NO,     NO,      YES),
        "bury":          (NO,    NO,    NO,     NAMED,   YES),
        "backup":        (YES,   YES,   NO,     NO,      YES),
        "token":         (SETUP, SETUP, NO,     SETUP,   YES),
        "track":         (YES,   YES,   YES,    NO,      YES),
        "loop":          (YES,   YES,   NO,     NO,      YES),
        "rearm":         (NO,    NO,    NO,     NO,      YES),
        "untrack":       (NO,    NO,    NO,     NO,      YES),
        "revoke":        (NO,    NO,    NO,     NO,      YES),
        "asking":        (YES,   YES,   YES,    NO,      YES),
        "ask":           (YES,   YES,   YES,    NO,      YES),
    }.items()
}  # fmt: skip


BEARERS = frozenset({Role.IMPORT, Role.HUMAN})  # who may bring in what another one said


_LESSER = frozenset({Role.AGENT.value, Role.CI.value, Role.READER.value})


class Draft(NamedTuple):
    """What somebody wants to write."""

    bank: str
    action: str
    subject: str
    body: Body
    actor: Actor
    history: bool = False
    """It belongs to the history of a record that the same import brought in."""
    setup: bool = False
    """The caller holds no token and carries no coding-agent marker."""


class Written(NamedTuple):
    """What became of a draft; the entry of a refusal is a ledger entry, too."""

    entry: Entry
    refusal: str


def judge(draft: Draft, person_acted: bool, quoted: bool = False) -> str:
    """Say why a draft is refused; empty where it may pass.

    `quoted`: the draft's quote stands in the stored snapshot that it names.
    """
    role = draft.actor.role
    rule = TABLE.get(draft.action, {}).get(role, NO)
    if rule is not NO and role not in BEARERS and draft.body.get("origin"):
        return f"the role {role.value} may not write in another's name"
    if rule is YES or (rule is NAMED and _names_a_person(draft.body)):
        return ""
    passes = {
        NO: False,
        MARKED: True,
        QUOTED: quoted,
        NAMED: False,
        HISTORY: draft.history and _names_a_person(draft.body),
        SETUP: draft.setup and (not person_acted or draft.body.get("role") in _LESSER),
    }[rule]
    return "" if passes else _reason(draft, rule)


def write(store: Writes, draft: Draft, at: datetime, salt: str) -> Written:
    """Append a draft to the ledger with all that follows from it, or its refusal instead."""
    bank, action, subject, body, actor, *_ = draft
    acted = action == "token" and store.person_acted(bank)
    refusal = judge(draft, acted, quote_stands(store, bank, body))
    if refusal:
        action, body = REFUSED, _account(draft, refusal)
    payload = Payload(salt, canonical(body))
    unsealed = Entry(bank, 0, stamp(at), actor.name, actor.role.value, action, subject, "", "", "")
    entry = extend(store.head(bank), unsealed, payload)
    changes = project(entry, body, _row(store, entry))
    store.append(entry, payload, changes)
    return Written(entry, refusal)


def carry(store: Writes, stored: Stored) -> None:
    """Append an entry of another store of ours as it is: its own gate judged it there."""
    entry, payload = stored
    row = _row(store, entry)
    changes = project(entry, json.loads(payload.body), row) if payload else []
    store.append(entry, payload, changes)


def _row(store: Writes, entry: Entry) -> CaseRow | ExhibitRow | None:
    case = store.case(entry.bank, entry.subject)
    return (
        store.exhibit(entry.bank, entry.subject)
        if not case and is_exhibit(entry.subject)
        else case
    )


def _names_a_person(body: Body) -> bool:
    origin = body.get("origin") or {}
    actor, at = origin.get("actor", ""), origin.get("at", "")
    return bool(at) and actor.startswith("human:") and len(actor) > len("human:")


def _reason(draft: Draft, rule: Rule) -> str:
    who = {Role.AGENT: "an agent", Role.CI: "a CI identity"}.get(
        draft.actor.role, f"the role {draft.actor.role.value}"
    )
    verb = _VERBS.get(draft.action, draft.action)
    return f"{who} may not {verb}" if rule is NO else f"{who} may {verb} {rule.value}"


_VERBS = VERBS | {
    "observe": "record an incident",
    "vouch": "vouch for an incident",
    "green": "remember a passing run",
    "flake": "say that a failure left without a change",
    "resign": "give an incident another signature",
    "propose": "propose a cause or a resolution",
    "confirm": "confirm an outcome",
    "refute": "refute an outcome",
    "unlike": 'say "not the same"',
    "supersede": "say that an outcome is replaced",
    "merge": "let two signatures count as one",
    "split": "part signatures",
    "single_out": "take an incident out of its signature",
    "retract": "retract a record",
    "release": "release from quarantine",
    "drop": "drop from quarantine",
    "erase": "erase a record",
    "expire": "let go of what a rule of retention names",
    "bury": "keep out what was erased elsewhere",
    "backup": "make a backup",
    "token": "create a token",
    "track": "track a change",
    "loop": "say how a CI attempt counts",
    "rearm": "rearm a circuit breaker",
    "untrack": "take a change out of the repair loop",
    "revoke": "revoke a token",
    "asking": "ask a model",
    "ask": "ask a model",
}


def _account(draft: Draft, refusal: str) -> Body:
    """Keep what was tried and why not; never the refused words themselves."""
    return {"action": draft.action, "reason": refusal}
