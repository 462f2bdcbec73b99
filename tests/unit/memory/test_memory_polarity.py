"""Outcomes with a polarity: replaced by another, contradicted by others, come back after."""

from __future__ import annotations

from datetime import timedelta

import pytest

from caselore.errors import BadInput, GateRefused, NotFound, WrongUse
from caselore.memory import Status
from fakes.failures import (
    AGENT,
    ANA,
    BATCHES,
    BO,
    CI,
    CY,
    IMPORT,
    LONGER,
    START,
    failure,
    signed,
)


def confirmed(memory, deployment, outcome=None, actor=ANA, days=0, **where):
    at = START - timedelta(days=days)
    case = memory.observe(failure(deployment, **where), CI, happened_at=at)
    return memory.confirm(case.id, **(outcome or BATCHES), actor=actor)


def signals(hit):
    return {one.name: (one.points, one.reason) for one in hit.signals}


def test_a_replaced_outcome_ranks_as_no_fix_and_is_shown_with_the_link(memory):
    old, new = confirmed(memory, "1"), confirmed(memory, "2", {**BATCHES, "resolution": "Other."})
    asked = memory.observe(failure("3"), CI)

    said = memory.supersede("1", "2", "the other one lasts", BO)
    found = memory.recall(incident=asked.id)

    assert (said.status, said.superseded_by) == (Status.SUPERSEDED, new.id)
    assert said.outcome.resolution == BATCHES["resolution"]
    assert memory.get("2").supersedes == (old.id,)
    assert [hit.case.id for hit in found.hits] == [new.id]
    (hit,) = found.nearest
    assert hit.case.id == old.id
    assert new.id in hit.why_not
    assert signals(hit)["superseded"] == (-10, f"by {new.id}")
    assert "resolution succeeded" not in signals(hit)
    assert [one.resolution for one in memory.fixes(signed().id)] == ["Other."]
    assert memory.occurrences(signed().id).resolved == 1
    assert memory.ledger_verify().ok


def test_a_question_in_words_does_not_offer_a_replaced_outcome(memory):
    confirmed(memory, "1")
    confirmed(memory, "2", {**BATCHES, "resolution": "Other."})

    memory.supersede("1", "2", "it lasts", ANA)
    found = memory.recall(text="migration statement timeout payments")

    assert [hit.case.record.body.deployment for hit in found.hits] == ["2"]
    assert [hit.case.record.body.deployment for hit in found.nearest] == ["1"]


def test_what_was_replaced_may_be_confirmed_again(memory):
    confirmed(memory, "1")
    confirmed(memory, "2", {**BATCHES, "resolution": "Other."})
    memory.supersede("1", "2", "it lasts", ANA)

    again = memory.confirm("1", **BATCHES, actor=BO)

    assert (again.status, again.superseded_by) == (Status.CONFIRMED, "")
    assert memory.get("2").supersedes == ()


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("1", "1", BadInput),
        ("1", "seen", WrongUse),
        ("seen", "1", WrongUse),
        ("1", "99", NotFound),
    ],
)
def test_only_an_outcome_that_stands_replaces_one_that_stands(memory, old, new, error):
    confirmed(memory, "1")
    memory.observe(failure("seen"), CI)
    before = memory.ledger_verify().entries

    with pytest.raises(error):
        memory.supersede(old, new, "no", ANA)

    assert memory.ledger_verify().entries == before


def test_two_outcomes_never_replace_each_other(memory):
    confirmed(memory, "1")
    confirmed(memory, "2", {**BATCHES, "resolution": "Other."})
    memory.supersede("1", "2", "it lasts", ANA)

    with pytest.raises(WrongUse, match="superseded"):
        memory.supersede("2", "1", "it lasts longer", ANA)


@pytest.mark.parametrize("actor", [AGENT, CI, IMPORT])
def test_only_a_person_replaces_an_outcome(memory, actor):
    confirmed(memory, "1")
    confirmed(memory, "2")

    with pytest.raises(GateRefused):
        memory.supersede("1", "2", "mine", actor)

    assert memory.get("1").status is Status.CONFIRMED


def test_a_fix_that_did_not_work_elsewhere_loses_weight_and_says_in_how_many_cases(memory):
    confirmed(memory, "good", {**BATCHES, "resolution": "Batches."}, service="a", days=9)
    confirmed(memory, "1", {**BATCHES, "resolution": "Wait."}, service="b")
    for number, who in (("2", BO), ("3", CY)):
        confirmed(
            memory, number, {**LONGER, "resolution": " wait. "}, actor=who, service=f"c{number}"
        )
    asked = memory.observe(failure("9", service="d"), CI)

    hits = {hit.case.record.body.deployment: hit for hit in memory.recall(incident=asked.id).hits}

    assert signals(hits["1"])["contradicted"] == (
        -10, "the same fix did not work in 2 cases: bo, cy",
    )  # fmt: skip
    assert "contradicted" not in signals(hits["good"]) | signals(hits["2"])
    assert hits["good"].score > hits["1"].score


def test_the_loss_has_an_end(memory):
    confirmed(memory, "1", service="b")
    for number in range(2, 9):
        confirmed(memory, str(number), {**BATCHES, "result": "failed"}, service=f"c{number}")
    asked = memory.observe(failure("9", service="d"), CI)

    (worked,) = (
        hit for hit in memory.recall(incident=asked.id).hits
        if hit.case.outcome.result == "succeeded"
    )  # fmt: skip

    assert signals(worked)["contradicted"][0] == -20


def test_a_fix_after_which_the_failure_came_back_loses_weight_and_says_how_often(memory):
    confirmed(memory, "held", {**BATCHES, "resolution": "Batches."}, service="a", days=50)
    confirmed(memory, "1", {**BATCHES, "resolution": "Wait."}, service="b", days=40)
    for number in range(2, 4):
        memory.observe(failure(str(number), service="b"), CI)
    for other in (failure("4", service="c"), failure("5", service="b", signature=signed("x"))):
        memory.observe(other, CI)
    memory.observe(failure("6", service="b"), AGENT)  # nobody vouches for it
    asked = memory.observe(failure("9", service="d"), CI)

    hits = {hit.case.record.body.deployment: hit for hit in memory.recall(incident=asked.id).hits}

    assert signals(hits["1"])["recurring"] == (-10, "came back to b 2 times after it")
    assert "recurring" not in signals(hits["held"])
    assert hits["held"].score > hits["1"].score


def test_the_failure_that_is_asked_about_is_a_regression_and_no_return(memory):
    confirmed(memory, "1", days=3)
    asked = memory.observe(failure("2"), CI, happened_at=START + timedelta(days=30))

    (hit,) = memory.recall(incident=asked.id).hits

    assert "came back 29 days after" in signals(hit)["regression"][1]
    assert "recurring" not in signals(hit)


def test_many_returns_are_counted_up_to_a_limit(memory):
    confirmed(memory, "1", service="b", days=40)
    for number in range(2, 28):
        memory.observe(failure(str(number), service="b"), CI)
    asked = memory.observe(failure("99", service="d"), CI)

    (hit,) = memory.recall(incident=asked.id).hits

    assert signals(hit)["recurring"] == (-15, "came back to b 20 times or more after it")


def test_a_generic_failure_does_not_come_back(memory):
    vague = signed("exit code 1", generic=True, unit="")
    confirmed(memory, "1", signature=vague, days=4)
    for number in "234":
        memory.observe(failure(number, signature=vague), CI)
    asked = memory.observe(failure("9", signature=vague), CI)

    found = memory.recall(incident=asked.id)

    assert all("recurring" not in signals(hit) for hit in (*found.hits, *found.nearest))
