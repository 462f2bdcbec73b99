"""A briefing read as its reader does, week after week: when, what, how grave; what changed; nothing told twice."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from email import message_from_string, policy
from xml.etree import ElementTree

import pytest

from caselore.errors import NotFound
from caselore.faces.demo import intel_site
from caselore.intel.backtest import citation_accuracy
from caselore.intel.briefing import Cited, claim_text, claims_of, without_echoes
from caselore.settings import load
from caselore.wiring import build

BEGIN = date(2026, 1, 18)
WEEKS = 10


@pytest.fixture(scope="module")
def weekly(tmp_path_factory):
    """Watch the fictional market for ten weeks; give the desk and each week's briefing."""
    place = tmp_path_factory.mktemp("weekly")
    site = intel_site.render(place / "site")
    with build(load(place / "home", environment={}, folder=place)) as app:
        app.intel.predict(
            {
                "competitor": "Velora", "statement": "Velora asks more for a plan", "probability": 0.7,
                "opens": "2026-02-01", "deadline": "2026-03-20", "resolver": {"event_type": "pricing_change"},
            }
        )  # fmt: skip
        runs = []
        for week in range(WEEKS):
            day = (BEGIN + timedelta(days=7 * week)).isoformat()
            ran = app.intel.run("tools", intel_site.names(), [str(site)], as_of=day, since="last")
            runs.append(app.intel.brief(ran.run))
        yield app.intel, runs


def test_every_claim_says_who_when_and_what_kind_of_thing(weekly):
    desk, runs = weekly
    for brief in runs:
        told = desk.deliver("md", brief["run"])
        for one in brief["claims"]:
            assert one["date"] <= brief["until"]
            assert f"{one['competitor']} · {one['date']} · {one['event_type'].replace('_', ' ')}".replace("&", "&") in told.replace("\\", "")  # fmt: skip


def test_a_price_is_told_with_what_it_was_before(weekly):
    desk, runs = weekly
    details = {one["detail"] for brief in runs for one in brief["claims"] if one["detail"]}

    assert "Team: 39 → 45 USD (+15.4 %)" in details
    assert any("39 → 45 USD" in desk.deliver("text", brief["run"]) for brief in runs)


def test_a_changed_event_says_what_changed(weekly):
    _, runs = weekly
    changed = [one for brief in runs for one in brief["claims"] if one["section"] == "changed"]

    assert changed
    assert all(one["changes"] for one in changed)
    assert not any(one["changes"] for brief in runs for one in brief["claims"] if one["section"] == "new")  # fmt: skip


def test_nobody_is_quiet_who_was_heard_of_in_an_earlier_briefing(weekly):
    desk, runs = weekly
    for brief in runs:
        known = {
            row["competitor"]: [
                one["date"] for one in desk.history(row["competitor"]) if one["date"] <= brief["until"]
            ]
            for row in desk.competitors()
        }  # fmt: skip
        for one in brief["quiet_since"]:
            last = one["last_event"]
            if last is None:
                assert not known.get(one["competitor"])
            else:
                assert (date.fromisoformat(brief["until"]) - date.fromisoformat(last)).days > 45


def test_what_was_left_out_before_is_counted_and_not_repeated(weekly):
    desk, runs = weekly
    first: dict[tuple[str, str], int] = {}
    for number, brief in enumerate(runs):
        told = desk.deliver("md", brief["run"])
        for one in brief["left_out"]:
            begin = first.setdefault((one["text"], one["reason"]), number)
            assert one["told_before"] is (begin < number)
        again = sum(one["told_before"] for one in brief["left_out"])
        assert (f"{again} more for the reasons" in told) is bool(again)


def test_a_hypothesis_counts_what_speaks_for_it(weekly):
    _, runs = weekly
    told = {one["why"].split(",")[0] for run in runs for one in run["strategies"]}

    assert "1 event for it" in told
    assert "1 events for it" not in told


def test_a_hypothesis_is_told_when_it_is_new_or_revised(weekly):
    desk, runs = weekly
    quiet = [one for one in runs[1:] if one["strategies"] and not all(s["changed"] for s in one["strategies"])]  # fmt: skip

    assert quiet
    assert "stand as they did" in desk.deliver("md", quiet[-1]["run"])


def test_a_decided_prediction_is_told_once(weekly):
    desk, runs = weekly
    told = ["ended yes" in desk.deliver("text", brief["run"]) for brief in runs]

    assert told.count(True) == 1
    assert any("open until 2026-03-20" in desk.deliver("text", brief["run"]) for brief in runs)


def test_what_was_believed_on_a_day_is_the_briefing_of_that_day(weekly):
    desk, runs = weekly
    middle = runs[3]

    assert desk.brief(as_of=middle["until"])["run"] == middle["run"]
    assert desk.profile("Velora", as_of=middle["until"]).total_events < desk.profile("Velora").total_events  # fmt: skip
    with pytest.raises(NotFound):
        desk.brief(as_of="2025-12-31")


def test_prices_and_cards_are_those_known_on_a_day(weekly):
    desk, _ = weekly
    before = desk.pricing("Velora", "2026-02-20")
    after = desk.pricing("Velora")

    assert [one["plan"] for one in after] == ["Team"]
    assert before == []
    assert all(one["as_of"] <= "2026-02-20" for one in desk.battlecard("Velora", "2026-02-20")["lines"])  # fmt: skip


