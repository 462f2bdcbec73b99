"""Decides predictions by later events alone, and scores those that are decided.

Must not read a clock, count an event from before the opening, or score what is not decided.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from caselore.intel.dossier import Dossier
from caselore.intel.lexicon import pattern
from caselore.memory.evidence import Condition, Prediction

YES, NO, VOID, OPEN = "yes", "no", "void", "open"
_GONE = pattern("prediction", "gone", re.IGNORECASE)


class Grade(NamedTuple):
    """How a prediction stands."""

    outcome: str
    event: str
    why: str


def resolve(one: Prediction, events: Iterable[Dossier], as_of: str) -> Grade:
    """Decide one prediction from the events after its opening, as known on a day."""
    inside = sorted(
        (
            each for each in events
            if one.opens <= each.date <= min(one.deadline, as_of) and each.status in {"observed", "confirmed"}
            and each.counts and each.event.event_type == one.event_type
        ),
        key=lambda each: (each.date, each.id),
    )  # fmt: skip
    answers = [(each, _all(one.where, each)) for each in inside]
    for each, answer in answers:
        if answer is True:
            return Grade(YES, each.id, f"{each.event.event_type} on {each.date} fulfils it")
    if as_of < one.deadline:
        return Grade(OPEN, "", f"open until {one.deadline}")
    for each, answer in answers:
        if answer is None:
            return Grade(
                VOID,
                each.id,
                "an event of the type came in time, but the value that decides is undisclosed",
            )
    return Grade(NO, "", f"no such event from {one.opens} to {one.deadline}")


def ended(events: Iterable[Dossier], opens: str, deadline: str) -> str:
    """Give the event by which the competitor ceased to exist in a window; empty where none."""
    for each in sorted(events, key=lambda one: one.date):
        inside = opens <= each.date <= deadline and each.status in {"observed", "confirmed"}
        if inside and each.counts and _GONE.search(f"{each.event.title}\n{each.best.quote}"):
            return each.id
    return ""


def _all(conditions: Sequence[Condition], each: Dossier) -> bool | None:
    """Say whether an event fulfils every condition; None where a value that decides is unknown."""
    answers = [_fulfils(one, each) for one in conditions]
    if False in answers:
        return False
    return None if None in answers else True


def _fulfils(one: Condition, each: Dossier) -> bool | None:
    if one.field == "title":
        text = f"{each.event.title} {each.best.title} {each.best.quote}".casefold()
        return str(one.value).casefold() in text
    value = {
        "amount": each.amount,
        "change_percent": each.change_percent,
        "count": each.event.count,
    }[one.field]
    if value is None:
        return None
    return value >= float(one.value) if one.op == ">=" else value <= float(one.value)


def brier(probability: float, outcome: str) -> float:
    """Give (p - o)^2. Source: Brier 1950."""
    return round((probability - (outcome == YES)) ** 2, 6)


def log_score(probability: float, outcome: str) -> float:
    """Give -ln of the probability that was given to what happened; at most that of 0.1 %."""
    given = probability if outcome == YES else 1 - probability
    return round(-math.log(max(0.001, given)), 6)


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions of about one probability: what was said and what happened."""

    low: float
    high: float
    n: int
    said: float
    happened: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """How good the decided predictions were; no score where there is none."""

    n: int
    void: int
    open: int
    brier: float | None
    log_score: float | None
    base_rate: float | None
    reliability: float | None
    resolution: float | None
    uncertainty: float | None
    skill: float | None
    bins: tuple[Bin, ...]

    def to_json(self) -> dict[str, Any]:
        """Give the figures and the bins."""
        return {
            "n": self.n, "void": self.void, "open": self.open, "brier": self.brier,
            "log_score": self.log_score, "base_rate": self.base_rate,
            "murphy": {"reliability": self.reliability, "resolution": self.resolution, "uncertainty": self.uncertainty},
            "reliability": self.reliability, "resolution": self.resolution,
            "uncertainty": self.uncertainty, "skill": self.skill,
            "bins": [
                {"low": one.low, "high": one.high, "n": one.n, "said": one.said, "happened": one.happened}
                for one in self.bins
            ],
            "enough": self.n >= 30,
        }  # fmt: skip


