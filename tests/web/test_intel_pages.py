"""Competitive intelligence over HTTP, MCP and on its pages."""

from __future__ import annotations

from datetime import timedelta
from html import escape

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


PAGE = "Velora news\n\n<script>alert(1)</script> Velora buys Pinewood Analytics for $28M. \u202eevil\n"


def shot(served, at, **said):
    """Keep a page as a fetch would, and an event that quotes it where words are given."""
    from caselore.intel.pages import Page
    from caselore.intel.stored_pages import snapshot_filing
    from caselore.memory import Role
    from caselore.memory.records import Actor

    page = Page(
        url="https://news.example/velora", title="Velora <b>news</b>", fetched_at=at, **said
    )
    return served.app.memory.file(snapshot_filing(page), Actor("collector", Role.SYSTEM)).id


def test_how_it_is_known_is_a_page_that_marks_the_quote_and_outlives_the_change(served):
    quote = "Velora buys Pinewood Analytics for $28M."
    now = served.app.now()
    old = shot(served, now, text=PAGE)
    with served.client("human") as person:
        told = {**EVENT, "quote": quote, "snapshot": old}
        event = person.post(f"{API}/events", json=told).json()
        before = person.get(f"/why/{event['id']}").text
        newer = shot(served, now + timedelta(days=1), text="Velora news\n\nNothing today.\n")
        page = person.get(f"/why/{event['id']}").text
        document = person.get(f"/why/{event['id']}.json").json()
        other = person.get(f"/why/{newer}").text
        missing = person.get("/why/nothing", headers={"accept": "text/html"})
        listed = person.get("/intel/Velora").text

    assert f'<mark id="quote">{escape(quote)}</mark>' in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "Velora &lt;b&gt;news&lt;/b&gt;" in page
    assert "no newer version is stored" in before
    assert f'<a href="/why/{newer}">the newest version</a> no longer says so' in page
    assert "verified" in page
    assert now.strftime("%Y-%m-%d") in page
    assert document["snapshot"] == old
    assert document["reports"][0]["quote"] == quote
    assert "Nothing today." in other
    assert "<mark" not in other
    assert missing.status_code == 404
    assert f'href="/why/{event["id"]}#quote"' in listed


def test_a_long_page_is_shown_around_its_quote_and_says_what_is_left_away(served):
    quote = "Velora hires 15 engineers."
    old = shot(served, served.app.now(), text="Intro. " * 9_000 + quote + " Outro." * 9_000)
    told = {"competitor": "Velora", "event_type": "hiring", "title": "t", "date": "2026-11-01"}
    with served.client("human") as person:
        event = person.post(f"{API}/events", json={**told, "quote": quote, "snapshot": old}).json()
        page = person.get(f"/why/{event['id']}").text
        far = person.get(f"/why/{old}?first=10000000&last=5").text

    assert f">{quote}</mark>" in page
    assert len(page) < 30_000
    assert "57,000 characters stand before this part" in page
    assert "57,000 characters follow" in page
    assert "characters stand before" in far


@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 1280)])
def test_the_marked_quote_is_in_sight_and_stands_out(known, theme, width):
    served, event = known
    with launched() as browser:
        context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 844})
        view = Watched(context.new_page(), served.url)
        page = view.open("/intel/Velora")
        page.click(f"#{event['id']} h3 a")
        page.wait_for_url(f"**/why/{event['id']}#quote")
        colours = page.evaluate(
            "[document.querySelector('mark'), document.querySelector('.page')].map(e => getComputedStyle(e).backgroundColor)"
        )
        box = page.locator("mark").bounding_box()
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")

    assert colours[0] != colours[1]
    assert 0 <= box["y"] < 844
    assert wide <= 0
    assert view.wrong == []
    assert view.elsewhere() == []
