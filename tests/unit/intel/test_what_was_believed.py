"""What was believed on a day is told from what was known by then, and from nothing later."""

from __future__ import annotations

import json

import pytest

from caselore.errors import BadInput
from caselore.settings import load
from caselore.wiring import build

REPORTS = [
    ("a", "dailynews.example", "2026-02-03", "Velora pays $38 million for Pinewood", "Velora has acquired Pinewood Analytics for $38 million, the companies said on 2 February 2026."),
    ("b", "techpress.example", "2026-02-20", "Pinewood Analytics goes to Velora", "Velora acquired Pinewood Analytics on 2 February 2026, people at both firms confirmed; it is a maker of scanners."),
    ("c", "dailynews.example", "2026-03-05", "Correction: Velora paid $28 million", "Correction: an earlier version of this report said that Velora acquired Pinewood Analytics for $38 million. The price was $28 million."),
    ("d", "chat.forum.example", "2026-02-05", "Velora hires 90 engineers", "Velora hires 90 engineers in Leeds."),
    ("e", "dailynews.example", "2026-04-01", "Velora hires 90 engineers in Leeds", "Velora has hired 90 engineers in Leeds, it said on 5 February 2026."),
]  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    place = tmp_path_factory.mktemp("believed")
    site = place / "site"
    site.mkdir()
    rows = []
    for name, host, day, title, text in REPORTS:
        (site / f"{name}.html").write_text(
            f'<title>{title}</title><meta property="article:published_time" content="{day}"><h1>{title}</h1><p>{text}</p>'
        )
        rows.append({"url": f"https://{host}/{name}", "file": f"{name}.html", "fetched_at": f"{day}T08:00:00Z"})  # fmt: skip
    (site / "site.json").write_text(json.dumps({"pages": rows}))
    with build(load(place / "home", environment={})) as app:
        app.intel.run("deals", ["Velora"], [str(site)], as_of="2026-12-01")
        yield app.intel


def deal(desk, day=None):
    found = desk.history("Velora", event_type="acquisition", as_of=day)
    return found[0] if found else None


def test_a_wrong_amount_is_what_was_believed_until_its_correction_was_known(desk):
    assert deal(desk, "2026-02-02") is None
    before = deal(desk, "2026-03-04")
    assert before["amount"] == 38_000_000
    assert before["contradictions"] == []
    after = deal(desk, "2026-03-06")
    assert after["amount"] != 38_000_000
    assert any("withdrawn" in one for one in after["contradictions"])
    assert deal(desk) == {**deal(desk), **after}


def test_an_origin_counts_in_a_profile_from_the_day_on_which_it_was_known(desk):
    def told(day):
        found = desk.profile("Velora", day).to_json()
        return found["total_events"], found["independent_events"], found["confidence_score"]

    assert told("2026-02-02") == (0, 0, 0.0)
    assert told("2026-02-04") == (1, 1, 0.37)
    assert told("2026-02-21") == (1, 2, 0.44)
    assert (
        desk.profile("Velora", "2026-12-01").to_json()["independent_events"]
        == desk.profile("Velora").to_json()["independent_events"]
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_no_number_that_is_none_is_taken(desk, value):
    guess = {
        "competitor": "Velora", "statement": "s", "probability": 0.5, "opens": "2026-01-01", "deadline": "2099-01-01",
        "resolver": {"event_type": "hiring", "where": [{"field": "amount", "op": ">=", "value": value}]},
    }  # fmt: skip
    with pytest.raises(BadInput):
        desk.predict(guess)
    with pytest.raises(BadInput):
        desk.predict({**guess, "probability": value, "resolver": {"event_type": "hiring", "where": []}})  # fmt: skip
    with pytest.raises(BadInput):
        desk.store_event({"competitor": "Velora", "event_type": "funding", "title": "Velora raises money", "amount": value})  # fmt: skip
