"""Gives what the memory returns the JSON shapes that CONTRACT and every face share.

Must not leave out, add up or judge anything: one field in, one field out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from caselore.incidents.precedents import iso, occurrences_json, outcome_json
from caselore.memory.encoding import stamp
from caselore.wiring.sources import time_of

if TYPE_CHECKING:
    from caselore.memory.arm_ports import VectorStatus
    from caselore.memory.ledger import Stored, Verification
    from caselore.memory.ports import IndexStatus
    from caselore.memory.records import (
        Case,
        FixStat,
        Held,
        ImportReport,
        Occurrences,
        TokenInfo,
        Verdict,
    )

Document = dict[str, Any]


def case_line(case: Case) -> Document:
    """One incident without its log's lines, as `incidents` lists it."""
    body = case.record.body
    proposed = case.proposed
    return {
        "incident": case.id,
        "status": case.status.value,
        "deployment": body.deployment or None,
        "service": body.service or None,
        "environment": body.environment or None,
        "branch": body.branch or None,
        "commit": body.commit or None,
        "stage": body.stage or None,
        "url": body.url or None,
        "title": body.title,
        "signature": asdict(body.signature),
        "happened_at": iso(case.record.happened_at),
        "recorded_at": iso(case.record.recorded_at),
        "actor": str(case.record.actor),
        "outcome": outcome_json(case.outcome),
        "proposed": None
        if proposed is None
        else {
            "cause": proposed.cause,
            "resolution": proposed.resolution,
            "by": str(proposed.actor),
            "at": iso(proposed.at),
        },
        "precedents": list(case.precedents),
        "followers": list(case.followers),
        "superseded_by": case.superseded_by or None,
        "supersedes": list(case.supersedes),
    }


def case_whole(
    case: Case,
    chain: Sequence[tuple[Case, int]],
    seen: Occurrences,
    fixes: Sequence[FixStat],
) -> Document:
    """One incident with its lines, its chain, its verdicts and how fixes fared."""
    body = case.record.body
    return {
        **case_line(case),
        "failing_line": body.failing_line,
        "excerpt": [asdict(one) for one in body.excerpt],
        "log": {"digest": body.log_digest, "lines": body.log_lines, "bytes": body.log_bytes},
        "attributes": dict(body.attributes),
        "verdicts": [verdict(one) for one in case.verdicts],
        "chain": [{**link(one), "depth": depth} for one, depth in chain],
        "occurrences": occurrences(seen),
        "fixes": [fix(one) for one in fixes],
    }


def link(case: Case) -> Document:
    """One incident in a chain."""
    return {
        "incident": case.id,
        "deployment": case.record.body.deployment or None,
        "service": case.record.body.service or None,
        "status": case.status.value,
        "outcome": outcome_json(case.outcome),
        "precedents": list(case.precedents),
    }


def verdict(one: Verdict) -> Document:
    """One thing said of an incident."""
    return {
        "seq": one.seq,
        "kind": one.kind,
        "actor": str(one.actor),
        "at": iso(one.at),
        "body": one.body,
    }


def occurrences(seen: Occurrences) -> Document:
    """How often a signature was seen."""
    return occurrences_json(seen)


def fix(one: FixStat) -> Document:
    """How one resolution fared."""
    return {
        "resolution": one.resolution,
        "worked": one.worked,
        "tried": one.tried,
        "by": list(one.by),
        "last": iso(one.last),
        "low": round(one.low, 3),
        "high": round(one.high, 3),
    }


def report(found: ImportReport) -> Document:
    """What became of an import."""
    return {
        "added": found.added,
        "known": found.known,
        "updated": found.updated,
        "confirmed": found.confirmed,
        "waiting": found.waiting,
        "erased": found.erased,
        "refused": [{"line": line, "reason": reason} for line, reason in found.refused],
    }


def held(one: Held) -> Document:
    """Something that a guard holds."""
    return {
        "id": one.subject,
        "what": one.what,
        "findings": list(one.findings),
        "actor": str(one.actor),
        "at": iso(one.at),
        "seq": one.seq,
    }


def token(info: TokenInfo) -> Document:
    """What is known of a token."""
    return {
        "id": info.id,
        "name": info.name,
        "role": info.role.value,
        "created_at": iso(info.created_at),
        "created_by": str(info.created_by),
        "expires_at": iso(info.expires_at),
        "revoked_at": iso(info.revoked_at),
    }


def verification(found: Verification) -> Document:
    """Whether the account is what was written, and where it first is not."""
    broken = found.broken
    return {
        "ok": found.ok,
        "entries": found.entries,
        "head": found.head,
        "broken": None if broken is None else {"place": broken.place, "reason": broken.reason},
    }


def entry(stored: Stored) -> Document:
    """One entry of the ledger; the body is null where it was erased."""
    one, payload = stored
    return {
        "seq": one.seq,
        "at": one.at,
        "actor": f"{one.role}:{one.actor}",
        "action": one.action,
        "subject": one.subject,
        "body": None if payload is None else json.loads(payload.body),
        "commitment": one.commitment,
        "previous": one.previous,
        "hash": one.hash,
    }


def index_status(found: IndexStatus) -> Document:
    """How far the text index is."""
    return {
        "kind": found.kind,
        "place": found.place,
        "version": found.version,
        "entries": found.entries,
        "head": found.head,
        "documents": found.documents,
        "bytes": found.bytes,
        "sound": found.sound,
        "trouble": found.trouble or None,
    }


def vectors_status(found: VectorStatus) -> Document:
    """How far the vectors are."""
    return {
        "model": found.model,
        "place": found.place,
        "entries": found.entries,
        "head": found.head,
        "texts": found.texts,
        "bytes": found.bytes,
        "sound": found.sound,
        "trouble": found.trouble or None,
    }


_LONG = frozenset({"data", "hash"})  # a passing run's lines, a token's one-way hash


def public_entry(stored: Stored) -> Document:
    """One entry as others may see it over a network: without hashes of tokens and bulk data."""
    shape = entry(stored)
    if isinstance(shape["body"], dict):
        shape["body"] = {name: one for name, one in shape["body"].items() if name not in _LONG}
    return shape


def kept_log(case: Case) -> Document:
    """What is kept of a log: its failing lines, word for word, and what the whole of it was."""
    body = case.record.body
    return {
        "incident": case.id,
        "lines": body.log_lines,
        "bytes": body.log_bytes,
        "digest": body.log_digest,
        "failing_line": body.failing_line,
        "excerpt": [asdict(one) for one in body.excerpt],
        "url": body.url or None,
    }


def moment(text: str) -> str:
    """A day or a time as the store writes it; empty where none is given. Raises: BadInput."""
    at = time_of(text) if text else None
    return stamp(at) if at else ""


def filters(given: Document) -> Document:
    """Filters of a request with their times read. Raises: BadInput."""
    times = {name: time_of(given[name] or None) for name in ("since", "until")}
    return {**given, **times}
