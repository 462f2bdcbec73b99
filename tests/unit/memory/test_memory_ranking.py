"""Every point of a ranking is named, and the order follows from evidence, not from noise."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.memory.branches import branch_kind
from caselore.memory.encoding import stamp
from caselore.memory.measured import Candidate, Sought
from caselore.memory.ranking import Scale, ordered
from caselore.memory.rows import CaseRow
from caselore.memory.weights import Weights
from fakes.failures import START

NOW = START + timedelta(days=400)
SOUGHT = Sought(
    id="inc_new",
    signature="sig1:lock",
    generic=False,
    family="migration",
    unit="0042",
    service="pay",
    environment="production",
    branch="main",
    deployment="1057",
    text="…",
    kinds=frozenset({"time"}),
)


def row(id="inc_old", **changes) -> CaseRow:
    base = CaseRow(
        *("default", id, 1, "incident", "pay", "production", "main", "", "1017", "deploy", "", ""),
        *("sig1:lock", "migration", "alembic", "0042", 0, "d", "k"),
        *(stamp(START), stamp(START), "ci:gitlab", "confirmed", "confirmed", 1, 2, 2, "succeeded"),
        *("fix", "ana", stamp(START), 0),
    )
    return base._replace(**changes)


def scored(likeness=0.0, people=("ana",), sought=SOUGHT, weights=None, now=NOW, **changes):
    told = frozenset({changes.pop("kind", "time")} - {""})
    one = Candidate(row(**changes), likeness, people, told)
    return Scale(sought, weights or Weights(), now).score(one)


def points(one):
    return {signal.name: signal.points for signal in one.signals}


def test_the_table_of_points_is_as_designed():
    full = points(scored(likeness=1.0, people=("ana", "bo", "cy", "di"), now=START))

    assert full == {
        "same signature": 40,
        "same failing unit": 15,
        "same family": 15,
        "same service": 20,
        "same environment": 5,
        "same kind of branch": 5,
        "text similarity": 20,
        "resolution succeeded": 25,
        "independent confirmations": 10,
        "recency": 2,
    }
    assert points(scored(result="failed"))["did not work"] == -10
    assert points(scored(family="timeout"))["other family"] == -30
    assert points(scored(status="refuted", result="", outcome_seq=0))["did not work"] == -10


def test_the_score_is_the_sum_of_its_signals_and_each_has_a_reason():
    one = scored(likeness=0.6, people=("ana", "bo"))

    assert one.score == pytest.approx(sum(points(one).values()))
    assert all(signal.reason for signal in one.signals)


@pytest.mark.parametrize(
    ("changes", "sought", "same", "similar", "why_not"),
    [
        ({}, {}, True, True, ""),
        ({"service": "user"}, {}, True, False, ""),
        ({"generic": 1}, {}, False, True, ""),
        ({"generic": 1, "unit": "x", "environment": "", "branch": ""}, {}, False, True, ""),
        ({"generic": 1, "unit": "x", "family": "timeout", "branch": ""}, {"family": "timeout"}, False, False, "generic signature"),
        ({"signature": "sig1:b"}, {}, False, True, ""),
        ({"signature": "sig1:b", "service": "user"}, {}, False, False, "other service: user"),
        ({"signature": "sig1:b", "family": "missing-variable"}, {}, False, False, "other family: missing-variable"),
        ({"signature": "sig1:b", "unit": "", "environment": "", "branch": ""}, {}, False, True, ""),
        ({"signature": "sig1:b", "kind": "permission"}, {}, False, False, "failed in another way: permission"),
        ({"signature": "sig1:b", "kind": ""}, {}, False, False, "too few words alike"),
        ({"signature": "sig1:b", "kind": "", "likeness": 0.3}, {}, False, True, ""),
        ({"signature": "sig1:b", "kind": "permission", "likeness": 0.9}, {}, False, False, "failed in another way"),
        ({"signature": "sig1:b", "unit": "", "family": "lint"}, {"family": "lint"}, False, False, "below the floor: 45 of 55"),
        ({"signature": "sig1:b", "family": "unknown"}, {}, False, False, "family of one of them is unknown"),
        ({"signature": "sig1:b"}, {"family": "unknown"}, False, False, "family of one of them is unknown"),
        ({"status": "observed", "result": ""}, {}, True, True, "not resolved yet"),
        ({"status": "refuted", "result": ""}, {}, True, True, "refuted"),
        ({}, {"generic": True, "unit": "", "branch": ""}, False, True, ""),
        ({"service": ""}, {"service": "", "signature": "sig1:b"}, False, False, "neither names its service"),
    ],
)  # fmt: skip
def test_why_a_near_case_is_a_precedent_or_not(changes, sought, same, similar, why_not):
    from dataclasses import replace

    one = scored(sought=replace(SOUGHT, **sought), **changes)

    assert (one.same_failure, one.similar) == (same, similar)
    assert why_not in one.why_not
    assert bool(one.why_not) == bool(why_not)


def test_a_softer_arm_recency_and_many_people_never_outrank_an_exact_match():
    exact = scored(people=("ana",), service="user", environment="", branch="", id="inc_a")
    soft = Scale(SOUGHT, Weights(), NOW).score(
        Candidate(row("inc_b", signature="sig1:b", happened_at=stamp(NOW)), 1.0, tuple("abcdefgh"))
    )

    assert soft.score > exact.score
    assert ordered([soft, exact]) == [exact, soft]


def test_repetition_by_one_person_raises_nothing():
    assert points(scored(people=("ana",))) == points(scored(people=()))


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 900),
    st.integers(0, 900),
)
def test_recency_never_decides_between_unequals(near, far, young, old):
    one = scored(likeness=near, happened_at=stamp(NOW - timedelta(days=old)))
    other = scored(likeness=far, happened_at=stamp(NOW - timedelta(days=young)))
    text = [points(each).get("text similarity", 0) for each in (one, other)]

    if text[0] > text[1]:
        assert ordered([other, one]) == [one, other]


def test_weights_by_which_recency_would_decide_are_refused():
    with pytest.raises(ValueError, match="recency"):
        Weights(recency=3)


@given(st.permutations([("inc_a", 1), ("inc_b", 1), ("inc_c", 2), ("inc_d", 0)]))
def test_equals_are_ordered_by_time_and_then_by_id(order):
    cases = [
        scored(id=id, happened_at=stamp(START + timedelta(days=day)), weights=Weights(recency=0))
        for id, day in order
    ]

    assert [one.row.id for one in ordered(cases)] == ["inc_c", "inc_a", "inc_b", "inc_d"]


@pytest.mark.parametrize(
    ("branch", "kind"),
    [
        ("main", "main"), ("master", "main"), ("refs/heads/trunk", "main"), ("release/2.4", "release"),
        ("release-9", "release"), ("hotfix/x", "release"), ("feature/pay", "feature"),
        ("renovate/lodash", "renovate"), ("fix-totals", "other"), ("", ""),
    ],
)  # fmt: skip
def test_branches_have_kinds(branch, kind):
    assert branch_kind(branch) == kind