@pytest.mark.parametrize("form", ["md", "html", "slack", "email", "text", "rss"])
def test_every_form_holds_every_claim(weekly, form):
    desk, runs = weekly
    brief = max(runs, key=lambda one: len(one["claims"]))
    told = desk.deliver(form, brief["run"])
    if form == "email":
        parts = message_from_string(told, policy=policy.default)
        told = parts.get_body(("plain",)).get_content()
    elif form == "slack":
        told = "".join(one["text"]["text"] for one in json.loads(told)["blocks"])
    elif form == "rss":
        items = ElementTree.fromstring(told).iter("item")
        told = " ".join(f"{one.findtext('title')} {one.findtext('pubDate')}" for one in items)
    for one in brief["claims"]:
        words = [word for word in one["shown"].split() if word.isalpha()]
        assert all(word in told for word in words)


def test_what_failed_in_a_run_is_told_to_its_reader(tmp_path):
    site = tmp_path / "pages"
    site.mkdir()
    (site / "a.txt").write_text("Velora\n\nVelora launches Beacon today.\n")
    with build(load(tmp_path / "home", environment={})) as app:
        ran = app.intel.run("x", ["Velora"], [str(site), str(tmp_path / "nothing")])
        told = app.intel.deliver("md", ran.run)

    assert ran.status == "completed_with_partial_failures"
    assert "What did not work in this run" in told


def test_a_headline_is_not_left_out_beside_its_sentence():
    rows = [("Velora is sold", "denied"), ("Velora is sold, it is said.", "denied"), ("Velora is sold", "old")]  # fmt: skip

    assert without_echoes(rows) == rows[1:]


def test_a_claim_is_worded_without_the_dateline_of_its_quote(weekly):
    desk, _ = weekly
    found = [one for name in intel_site.names() for one in desk.dossiers(name)]
    several = [
        one for one in found if "\n" in one.best.quote and len(one.best.quote.split("\n")) > 2
    ]

    assert several
    assert not [one for one in several if claim_text(one).count("2026") > one.best.quote.split("\n")[-1].count("2026")]  # fmt: skip


def test_a_card_shows_products_beside_each_other_and_the_last_price_of_a_plan(tmp_path):
    with build(load(tmp_path, environment={})) as app:
        for number, title in enumerate(
            ["launches Beacon", "launches Lantern", "raises its Team plan to $39 per seat", "raises its Team plan to $45 per seat"]
        ):  # fmt: skip
            kind = "feature_launch" if "launch" in title else "pricing_change"
            day = f"2026-0{2 * number + 1}-05"
            app.intel.store_event({"competitor": "Velora", "event_type": kind, "title": f"Velora {title}", "date": day})  # fmt: skip
        lines = app.intel.battlecard("Velora", "2030-01-01")["lines"]

    assert [one["fact"] for one in lines if one["topic"] == "feature_launch"] == [
        "Velora launches Beacon", "Velora launches Lantern",
    ]  # fmt: skip
    assert [one["fact"] for one in lines if one["topic"].startswith("pricing")] == [
        "Velora raises its Team plan to $45 per seat"
    ]
    assert all(one["stale"] for one in lines)


def test_citations_are_counted_by_opening_the_pages_anew(weekly):
    desk, _ = weekly
    dossier = next(one for one in desk.dossiers("Velora") if one.amount)
    cited = Cited(dossier, desk.snapshot(dossier.best.snapshot)["text"], "", dossier.date, ("Velora",))  # fmt: skip
    claims = claims_of([cited], "new", "run_x", 1)
    wrong = [replace(claims[0], text=claims[0].text.replace("4", "9"))]

    assert citation_accuracy(claims, lambda id: desk.snapshot(id)["text"]) == 1.0
    assert citation_accuracy(claims, lambda id: "another page") == 0.0
    assert citation_accuracy(wrong, lambda id: desk.snapshot(id)["text"]) == 0.0
    assert citation_accuracy([], lambda id: "") is None


def test_a_changed_page_still_opens_at_its_old_words(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    rows = []
    for day, price in (("2026-10-01", "$40"), ("2026-10-20", "$48")):
        (site / f"{day}.html").write_text(
            f"<h1>Velora news</h1><p>Velora launches Beacon today.</p><p>It costs {price} a month.</p>"
            if price == "$40"
            else "<h1>Velora news</h1><p>Velora has nothing to say.</p>"
        )
        rows.append({"url": "https://velora.example/news", "file": f"{day}.html", "fetched_at": f"{day}T08:00:00Z"})  # fmt: skip
    (site / "site.json").write_text(json.dumps({"pages": rows}))
    with build(load(tmp_path / "home", environment={})) as app:
        first = app.intel.run("x", ["Velora"], [str(site)], as_of="2026-10-02")
        claim = first.brief.claims[0]
        before = app.intel.why(claim.id)
        app.intel.run("x", ["Velora"], [str(site)], as_of="2026-10-21", since="last")
        after = app.intel.why(claim.id)

    assert before["page_says_so_now"] is True
    assert after["page_says_so_now"] is False
    assert after["quote"] == before["quote"] == after["text"][after["first"] : after["last"]]
    assert after["newest_snapshot"] != after["snapshot"] == before["snapshot"]
