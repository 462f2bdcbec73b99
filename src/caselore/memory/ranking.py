"""How near a stored case is to a failure, as a sum in which every point has a name and a reason.

Must not read storage, clock or randomness; weights, limit and `now` are arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from caselore.memory.branches import branch_kind
from caselore.memory.encoding import unstamp
from caselore.memory.ports import RETURNS
from caselore.memory.rows import CaseRow
from caselore.memory.weights import Weights


class Signal(NamedTuple):
    """One named, explained number."""

    name: str
    points: float
    reason: str


@dataclass(frozen=True, slots=True)
class Sought:
    """What precedents are sought for: a failure, or a question in somebody's words."""

    id: str = ""
    signature: str = ""
    group: tuple[str, ...] = ()
    """The signatures that count as one with it, as people said; itself included."""
    generic: bool = True
    family: str = ""
    unit: str = ""
    service: str = ""
    environment: str = ""
    branch: str = ""
    deployment: str = ""
    text: str = ""
    kinds: frozenset[str] = frozenset()
    question: bool = False
    happened_at: str = ""


class Candidate(NamedTuple):
    """A stored case with what was measured of it against the sought one."""

    row: CaseRow
    likeness: float
    confirmers: tuple[str, ...]
    kinds: frozenset[str] = frozenset()
    failures: int = 0
    """Cases in which the same fix did not work on the same failure, and who says so."""
    deniers: tuple[str, ...] = ()
    returns: int = 0
    """How often the failure came back to its service after this fix."""
    replaced_by: str = ""
    closeness: float | None = None
    """Deviations above what is unrelated to the question, by its meaning; none if unmeasured."""
    rareness: float = 0.0
    """How much of a question stands in it, what few failures say counting more."""
    places: tuple[str, ...] = ()
    """Which further arms brought it, and where they put it."""


class Scored(NamedTuple):
    """A candidate with its signals."""

    row: CaseRow
    score: float
    same_failure: bool
    similar: bool
    signals: tuple[Signal, ...]
    why_not: str
    likeness: float
    closeness: float | None = None


NEARLY = 2.0  # deviations from which on two texts are close at all
UNKNOWN = frozenset({"", "unknown"})


def score(sought: Sought, one: Candidate, weights: Weights, now: datetime) -> Scored:
    """Sum a candidate's signals and say whether, and why not, it is a precedent."""
    row = one.row
    same = same_failure(sought, row)
    near = _nearness(sought, row, weights, same)
    words = _asked(one, weights) if sought.question else _text(one.likeness, weights)
    near += words
    near += _meaning(one, words, weights) if one.places or one.closeness is not None else []
    likeness = sum([signal.points for signal in near])
    similar = _similar(sought, one, likeness, weights)
    near += _outcome(one, weights)
    near += _people(one, weights) + _later(one, weights) if row.status == "confirmed" else []
    near += _regression(sought, row, weights) if same else []
    near += [] if sought.question else _recency(row, weights, now)
    signals = tuple(near)
    total = round(sum([signal.points for signal in signals]), 2)
    why_not = _why_not(sought, one, same, similar, likeness, weights)
    return Scored(row, total, same, similar, signals, why_not, one.likeness, one.closeness)


def is_near(one: Scored) -> bool:
    """Say whether anything of a question stands in a case, or comes near it in meaning."""
    return bool(one.likeness) or (one.closeness or 0.0) >= NEARLY


def place(one: Scored) -> tuple[bool, float, float, str]:
    """Give the sort key: an exact hit first, then points, then the newer, then the id."""
    age = -unstamp(one.row.happened_at).timestamp()
    return (not one.same_failure, -one.score, age, one.row.id)


def same_failure(sought: Sought, row: CaseRow) -> bool:
    """Say whether both have one signature that tells failures apart."""
    if sought.generic or row.generic or not sought.signature:
        return False
    return row.signature == sought.signature or row.signature in sought.group


