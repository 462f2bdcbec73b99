"""Turns the memory's values into canonical JSON and back, the same bytes everywhere.

Must not judge, default or repair what it reads.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from caselore.memory.records import Incident, Quoted, Signed

Body = dict[str, Any]


def canonical(value: Any) -> str:
    """Write JSON in the one form that is hashed: sorted keys, no spaces, plain Unicode."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(*parts: str) -> str:
    """Give the SHA-256 of texts, hex; parts cannot run into each other."""
    return hashlib.sha256(canonical(parts).encode()).hexdigest()


def stamp(at: datetime) -> str:
    """Write a time in UTC, always as wide, so that texts sort as times do."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def unstamp(text: str) -> datetime:
    """Read what `stamp` wrote."""
    return datetime.fromisoformat(text)


def incident_body(incident: Incident) -> Body:
    """Give an incident as plain JSON values."""
    return asdict(incident)


def incident_of(body: Body) -> Incident:
    """Read an incident that `incident_body` wrote."""
    fields = dict(body)
    fields["signature"] = Signed(**fields["signature"])
    fields["excerpt"] = tuple(Quoted(**one) for one in fields["excerpt"])
    fields["attributes"] = tuple((name, value) for name, value in fields["attributes"])
    return Incident(**fields)
