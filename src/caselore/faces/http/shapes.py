"""The answers of the HTTP face as typed shapes, for its description.

Must not change an answer: the documents are what they are, and the tests hold them against this.
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

Moment = Annotated[str, Field(description="ISO 8601, in UTC.")]
Status = Literal[
    "observed", "proposed", "confirmed", "refuted", "quarantined", "retracted", "superseded"
]
Item = TypeVar("Item")


class Page(BaseModel, Generic[Item]):
    """A page of a list."""

    items: list[Item]
    next_cursor: str | None = Field(description="Of the next page; null on the last.")


class Range(BaseModel):
    """Lines of a log, by number from 1."""

    first: int
    last: int
    why: str


class Excerpt(Range):
    """Lines that are kept, secrets masked."""

    text: str


class SignatureParts(BaseModel):
    """The computed identity of a failure."""

    id: str
    family: str
    tool: str
    unit: str
    error: str
    message: str
    frame: str
    generic: bool


class Signature(SignatureParts):
    """The identity, and how rare it is in this memory."""

    specificity: float


class Cause(BaseModel):
    """A line that may tell why."""

    line: int
    why: str
    tool: str
    unit: str


class Reading(BaseModel):
    """What was read in a log."""

    log: str
    lines: int
    bytes: int
    truncated: bool
    failing_line: int | None
    excerpt: list[Range]
    causes: list[Cause]
    signature: Signature
    redactions: list[dict[str, Any]]
    injection: list[dict[str, Any]]
    digest: str
    green: str | None
    notes: list[str]


class Outcome(BaseModel):
    """What a person confirmed."""

    cause: str
    resolution: str
    result: Literal["succeeded", "failed"]
    why_failed: str | None
    confirmed_by: str
    confirmed_at: Moment
    precedents: list[str]
    proof: list[str]


class Signal(BaseModel):
    """One explained number of a ranking."""

    name: str
    points: float
    reason: str


class Precedent(BaseModel):
    """An incident recalled for another, and why."""

    incident: str
    deployment: str | None
    service: str | None
    status: Status
    family: str
    title: str
    happened_at: Moment
    score: float
    same_failure: bool
    signals: list[Signal]
    outcome: Outcome | None
    standing_for: int


class Near(Precedent):
    """What was near, and why it is not the same."""

    why_not: str


class Recalled(BaseModel):
    """Precedents and what was near."""

    precedents: list[Precedent]
    nearest: list[Near]
    considered: int


class Evidence(BaseModel):
    """A literal quote of a record."""

    cites: list[str]
    quote: str
    part: str


class Sentence(BaseModel):
    """A sentence and what it rests on."""

    text: str
    cites: list[str]


class Diagnosed(Sentence):
    """A sentence about the failure, with the lines that it speaks of."""

    lines: list[int]


class Withheld(BaseModel):
    """What was not said, and why."""

    text: str
    reason: str


class Occurrences(BaseModel):
    """How often a failure was seen."""

    count: int
    first: Moment | None
    last: Moment | None
    resolved: int
    flaky: int


class Diagnosis(BaseModel):
    """The object of `caselore diagnose --json`."""

    incident: str
    deployment: str | None
    status: Status
    reading: Reading
    sufficient: bool
    precedents: list[Precedent]
    evidence: list[Evidence]
    diagnosis: list[Diagnosed]
    fix: list[Sentence]
    withheld: list[Withheld]
    nearest: list[Near]
    occurrences: Occurrences
    model: str | None


class Proposed(BaseModel):
    """What was proposed and waits for a person."""

    cause: str
    resolution: str
    by: str
    at: Moment


class Incident(BaseModel):
    """One incident, as lists show it."""

    incident: str
    status: Status
    deployment: str | None
    service: str | None
    environment: str | None
    branch: str | None
    commit: str | None
    stage: str | None
    url: str | None
    title: str
    signature: SignatureParts
    happened_at: Moment
    recorded_at: Moment
    actor: str
    outcome: Outcome | None
    proposed: Proposed | None
    precedents: list[str]
    followers: list[str]
    superseded_by: str | None
    supersedes: list[str]


class Grouped(BaseModel):
    """What counts as one failure now."""

    signatures: list[str]
    incidents: int


class LogFacts(BaseModel):
    """What the whole log was."""

    digest: str
    lines: int
    bytes: int


class Verdict(BaseModel):
    """One thing that was said of an incident."""

    seq: int
    kind: str
    actor: str
    at: Moment
    body: dict[str, Any]


class Link(BaseModel):
    """One incident of a chain."""

    incident: str
    deployment: str | None
    service: str | None
    status: Status
    outcome: Outcome | None
    precedents: list[str]
    depth: int


class Fix(BaseModel):
    """How a resolution fared."""

    resolution: str
    worked: int
    tried: int
    by: list[str]
    last: Moment


class WholeIncident(Incident):
    """One incident with its lines, verdicts and chain."""

    failing_line: int | None
    excerpt: list[Excerpt]
    log: LogFacts
    verdicts: list[Verdict]
    chain: list[Link]
    occurrences: Occurrences
    fixes: list[Fix]


class LogLine(BaseModel):
    """One line of a whole log."""

    number: int
    text: str


class Log(LogFacts):
    """What is kept of a log."""

    incident: str
    failing_line: int | None
    excerpt: list[Excerpt]
    url: str | None
    lines_kept: list[LogLine] | None
    next_line: int | None


class Draft(BaseModel):
    """What was drafted from a change."""

    incident: str


class Entry(BaseModel):
    """One entry of the ledger; the body is null where it was erased."""

    seq: int
    at: Moment
    actor: str
    action: str
    subject: str
    body: dict[str, Any] | None
    commitment: str
    previous: str
    hash: str


class Broken(BaseModel):
    """Where the chain is broken, and how."""

    place: str
    reason: str


class Verification(BaseModel):
    """Whether the account is what was written."""

    ok: bool
    entries: int
    head: str
    broken: Broken | None


class Held(BaseModel):
    """What a guard holds."""

    id: str
    what: str
    findings: list[str]
    actor: str
    at: Moment
    seq: int


class HeldIncident(Incident):
    """An incident that a guard holds."""

    held: list[Held]
