"""Repetition by one writer, freshness and softer likeness never outrank an exact confirmed match."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caselore.memory import Weights
from fakes.failures import (
    ANA,
    BATCHES,
    BO,
    CI,
    CY,
    LOCK,
    START,
    VARIABLE,
    failure,
    memory_at,
    memory_over,
    signed,
)
from fakes.memory_store import MemoryStore

PEOPLE = [ANA, BO, CY]
OTHERS = st.lists(
    st.fixed_dictionaries(
        {
            "service": st.sampled_from(["payment-service", "user"]),
            "unit": st.sampled_from(["0042_totals", "0043"]),
            "family": st.sampled_from(["migration", "timeout"]),
            "block": st.sampled_from([LOCK, VARIABLE]),
            "days": st.integers(0, 700),
            "who": st.sampled_from(PEOPLE),
            "times": st.integers(1, 8),
        }
    ),
    max_size=6,
)


def told(memory, number, at, outcome, who, **facts):
    """See a failure at a time, and confirm what was done."""
    case = memory.observe(failure(str(number), **facts), CI, happened_at=at)
    memory.confirm(case.id, **outcome, actor=who)


def must_come_first(memory, others, exact_days) -> None:
    """Tell one exact match and any number of softer ones, then ask."""
    exact = {"service": "elsewhere", "environment": "lab", "branch": "x", "block": VARIABLE}
    told(memory, "exact", START - timedelta(days=exact_days), BATCHES, ANA, **exact)
    number = 0
    for at, one in enumerate(others):
        other = signed(f"other {at}", unit=one["unit"], family=one["family"])
        fix = {**BATCHES, "resolution": f"Something else, number {at}."}
        for _ in range(one["times"]):
            number += 1
            when = START - timedelta(days=one["days"])
            facts = {"service": one["service"], "block": one["block"], "signature": other}
            told(memory, number, when, fix, one["who"], **facts)
    new = memory.observe(failure("new"), CI, happened_at=START + timedelta(hours=1))

    hits = memory.recall(incident=new.id).hits

    assert hits[0].case.record.body.deployment == "exact"
    assert hits[0].same_failure
    assert not any(hit.same_failure for hit in hits[1:])


LAW = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@LAW
@given(OTHERS, st.integers(0, 700))
def test_nothing_softer_comes_before_an_exact_confirmed_match(others, days):
    must_come_first(memory_over(MemoryStore()), others, days)


@settings(LAW, max_examples=10)
@given(OTHERS, st.integers(0, 700))
def test_the_same_holds_with_the_text_index(tmp_path_factory, others, days):
    memory = memory_at(tmp_path_factory.mktemp("first") / "lore.sqlite3")
    must_come_first(memory, others, days)
    memory.close()


@LAW
@given(times=st.integers(1, 12), distance=st.integers(1, 300))
def test_one_writer_raises_no_fix_by_repeating_it(times, distance):
    memory, at = memory_over(MemoryStore()), START - timedelta(days=distance)
    told(memory, "once", at, {**BATCHES, "resolution": "Batches."}, ANA)
    for number in range(times):
        told(memory, number, at, {**BATCHES, "resolution": "Wait longer."}, BO)
    new = memory.observe(failure("new"), CI, happened_at=START)

    scores = {
        hit.case.outcome.resolution: hit.score for hit in memory.recall(incident=new.id).hits
    }

    assert scores["Wait longer."] == scores["Batches."]


@pytest.mark.parametrize("who", [[ANA, BO], [ANA, BO, CY]])
def test_distinct_people_do_raise_it(who):
    memory = memory_over(MemoryStore())
    told(memory, "once", START, {**BATCHES, "resolution": "Batches."}, ANA)
    for number, person in enumerate(who):
        told(memory, number, START, {**BATCHES, "resolution": "Wait longer."}, person)
    new = memory.observe(failure("new"), CI, happened_at=START)

    first = memory.recall(incident=new.id).hits[0]

    assert first.case.outcome.resolution == "Wait longer."


@LAW
@given(days=st.lists(st.integers(0, 2_000), min_size=2, max_size=5, unique=True))
def test_age_decides_only_between_equals(days):
    memory = memory_over(MemoryStore())
    for number, age in enumerate(days):
        told(memory, number, START - timedelta(days=age), BATCHES, ANA)
    better = START - timedelta(days=2_001)
    told(memory, "alike", better, {**BATCHES, "resolution": "Batches."}, BO)
    told(memory, "alike too", better, {**BATCHES, "resolution": "Batches."}, CY)
    new = memory.observe(failure("new"), CI, happened_at=START)

    hits = memory.recall(incident=new.id).hits

    assert hits[0].case.outcome.resolution == "Batches."
    ages = [hit.case.record.happened_at for hit in hits if hit.case.outcome.confirmed_by == "ana"]
    assert ages == sorted(ages, reverse=True)


def test_freshness_weighs_less_than_any_step_of_likeness():
    weights = Weights()
    steps = [weights.text_step, weights.per_confirmer, weights.same_environment]

    assert weights.recency < min(steps)
    with pytest.raises(ValueError, match="recency"):
        Weights(recency=3)