def calibrate(graded: Sequence[tuple[float, str]]) -> Calibration:
    """Score decided predictions, each a probability with its outcome. Source: Murphy 1973.

    Brier = reliability - resolution + uncertainty holds exactly where each probability is a bin
    of its own; the bins here are of equal probabilities, and only shown in tenths.
    """
    decided = [(p, outcome) for p, outcome in graded if outcome in {YES, NO}]
    void, still = (sum(outcome == kind for _, outcome in graded) for kind in (VOID, OPEN))
    n = len(decided)
    if not n:
        return Calibration(0, void, still, None, None, None, None, None, None, None, ())
    rate = sum(outcome == YES for _, outcome in decided) / n
    score = sum(brier(p, outcome) for p, outcome in decided) / n
    groups: dict[float, list[str]] = {}
    for p, outcome in decided:
        groups.setdefault(p, []).append(outcome)
    shares = {p: sum(o == YES for o in some) / len(some) for p, some in groups.items()}
    reliability = sum(len(some) * (p - shares[p]) ** 2 for p, some in groups.items()) / n
    resolution = sum(len(some) * (shares[p] - rate) ** 2 for p, some in groups.items()) / n
    uncertainty = rate * (1 - rate)
    return Calibration(
        n, void, still, round(score, 6),
        round(sum(log_score(p, outcome) for p, outcome in decided) / n, 6), round(rate, 6),
        round(reliability, 6), round(resolution, 6), round(uncertainty, 6),
        round(1 - score / uncertainty, 6) if uncertainty else None, tuple(_bins(decided)),
    )  # fmt: skip


def _bins(decided: Sequence[tuple[float, str]]) -> Iterable[Bin]:
    for tenth in range(10):
        low, high = tenth / 10, (tenth + 1) / 10
        some = [(p, o) for p, o in decided if low <= p < high or (tenth == 9 and p == 1.0)]
        if some:
            said = sum(p for p, _ in some) / len(some)
            happened = sum(o == YES for _, o in some) / len(some)
            yield Bin(low, high, len(some), round(said, 4), round(happened, 4))


def chance(base_rate: float, seen: int, prior: float, *, enough: int = 30) -> float:
    """Give a probability shrunk from a prior to the observed rate as observations come in."""
    weight = min(1.0, seen / enough)
    return round(min(0.95, max(0.05, weight * base_rate + (1 - weight) * prior)), 2)


def reliability_svg(found: Calibration, *, size: int = 240) -> str:
    """Draw said against happened, a dot a bin, its area by the number of predictions."""
    pad, span = 30, size - 40
    dots = "".join(
        f'<circle cx="{pad + one.said * span:.1f}" cy="{size - pad - one.happened * span:.1f}"'
        f' r="{3 + 2 * math.sqrt(one.n):.1f}"><title>said {one.said:.0%}, happened {one.happened:.0%}, n={one.n}</title></circle>'
        for one in found.bins
    )
    words = f"n = {found.n}" if found.n else "no decided prediction yet"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" role="img" aria-label="calibration: {words}">'
        f'<rect x="{pad}" y="{size - pad - span}" width="{span}" height="{span}" fill="none" stroke="currentColor" opacity=".4"/>'
        f'<line x1="{pad}" y1="{size - pad}" x2="{pad + span}" y2="{size - pad - span}" stroke="currentColor" stroke-dasharray="4 4" opacity=".6"/>'
        f'<g fill="currentColor" opacity=".75">{dots}</g>'
        f'<text x="{pad}" y="{size - 10}" font-size="11" fill="currentColor">said → · happened ↑ · {words}</text></svg>'
    )
