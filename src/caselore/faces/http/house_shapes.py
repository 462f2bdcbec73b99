"""The answers about changes, tokens and the server itself as typed shapes, for its description.

Must not change an answer: the documents are what they are, and the tests hold them against this.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from caselore.faces.http.shapes import Moment


class Attempt(BaseModel):
    """One CI attempt of a change."""

    model_config = {"populate_by_name": True}

    attempt: int
    at: Moment
    head: str
    pipeline: str
    url: str
    verdict: str
    kind: str = Field(alias="class")
    fingerprints: list[str]
    counted: bool
    decision: str


class Worker(BaseModel):
    """The agent that owns a change."""

    name: str | None
    alive: bool | None


class Change(BaseModel):
    """Where a tracked change stands."""

    id: str
    change: str
    project: str
    state: str
    pipeline_fail_count: int
    max_attempts: int
    head: str | None
    last_attempt: Attempt | None
    worker: Worker
    why: str | None


class WholeChange(Change):
    """A change with its attempts, events and history."""

    label: str
    attempts: list[Attempt]
    events: list[dict[str, Any]]
    history: list[dict[str, Any]]


class Token(BaseModel):
    """What is known of a token; never its text."""

    id: str
    name: str
    role: Literal["reader", "ci", "agent", "human", "admin"]
    created_at: Moment
    created_by: str
    expires_at: Moment | None
    revoked_at: Moment | None


class NewToken(Token):
    """A token with its text, which is given once."""

    token: str


class Revoked(BaseModel):
    """A token that is worthless now."""

    token: str
    revoked: Literal[True]


class Erased(BaseModel):
    """What was erased, and what became of each copy; `mirror` and `server` say what is left."""

    incident: str
    erased: Literal[True]
    told_in: list[str]
    backups: list[dict[str, Any]]
    mirror: str = ""
    server: str = ""


class Heard(BaseModel):
    """How many changes a delivery is about."""

    changes: int


class Said(BaseModel):
    """One word of a probe."""

    status: str
