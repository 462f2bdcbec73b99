"""Two further fictional markets in other prose: releases, blogs, filings, changelogs, forums, German and French."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from caselore.settings import load
from caselore.wiring import build

CASES = Path(__file__).resolve().parents[2] / "cases" / "intel"
MARKETS = {
    "market2": ("Orbitdesk", "Brock & Kline"),
    "market3": ("Northstar Analytics", "Glasshouse & Sons", "Zephyrine"),
}


def fits(true, event):
    near = abs(date.fromisoformat(true["date"]) - date.fromisoformat(event["date"])).days <= 10
    same = all(true[name] == event[name] for name in ("competitor", "event_type"))
    words = true.get("words", "").lower() in f"{event['title']} {event['quote']}".lower()
    return near and same and words and true.get("count") in (None, event["count"])


@pytest.fixture(params=MARKETS)
def market(request, tmp_path):
    folder = CASES / request.param
    with build(load(tmp_path, environment={})) as app:
        ran = app.intel.run("market", MARKETS[request.param], [str(folder / "site")]).to_json()
    return json.loads((folder / "key.json").read_text()), ran


def test_what_happened_is_found_once_with_its_values_and_nothing_else(market):
    key, ran = market
    left = list(ran["events"])
    exact = 0
    for true in key:
        hit = next((one for one in left if fits(true, one)), None)
        assert hit, true
        left.remove(hit)
        exact += hit["date"] == true["date"]
        assert true["amount"] is None or (hit["amount"], hit["currency"]) == (
            true["amount"],
            true["currency"],
        )
    assert left == []
    assert exact >= 0.95 * len(key)
    assert len(ran["quarantined"]) >= 1
    assert all(one["verdict"] == "verified" for one in ran["claims"])


def test_pages_of_tomorrow_are_seen_unless_a_day_is_asked_for(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.txt").write_text(
        "Velora launches Beacon\n1 May 2090\nVelora has released Beacon today."
    )
    listed = {
        "pages": [
            {
                "url": "https://dailynews.example/a",
                "file": "a.txt",
                "fetched_at": "2090-05-02T08:00:00Z",
            }
        ]
    }
    (tmp_path / "site" / "site.json").write_text(json.dumps(listed))
    with build(load(tmp_path / "home", environment={})) as app:
        desk, folder = app.intel, str(tmp_path / "site")
        assert desk.run("x", ["Velora"], [folder], as_of="2090-05-01").events == ()
        assert len(desk.run("x", ["Velora"], [folder]).events) == 1
        assert desk.profile("Velora").total_events == 1


def test_a_backtest_finds_out_whom_its_pages_are_about(tmp_path):
    with build(load(tmp_path, environment={})) as app:
        found = app.intel.backtest(str(CASES / "market2" / "site"), days=90)
    assert {"Orbitdesk", "Kitewell"} == set(found["competitors"])  # both have a press room
    assert found["steps"][-1]["events"] >= 8
