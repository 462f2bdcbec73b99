"""The scores of predictions, computed a second time with numpy from their textbook definitions; and what may grade at all."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caselore.intel.prediction import calibrate
from caselore.settings import load
from caselore.wiring import build

CHANCES = st.one_of(
    st.floats(0, 1).map(lambda p: round(p, 3)), st.sampled_from([0.0, 0.1, 0.5, 1.0])
)
GRADED = st.lists(
    st.tuples(CHANCES, st.sampled_from(["yes", "no", "void", "open"])), min_size=0, max_size=80
)


@settings(max_examples=150, deadline=None)
@given(GRADED)
def test_the_scores_are_those_of_an_independent_computation(graded):
    found = calibrate(graded)
    kept = [(p, o) for p, o in graded if o in {"yes", "no"}]
    if not kept:
        assert (found.n, found.brier, found.log_score, found.skill) == (0, None, None, None)
        return
    p = np.array([a for a, _ in kept])
    o = np.array([b == "yes" for _, b in kept], float)

    assert found.n == len(p)
    assert found.brier == pytest.approx(np.mean((p - o) ** 2), abs=2e-6)
    given_to = np.clip(np.where(o == 1, p, 1 - p), 0.001, None)
    assert found.log_score == pytest.approx(np.mean(-np.log(given_to)), abs=2e-6)
    assert found.base_rate == pytest.approx(o.mean(), abs=1e-6)
    # Murphy 1973, over the values of p
    values, which = np.unique(p, return_inverse=True)
    sizes = np.bincount(which)
    rates = np.bincount(which, weights=o) / sizes
    assert found.reliability == pytest.approx(np.sum(sizes * (values - rates) ** 2) / len(p), abs=2e-6)  # fmt: skip
    assert found.resolution == pytest.approx(np.sum(sizes * (rates - o.mean()) ** 2) / len(p), abs=2e-6)  # fmt: skip
    assert found.uncertainty == pytest.approx(o.var(), abs=2e-6)
    if o.var() > 0:
        climate = np.mean((o.mean() - o) ** 2)
        assert found.skill == pytest.approx(1 - np.mean((p - o) ** 2) / climate, abs=1e-4)
    else:
        assert found.skill is None
    counts, _ = np.histogram(p, np.arange(0, 1.05, 0.1))
    assert sum(one.n for one in found.bins) == len(p) == counts.sum()
    for one in found.bins:
        inside = (p >= one.low) & ((p < one.high) | (one.high == 1.0))
        assert one.said == pytest.approx(p[inside].mean(), abs=1e-4)
        assert one.happened == pytest.approx(o[inside].mean(), abs=1e-4)


def test_five_predictions_scored_by_hand():
    graded = [(0.9, "yes"), (0.9, "no"), (0.2, "no"), (0.6, "yes"), (0.6, "void")]
    found = calibrate(graded)

    # four squares: 0.01, 0.81, 0.04 and 0.16
    assert found.brier == pytest.approx(0.255)
    # 0.9 was right once of two, 0.2 never, 0.6 always: (2·0.16 + 0.04 + 0.16) / 4
    assert found.reliability == pytest.approx(0.13)
    assert found.resolution == pytest.approx((0 + 0.25 + 0.25) / 4)
    assert found.uncertainty == pytest.approx(0.25)
    assert found.skill == pytest.approx(1 - 0.255 / 0.25)
    assert (found.n, found.void) == (4, 1)


QUESTION = {
    "competitor": "Velora", "statement": "Velora hires", "probability": 0.4, "opens": "2026-03-01",
    "deadline": "2026-03-31", "resolver": {"event_type": "hiring"},
}  # fmt: skip
PAGE = "<h1>Velora hires 15 engineers</h1><p>{day}</p><p>Velora hires 15 engineers in Leeds.</p>"


@pytest.mark.parametrize(
    ("happened", "fetched", "graded_at", "outcome"),
    [
        ("2026-03-10", "2026-03-11", "2026-04-01", "yes"),
        ("2026-02-28", "2026-03-11", "2026-04-01", "no"),  # dated before it opened: leaked
        ("2026-03-10", "2026-04-20", "2026-04-01", "no"),  # in time, but not known by then
        ("2026-04-01", "2026-04-01", "2026-04-05", "no"),  # a day late
        ("2026-03-31", "2026-03-31", "2026-04-05", "yes"),  # on the last day
        ("2026-03-01", "2026-03-02", "2026-04-05", "yes"),  # on the first
        ("2026-04-20", "2026-04-20", "2026-03-15", "open"),
    ],
)  # fmt: skip
def test_only_what_happened_in_the_window_and_was_known_grades(
    tmp_path, happened, fetched, graded_at, outcome
):
    site = tmp_path / "site"
    site.mkdir()
    (site / "a.html").write_text(PAGE.format(day=datetime.fromisoformat(happened).strftime("%d %B %Y")))  # fmt: skip
    (site / "site.json").write_text(
        f'{{"pages": [{{"url": "https://velora.example/a", "file": "a.html", "fetched_at": "{fetched}T08:00:00Z"}}]}}'
    )
    with build(load(tmp_path / "home", environment={})) as app:
        app.intel.run("x", ["Velora"], [str(site)], as_of=fetched)
        app.intel.predict(QUESTION)  # after the run, which would grade what is due by its own day
        found = app.intel.grade(graded_at)[0]
        events = app.intel.history("Velora")

    assert [one["date"] for one in events] == [happened]
    assert found["outcome"] == outcome
