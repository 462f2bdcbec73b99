"""Competitive intelligence over HTTP, MCP and on its pages."""

from __future__ import annotations

import pytest
from browser import Watched, launched
from test_mcp import call, over_http

API = "/api/v1/intel"
TEXT = "Velora buys Pinewood Analytics for $28M, the company said on 2 February 2026."
EVENT = {
    "competitor": "Velora",
    "event_type": "acquisition",
    "title": "Velora buys Pinewood Analytics",
    "quote": TEXT,
    "date": "2026-02-02",
    "amount": 28_000_000,
    "currency": "USD",
    "url": "https://news.example/velora",
}
PREDICTION = {
    "competitor": "Velora",
    "statement": "Velora raises prices by the summer",
    "probability": 0.6,
    "opens": "2026-02-01",
    "deadline": "2026-06-30",
    "resolver": {"event_type": "pricing_change", "where": []},
}


@pytest.fixture
def known(served):
    """Give a server that knows one event, told by a person."""
    with served.client("human") as person:
        answer = person.post(f"{API}/events", json=EVENT)
    assert answer.status_code == 201, answer.text
    served.app.intel.predict(PREDICTION)
    return served, answer.json()


def test_the_six_operations_answer_over_http(known):
    served, event = known
    with served.client() as client:
        profile = client.get(f"{API}/competitors/Velora").json()
        history = client.get(f"{API}/competitors/velora/history").json()["items"]
        strategy = client.get(f"{API}/competitors/Velora/strategy").json()
        predictions = client.get(f"{API}/competitors/Velora/predictions").json()["items"]
        found = client.post(f"{API}/search", json={"query": "Pinewood"}).json()["items"]
        listed = client.get(f"{API}/competitors").json()["items"]
        page = client.get(f"{API}/snapshots/{event['snapshot']}").json()
        why = client.get(f"{API}/why/{event['id']}")

    assert (profile["competitor"], profile["total_events"]) == ("Velora", 1)
    assert [one["id"] for one in history] == [one["id"] for one in found] == [event["id"]]
    assert history[0]["amount"] == 28_000_000
    assert strategy["items"] == []
    assert predictions[0]["probability"] == 0.6
    assert listed[0]["events"] == 1
    assert page["text"][event["first"] : event["last"]] == event["quote"]
    assert why.status_code == 200


@pytest.mark.parametrize("name", ["AT&T", "L'Oréal", "Yahoo!", "A/B Tests (Ltd.)"])
def test_a_competitors_name_may_hold_what_names_hold(served, name):
    with served.client("human") as person:
        told = person.post(f"{API}/events", json={**EVENT, "competitor": name})
        assert told.status_code in (201, 403), told.text
        from urllib.parse import quote

        profile = person.get(f"{API}/competitors/{quote(name, safe='')}")

    assert profile.status_code == 200
    assert profile.json()["competitor"] == name


def test_an_agents_event_needs_a_quote_in_a_stored_page(known):
    served, event = known
    bare = {name: EVENT[name] for name in ("competitor", "event_type", "title", "date")}
    with served.client("agent") as agent:
        refused = agent.post(f"{API}/events", json={**bare, "quote": "made up"})
        wrong = agent.post(
            f"{API}/events", json={**bare, "quote": "made up", "snapshot": event["snapshot"]}
        )
        taken = agent.post(
            f"{API}/events", json={**bare, "quote": TEXT, "snapshot": event["snapshot"]}
        )
    with served.client() as nobody:
        unnamed = nobody.post(f"{API}/events", json=EVENT)

    assert refused.status_code in (403, 404, 422)
    assert wrong.status_code == 403
    assert taken.status_code == 201
    assert unnamed.status_code == 401


def test_an_agent_asks_by_mcp(known):
    served, event = known
    _, history = call(lambda: over_http(served), "get_history", competitor="Velora")
    _, profile = call(lambda: over_http(served), "get_profile", competitor="Velora")
    _, said = call(lambda: over_http(served), "get_predictions", competitor="Velora")
    _, strategy = call(lambda: over_http(served), "get_strategy", competitor="Velora")
    given = {"competitor": "Velora", "event_type": "acquisition", "title": "t", "quote": "made up"}
    failed, words = call(
        lambda: over_http(served, "agent"), "store_event", **given, snapshot=event["snapshot"]
    )

    assert history["events"][0]["id"] == event["id"]
    assert profile["total_events"] == 1
    assert said["predictions"][0]["outcome"] == "open"
    assert strategy["strategies"] == []
    assert failed
    assert "gate_refused" in words


def test_the_pages_show_events_with_their_quotes_and_nothing_made_up(known, tmp_path):
    served, _ = known
    before = served.app.memory.ledger_head()
    with launched() as browser:
        view = Watched(browser.new_page(), served.url)
        page = view.open("/intel")
        assert "Velora" in page.inner_text("main tbody")
        page.click("main tbody a")
        page.wait_for_url("**/intel/Velora")
        assert TEXT in page.inner_text("blockquote")
        assert "60 %" in page.inner_text("aside")
        assert view.wrong == []
        assert view.elsewhere() == []
    with served.client() as client:
        assert client.get("/intel/Velora.json").json()["profile"]["total_events"] == 1
    assert served.app.memory.ledger_head() == before


def test_a_fresh_store_shows_no_competitor(served):
    with served.client() as client:
        assert client.get(f"{API}/competitors").json()["items"] == []
        assert "No competitor is known yet" in client.get("/intel").text


def test_a_price_is_shown_to_the_cent_with_what_it_was_before(served):
    told = {
        "competitor": "Velora", "event_type": "pricing_change", "date": "2026-02-02",
        "title": "Velora raises its Team plan from $8.49 to $9.99 per seat",
    }  # fmt: skip
    with served.client("human") as person:
        assert person.post(f"{API}/events", json=told).status_code == 201
        page = person.get("/intel/Velora").text

    assert "USD 8.49 → 9.99" in page


def test_a_phone_shows_every_column_of_the_competitors(served):
    name = "Rückversicherungsvermittlungsgesellschaft Velora & Söhne"
    with served.client("human") as person:
        told = person.post(f"{API}/events", json={**EVENT, "competitor": name})
    assert told.status_code == 201, told.text
    with launched() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(f"{served.url}/intel")
        hidden = page.evaluate(
            "[...document.querySelectorAll('.scroll')].map(e => e.scrollWidth - e.clientWidth)"
        )
        row = page.inner_text("main tbody tr")

    assert hidden == [0]
    assert all(told in row for told in (name, "acquisition 1", "2026-02-02", "low", "1 origin"))


def test_the_chart_of_events_is_of_events_and_left_away_where_it_would_be_empty(served):
    today = served.app.now().date()
    with served.client("human") as person:
        for name, day in (("Velora", today), ("Ardent & Pike", today.replace(year=2020, day=1))):
            told = {**EVENT, "competitor": name, "date": day.isoformat()}
            assert person.post(f"{API}/events", json=told).status_code == 201
        lately = person.get("/intel/Velora").text
        long_ago = person.get("/intel/Ardent%20%26%20Pike").text

    assert 'aria-label="Events by day' in lately
    assert "Incidents" not in lately
    assert "The last 180 days" not in long_ago
    assert "low risk" in lately
