"""The words of the memory as frozen values: who acts, what was seen, what people said of it.

Must not read a clock, touch storage or decide who may write.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal

from caselore.errors import BadInput
from caselore.guards.names import quoted
from caselore.memory.soundness import sound

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
NAME_LIMIT = 500  # characters of a service, branch, stage, unit and the like
URL_LIMIT = 4_000
TEXT_LIMIT = 20_000  # characters of a cause, a resolution, a reason
BLOCK_LIMIT = 200_000  # characters of the signed block, and of one quoted range


class Role(StrEnum):
    """What kind of writer acts."""

    HUMAN = "human"
    CI = "ci"
    AGENT = "agent"
    IMPORT = "import"
    SYSTEM = "system"
    READER = "reader"


class TokenRole(StrEnum):
    """What the bearer of a token may do; an admin is a person who may also keep the house."""

    READER = "reader"
    CI = "ci"
    AGENT = "agent"
    HUMAN = "human"
    ADMIN = "admin"

    @property
    def acts_as(self) -> Role:
        """Give the role in which the bearer writes."""
        return Role.HUMAN if self is TokenRole.ADMIN else Role(self.value)


class Kind(StrEnum):
    """What a record is evidence of."""

    INCIDENT = "incident"
    COMPETITOR_EVENT = "competitor_event"
    SNAPSHOT = "snapshot"
    STRATEGY = "strategy"
    PREDICTION = "prediction"
    BRIEFING = "briefing"


class Status(StrEnum):
    """How far a record may be trusted; derived from verdicts, never edited."""

    OBSERVED = "observed"
    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    QUARANTINED = "quarantined"
    RETRACTED = "retracted"
    SUPERSEDED = "superseded"


Result = Literal["succeeded", "failed"]
RESULTS: tuple[Result, ...] = ("succeeded", "failed")


def short(label: str, value: object, *, limit: int = NAME_LIMIT, needed: bool = False) -> str:
    """Give back a one-line text as it is. Raises BadInput for anything else."""
    if isinstance(value, str) and len(value) <= limit and value.strip() and sound(value):
        return value
    text = prose(label, value, limit=limit, needed=needed)
    if _CONTROL.search(text):
        raise BadInput(f"{label} holds a line break or another control character")
    return text


def prose(label: str, value: object, *, limit: int = TEXT_LIMIT, needed: bool = False) -> str:
    """Give back a text as it is. Raises BadInput where it is no text, too long or not storable."""
    if not isinstance(value, str):
        raise BadInput(f"{label} must be a text, not {type(value).__name__}")
    if needed and not value.strip():
        raise BadInput(f"{label} is empty")
    if len(value) > limit:
        raise BadInput(f"{label} has {len(value):,} characters; the limit is {limit:,}")
    try:
        _ = value.isascii() or value.encode()
    except UnicodeEncodeError:
        raise BadInput(f"{label} holds characters that are no valid Unicode") from None
    return value


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, as `role:name`."""

    name: str
    role: Role

    def __post_init__(self) -> None:
        """Refuse a nameless actor."""
        if sound(self.name) and self.name.strip():
            return
        short("the actor's name", self.name, needed=True)

    def __str__(self) -> str:
        """Write `human:ana`."""
        return f"{self.role.value}:{self.name}"

    @staticmethod
    @lru_cache(maxsize=1024)
    def parse(text: str) -> Actor:
        """Read `human:ana`. Raises BadInput for anything else."""
        role, colon, name = text.partition(":")
        if not colon or role not in {one.value for one in Role}:
            raise BadInput(f"no actor: {quoted(text)}; it reads like human:ana")
        return Actor(name, Role(role))


@dataclass(frozen=True, slots=True)
class Signed:
    """What the memory keeps of a failure's computed identity."""

    id: str
    family: str
    tool: str = ""
    unit: str = ""
    error: str = ""
    message: str = ""
    frame: str = ""
    generic: bool = False

    def __post_init__(self) -> None:
        """Refuse an identity that cannot be stored or compared."""
        prose("the signature's message", self.message)
        if sound(self.id, self.family, self.tool, self.unit, self.error, self.frame) and (
            self.id.strip() and self.family.strip()
        ):
            return
        short("the signature's id", self.id, needed=True)
        short("the family", self.family, needed=True)
        for label in ("tool", "unit", "error", "frame"):
            short(f"the signature's {label}", getattr(self, label), limit=URL_LIMIT)


@dataclass(frozen=True, slots=True)
class Quoted:
    """Lines of a log, by number, word for word."""

    first: int
    last: int
    text: str
    why: str

    def __post_init__(self) -> None:
        """Refuse a range that runs backwards."""
        if not 1 <= self.first <= self.last:
            raise BadInput(f"no range of lines: {self.first} to {self.last}")
        prose("an excerpt", self.text, limit=BLOCK_LIMIT)
        prose("an excerpt's reason", self.why)


