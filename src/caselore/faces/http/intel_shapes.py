"""The answers about competitors as typed shapes, for the description of the HTTP face.

Must not change an answer: the documents are what they are, and the tests hold them against this.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from caselore.faces.http.shapes import Moment


class Competitor(BaseModel):
    """A competitor and how many events are known."""

    competitor: str
    key: str
    events: int


class Profile(BaseModel):
    """A competitor summed up."""

    competitor: str
    total_events: int
    independent_events: int
    confidence_score: float
    risk_level: Literal["critical", "high", "medium", "low"]
    by_type: dict[str, int]
    last_event_at: Moment | None


class Event(BaseModel):
    """An event with its quote and its origins."""

    id: str
    competitor: str
    event_type: str
    date: str
    title: str
    amount: float | None
    currency: str | None
    origins: int
    quote: str
    snapshot: str
    url: str
    urls: list[str]
    first: int
    last: int
    impact_score: float
    impact_floor: float
    confidence: float


class Prediction(BaseModel):
    """A prediction, graded as far as it is due."""

    id: str
    competitor: str
    statement: str
    probability: float
    opens: str
    deadline: str
    resolver: dict[str, Any]
    outcome: Literal["yes", "no", "void", "open"]
    event: str | None
    brier: float | None


class Calibration(BaseModel):
    """How good the decided predictions were."""

    n: int
    void: int
    open: int
    brier: float | None
    bins: list[dict[str, Any]]
    enough: bool


class Snapshot(BaseModel):
    """A stored page, of whose text quotes are spans."""

    snapshot: str
    url: str
    title: str
    text: str
    hash: str
    fetched_at: Moment


class Why(Snapshot):
    """A stored page at a claim's quote; of a page itself only the page."""

    claim: dict[str, Any] | None = None
    quote: str | None = None
    first: int | None = None
    last: int | None = None
    reports: list[dict[str, Any]] | None = None
