"""The typed bodies of every kind of record but the incident: what the market was seen to do.

Must not read a clock, touch storage, or decide whether a body is true.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar, get_type_hints

from caselore.errors import BadInput
from caselore.guards.names import check_competitor
from caselore.memory.records import NAME_LIMIT, URL_LIMIT, Kind, prose, short

PAGE_LIMIT = 2_000_000  # characters of one stored page's text
EVENT_TYPES = (
    "feature_launch", "pricing_change", "hiring", "acquisition", "funding", "partnership",
    "market_signal",
)  # fmt: skip
TIERS = ("primary", "press", "trade", "field", "aggregator", "forum", "unknown")
MODALITIES = ("asserted", "planned", "rumoured")


def one_of(label: str, value: str, known: tuple[str, ...]) -> str:
    """Give back a value that is one of those known. Raises BadInput."""
    if value not in known:
        raise BadInput(f"{label} is {value!r}; it must be one of {', '.join(known)}")
    return value


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One page as it was fetched: its text, by which every offset counts, and where it is from."""

    kind: ClassVar[Kind] = Kind.SNAPSHOT
    url: str
    text: str
    digest: str
    fetched_at: str
    title: str = ""
    final_url: str = ""
    media: str = ""
    published: str = ""
    published_from: str = ""
    """Which of json-ld, meta, time, byline, url, feed, last-modified gave the day; or nothing."""
    publisher: str = ""
    tier: str = "unknown"
    etag: str = ""
    modified: str = ""
    private: bool = False

    def __post_init__(self) -> None:
        """Refuse a page that cannot be kept word for word."""
        short("the page's address", self.url, limit=URL_LIMIT, needed=True)
        prose("the page's text", self.text, limit=PAGE_LIMIT)
        one_of("the source's tier", self.tier, TIERS)

    @property
    def subject(self) -> str:
        """A page is about nobody in particular."""
        return ""

    @property
    def label(self) -> str:
        """Give the address, by which a page's versions are found."""
        return self.url


@dataclass(frozen=True, slots=True)
class Report:
    """One place that says an event happened: the exact words, and how far they can be trusted."""

    quote: str
    snapshot: str
    first: int
    last: int
    url: str
    tier: str = "unknown"
    origin: str = ""
    """The origin that these words go back to: copies of one text share it."""
    title: str = ""
    date: str = ""
    date_from: str = ""
    amount: float | None = None
    currency: str = ""
    before: float | None = None
    known_at: str = ""

    def __post_init__(self) -> None:
        """Refuse a quote that is none."""
        prose("a quote", self.quote, needed=True)
        if not 0 <= self.first < self.last or self.last - self.first != len(self.quote):
            raise BadInput(f"no place of a quote: {self.first} to {self.last}")
        one_of("the source's tier", self.tier, TIERS)


@dataclass(frozen=True, slots=True)
class CompetitorEvent:
    """One thing that a competitor did, from what its first report says."""

    kind: ClassVar[Kind] = Kind.COMPETITOR_EVENT
    competitor: str
    event_type: str
    date: str
    title: str
    report: Report
    date_from: str = ""
    amount: float | None = None
    currency: str = ""
    before: float | None = None
    """The price before a change of price."""
    change_percent: float | None = None
    unit: str = ""
    plan: str = ""
    count: int | None = None
    party: str = ""
    """The other company: bought, joined with, or leading a round."""
    modality: str = "asserted"
    impact_floor: float = 0.0
    impact_added: float = 0.0
    """What a model adds to the floor, 0 to 1.5; kept apart from it."""
    impact_rule: str = ""
    private: bool = False

    def __post_init__(self) -> None:
        """Refuse an event without a type, a sound name or a day."""
        check_competitor(self.competitor)
        one_of("the event's type", self.event_type, EVENT_TYPES)
        one_of("the event's modality", self.modality, MODALITIES)
        prose("the event's title", self.title, needed=True)
        short("the event's date", self.date, needed=True)
        if not 0.0 <= self.impact_added <= 1.5:
            raise BadInput(f"a model adds 0 to 1.5 to an impact, not {self.impact_added}")

    @property
    def subject(self) -> str:
        """Give the competitor's key."""
        return key_of_name(self.competitor)

    @property
    def label(self) -> str:
        """Give the type."""
        return self.event_type


