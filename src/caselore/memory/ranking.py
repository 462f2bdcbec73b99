"""How near a stored case is to a failure, as a sum in which every point has a name and a reason.

Must not read storage, clock or randomness; weights, limit and `now` are arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from caselore.memory.branches import branch_kind
from caselore.memory.encoding import unstamp
from caselore.memory.measured import Candidate, Sought
from caselore.memory.ports import RETURNS
from caselore.memory.rows import CaseRow
from caselore.memory.weights import Weights


class Signal(NamedTuple):
    """One named, explained number."""

    name: str
    points: float
    reason: str


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


class Scale:
    """What one failure or question is measured by; what many cases share is told once."""

    def __init__(self, sought: Sought, weights: Weights, now: datetime) -> None:
        """Write the signals that follow from what is sought alone."""
        self.sought, self.weights, self.now = sought, weights, now
        self._signature = Signal("same signature", weights.same_signature, sought.signature)
        self._unit = Signal("same failing unit", weights.same_unit, sought.unit)
        self._family = Signal("same family", weights.same_family, sought.family)
        self._service = Signal("same service", weights.same_service, sought.service)
        self._where = Signal("same environment", weights.same_environment, sought.environment)
        self._kind = branch_kind(sought.branch)
        self._branch = Signal("same kind of branch", weights.same_branch_kind, self._kind)

    def score(self, one: Candidate) -> Scored:
        """Sum a candidate's signals and say whether, and why not, it is a precedent."""
        row, sought, weights = one.row, self.sought, self.weights
        same = same_failure(sought, row)
        near = self._nearness(row, same)
        if sought.question or one.likeness:
            near += (_of_question if sought.question else _of_failure)(one, weights)
        likeness = _total(near)
        similar = _similar(sought, one, likeness, weights)
        near += _outcome(one, weights)
        if row.status == "confirmed":
            near += _people(one, weights) + _later(one, weights)
        if same:
            near += _regression(sought, row, weights)
        if not sought.question:
            near += _recency(row, weights, self.now)
        total = round(_total(near), 2)
        why_not = _why_not(sought, one, same, similar, likeness, weights)
        return Scored(row, total, same, similar, tuple(near), why_not, one.likeness, one.closeness)

    def _nearness(self, row: CaseRow, same: bool) -> list[Signal]:
        sought, found = self.sought, list[Signal]()
        if same and row.signature == sought.signature:
            found.append(self._signature)
        elif same:
            joined = f"{row.signature}, joined by a person"
            found.append(self._signature._replace(reason=joined))
        if sought.unit == row.unit != "":
            found.append(self._unit)
        if same_family(sought, row):
            found.append(self._family)
        elif other_family(sought, row):
            found.append(Signal("other family", self.weights.other_family, row.family))
        if sought.service == row.service != "":
            found.append(self._service)
        if sought.environment == row.environment != "":
            found.append(self._where)
        if self._kind == branch_kind(row.branch) != "":
            found.append(self._branch)
        return found


def is_near(one: Scored) -> bool:
    """Say whether anything of a question stands in a case, or comes near it in meaning."""
    return bool(one.likeness) or (one.closeness or 0.0) >= NEARLY


def ordered(scored: Iterable[Scored]) -> list[Scored]:
    """Put an exact hit first, then by points, then the newer, then by id."""
    found = sorted(scored, key=lambda one: one.row.id)
    found.sort(key=lambda one: one.row.happened_at, reverse=True)  # stamps sort as times do
    found.sort(key=lambda one: (not one.same_failure, -one.score))
    return found


def same_failure(sought: Sought, row: CaseRow) -> bool:
    """Say whether both have one signature that tells failures apart."""
    if sought.generic or row.generic or not sought.signature:
        return False
    return row.signature == sought.signature or row.signature in sought.group


def same_family(sought: Sought, row: CaseRow) -> bool:
    """Say whether both failures are of one known class."""
    return sought.family == row.family and row.family not in UNKNOWN


def other_family(sought: Sought, row: CaseRow) -> bool:
    """Say whether both classes are known and differ."""
    known = sought.family not in UNKNOWN and row.family not in UNKNOWN
    return known and sought.family != row.family


def _total(signals: list[Signal]) -> float:
    return sum([points for _, points, _ in signals])


def _of_question(one: Candidate, weights: Weights) -> list[Signal]:
    words = _asked(one, weights)
    meant = one.places or one.closeness is not None
    return words + (_meaning(one, words, weights) if meant else [])


def _of_failure(one: Candidate, weights: Weights) -> list[Signal]:
    steps = int(one.likeness * weights.text / weights.text_step)
    points = min(weights.text, steps * weights.text_step)
    if not points:
        return []
    return [Signal("text similarity", points, f"{one.likeness:.0%} alike, in steps")]


def _asked(one: Candidate, weights: Weights) -> list[Signal]:
    """Give what words tell of a question; in fine steps, so time only orders what is equal."""
    points = round(one.rareness * weights.text, 2)
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
    if more < 1 or one.row.result != "succeeded":
        return []
    points = min(weights.confirmers, more * weights.per_confirmer)
    return [Signal("independent confirmations", points, ", ".join(one.confirmers))]


def _later(one: Candidate, weights: Weights) -> list[Signal]:
    """Take weight from a fix that others saw fail, or after which the failure came back."""
    found = []
    if one.failures:
        points = max(weights.contradicted_most, one.failures * weights.contradicted)
        said = f"the same fix did not work in {_times(one.failures, 'case')}: "
        found.append(Signal("contradicted", points, said + ", ".join(one.deniers)))
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
        return meant or _stands_in(sought, one, weights)
    near = sought.service == one.row.service != "" and same_family(sought, one.row)
    return near and likeness >= _floor(one.row, weights) and _same_way(sought, one, weights)


def _stands_in(sought: Sought, one: Candidate, weights: Weights) -> bool:
    """Say whether enough of it stands in a case; of pasted lines, what does not stand in most."""
    told = one.covered >= weights.question and one.rareness >= weights.question_rare
    return told or (one.likeness >= weights.question and not sought.pasted)


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
        much = one.likeness >= weights.question
        return f"{'only what most hold' if much else 'too little'} of the question stands in it"
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
