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
TOLD = tomllib.loads((CASES / "faithful.toml").read_text("utf-8"))
FAITHFUL = [answer for answers in TOLD.values() for answer in answers]
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
KNOWN_TO_PASS = {
    "Run 500 records.",  # a part of what was done, without its noun
    "refunds exceeded 30 s.",  # a part of a name taken for a word of the line
    "The lock exceeded refunds.",  # the same, and one word out of its order
    # of what worked, one word may stand elsewhere: also where it should not
    "Run the batches of 500 records in the backfill.",
    "Run the records in batches of 500 backfill.",
    "Ran batches.",
    "Rows of the transaction ran past the statement.",
    "Such a failure was seen here and there.",  # grammar alone, which says nothing
    "The lock still held #1020.",  # the record as what was held
}
KNOWN_TO_BE_WITHHELD = {
    "Rerun the backfill in batches of 500 records.",
    "The deployment failed because the lock wait timeout was exceeded after 30 s in 0057_refund.",
    "The job log shows “lock wait timeout exceeded after 30 s” while running UPDATE refunds.",
    "The migration step exited with exit code 1.",
    "A lock wait timeout of 30 s was exceeded in 0057_refund.",
    "Two earlier incidents, #1017 and #1020, concern the same service.",
}


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
    assert len(ALL) >= 298
    assert len(FAITHFUL) >= 40
    assert NOW
