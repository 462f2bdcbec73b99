"""Predictions are decided by later events alone and scored only when they are decided."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.errors import BadInput
from caselore.intel.prediction import brier, calibrate, chance, log_score, reliability_svg
from caselore.settings import load
from caselore.wiring import build


def event(title, day, event_type="pricing_change", **more):
    return {"competitor": "Velora", "event_type": event_type, "title": title, "date": day, **more}


def prediction(**more):
    return {
        "competitor": "Velora", "statement": "Velora asks at least $50", "probability": 0.6,
        "opens": "2026-03-01", "deadline": "2026-06-30",
        "resolver": {"event_type": "pricing_change", "where": [{"field": "amount", "op": ">=", "value": 50}]},
        **more,
    }  # fmt: skip


@pytest.fixture
def desk(tmp_path):
    with build(load(tmp_path, environment={})) as app:
        yield app.intel


def outcome(desk, *events, as_of="2026-07-01", **more):
    for one in events:
        desk.store_event(one)
    desk.predict(prediction(**more))
    return desk.grade(as_of)[0]


def test_an_event_in_time_that_fulfils_it_makes_it_true(desk):
    found = outcome(
        desk, event("Velora raises its price to $55 per seat", "2026-04-01"), as_of="2026-12-31"
    )
    assert (found["outcome"], found["brier"]) == ("yes", 0.16)
    assert found["event"]


@pytest.mark.parametrize(
    ("title", "day"),
    [
        ("Velora raises its price to $45 per seat", "2026-04-01"),
        ("Velora raises its price to $55 per seat", "2026-02-20"),
        ("Velora raises its price to $55 per seat", "2026-07-02"),
    ],
    ids=["too little", "before the opening", "after the deadline"],
)  # fmt: skip
def test_what_does_not_fulfil_it_in_time_leaves_it_false(desk, title, day):
    assert outcome(desk, event(title, day), as_of="2026-12-31")["outcome"] == "no"


def test_before_the_deadline_it_is_open_and_has_no_score(desk):
    found = outcome(desk, as_of="2026-06-29")
    assert (found["outcome"], found["brier"]) == ("open", None)


def test_an_undisclosed_value_makes_it_void_without_a_score(desk):
    found = outcome(desk, event("Velora changes its prices", "2026-04-01"), as_of="2026-12-31")
    assert (found["outcome"], found["brier"]) == ("void", None)
    assert desk.calibration().n == 0


def test_a_competitor_that_ceased_to_exist_makes_it_void(desk):
    gone = event("Velora ceases operations", "2026-05-01", "market_signal")
    assert outcome(desk, gone, as_of="2026-12-31")["outcome"] == "void"


def test_what_was_decided_stays_decided(desk):
    outcome(desk)
    late = event("Velora raises its price to $55 per seat", "2026-04-01")
    desk.store_event(late)
    assert desk.grade("2026-12-31")[0]["outcome"] == "no"


@pytest.mark.parametrize(
    "wrong",
    [
        {"probability": 1.4}, {"probability": "high"}, {"deadline": "soon"}, {"deadline": "2026-01-01"},
        {"resolver": None}, {"resolver": {"event_type": "mood"}}, {"competitor": "Velora;ls"},
        {"resolver": {"event_type": "funding", "where": [{"field": "mood", "op": ">=", "value": 1}]}},
    ],
)  # fmt: skip
def test_what_could_never_be_graded_is_refused(desk, wrong):
    with pytest.raises(BadInput):
        desk.predict(prediction(**wrong))


def test_there_is_no_score_of_nothing():
    found = calibrate([(0.5, "open"), (0.7, "void")])
    assert (found.n, found.brier, found.skill, found.open, found.void) == (0, None, None, 1, 1)
    assert "no decided prediction yet" in reliability_svg(found)


def test_known_scores():
    assert brier(0.6, "yes") == 0.16
    assert brier(0.6, "no") == 0.36
    assert log_score(0.5, "yes") == pytest.approx(math.log(2), abs=1e-6)
    found = calibrate([(0.8, "yes"), (0.8, "no"), (0.2, "no"), (0.2, "no")])
    assert found.brier == pytest.approx((0.04 + 0.64 + 0.04 + 0.04) / 4)
    assert found.base_rate == 0.25


@given(
    st.lists(
        st.tuples(st.sampled_from([0.1, 0.35, 0.5, 0.9]), st.sampled_from(["yes", "no"])),
        min_size=1,
        max_size=60,
    )
)
def test_murphys_parts_add_up_to_the_brier_score(graded):
    found = calibrate(graded)
    assert found.brier == pytest.approx(
        found.reliability - found.resolution + found.uncertainty, abs=1e-5
    )


def test_a_chance_is_shrunk_to_the_base_rate_as_cases_come_in():
    assert chance(0.1, 0, 0.6) == 0.6
    assert chance(0.1, 30, 0.6) == 0.1
    assert chance(0.1, 15, 0.6) == 0.35
