"""Hand-written answers that smuggle something in, and hand-written faithful ones, both counted."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from incident_world import NOW, case, hit, outcome, reading, recalled

from caselore.incidents import phrasing
from caselore.memory.records import Status

CASES = Path(__file__).resolve().parents[2] / "cases" / "answers"
SMUGGLED = tomllib.loads((CASES / "smuggled.toml").read_text("utf-8"))
FAITHFUL = tomllib.loads((CASES / "faithful.toml").read_text("utf-8"))["answers"]
WORKED = case("inc_1", "1017", outcome())
FAILED = case(
    "inc_2",
    "1020",
    outcome(
        cause="The backfill held the lock",
        resolution="Raised the statement timeout to 900 s",
        result="failed",
        why_failed="the lock was still held",
        confirmed_by="ben",
    ),
)
SEEN = case(
    "inc_3", "1021", status=Status.OBSERVED, block="lock wait timeout exceeded in 0042_fee"
)
REFUTED = case("inc_4", "1019", status=Status.REFUTED, block="connection reset by peer")
RECALLED = recalled(
    hit(WORKED, same=True),
    hit(FAILED),
    hit(SEEN, why_not="no outcome is confirmed"),
    hit(REFUTED, why_not="it was refuted"),
)
READING = reading()
# Pass today: each is told in docs/GROUNDING.md as what is not caught.
KNOWN_TO_PASS: set[str] = set()
KNOWN_TO_BE_WITHHELD: set[str] = set()


def stands(section, text, cites, lines):
    field = "quote" if section == "evidence" else "text"
    answer = {section: [{field: text, "cites": cites, "lines": lines}]}
    document = phrasing.document_of(answer, RECALLED)
    kept = phrasing.checked_words(document, RECALLED, READING)
    return bool(getattr(kept.document, section)), [one.reason for one in kept.withheld]


ALL = [(kind, answer) for kind, answers in SMUGGLED.items() for answer in answers]


@pytest.mark.parametrize(
    ("kind", "answer"), ALL, ids=lambda one: one[1] if isinstance(one, list) else one
)
def test_what_is_smuggled_is_withheld(kind, answer):
    passed, _ = stands(*answer)

    assert passed is (answer[1] in KNOWN_TO_PASS), kind


@pytest.mark.parametrize("answer", FAITHFUL, ids=lambda one: one[1])
def test_what_is_faithful_stands(answer):
    passed, reasons = stands(*answer)

    assert passed is not (answer[1] in KNOWN_TO_BE_WITHHELD), reasons


def test_there_are_enough_of_both():
    assert len(ALL) >= 100
    assert len(FAITHFUL) >= 40
    assert NOW
