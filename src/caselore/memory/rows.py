"""The rows of every projection table, as named tuples in the order of their columns.

Must not hold logic: a row is what a table holds.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class CaseRow(NamedTuple):
    """One record's searchable facts, then its state as the verdicts left it."""

    bank: str
    id: str
    seq: int
    kind: str
    service: str
    environment: str
    branch: str
    commit_id: str
    deployment: str
    stage: str
    url: str
    title: str
    signature: str
    family: str
    tool: str
    unit: str
    generic: int
    log_digest: str
    known_as: str
    happened_at: str
    recorded_at: str
    actor: str
    status: str
    beneath: str
    counts: int
    verdict_seq: int
    outcome_seq: int
    result: str
    fix: str
    confirmed_by: str
    confirmed_at: str
    proposal_seq: int


Fixing = tuple[str, str, str]
"""A signature, a service, and when it was fixed there."""


class LinkRow(NamedTuple):
    """One record names another: as its precedent, or as not the same."""

    bank: str
    seq: int
    place: int
    subject: str
    relation: str
    target: str


class HeldRow(NamedTuple):
    """An entry that a guard holds."""

    bank: str
    seq: int
    subject: str


class GreenRow(NamedTuple):
    """A remembered passing run; its lines are in the entry's payload."""

    bank: str
    seq: int
    service: str
    stage: str
    label: str


class TokenRow(NamedTuple):
    """A token without its text."""

    bank: str
    id: str
    seq: int
    name: str
    role: str
    hash: str
    created_at: str
    created_by: str
    expires_at: str
    revoked_at: str


class ErasedRow(NamedTuple):
    """A tombstone: what must not come back."""

    bank: str
    id: str
    seq: int
    known_as: str
    erased_at: str


class ExhibitRow(NamedTuple):
    """One record that is no incident: what it is about, then what later entries made of it."""

    bank: str
    id: str
    seq: int
    kind: str
    subject: str
    label: str
    known_as: str
    title: str
    url: str
    happened_at: str
    known_at: str
    recorded_at: str
    actor: str
    impact: int
    private: int
    status: str
    beneath: str
    counts: int
    trusted: int
    origins: int
    reports: int
    verdict_seq: int
    said_seq: int


class WordRow(NamedTuple):
    """A word by which an exhibit is found."""

    bank: str
    word: str
    seq: int


class ChangeRow(NamedTuple):
    """One tracked merge or pull request and where it stands; its document is the loop's state."""

    bank: str
    id: str
    seq: int
    url: str
    project: str
    iid: str
    state: str
    pipeline_fail_count: int
    max_attempts: int
    worker: str
    head: str
    updated_at: str
    document: str


class AttemptRow(NamedTuple):
    """One CI attempt that was handled, and what was decided about it."""

    bank: str
    change: str
    key: str
    seq: int
    place: int
    number: int
    delivered: int
    verdict: str
    kind: str
    head: str
    pipeline: str
    at: str
    decision: str
    document: str


class OutboxRow(NamedTuple):
    """One event that leaves for somebody: waiting, delivered, withdrawn, or only kept."""

    bank: str
    id: str
    target: str
    seq: int
    change: str
    type: str
    at: str
    status: str
    document: str


class TallyRow(NamedTuple):
    """How many cases share all these facts; with no signature, how many of a service there are."""

    bank: str
    signature: str
    status: str
    counts: int
    fix: str
    result: str
    confirmed_by: str
    service: str
    times: int


class FacetRow(NamedTuple):
    """How many cases share the facts by which a list of them is narrowed."""

    bank: str
    status: str
    service: str
    environment: str
    family: str
    times: int


Row = (
    CaseRow | LinkRow | HeldRow | GreenRow | TokenRow | ErasedRow | ExhibitRow | WordRow
    | ChangeRow | AttemptRow | OutboxRow | TallyRow | FacetRow
)  # fmt: skip

TABLES: dict[str, type[Row]] = {
    "cases": CaseRow,
    "links": LinkRow,
    "held": HeldRow,
    "greens": GreenRow,
    "tokens": TokenRow,
    "erased": ErasedRow,
    "exhibits": ExhibitRow,
    "words": WordRow,
    "changes": ChangeRow,
    "attempts": AttemptRow,
    "outbox": OutboxRow,
    "tallies": TallyRow,
    "facets": FacetRow,
}
DERIVED = frozenset({"words", "tallies", "facets"})
"""Tables that are compared as a whole: no entry names a row of theirs."""
KEYS: dict[type[Row], int] = {  # how many leading columns name a row
    CaseRow: 2, LinkRow: 3, HeldRow: 2, GreenRow: 2, TokenRow: 2, ErasedRow: 2,
    ExhibitRow: 2, WordRow: 3, ChangeRow: 2, AttemptRow: 3, OutboxRow: 3, TallyRow: 8, FacetRow: 5,
}  # fmt: skip


def table_of(row: Row) -> str:
    """Name the table that a row belongs to."""
    return _NAMES[type(row)]


def key_of(row: Row) -> tuple[str | int, ...]:
    """Give the columns that name a row within its table."""
    return row[: KEYS[type(row)]]


_NAMES = {row: name for name, row in TABLES.items()}


class Put(NamedTuple):
    """Write a row, replacing the one with its key."""

    row: Row


class Forget(NamedTuple):
    """Remove what entries of one subject said: their payloads, and every row made from them."""

    what: Literal["subject", "held", "payloads", "expired"]
    subject: str
    seqs: tuple[int, ...] = ()


Change = Put | Forget