@dataclass(frozen=True, slots=True)
class Strategy:
    """What a competitor seems to be after, with the events for and against it."""

    kind: ClassVar[Kind] = Kind.STRATEGY
    competitor: str
    topic: str
    statement: str
    confidence: float
    supports: tuple[str, ...] = ()
    opposes: tuple[str, ...] = ()
    why: str = ""

    def __post_init__(self) -> None:
        """Refuse a hypothesis about nobody."""
        check_competitor(self.competitor)
        short("the topic", self.topic, needed=True)
        prose("the statement", self.statement, needed=True)
        probability("the confidence", self.confidence)

    @property
    def subject(self) -> str:
        """Give the competitor's key."""
        return key_of_name(self.competitor)

    @property
    def label(self) -> str:
        """Give the topic."""
        return self.topic


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that an event must fulfil to decide a prediction."""

    field: str
    op: str
    value: float | str

    def __post_init__(self) -> None:
        """Refuse what no event can be asked."""
        one_of("a condition's field", self.field, ("amount", "change_percent", "title", "count"))
        one_of("a condition's op", self.op, (">=", "<=", "contains"))
        texts = self.op == "contains"
        if texts is not isinstance(self.value, str) or isinstance(self.value, bool):
            raise BadInput(f"{self.field} {self.op} takes no {type(self.value).__name__}")
        if not texts and not math.isfinite(float(self.value)):
            raise BadInput(
                f"{self.field} {self.op} takes no {self.value}: nothing could decide it"
            )
        if texts is not (self.field == "title"):
            raise BadInput(f"{self.field} cannot be asked with {self.op}")


@dataclass(frozen=True, slots=True)
class Prediction:
    """A statement about the future with a chance, a window and the question that decides it."""

    kind: ClassVar[Kind] = Kind.PREDICTION
    competitor: str
    statement: str
    probability: float
    opens: str
    deadline: str
    event_type: str
    where: tuple[Condition, ...] = ()
    why: str = ""

    def __post_init__(self) -> None:
        """Refuse what could never be graded."""
        check_competitor(self.competitor)
        prose("the statement", self.statement, needed=True)
        probability("the probability", self.probability)
        one_of("the resolver's event type", self.event_type, EVENT_TYPES)
        if self.deadline < self.opens:
            raise BadInput(f"the deadline {self.deadline} lies before the opening {self.opens}")

    @property
    def subject(self) -> str:
        """Give the competitor's key."""
        return key_of_name(self.competitor)

    @property
    def label(self) -> str:
        """Give the type of event that decides."""
        return self.event_type


@dataclass(frozen=True, slots=True)
class Briefing:
    """What was written of one run: its document as JSON text, and over which time it looks."""

    kind: ClassVar[Kind] = Kind.BRIEFING
    topic: str
    run: str
    status: str
    competitors: tuple[str, ...]
    since: str
    until: str
    document: str

    def __post_init__(self) -> None:
        """Refuse a nameless run."""
        short("the run", self.run, needed=True)
        prose("the document", self.document, limit=PAGE_LIMIT)

    @property
    def subject(self) -> str:
        """A briefing may be about several."""
        return ""

    @property
    def label(self) -> str:
        """Give the run."""
        return self.run


Finding = Snapshot | CompetitorEvent | Strategy | Prediction | Briefing
BODIES: dict[Kind, type[Finding]] = {
    one.kind: one for one in (Snapshot, CompetitorEvent, Strategy, Prediction, Briefing)
}
PREFIXES = {
    Kind.SNAPSHOT: "snp_", Kind.COMPETITOR_EVENT: "evt_", Kind.STRATEGY: "str_",
    Kind.PREDICTION: "prd_", Kind.BRIEFING: "brf_",
}  # fmt: skip
_NESTED = {"report": Report, "where": Condition}


def probability(label: str, value: float) -> float:
    """Give back a chance from 0 to 1. Raises BadInput."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise BadInput(f"{label} must be a number from 0 to 1")
    return value


def key_of_name(name: str) -> str:
    """Give one key for a competitor's name, however it is spaced and capitalised."""
    return " ".join(name.casefold().split())[:NAME_LIMIT]


def to_body(value: Any) -> dict[str, Any]:
    """Give a typed body as plain JSON values."""
    return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return to_body(value) if isinstance(value, (Report, Condition)) else value


def of_body(kind: Kind, body: dict[str, Any]) -> Finding:
    """Read what `to_body` wrote. Raises BadInput where it is no such body."""
    found: Finding = read(BODIES[kind], body)
    return found


_FIELDS: dict[type[Any], dict[str, Any]] = {}


def _fields(kind: type[Any]) -> dict[str, Any]:
    """Give what each field takes; to work that out costs more than all the rest of reading.

    What is a plain value stands as the types that it may have: to look up a union is slow, too.
    """
    if kind not in _FIELDS:
        hints = get_type_hints(kind)
        _FIELDS[kind] = {name: _SCALARS.get(hint, hint) for name, hint in hints.items()}
    return _FIELDS[kind]


def read(kind: type[Any], body: dict[str, Any]) -> Any:
    """Read one typed value from JSON. Raises BadInput for an unknown, missing or wrong field."""
    if not isinstance(body, dict):
        raise BadInput(f"a {kind.__name__} is a JSON object, not {type(body).__name__}")
    known = _fields(kind)
    values = {}
    for name, value in body.items():
        if name not in known or name == "kind":
            raise BadInput(f"a {kind.__name__} has no field {name!r}")
        hint = known[name]
        # most values are of exactly a type that fits: to ask that first halves the time of reading
        plain = type(hint) is tuple and type(value) in hint
        values[name] = value if plain else _typed(name, value, hint)
    try:
        return kind(**values)
    except TypeError as error:
        raise BadInput(f"a {kind.__name__} lacks a field: {error}") from None


_SCALARS: dict[Any, tuple[type, ...]] = {
    str: (str,), int: (int,), float: (int, float), bool: (bool,),
    float | None: (int, float, type(None)), int | None: (int, type(None)),
    float | str: (int, float, str),
}  # fmt: skip


def _typed(name: str, value: Any, hint: Any) -> Any:
    if type(hint) is tuple:
        if not isinstance(value, hint) or (isinstance(value, bool) and bool not in hint):
            raise BadInput(f"{name} cannot be {type(value).__name__}")
        return value
    if hint is Report:
        return read(Report, value)
    if not isinstance(value, list | tuple):
        raise BadInput(f"{name} must be a list")
    if name in _NESTED:
        return tuple(read(_NESTED[name], one) for one in value)
    return tuple(prose(f"an entry of {name}", one) for one in value)
