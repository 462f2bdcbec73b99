"""Grades what is due from the memory's events, and lists predictions with how they stand.

Must not grade by events that were known or happened before a prediction opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from caselore.errors import BadInput
from caselore.intel import prediction as predicting
from caselore.intel.days import parse_iso
from caselore.intel.dossier import Dossier, put_together
from caselore.intel.entities import Entity
from caselore.memory.api import Memory
from caselore.memory.encoding import canonical, digest, stamp
from caselore.memory.evidence import Condition, Prediction, to_body
from caselore.memory.exhibit_ports import Sought
from caselore.memory.exhibits import Exhibit
from caselore.memory.records import Actor, Kind, prose, short


def predictions(memory: Memory, key: str = "") -> list[Exhibit]:
    """Give the predictions about a competitor, or all, the oldest first."""
    found = list(memory.exhibits(Sought(Kind.PREDICTION.value, key)))
    return sorted(found, key=lambda one: (one.happened_at, one.recorded_at, one.id))


def grade_due(
    memory: Memory, competitors: Sequence[Entity] | None, as_of: datetime, actor: Actor
) -> tuple[dict[str, Any], ...]:
    """Grade every prediction that is due on a day; one that is decided stays so."""
    graded = []
    for one in predictions(memory):
        body = one.body
        if not isinstance(body, Prediction):
            continue
        if competitors is not None and body.subject not in {each.key for each in competitors}:
            continue
        standing = standing_grade(one)
        if standing["outcome"] != predicting.OPEN:
            continue
        grade = decide(memory, body, as_of)
        if grade.outcome != predicting.OPEN:
            memory.grade(one.id, {**grade._asdict(), "as_of": as_of.date().isoformat()}, actor)
            graded.append(to_json(memory.exhibit(one.id)))
    return tuple(graded)


def decide(memory: Memory, body: Prediction, as_of: datetime) -> predicting.Grade:
    """Decide one prediction from what was known by a moment."""
    events = list(events_between(memory, body, as_of))
    day = as_of.date().isoformat()
    grade = predicting.resolve(body, events, day)
    if grade.outcome in {predicting.NO, predicting.VOID, predicting.OPEN}:
        gone = predicting.ended(events, body.opens, min(body.deadline, day))
        if gone and grade.outcome != predicting.OPEN:
            return predicting.Grade(predicting.VOID, gone, "the competitor ceased to exist")
    return grade


def events_between(memory: Memory, body: Prediction, as_of: datetime) -> Iterable[Dossier]:
    """Give the events of a prediction's window as they were known at a moment."""
    sought = Sought(
        Kind.COMPETITOR_EVENT.value, body.subject, since=body.opens[:10], known=stamp(as_of)
    )
    for one in memory.exhibits(sought):
        yield put_together(one, stamp(as_of))


def standing_grade(one: Exhibit) -> dict[str, Any]:
    """Give the last grade of a prediction; open where there is none."""
    grades = [said.body["grade"] for said in one.said if said.kind == "grade"]
    return grades[-1] if grades else {"outcome": predicting.OPEN, "event": "", "why": ""}


def to_json(one: Exhibit) -> dict[str, Any]:
    """Give the shape of CONTRACT."""
    body = one.body
    assert isinstance(body, Prediction)
    grade = standing_grade(one)
    decided = grade["outcome"] in {predicting.YES, predicting.NO}
    return {
        "id": one.id, "competitor": body.competitor, "statement": body.statement,
        "probability": body.probability, "opens": body.opens, "deadline": body.deadline,
        "resolver": {
            "event_type": body.event_type,
            "where": [{"field": each.field, "op": each.op, "value": each.value} for each in body.where],
        },
        "outcome": grade["outcome"], "event": grade["event"] or None, "why": grade["why"],
        "brier": predicting.brier(body.probability, grade["outcome"]) if decided else None,
        "log_score": predicting.log_score(body.probability, grade["outcome"]) if decided else None,
        "by": str(one.actor),
    }  # fmt: skip


def calibration(memory: Memory) -> predicting.Calibration:
    """Score every decided prediction of the bank."""
    graded = [
        (one.body.probability, standing_grade(one)["outcome"])
        for one in predictions(memory) if isinstance(one.body, Prediction)
    ]  # fmt: skip
    return predicting.calibrate(graded)


def read_prediction(given: Mapping[str, Any], today: str) -> Prediction:
    """Read a caller's prediction. Raises BadInput."""
    if not isinstance(given, Mapping):
        raise BadInput(f"a prediction is a JSON object, not {type(given).__name__}")
    resolver = given.get("resolver")
    if not isinstance(resolver, Mapping):
        raise BadInput(
            "a prediction needs a resolver", hint='{"event_type": "pricing_change", "where": []}'
        )
    where = resolver.get("where") or []
    if not isinstance(where, list):
        raise BadInput("the resolver's where is a list of conditions")
    chance = given.get("probability")
    if isinstance(chance, bool) or not isinstance(chance, (int, float)):
        raise BadInput("the probability must be a number from 0 to 1")
    return Prediction(
        competitor=short("competitor", given.get("competitor", ""), needed=True),
        statement=prose("statement", given.get("statement", ""), needed=True),
        probability=float(chance),
        opens=_day("opens", given.get("opens") or today),
        deadline=_day("deadline", given.get("deadline")),
        event_type=str(resolver.get("event_type") or ""),
        where=tuple(_condition(one) for one in where),
        why=prose("why", given.get("why") or ""),
    )


def _condition(one: Any) -> Condition:
    if not isinstance(one, Mapping):
        raise BadInput("a condition is a JSON object: field, op, value")
    value = one.get("value")
    if isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    return Condition(str(one.get("field", "")), str(one.get("op", "")), value)  # type: ignore[arg-type]


def _day(label: str, value: Any) -> str:
    found = parse_iso(value) if isinstance(value, str) else None
    if found is None:
        raise BadInput(f"{label} must be a day such as 2026-12-31")
    return found.isoformat()


def key(body: Prediction) -> str:
    """Give the key by which the same prediction is the same again."""
    return digest("prediction", canonical(to_body(body)))
