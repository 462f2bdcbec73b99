"""Finds what is known of a failure: candidates of several arms, scored, collapsed, explained.

Must not write, and must not rank by anything but `ranking`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import nlargest
from operator import attrgetter

from caselore.memory.ahead import Ahead
from caselore.memory.arm_ports import Arm
from caselore.memory.arms import Arms
from caselore.memory.cases import assemble
from caselore.memory.encoding import Body, stamp
from caselore.memory.groups import Groups, groups
from caselore.memory.kinds import kinds
from caselore.memory.likeness import Texts, parts
from caselore.memory.measured import Candidate, Sought
from caselore.memory.past import known_at
from caselore.memory.ports import Alike, Evidence, Index, Narrow, Reads, Told
from caselore.memory.ranking import (
    UNKNOWN,
    Scale,
    Scored,
    Signal,
    is_near,
    ordered,
    same_failure,
    text_decides,
)
from caselore.memory.records import Case, Filters
from caselore.memory.rows import CaseRow
from caselore.memory.terms import codes
from caselore.memory.track_record import TrackRecord
from caselore.memory.weights import Weights

ARM = 25  # newest cases of one status that one exact arm brings
UNRESOLVED_ARM = 8  # the same of those that can only be "seen before"
CONFIRMED = ("confirmed",)
UNRESOLVED = ("observed", "proposed", "refuted", "superseded")
TEXT_ARM = 50
COMPARED = 6  # cases of one signature, verdict, fix and result whose texts are compared
FIXED, FIXED_ARM = 12, 3  # signatures that a question found, and confirmed cases of each
ANYTHING = Filters()  # the filters that let every case pass
EXCLUDED = frozenset({"quarantined", "retracted"})


@dataclass(frozen=True, slots=True)
class Hit:
    """One case found, with every point explained; it may stand for several alike."""

    case: Case
    score: float
    same_failure: bool
    signals: tuple[Signal, ...]
    why_not: str
    similar: bool
    """Of the same family and service and above the floor; never "the same failure"."""
    standing_for: int
    """How many incidents had this signature, fix and result, this one included."""
    confirmers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recalled:
    """Precedents, and what was near but is none."""

    hits: tuple[Hit, ...]
    nearest: tuple[Hit, ...]
    considered: int
    notes: tuple[str, ...] = ()
    """Which further arm could not answer, or not from all, and why."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The terms of one recall."""

    bank: str
    limit: int
    weights: Weights
    now: datetime
    filters: Filters
    until: str = ""
    """The time after which nothing is known, as the store writes it; empty for none."""
    arms: Arms = Arms()  # noqa: RUF009 - it never changes
    """What further arms brought."""


def recall(
    view: Reads, index: Index, sought: Sought, asking: Asking, arms: Sequence[Arm] = ()
) -> Recalled:
    """Give at most `limit` precedents and as many near misses, the same for the same store.

    Where the very failure has a fix that worked, texts are read where they decide, and of what
    is shown: which of many equals that is, place and time tell (ADR 14).
    `arms` are only asked for questions: for a failure, words and identity tell more (ADR 42).
    """
    known, last = known_at(view, asking.bank, asking.until)
    joined = groups(known, asking.bank)
    sought = replace(sought, group=joined.of(sought.signature) if sought.signature else ())
    if arms and sought.question:
        narrow = _narrow(asking.filters, last)
        found = Arms.asked(arms, view, asking.bank, sought.text, TEXT_ARM, narrow)
        asking = replace(asking, arms=found)
    rows, answered = _rows(view, known, index, sought, asking, last)
    most = asking.limit if answered else max(COMPARED, asking.limit)
    compared = _thinned(sought, joined, rows, most)
    record = TrackRecord(known, asking.bank, compared, sought.id, joined)
    read = [row for row in compared if text_decides(sought, row)] if answered else compared
    texts = Texts(known, asking.bank, sought, read)
    scale = Scale(sought, asking.weights, asking.now)
    scored = _scored(texts, record, scale, asking, compared)
    hits = _chosen(joined, (one for one in scored if not one.why_not), asking.limit)
    far = (one for one in scored if one.why_not and (not sought.question or is_near(one)))
    nearest = _chosen(joined, far, asking.limit)
    told = Ahead(known, asking.bank, [one.row for one in (*hits, *nearest)])
    if answered:
        texts.hear(told.bodies())
        hits, nearest = (
            _scored(texts, record, scale, asking, [one.row for one in some])
            for some in (hits, nearest)
        )
    return Recalled(
        tuple(_hit(told, texts.read, record, one) for one in hits),
        tuple(_hit(told, texts.read, record, one) for one in nearest),
        len(rows),
        asking.arms.notes,
    )