def _nearness(sought: Sought, row: CaseRow, weights: Weights, same: bool) -> list[Signal]:
    kind = branch_kind(row.branch)
    said = row.signature + ("" if sought.signature == row.signature else ", joined by a person")
    found = [Signal("same signature", weights.same_signature, said)] if same else []
    if sought.unit == row.unit != "":
        found.append(Signal("same failing unit", weights.same_unit, row.unit))
    if same_family(sought, row):
        found.append(Signal("same family", weights.same_family, row.family))
    elif other_family(sought, row):
        found.append(Signal("other family", weights.other_family, row.family))
    if sought.service == row.service != "":
        found.append(Signal("same service", weights.same_service, row.service))
    if sought.environment == row.environment != "":
        found.append(Signal("same environment", weights.same_environment, row.environment))
    if branch_kind(sought.branch) == kind != "":
        found.append(Signal("same kind of branch", weights.same_branch_kind, kind))
    return found


def same_family(sought: Sought, row: CaseRow) -> bool:
    """Say whether both failures are of one known class."""
    return sought.family == row.family and row.family not in UNKNOWN


def other_family(sought: Sought, row: CaseRow) -> bool:
    """Say whether both classes are known and differ."""
    known = sought.family not in UNKNOWN and row.family not in UNKNOWN
    return known and sought.family != row.family


def _text(likeness: float, weights: Weights) -> list[Signal]:
    steps = int(likeness * weights.text / weights.text_step)
    points = min(weights.text, steps * weights.text_step)
    if not points:
        return []
    return [Signal("text similarity", points, f"{likeness:.0%} alike, in steps")]


def _asked(one: Candidate, weights: Weights) -> list[Signal]:
    """Give what words tell of a question; in fine steps, so time only orders what is equal."""
    points = round(one.rareness * weights.text, 1)
    said = f"{one.likeness:.0%} of the question stands in it; what few failures say counts more"
    return [Signal("text similarity", points, said)] if points else []


def _meaning(one: Candidate, words: list[Signal], weights: Weights) -> list[Signal]:
    """Give what meaning adds to words: never so much that it outranks all of the words."""
    found = [Signal("brought", 0.0, said) for said in one.places]
    if one.closeness is None or one.closeness < NEARLY:
        return found
    most = min(weights.meaning, weights.text - weights.text_step)
    steps = int(one.closeness / weights.meaning_full * weights.meaning / weights.text_step)
    points = max(0.0, min(most, steps * weights.text_step) - sum(one.points for one in words))
    said = f"{one.closeness:g} deviations above unrelated texts"
    return [Signal("close in meaning", points, said), *found]


def _outcome(one: Candidate, weights: Weights) -> list[Signal]:
    row = one.row
    if row.status == "superseded":
        return [Signal("superseded", weights.superseded, f"by {one.replaced_by}")]
    if row.status == "refuted":
        return [Signal("did not work", weights.failed, "refuted by a person")]
    if row.status != "confirmed":
        return []
    if row.result == "succeeded":
        return [Signal("resolution succeeded", weights.succeeded, f"said {row.confirmed_by}")]
    return [Signal("did not work", weights.failed, f"said {row.confirmed_by}")]


def _people(one: Candidate, weights: Weights) -> list[Signal]:
    more = len(one.confirmers) - 1
    if more < 1 or (one.row.status, one.row.result) != ("confirmed", "succeeded"):
        return []
    points = min(weights.confirmers, more * weights.per_confirmer)
    return [Signal("independent confirmations", points, ", ".join(one.confirmers))]


def _later(one: Candidate, weights: Weights) -> list[Signal]:
    """Take weight from a fix that others saw fail, or after which the failure came back."""
    found = []
    if one.failures:
        points = max(weights.contradicted_most, one.failures * weights.contradicted)
        said = f"the same fix did not work in {_times(one.failures, 'case')}: " + ", ".join(
            one.deniers
        )
        found.append(Signal("contradicted", points, said))
    if one.returns:
        points = max(weights.recurring_most, one.returns * weights.recurring)
        more = " or more" if one.returns >= RETURNS else ""
        said = f"came back to {one.row.service} {_times(one.returns, 'time')}{more} after it"
        found.append(Signal("recurring", points, said))
    return found


