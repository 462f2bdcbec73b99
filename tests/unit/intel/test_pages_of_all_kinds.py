"""What the form of a page says of its sentences: a table with days over it, a joke, a history, a denial before the fact."""

from __future__ import annotations

import json

import pytest

from caselore.settings import load
from caselore.wiring import build


@pytest.fixture
def run(tmp_path):
    """Run over pages given as address, day and HTML; give the events and what was left out."""
    with build(load(tmp_path / "home", environment={})) as app:

        def over(*pages):
            folder = tmp_path / "site"
            folder.mkdir()
            listed = []
            for number, (url, day, body) in enumerate(pages):
                (folder / f"{number}.html").write_text(
                    f"<html><body><main>{body}</main></body></html>"
                )
                listed.append(
                    {"url": url, "file": f"{number}.html", "fetched_at": f"{day}T08:00:00Z"}
                )
            (folder / "site.json").write_text(json.dumps({"pages": listed}))
            ran = app.intel.run("tools", ["Velora", "Oakline"], [str(folder)]).to_json()
            return ran["events"], ran["left_out"]

        yield over


TABLE = (
    "<h1>Price list</h1><table><tr><th>Article</th><th>No.</th><th>Until 31 May</th><th>From 1 June</th></tr>"
    "<tr><td>Lantern probe</td><td>40-1</td><td>€89</td><td>€99</td></tr>"
    "<tr><td>Cable</td><td>40-2</td><td>€11</td><td>€11</td></tr></table>"
)


def test_a_table_with_a_column_for_each_day_tells_what_changed_and_when(run):
    events, _ = run(("https://velora.example/prices", "2026-05-18", TABLE))

    assert [
        (one["event_type"], one["amount"], one["currency"], one["date"]) for one in events
    ] == [("pricing_change", 99, "EUR", "2026-06-01")]
    assert "€89" in events[0]["quote"]


def test_a_table_whose_columns_are_plans_tells_no_change(run):
    plans = TABLE.replace("Until 31 May", "Basic").replace("From 1 June", "Pro")
    assert run(("https://velora.example/prices", "2026-05-18", plans))[0] == []


def test_satire_asserts_nothing(run):
    joke = "<h1>Velora buys the moon</h1><p>1 April 2026</p><p>Satire</p><p>Velora today acquired the moon for $9 billion.</p>"

    assert run(("https://jests.example/a", "2026-04-01", joke))[0] == []


def test_the_same_words_without_the_label_are_news(run):
    told = "<h1>Velora buys Moonware</h1><p>1 April 2026</p><p>Velora today acquired Moonware for $9 billion.</p>"
    assert len(run(("https://papers.example/a", "2026-04-01", told))[0]) == 1


def test_a_history_is_no_news(run):
    lines = "<h1>Our history</h1><p>2011. Acquired Blackthorn, a chain of schools.</p><p>2020. Launched Lantern.</p>"
    assert run(("https://velora.example/history", "2026-04-01", lines))[0] == []


def test_a_page_of_the_firm_s_story_is_no_news(run):
    story = "<h1>Our story</h1><p>Ines and Rob wrote the first version of Lantern for a theatre and opened an office.</p>"
    assert run(("https://velora.example/about", "2026-04-01", story))[0] == []


NOT_YET = (
    "https://papers.example/not-yet",
    "2026-03-02",
    "<h1>Steady prices</h1><p>2 March 2026</p><p>Velora has not raised the price of Lantern since 2023.</p>",
)
RAISED = (
    "https://papers.example/raised",
    "2026-05-04",
    "<h1>Dearer</h1><p>4 May 2026</p><p>Velora raises the price of Lantern from $20 to $24 a month from 1 June.</p>",
)


def test_what_has_not_been_done_so_far_may_be_done_later(run):
    events, _ = run(NOT_YET, RAISED)
    assert [(one["amount"], one["date"]) for one in events] == [(24, "2026-06-01")]


RUMOUR = (
    "https://papers.example/rumour",
    "2026-03-01",
    "<h1>Velora buys Blackthorn</h1><p>1 March 2026</p><p>Velora has bought Blackthorn for $40 million.</p>",
)
DENIED = (
    "https://velora.example/news/denial",
    "2026-03-03",
    "<h1>Statement</h1><p>3 March 2026</p><p>Velora has not acquired Blackthorn, and has no plans to acquire Blackthorn.</p>",
)


def test_a_report_from_before_a_denial_falls_with_it(run):
    events, left = run(RUMOUR, DENIED)

    assert events == []
    assert any("denied" in one["reason"] for one in left)


def test_a_denial_of_something_else_in_the_sentence_denies_no_sale(run):
    said = (
        "https://papers.example/week",
        "2026-03-05",
        "<h1>The week</h1><p>5 March 2026</p><p>Velora, sold to Globex on Tuesday, says it has no plans to move its office.</p>",
    )
    sold = (
        "https://velora.example/news/sold",
        "2026-03-03",
        "<h1>We are sold</h1><p>3 March 2026</p><p>Velora now belongs to Globex. We signed on Monday for $4 million.</p>",
    )
    events, _ = run(sold, said)

    assert [(one["event_type"], one["amount"], one["date"]) for one in events] == [
        ("acquisition", 4e6, "2026-03-02")
    ]


def test_an_attack_and_its_outage_are_one_event(run):
    own = (
        "https://velora.example/status",
        "2026-06-18",
        "<h1>Incident</h1><p>17 June 2026</p><p>Velora was down for eleven hours today.</p>",
    )
    press = (
        "https://papers.example/attack",
        "2026-06-18",
        "<h1>Dark</h1><p>18 June 2026</p><p>A ransomware attack hit Velora on Wednesday.</p>",
    )
    events, _ = run(own, press)

    assert [(one["event_type"], one["date"], len(one["urls"])) for one in events] == [
        ("market_signal", "2026-06-17", 2)
    ]