@dataclass(frozen=True, slots=True)
class Incident:
    """One failure as it was seen: where, by which identity, in which lines."""

    service: str
    environment: str
    branch: str
    commit: str
    deployment: str
    stage: str
    url: str
    signature: Signed
    block: str
    excerpt: tuple[Quoted, ...]
    failing_line: int | None
    log_digest: str
    log_lines: int
    log_bytes: int
    title: str
    attributes: tuple[tuple[str, str], ...] = ()
    """What an imported incident says beside these fields, such as its infrastructure change."""

    def __post_init__(self) -> None:
        """Refuse what cannot be kept word for word; the service may be unknown but not odd."""
        must_be_kept({name: getattr(self, name) for name in _KEPT})


_RUN = ("service", "environment", "branch", "commit", "deployment", "stage", "url", "log_digest")
_KEPT = (*_RUN, "title", "block", "attributes")


def must_be_kept(facts: dict[str, Any]) -> None:
    """Raise BadInput where a fact of an incident cannot be kept word for word."""
    if not sound(*[facts[name] for name in _RUN]):
        for label in _RUN[:6]:
            short(label, facts[label])
        short("url", facts["url"], limit=URL_LIMIT)
        short("the log's digest", facts["log_digest"])
    prose("title", facts["title"])
    prose("the failing block", facts["block"], limit=BLOCK_LIMIT)
    for name, value in facts["attributes"]:
        short("an attribute's name", name, needed=True)
        prose(name, value)


@dataclass(frozen=True, slots=True)
class Record:
    """An immutable piece of evidence."""

    id: str
    bank: str
    kind: Kind
    body: Incident
    actor: Actor
    sources: tuple[str, ...]
    happened_at: datetime
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a person confirmed: why it failed, what was done and whether that worked."""

    cause: str
    resolution: str
    result: Result
    why_failed: str
    confirmed_by: str
    confirmed_at: datetime
    precedents: tuple[str, ...] = ()
    proof: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an agent or an unsigned import says; it waits for a person."""

    seq: int
    cause: str
    resolution: str
    actor: Actor
    at: datetime


@dataclass(frozen=True, slots=True)
class Verdict:
    """One thing said of a record, as the ledger keeps it."""

    seq: int
    kind: str
    subject: str
    actor: Actor
    at: datetime
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a language model, as the ledger keeps it: the prompt's hash, never its text."""

    model: str
    prompt: str
    hash: str
    result: str
    read: int
    written: int
    dollars: float | None
    seconds: float
    subject: str = ""
    actor: str = ""
    at: datetime | None = None
    opened: int = 0
    """The entry that said, before the call, what it may cost at most."""


@dataclass(frozen=True, slots=True)
class Case:
    """A record together with all that was said of it."""

    record: Record
    status: Status
    outcome: Outcome | None
    verdicts: tuple[Verdict, ...]
    proposed: Proposal | None
    precedents: tuple[str, ...]
    followers: tuple[str, ...]
    counts: bool
    superseded_by: str = ""
    """The record whose outcome replaces this one's, as a person said."""
    supersedes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Give the record's id."""
        return self.record.id


@dataclass(frozen=True, slots=True)
class Occurrences:
    """How often one signature was seen."""

    count: int
    first: datetime | None
    last: datetime | None
    resolved: int
    flaky: int = 0
    """Of them, how many left without a change: the same commit passed later."""


@dataclass(frozen=True, slots=True)
class FixStat:
    """How one resolution fared on one signature; low and high are a 90 % Beta(1,1) interval."""

    resolution: str
    worked: int
    tried: int
    by: tuple[str, ...]
    last: datetime
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Held:
    """Something a guard holds until a person looks at it."""

    subject: str
    seq: int
    what: str
    findings: tuple[str, ...]
    actor: Actor
    at: datetime


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """What is known of a token; never its text."""

    id: str
    name: str
    role: TokenRole
    created_at: datetime
    created_by: Actor
    expires_at: datetime | None
    revoked_at: datetime | None

    @property
    def actor(self) -> Actor:
        """Give who writes with it."""
        return Actor(self.name, self.role.acts_as)


@dataclass(frozen=True, slots=True)
class Filters:
    """What a precedent must match to be considered; empty means anything."""

    service: str = ""
    environment: str = ""
    branch: str = ""
    family: str = ""
    status: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of an import's lines; `updated` were known and got a new verdict."""

    added: int
    known: int
    refused: tuple[tuple[int, str], ...]
    updated: int = 0
    confirmed: int = 0
    waiting: int = field(default=0)
    """Rows whose outcome no person signed: kept as proposals."""
    gone: tuple[str, ...] = ()
    """Records whose content went, because the rows say that it was erased elsewhere."""

    @property
    def erased(self) -> int:
        """Count them."""
        return len(self.gone)