def _times(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


REGRESSION = "regression"


def _regression(sought: Sought, row: CaseRow, weights: Weights) -> list[Signal]:
    """Say that a failure returned to a service after a fix that a person confirmed."""
    fixed = (row.status, row.result) == ("confirmed", "succeeded")
    after = row.confirmed_at < sought.happened_at
    if not (fixed and after and sought.service == row.service != ""):
        return []
    days = (unstamp(sought.happened_at) - unstamp(row.confirmed_at)).days
    when = {0: "within a day of", 1: "1 day after"}.get(days, f"{days} days after")
    return [Signal(REGRESSION, weights.regression, f"came back {when} its confirmed fix")]


def _recency(row: CaseRow, weights: Weights, now: datetime) -> list[Signal]:
    days = max(0.0, (now - unstamp(row.happened_at)).total_seconds() / 86_400)
    points = round(weights.recency * 0.5 ** (days / weights.recency_days), 2)
    return [Signal("recency", points, f"{days:.0f} days ago")] if points else []


def text_decides(sought: Sought, row: CaseRow) -> bool:
    """Say whether it hangs on its text if a case is a precedent, and not only where it stands."""
    near = sought.service == row.service != "" and same_family(sought, row)
    return sought.question or (near and not same_failure(sought, row))


def _similar(sought: Sought, one: Candidate, likeness: float, weights: Weights) -> bool:
    if sought.question:
        meant = (one.closeness or 0.0) >= weights.meaning_floor
        return one.likeness >= weights.question or meant
    near = sought.service == one.row.service != "" and same_family(sought, one.row)
    return near and likeness >= _floor(one.row, weights) and _same_way(sought, one, weights)


def _same_way(sought: Sought, one: Candidate, weights: Weights) -> bool:
    """Say whether both failed in one way; where that is not told, alike words must tell it."""
    if one.row.family not in weights.many_ways:
        return True
    if not sought.kinds or not one.kinds:
        return one.likeness >= weights.hardly_alike
    return bool(sought.kinds & one.kinds)


def _floor(row: CaseRow, weights: Weights) -> float:
    broad = row.family in weights.broad_families
    return weights.broad_floor if broad else weights.floor


def _why_not(
    sought: Sought, one: Candidate, same: bool, similar: bool, likeness: float, weights: Weights
) -> str:
    row = one.row
    if same or similar:
        if row.status == "superseded":
            return f"superseded by {one.replaced_by}: a person replaced its outcome"
        return _UNRESOLVED.get(row.status, "")
    if sought.question and (one.closeness or 0.0) >= NEARLY:
        return (
            f"close in meaning, but below the floor: {one.closeness:g} of "
            f"{weights.meaning_floor:g} deviations"
        )
    if sought.question:
        return "too little of the question stands in it"
    floor = _floor(row, weights)
    return _difference(sought, row) or (
        f"below the floor: {likeness:g} of {floor:g} points for likeness"
        if likeness < floor
        else _other_way(sought, one)
    )


_UNRESOLVED = {
    "refuted": "refuted: a person said that its diagnosis was wrong",
    "proposed": "seen before, not resolved yet",
    "observed": "seen before, not resolved yet",
}


def _difference(sought: Sought, row: CaseRow) -> str:
    if other_family(sought, row):
        return f"other family: {row.family}"
    if sought.signature == row.signature:
        return "generic signature: it does not tell one failure from another"
    if sought.service != row.service:
        return f"other failure, other service: {row.service or 'unknown'}"
    if not same_family(sought, row):
        return "the family of one of them is unknown"
    if not row.service:
        return "neither names its service, so only the same signature would do"
    return ""


def _other_way(sought: Sought, one: Candidate) -> str:
    if not sought.kinds or not one.kinds:
        return "too few words alike to call it similar"
    return f"failed in another way: {', '.join(sorted(one.kinds))}"
