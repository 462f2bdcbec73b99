"""The authored market: everything that happened is found, once, on its day, with its quote; nothing else is."""

from __future__ import annotations

import html
import json
import re
import signal
import subprocess
import sys
import time
from datetime import date
from itertools import combinations
from pathlib import Path

import pytest

from caselore.faces.demo import intel_site
from caselore.settings import load
from caselore.wiring import build

CASELORE = str(Path(sys.executable).parent / "caselore")
TRUE = intel_site.key()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return intel_site.render(tmp_path_factory.mktemp("market") / "site")


@pytest.fixture(scope="module")
def ran(site, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    with build(load(home, environment={})) as app:
        yield app.intel, app.intel.run("tools", intel_site.names(), [str(site)]).to_json()


def matches(truth, event):
    same = (truth.competitor, truth.event_type) == (event["competitor"], event["event_type"])
    near = abs(date.fromisoformat(truth.date) - date.fromisoformat(event["date"])).days <= 10
    words = truth.words.lower() in f"{event['title']} {event['quote']}".lower()
    plan = not truth.plan or truth.plan == event["plan"]
    return same and near and words and plan


@pytest.fixture(scope="module")
def pairs(ran):
    events = list(ran[1]["events"])
    found = []
    for truth in TRUE:
        hit = next((one for one in events if matches(truth, one)), None)
        if hit:
            events.remove(hit)
            found.append((truth, hit))
    return found


def test_the_market_has_sixty_true_events_of_four_competitors():
    assert len(TRUE) == 60
    assert len(intel_site.names()) == 4
    assert len({one.event_type for one in TRUE}) == 7


def test_at_least_nine_of_ten_events_are_found(pairs):
    assert len(pairs) >= 0.9 * len(TRUE), {one for one in TRUE} - {truth for truth, _ in pairs}


def test_at_least_19_of_20_reported_events_are_true(pairs, ran):
    assert len(pairs) >= 0.95 * len(ran[1]["events"])


def test_every_amount_is_exact(pairs):
    told = [(truth, event) for truth, event in pairs if truth.amount is not None]

    assert len(told) >= 15
    for truth, event in told:
        assert (event["amount"], event["currency"]) == (truth.amount, truth.currency), truth


def test_19_of_20_days_are_exact(pairs):
    exact = sum(truth.date == event["date"] for truth, event in pairs)
    assert exact >= 0.95 * len(pairs)


def test_reports_of_one_event_are_put_together_and_those_of_two_are_not(pairs):
    true = {pair for truth, _ in pairs for pair in combinations(sorted(set(truth.urls)), 2)}
    told = {pair for _, event in pairs for pair in combinations(sorted(set(event["urls"])), 2)}
    right = len(true & told)
    precision, recall = right / len(told), right / len(true)

    assert len(true) >= 40
    assert 2 * precision * recall / (precision + recall) >= 0.95


def seen_by_a_reader(markup):
    """Give what a page says, by other means than the product's: no parser of ours."""
    bare = re.sub(r"(?s)<(script|style|head).*?</\1>|<!--.*?-->", " ", markup)
    bare = re.sub(r"(?s)<div style='display:none'>.*?</div>", " ", bare)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", bare)).split())


def test_an_independent_checker_finds_every_citation_in_its_page(ran, site):
    desk, document = ran
    listed = json.loads((site / "site.json").read_text())["pages"]
    pages = {}
    for one in listed:
        pages.setdefault(one["url"], []).append(seen_by_a_reader((site / one["file"]).read_text()))
    assert len(document["claims"]) >= 50
    for claim in document["claims"]:
        stored = desk.snapshot(claim["snapshot"])["text"]
        assert stored[claim["first"] : claim["last"]] == claim["quote"]
        flat = " ".join(claim["quote"].split())
        assert any(flat in page for page in pages[claim["url"]]), claim
        assert claim["verdict"] == "verified"


def test_nothing_planted_denied_rumoured_or_barred_becomes_an_event(ran):
    document = ran[1]
    text = json.dumps([document["events"], document["claims"]])

    for word in (
        "Globewright for",
        "$900",
        "Titanbank",
        "Tollgate Robotics for",
        "Hushed",
        "Pulley",
        "approvers",
    ):
        assert word not in text, word
    assert {one["url"] for one in document["quarantined"]} == {
        "https://reviewcorner.example/velora"
    }
    reasons = " ".join(one["reason"] for one in document["left_out"])
    for word in ("denied", "rumour", "planned", "robots.txt", "forum", "held"):
        assert word in reasons, word


def test_a_wrong_number_is_noted_and_not_believed(ran):
    deal = next(one for one in ran[1]["events"] if one["amount"] == 28e6)

    assert any("82" in note for note in deal["contradictions"])
    assert "https://tinkerblog.example/pinewood" in deal["urls"]


def test_copies_are_no_origins_and_other_words_are(ran):
    by_title = {(one["competitor"], one["date"]): one for one in ran[1]["events"]}
    launch = by_title["Velora", "2026-05-19"]
    round_ = by_title["Velora", "2026-02-18"]

    assert len(launch["urls"]) == 3
    assert launch["origins"] == 2  # its own page and the paper; the aggregator copies the paper
    assert round_["origins"] == 3


def test_a_page_of_low_trust_moves_no_risk(tmp_path, site):
    def risks(folder, home):
        with build(load(home, environment={})) as app:
            app.intel.run("tools", intel_site.names(), [str(folder)], as_of="2026-08-25")
            return [
                app.intel.profile(name, "2026-08-25").risk_level for name in intel_site.names()
            ]

    clean = tmp_path / "clean"
    intel_site.render(clean)
    listed = json.loads((clean / "site.json").read_text())
    listed["pages"] = [one for one in listed["pages"] if "whisperboard" not in one["url"]]
    (clean / "site.json").write_text(json.dumps(listed))

    assert risks(site, tmp_path / "a") == risks(clean, tmp_path / "b")


def test_a_second_run_adds_nothing(ran, site):
    desk, document = ran
    again = desk.run("tools", intel_site.names(), [str(site)])

    assert [one.id for one in again.events] == [one["id"] for one in document["events"]]


def test_nothing_fetched_later_is_seen(tmp_path, site):
    with build(load(tmp_path, environment={})) as app:
        found = app.intel.run(
            "tools", intel_site.names(), [str(site)], as_of="2026-02-20"
        ).to_json()
    assert found["events"]
    assert max(one["date"] for one in found["events"]) <= "2026-02-20"


def test_a_run_killed_at_any_moment_is_finished_by_the_next(tmp_path, site, ran):
    command = [CASELORE, "intel", "run", "tools", "--source", str(site), "--json"]
    for name in intel_site.names():
        command += ["--competitor", name]
    env = {"CASELORE_HOME": str(tmp_path / "home"), "PATH": ""}
    for moment in (0.9, 1.6):
        victim = subprocess.Popen(
            command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(moment)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, check=True, timeout=120
    )
    found = json.loads(done.stdout)["events"]

    told = sorted(
        (one["competitor"], one["event_type"], one["date"], one["title"]) for one in found
    )
    assert told == sorted(
        (one["competitor"], one["event_type"], one["date"], one["title"])
        for one in ran[1]["events"]
    )


def test_why_opens_the_quote_also_after_the_page_changed(ran):
    desk, document = ran
    price = next(one for one in document["events"] if one["plan"] == "Growth")
    row = next(one for one in desk.history("Ardent & Pike") if one["id"] == price["id"])
    found = desk.why(row["id"])

    assert found["text"][found["first"] : found["last"]] == row["quote"]


def test_aliases_tickers_and_former_names_are_learned_from_pages(ran):
    desk, _ = ran
    assert desk.profile("VLRA").competitor == "Velora"
    assert desk.profile("Buildmoss").total_events == desk.profile("Velora").total_events
    assert desk.profile("A&P Systems").competitor == "Ardent & Pike"


def test_the_backtest_learns_week_by_week(tmp_path, site):
    with build(load(tmp_path, environment={})) as app:
        found = app.intel.backtest(str(site), ["Velora"], days=60)
        assert app.intel.competitors() == []
    counts = [one["events"] for one in found["steps"]]
    assert counts == sorted(counts)
    assert counts[-1] >= 14
    assert {one["citation_accuracy"] for one in found["steps"] if one["claims"]} == {1.0}
    assert {one["verified_share"] for one in found["steps"] if one["claims"]} == {1.0}


@pytest.mark.parametrize("form", ["md", "html", "json", "slack", "email", "text", "rss"])
def test_every_form_of_delivery_names_the_source_of_a_claim(ran, form):
    desk, _ = ran
    assert "velora.example" in desk.deliver(form).replace("\\", "").replace("=\n", "")


def test_the_demonstration_says_that_it_is_fictional():
    done = subprocess.run(
        [CASELORE, "intel", "demo"], capture_output=True, text=True, check=True, timeout=120
    )

    assert done.stdout.startswith("FICTIONAL")
    assert "week 1" in done.stdout
    assert "week 8" in done.stdout
    assert done.stdout.rstrip().endswith(intel_site.world()["watermark"])