def _rows(
    view: Reads, known: Evidence, index: Index, sought: Sought, asking: Asking, last: int
) -> tuple[list[CaseRow], bool]:
    """Give all that may be near, and whether an identity answers; words are only asked else.

    What has the very signature and a fix that worked stands above all that words can bring.
    """
    narrow = _narrow(asking.filters, last)
    apart = _apart(known, sought, asking.bank)
    found = {row.id: row for row in known.near(asking.bank, _ways(sought), narrow)}
    rows = [row for row in found.values() if _may_be(sought, asking, apart, row)]
    answered = any(_answers(sought, row) for row in rows)
    if not answered:
        words = _by_text(view, index, sought, asking.bank, narrow)
        ids = [id for id in asking.arms.beside(words) if id not in found]
        more = known.cases_of(asking.bank, ids)
        if sought.question:
            more |= _fixed(known, asking.bank, more, ids, narrow)
        rows += [row for row in more.values() if _may_be(sought, asking, apart, row)]
    return sorted(rows, key=attrgetter("id")), answered


def _apart(known: Evidence, sought: Sought, bank: str) -> set[str]:
    """Name what a person told apart from it, or from a signature that counts as its own."""
    apart = known.told_apart(bank, sought.id, "" if sought.generic else sought.signature)
    for other in set(sought.group) - {sought.signature}:
        found = known.cases_of(bank, known.told_apart(bank, "", other))
        apart |= {row.id for row in found.values() if row.signature not in sought.group}
    return apart


def _answers(sought: Sought, row: CaseRow) -> bool:
    worked = (row.status, row.result) == ("confirmed", "succeeded")
    return worked and same_failure(sought, row)


def _fixed(
    known: Evidence, bank: str, rows: Mapping[str, CaseRow], ids: Sequence[str], narrow: Narrow
) -> dict[str, CaseRow]:
    """Give what a person confirmed of the failures that a question found first."""
    found = (rows[id] for id in ids if id in rows)
    signatures = list(dict.fromkeys(row.signature for row in found if not row.generic))
    asked = [(Alike(CONFIRMED, signature=one), FIXED_ARM) for one in signatures[:FIXED]]
    return {row.id: row for row in known.near(bank, asked, narrow)}


def _scored(
    texts: Texts, record: TrackRecord, scale: Scale, asking: Asking, rows: list[CaseRow]
) -> list[Scored]:
    """Score the rows, the best first."""
    return ordered(scale.score(_candidate(texts, record, asking, row)) for row in rows)


def _candidate(texts: Texts, record: TrackRecord, asking: Asking, row: CaseRow) -> Candidate:
    confirmers, failures, deniers, returns = record.fared(row)
    likeness, kinds = texts.likeness(row), texts.kinds(row, asking.weights.many_ways)
    replaced = texts.replacement(row)
    one = row, likeness, confirmers, kinds, failures, deniers, returns, replaced
    if not texts.asked:
        return Candidate(*one)
    meant, places = asking.arms.closeness(row), asking.arms.places(row)
    return Candidate(*one, meant, texts.rareness(row), texts.covered(row), places)


def sought_of(row: CaseRow, incident: Body, ways: Collection[str], text: str = "") -> Sought:
    """Give what is sought for a stored incident; other words may stand for its block.

    In which way it failed is only read where its family is one of those with many `ways`.
    """
    return Sought(
        id=row.id,
        signature=row.signature,
        generic=bool(row.generic),
        family=row.family,
        unit=row.unit,
        service=row.service,
        environment=row.environment,
        branch=row.branch,
        deployment=row.deployment,
        text=text or incident["block"],
        kinds=kinds(row.title, *parts(incident)) if row.family in ways else frozenset(),
        happened_at=row.happened_at,
    )


