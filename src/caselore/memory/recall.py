"""Finds what is known of a failure: candidates of several arms, scored, collapsed, explained.

Must not write, and must not rank by anything but `ranking`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from heapq import nlargest

from caselore.memory.cases import assemble
from caselore.memory.encoding import Body, stamp
from caselore.memory.kinds import kinds
from caselore.memory.past import known_at
from caselore.memory.ports import Alike, Evidence, Index, Narrow, Reads
from caselore.memory.ranking import Candidate, Scored, Signal, Sought, place, score
from caselore.memory.records import Case, Filters
from caselore.memory.rows import CaseRow
from caselore.memory.terms import alike, codes, covered, grams, grams_of, masked
from caselore.memory.track_record import TrackRecord
from caselore.memory.weights import Weights

ARM = 25  # newest cases of one status that one exact arm brings
UNRESOLVED_ARM = 8  # the same of those that can only be "seen before"
CONFIRMED = ("confirmed",)
UNRESOLVED = ("observed", "proposed", "refuted", "superseded")
TEXT_ARM = 50
COMPARED = 6  # cases of one signature, verdict, fix and result whose texts are compared
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


def recall(view: Reads, index: Index, sought: Sought, asking: Asking) -> Recalled:
    """Give at most `limit` precedents and as many near misses, the same for the same store."""
    known, last = known_at(view, asking.bank, asking.until)
    narrow = _narrow(asking.filters, last)
    by_text = _by_text(view, index, sought, asking.bank, narrow)
    rows = _eligible(known, sought, asking, _candidates(known, sought, asking, narrow, by_text))
    compared = _thinned(sought, rows, max(COMPARED, asking.limit))
    record = TrackRecord(known, asking.bank, compared, sought.id)
    texts = _Texts(known, asking.bank, sought, compared)
    ways = asking.weights.many_ways
    scored = [
        score(
            sought,
            Candidate(
                row,
                texts.likeness(row),
                record.confirmers(row),
                texts.kinds(row, ways),
                *record.failures(row),
                record.returns(row),
                texts.replacement(row),
            ),
            asking.weights,
            asking.now,
        )
        for row in compared
    ]
    scored.sort(key=place)
    give = partial(_hits, known, record, asking.limit)
    hits = give(one for one in scored if not one.why_not)
    nearest = give(one for one in scored if one.why_not and (not sought.question or one.likeness))
    return Recalled(hits, nearest, len(rows))


def sought_of(row: CaseRow, incident: Body, text: str = "") -> Sought:
    """Give what is sought for a stored incident; other words may stand for its block."""
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
        kinds=kinds(row.title, *_parts(incident)),
        happened_at=row.happened_at,
    )


def _by_text(view: Reads, index: Index, sought: Sought, bank: str, narrow: Narrow) -> list[str]:
    """Name what is near by its words; what a question masks is looked for as it stands, too."""
    asked = codes(sought.text) if sought.question else ()
    found = [id for code in asked for id in index.coded(view, bank, code, TEXT_ARM, narrow)]
    return [*found, *index.search(view, bank, sought.text, TEXT_ARM, narrow)]


def _candidates(
    known: Evidence, sought: Sought, asking: Asking, narrow: Narrow, by_text: Iterable[str]
) -> list[CaseRow]:
    found: dict[str, CaseRow] = {}
    for way in _ways(sought):
        for statuses, most in ((CONFIRMED, ARM), (UNRESOLVED, UNRESOLVED_ARM)):
            near = Alike(statuses=statuses, **way)
            found.update((row.id, row) for row in known.near(asking.bank, near, most, narrow))
    found.update(known.cases_of(asking.bank, [id for id in by_text if id not in found]))
    return [found[id] for id in sorted(found)]


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


def _ways(sought: Sought) -> list[dict[str, str]]:
    """Give the ways in which a case can be near without a look at its text."""
    ways: list[dict[str, str]] = []
    if sought.signature:
        ways.append({"signature": sought.signature})
        if sought.service:
            ways.append({"signature": sought.signature, "service": sought.service})
    if sought.unit:
        ways.append({"unit": sought.unit})
    if sought.family and sought.service:
        ways.append({"family": sought.family, "service": sought.service})
    return ways


def _thinned(sought: Sought, rows: Iterable[CaseRow], most: int) -> list[CaseRow]:
    """Leave a few of those that one hit can stand for: equal signature, verdict, fix and result.

    Which of them is nearest by place and time is seen without reading their texts.
    """

    def nearness(row: CaseRow) -> tuple[int, str, str]:
        equal = [getattr(row, name) == getattr(sought, name) for name in _PLACE]
        return 4 * equal[0] + equal[1] + equal[2], row.happened_at, row.id

    groups: dict[tuple[str, ...], list[CaseRow]] = {}
    for row in rows:
        groups.setdefault(alike_key(row), []).append(row)
    few = (
        some if some[0].generic or len(some) <= most else nlargest(most, some, nearness)
        for some in groups.values()
    )
    return [row for some in few for row in some]


_PLACE = ("service", "environment", "branch")


def alike_key(row: CaseRow) -> tuple[str, str, str, str]:
    """Give what cases have in common that one hit stands for."""
    return row.signature, row.status, row.fix, row.result


def _eligible(
    known: Evidence, sought: Sought, asking: Asking, rows: Iterable[CaseRow]
) -> list[CaseRow]:
    specific = "" if sought.generic else sought.signature
    apart = known.told_apart(asking.bank, sought.id, specific)
    return [
        row
        for row in rows
        if row.status not in EXCLUDED
        and row.id not in apart
        and not _itself(sought, row)
        and _passes(asking.filters, row)
    ]


def _itself(sought: Sought, row: CaseRow) -> bool:
    same_deployment = sought.deployment == row.deployment != "" and sought.service == row.service
    return row.id == sought.id or same_deployment


def _passes(filters: Filters, row: CaseRow) -> bool:
    equal = all(
        not getattr(filters, name) or getattr(filters, name) == getattr(row, name)
        for name in ("service", "environment", "branch", "family", "status")
    )
    after = filters.since is None or row.happened_at >= stamp(filters.since)
    before = filters.until is None or row.happened_at <= stamp(filters.until)
    return equal and after and before


def _parts(incident: Body) -> tuple[str, str]:
    """Give what an incident keeps of its log: the block, and all that is shown of it."""
    shown = "\n".join(part["text"] for part in incident["excerpt"])
    return str(incident["block"]), shown


class _Texts:
    """Compares the sought text with records re-read from the store."""

    def __init__(
        self, known: Evidence, bank: str, sought: Sought, rows: Iterable[CaseRow]
    ) -> None:
        self._sought = sought
        self._grams = grams(sought.text) if sought.text else frozenset[str]()
        self._codes = codes(sought.text) if sought.question else ()
        self._known: dict[str, float] = {}
        self._told: dict[str, frozenset[str]] = {}
        self._masked: dict[str, str] = {}
        seqs = {seq for row in rows for seq in self._wanted(row)}
        self._bodies = known.bodies(bank, sorted(seqs))

    def _wanted(self, row: CaseRow) -> tuple[int, ...]:
        said = self._sought.question and row.outcome_seq
        replaced = row.status == "superseded"
        also = (row.outcome_seq,) * bool(said) + (row.verdict_seq,) * replaced
        return (row.seq, *also)

    def replacement(self, row: CaseRow) -> str:
        """Name the record that replaces a superseded one."""
        if row.status != "superseded":
            return ""
        return str(json.loads(self._bodies[row.verdict_seq])["by"])

    def likeness(self, row: CaseRow) -> float:
        if not self._grams:
            return 0.0
        if self._codes:
            return self._with_codes(row)
        text = self._plain(row)
        if text not in self._known:
            self._known[text] = self._measure(text)
        return self._known[text]

    def _with_codes(self, row: CaseRow) -> float:
        """Let what is masked in a question count as it stands: TS2322 is no TS2304."""
        text = self._text(row)
        stand = sum(code in text for code in self._codes) / len(self._codes)
        return round((self._measure(self._plain(row)) + stand) / 2, 3)

    def kinds(self, row: CaseRow, asked: Collection[str]) -> frozenset[str]:
        """Give the ways in which a case of one of the families asked for failed.

        Its block is read only if its line tells none.
        """
        if row.family not in asked or row.family != self._sought.family:
            return frozenset()
        told = kinds(row.title)
        if told:
            return told
        text = self._plain(row)
        if text not in self._told:
            self._told[text] = kinds(*_parts(json.loads(self._bodies[row.seq])["incident"]))
        return self._told[text]

    def _plain(self, row: CaseRow) -> str:
        """Give a case's text without values: what failed the same way again is read once."""
        if row.id not in self._masked:
            self._masked[row.id] = masked(self._text(row))
        return self._masked[row.id]

    def _block(self, row: CaseRow) -> str:
        return str(json.loads(self._bodies[row.seq])["incident"]["block"])

    def _text(self, row: CaseRow) -> str:
        block = self._block(row)
        if not self._sought.question:
            return block
        outcome = json.loads(self._bodies.get(row.outcome_seq, "{}"))
        said = (outcome.get("cause", ""), outcome.get("resolution", ""))
        return "\n".join((row.service, row.unit, row.title, *said, block))

    def _measure(self, text: str) -> float:
        compare = covered if self._sought.question else alike
        return round(compare(self._grams, grams_of(text)), 3)


def _hits(
    known: Evidence, record: TrackRecord, limit: int, scored: Iterable[Scored]
) -> tuple[Hit, ...]:
    """Give the best of each group of equals; only where places are left, more of a group."""
    ranked = list(scored)
    groups = [alike_key(one.row) for one in ranked]
    firsts = {group: place for place, group in reversed(list(enumerate(groups)))}
    others = (place for place, group in enumerate(groups) if firsts[group] != place)
    chosen = [*sorted(firsts.values()), *others][:limit]
    return tuple(_hit(known, record, ranked[place]) for place in sorted(chosen))


def _hit(known: Evidence, record: TrackRecord, one: Scored) -> Hit:
    return Hit(
        case=assemble(known, one.row),
        score=one.score,
        same_failure=one.same_failure,
        signals=one.signals,
        why_not=one.why_not,
        similar=one.similar,
        standing_for=record.count(one.row),
        confirmers=record.confirmers(one.row) if one.row.status == "confirmed" else (),
    )
