"""Prepares what each verb of the memory writes, and hands it to the gate.

Must not append by itself: `gate.write` is the only way in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from caselore.errors import BadInput, GateRefused, GuardRefused, WrongUse
from caselore.guards.names import quoted
from caselore.memory import gate
from caselore.memory.encoding import Body, digest, signed_body, stamp, unstamp
from caselore.memory.ledger import Entry, Stored
from caselore.memory.naming import erased_words
from caselore.memory.ports import Reads, Writes
from caselore.memory.records import (
    RESULTS,
    Actor,
    Incident,
    Kind,
    ModelCall,
    Role,
    Signed,
    Status,
    prose,
    short,
)
from caselore.memory.rows import CaseRow

GREENS = 5  # passing runs that are kept of a job


@dataclass(frozen=True, slots=True)
class Pen:
    """One transaction with all that a write needs besides its content."""

    store: Writes
    bank: str
    at: datetime
    salt: Callable[[], str]

    def write(
        self,
        action: str,
        subject: str,
        body: Body,
        actor: Actor,
        *,
        history: bool = False,
        setup: bool = False,
    ) -> gate.Written:
        """Pass one draft through the gate."""
        draft = gate.Draft(self.bank, action, subject, body, actor, history, setup)
        return gate.write(self.store, draft, self.at, self.salt())


def identity(incident: Incident) -> str:
    """Give the key by which the same failure is seen again; empty where nothing names the run."""
    anchor = incident.deployment or incident.url or incident.commit
    return run_key(incident.service, anchor, incident.log_digest)


def run_key(service: str, anchor: str, log_digest: str) -> str:
    """Give the key of a log of a run; empty where nothing names the run."""
    return digest("run", service, anchor, log_digest) if anchor else ""


def observe_body(
    incident: Body,
    known_as: str,
    happened_at: datetime,
    sources: Iterable[str],
    findings: Iterable[str],
) -> Body:
    """Give what the ledger keeps of an incident, itself given as plain JSON values."""
    return {
        "kind": Kind.INCIDENT.value,
        "incident": incident,
        "known_as": known_as,
        "happened_at": stamp(happened_at),
        "sources": [short("a source", one, limit=4_000) for one in sources],
        "findings": [short("a finding", one) for one in findings],
    }


def moment(label: str, value: object) -> datetime:
    """Give back a point in time. Raises BadInput where it has no time zone."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise BadInput(f"{label} must be a date and time with a time zone")
    return value


def refuse_erased(view: Reads, bank: str, *names: str) -> str:
    """Say that a record was erased and must not come back; empty where it was not."""
    for name in filter(None, names):
        stone = view.tombstone(bank, name)
        if stone:
            return f"{erased_words(stone)}; it is not recorded again"
    return ""


def resign_body(signed: Signed) -> Body:
    """Say what a failure's identity is by a newer reading of what was kept of it."""
    return {"signature": signed_body(signed)}


def flake_body(commit: str, label: str) -> Body:
    """Say that the same commit passed later, in the run of this label."""
    return {"commit": short("commit", commit, needed=True), "label": short("label", label)}


_CALL = ("model", "prompt", "hash", "result", "read", "written", "dollars", "seconds")


def call_body(call: ModelCall) -> Body:
    """Give what the ledger keeps of a call of a model: no word of prompt or answer."""
    told = {name: getattr(call, name) for name in _CALL}
    return {**told, "opened": call.opened} if call.opened else told


def called(entry: Entry, body: Body) -> ModelCall:
    """Give a call as it was kept."""
    known = {name: body[name] for name in _CALL}
    actor = f"{entry.role}:{entry.actor}"
    return ModelCall(
        **known,
        subject=entry.subject,
        actor=actor,
        at=unstamp(entry.at),
        opened=int(body.get("opened", 0)),
    )


def calls_of(rows: Iterable[Stored]) -> tuple[ModelCall, ...]:
    """Give the calls of models that ended, and those that were begun and never did.

    What a process that was killed had begun counts as the most that it could have cost.
    """
    ended: list[tuple[int, ModelCall]] = []
    begun: dict[int, ModelCall] = {}
    for one in rows:
        if one.payload is not None:
            call = called(one.entry, json.loads(one.payload.body))
            if one.entry.action == "asking":
                begun[one.entry.seq] = call
            else:
                begun.pop(call.opened, None)
                ended.append((one.entry.seq, call))
    return tuple(call for _, call in sorted([*ended, *begun.items()], key=lambda one: one[0]))


def vouches(row: CaseRow, actor: Actor) -> bool:
    """Say whether the same log, seen by this actor, makes an agent's incident count."""
    return not row.counts and actor.role is not Role.AGENT


def outcome_body(
    cause: str,
    resolution: str,
    result: str,
    why_failed: str,
    precedents: Iterable[str],
    proof: Iterable[str],
    confirmed_by: str,
) -> Body:
    """Give what the ledger keeps of an outcome. Raises BadInput where it says too little."""
    if result not in RESULTS:
        raise BadInput(f"result is {quoted(result)}; it must be succeeded or failed")
    if why_failed and result == "succeeded":
        raise BadInput("why it failed is given, but the result is succeeded")
    return {
        "cause": prose("cause", cause, needed=True),
        "resolution": prose("resolution", resolution, needed=True),
        "result": result,
        "why_failed": prose("why it failed", why_failed),
        "precedents": [short("a precedent", one, needed=True) for one in precedents],
        "proof": [short("a proof", one, limit=4_000, needed=True) for one in proof],
        "confirmed_by": short("who confirmed", confirmed_by, needed=True),
    }


def proposal_body(cause: str, resolution: str, findings: Iterable[str]) -> Body:
    """Give what the ledger keeps of a proposal."""
    if not cause.strip() and not resolution.strip():
        raise BadInput("a proposal says a cause, a resolution or both")
    return {
        "cause": prose("cause", cause),
        "resolution": prose("resolution", resolution),
        "findings": [short("a finding", one) for one in findings],
    }


def why_body(why: str) -> Body:
    """Give what the ledger keeps of a verdict that is only a reason."""
    return {"why": prose("why", why, needed=True)}


def superseded_body(why: str, by: str) -> Body:
    """Give what the ledger keeps of an outcome that another record's replaces."""
    return {**why_body(why), "by": short("the record that replaces it", by, needed=True)}


def must_stand(row: CaseRow, what: str) -> None:
    """Raise WrongUse where no outcome of a record stands."""
    if row.status != Status.CONFIRMED.value:
        raise WrongUse(
            f"{what} {row.id} is {row.status}: it has no outcome that stands",
            hint=f"See `caselore show {row.id}`; `caselore confirm` gives it one.",
        )


def must_pass(written: gate.Written) -> None:
    """Raise GateRefused where the gate refused; call it after the transaction is kept."""
    if written.refusal:
        raise GateRefused(written.refusal)


def must_be_free(row: CaseRow) -> None:
    """Raise GuardRefused where a guard still holds the record."""
    if row.status == "quarantined":
        raise GuardRefused(
            f"{row.id} is in quarantine",
            hint=f"Look at it with `caselore quarantine show {row.id}`, then release or drop it.",
        )


def release_body(view: Reads, row: CaseRow, why: str) -> Body:
    """Give what the ledger keeps of a release or drop. Raises WrongUse where nothing is held."""
    held = view.held(row.bank, row.id)
    if not held:
        raise WrongUse(f"nothing of {row.id} is in quarantine")
    proposals = [one.seq for one in held if one.seq != row.seq]
    return {**why_body(why), "proposals": proposals}