def _by_text(view: Reads, index: Index, sought: Sought, bank: str, narrow: Narrow) -> list[str]:
    """Name what is near by its words; what a question masks is looked for as it stands, too."""
    asked = codes(sought.text) if sought.question else ()
    found = [id for code in asked for id in index.coded(view, bank, code, TEXT_ARM, narrow)]
    near = index.search(view, bank, sought.text, TEXT_ARM, narrow, broad=sought.question)
    return [*found, *near]


def _narrow(wanted: Filters, last: int) -> Narrow:
    return Narrow(
        service=wanted.service,
        environment=wanted.environment,
        branch=wanted.branch,
        family=wanted.family,
        since=stamp(wanted.since) if wanted.since else "",
        until=stamp(wanted.until) if wanted.until else "",
        last=last,
    )


def _ways(sought: Sought) -> list[tuple[Alike, int]]:
    """Give the ways in which a case can be near whatever its text, and how many of each."""
    ways: list[dict[str, str]] = []
    for signature in sought.group:
        ways.append({"signature": signature})
        if sought.service:
            ways.append({"signature": signature, "service": sought.service})
    if sought.unit:
        ways.append({"unit": sought.unit})
    if sought.family not in UNKNOWN and sought.service:
        ways.append({"family": sought.family, "service": sought.service})
    kinds_of = ((CONFIRMED, ARM), (UNRESOLVED, UNRESOLVED_ARM))
    return [(Alike(statuses, **way), most) for way in ways for statuses, most in kinds_of]


def _thinned(sought: Sought, joined: Groups, rows: Iterable[CaseRow], most: int) -> list[CaseRow]:
    """Leave a few of those that one hit can stand for: equal signature, verdict, fix and result.

    Which of them is nearest by place and time is seen without reading their texts.
    """

    service, environment, branch = sought.service, sought.environment, sought.branch

    def nearness(row: CaseRow) -> tuple[int, str, str]:
        beside = (row.environment == environment) + (row.branch == branch)
        return 4 * (row.service == service) + beside, row.happened_at, row.id

    equals: dict[tuple[str, ...], list[CaseRow]] = {}
    for row in rows:
        equals.setdefault(alike_key(joined, row), []).append(row)
    few = (
        some if some[0].generic or len(some) <= most else nlargest(most, some, nearness)
        for some in equals.values()
    )
    return [row for some in few for row in some]


def alike_key(joined: Groups, row: CaseRow) -> tuple[str, str, str, str]:
    """Give what cases have in common that one hit stands for."""
    return joined.name(row.signature), row.status, row.fix, row.result


def _may_be(sought: Sought, asking: Asking, apart: Collection[str], row: CaseRow) -> bool:
    return (
        row.status not in EXCLUDED
        and row.id not in apart
        and not _itself(sought, row)
        and _passes(asking.filters, row)
    )


def _itself(sought: Sought, row: CaseRow) -> bool:
    same_deployment = sought.deployment == row.deployment != "" and sought.service == row.service
    return row.id == sought.id or same_deployment


def _passes(filters: Filters, row: CaseRow) -> bool:
    if filters is ANYTHING:
        return True
    equal = all(
        not getattr(filters, name) or getattr(filters, name) == getattr(row, name)
        for name in ("service", "environment", "branch", "family", "status")
    )
    after = filters.since is None or row.happened_at >= stamp(filters.since)
    before = filters.until is None or row.happened_at <= stamp(filters.until)
    return equal and after and before


def _chosen(joined: Groups, scored: Iterable[Scored], limit: int) -> list[Scored]:
    """Give the best of each group of equals; only where places are left, more of a group."""
    ranked = list(scored)
    equals = [alike_key(joined, one.row) for one in ranked]
    firsts = {group: place for place, group in reversed(list(enumerate(equals)))}
    others = (place for place, group in enumerate(equals) if firsts[group] != place)
    chosen = [*sorted(firsts.values()), *others][:limit]
    return [ranked[place] for place in sorted(chosen)]


def _hit(known: Told, read: Mapping[int, Body], record: TrackRecord, one: Scored) -> Hit:
    return Hit(
        case=assemble(known, one.row, read),
        score=one.score,
        same_failure=one.same_failure,
        signals=one.signals,
        why_not=one.why_not,
        similar=one.similar,
        standing_for=record.count(one.row),
        confirmers=record.confirmers(one.row) if one.row.status == "confirmed" else (),
    )
