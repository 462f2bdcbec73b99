"""A chain of incidents in one paragraph, from templates or in a model's checked words."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from incident_world import case, outcome

from caselore.incidents import summary
from caselore.llm.grounded import GroundedModel
from caselore.memory.records import Status
from fakes.scripted_model import ScriptedModel


def later(one, days, *precedents):
    record = replace(one.record, happened_at=one.record.happened_at + timedelta(days=days))
    return replace(one, record=record, precedents=precedents)


FIRST = case("inc_1", "1017", outcome())
FAILED = later(
    case(
        "inc_2",
        "1020",
        outcome(
            resolution="Raised the timeout to 900 s",
            result="failed",
            why_failed="the lock was held",
        ),
    ),
    1,
)
LAST = later(case("inc_3", "1057", status=Status.OBSERVED), 2, "inc_1")
CHAIN = [LAST, FAILED, FIRST]


def said(text, *cites):
    return {"summary": [{"text": text, "cites": list(cites)}]}


def told(*answers, chain=CHAIN):
    model = ScriptedModel(*answers)
    return summary.summarise(chain, GroundedModel(model)), model


def test_a_template_tells_the_chain_in_the_order_of_time():
    found = summary.summarise(CHAIN)

    assert found.text.index("#1017 failed") < found.text.index("#1020") < found.text.index("#1057")
    assert "in batches of 500 records with --batch-size=500; it worked." in found.text
    assert "Raised the timeout to 900 s; it did not work: the lock was held." in found.text
    assert "following #1017" in found.text
    assert "No outcome of #1057 is confirmed." in found.text


def test_one_incident_is_no_chain_and_two_are_told_without_a_model():
    assert summary.summarise([FIRST]) is None
    found, model = told(said("Nothing.", "inc_1"), chain=[FIRST, FAILED])

    assert (found.model, model.prompts) == (None, [])


def test_a_faithful_model_tells_it():
    text = "#1057 followed #1017; a backfill in batches of 500 records fixed #1017."
    found, model = told(said(text, "inc_1", "inc_3"))

    assert found.model == model.name, found.withheld
    assert found.text == text


@pytest.mark.parametrize(
    ("text", "cites"),
    [
        ("#1017 followed #1057.", ["inc_1", "inc_3"]),
        ("#1017 was followed by #1020.", ["inc_1", "inc_2"]),
        ("In #1020 batches of 500 records worked.", ["inc_1", "inc_2"]),
        ("Raising the timeout to 900 s worked in #1020.", ["inc_2"]),
        ("#1057 was resolved in batches of 500 records.", ["inc_3", "inc_1"]),
        ("All of them were restarted.", ["inc_1"]),
        ("#1017 used 200–1000 records.", ["inc_1"]),
        ("#1020 was the same failure as #1017.", ["inc_1", "inc_2"]),
        ("#1020 was the same.", ["inc_1", "inc_2"]),
        ("#1020 is #1017 again.", ["inc_1", "inc_2"]),
        ("#1057 repeats #1017.", ["inc_1", "inc_3"]),
        ("#1017 is the precedent of #1020.", ["inc_1", "inc_2"]),
        ("The evidence is insufficient.", ["inc_1"]),
        ("#1057 has the resolution of #1017.", ["inc_1", "inc_3"]),
        ("#1020 led to #1017.", ["inc_1", "inc_2"]),
        ("Later, #1017 failed.", ["inc_1", "inc_2"]),
        ("Previously, #1057 failed.", ["inc_1", "inc_3"]),
    ],
)
def test_what_the_records_do_not_say_leaves_the_template(text, cites):
    found, _ = told(said(text, *cites))

    assert found.sentences == summary.summarise(CHAIN).sentences
    assert found.model is None
    assert found.withheld[0].text == text
    assert "template" in found.note
