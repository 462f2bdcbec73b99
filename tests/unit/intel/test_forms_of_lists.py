"""Lists of plans, release notes and arrivals, each with what it says and what it only seems to say."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from caselore.intel.collect.html_text import read_html
from caselore.intel.collect.reading import html_page
from caselore.intel.price_pages import prices_of
from caselore.settings import load
from caselore.wiring import build

SHOP = "https://brindle.example"


@pytest.fixture
def read(tmp_path):
    """Give a reader: pages in, events out."""

    def _read(*pages):
        site = tmp_path / "site"
        site.mkdir()
        rows = []
        for number, (url, at, body) in enumerate(pages):
            (site / f"{number}.html").write_text(f"<html><body><main>{body}</main></body></html>")
            rows.append({"url": url, "fetched_at": f"{at}T08:00:00Z", "file": f"{number}.html"})
        (site / "site.json").write_text(json.dumps({"pages": rows}))
        with build(load(tmp_path / "home", environment={})) as app:
            return app.intel.run("t", ("Brindle",), [str(site)]).to_json()["events"]

    return _read


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("brindle.example", "Heron has arrived: Brindle now plans a round from one photo."),
        ("brindle.example", "Depot View has finally arrived."),
        ("n.example", "Heron arrives in Brindle."),
        ("n.example", "Voice notes arrived in Brindle on Wednesday."),
        ("n.example", "Brindle for iPad hits the App Store."),
        ("n.example", "Brindle's driver app landed on Google Play this week."),
        ("brindle.example", "Our watch app is in the App Store from today."),
        ("brindle.example", "Brindle is now on the Microsoft Marketplace."),
        ("n.example", "Brindle arrives on Android."),
    ],
)
def test_what_arrives_is_a_launch(read, host, words):
    found = read((f"https://{host}/n", "2026-04-02", f"<h1>Notes</h1><p>1 April 2026</p><p>{words}</p>"))  # fmt: skip
    assert [(one["event_type"], one["date"]) for one in found] == [
        ("feature_launch", "2026-04-01")
    ]


@pytest.mark.parametrize(
    "words",
    [
        "Summer has arrived.",
        "The planning season has arrived!",
        "Ines Corral of Brindle arrives in Lisbon.",
        "Heron arrives in Parcelo, not in Brindle's rival Delivigo.",
        "Our vans have arrived late.",
        "Brindle hits the App Store's top ten.",
        "Brindle reached the App Store charts.",
        "Brindle is in the App Store.",
        "The guests arrived in good time at Brindle.",
    ],
)
def test_who_arrives_or_where_a_product_always_was_is_no_launch(read, words):
    assert read((f"{SHOP}/n", "2026-04-02", f"<h1>Notes</h1><p>1 April 2026</p><p>{words}</p>")) == []  # fmt: skip


def plan(name, price, period="a month"):
    return f'<li><span class="n">{name}</span><span class="c">{price}</span><span class="p">{period}</span></li>'


@pytest.mark.parametrize(
    ("items", "known"),
    [
        (plan("Van", "$29") + plan("Fleet", "$69"), [("Van", 29, "month"), ("Fleet", 69, "month")]),
        (plan("Van", "€8", "per driver") + plan("Fleet Plus", "€12", "per driver"),
         [("Van", 8, "driver"), ("Fleet Plus", 12, "driver")]),
        ("<li>Van $29 per month</li><li>Fleet $1,069 per month</li>",
         [("Van", 29, "month"), ("Fleet", 1069, "month")]),
        ("<li>Save $20 a month</li><li>Only $5 a month</li>", []),
        ("<li>Now $45 a month</li><li>drivers pay $3</li>", []),
    ],
)  # fmt: skip
def test_an_item_of_a_name_and_a_price_is_a_plan(items, known):
    page = html_page(f"<main><h1>Plans</h1><ul>{items}</ul></main>", f"{SHOP}/plans", datetime(2026, 4, 1, tzinfo=UTC))  # fmt: skip
    assert [(one.plan, one.amount, one.unit) for one in prices_of(page)] == known


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ('<span class="a">Van</span><span class="b">$29</span><span class="c">a month</span>', "Van $29 a month"),
        ('<span class="a">$69</span><span class="b">.99</span>', "$69.99"),
        ('<span class="a">i</span><span class="b">Phone</span>', "iPhone"),
        ('<span class="a">W</span><span class="b">hen we began</span>', "When we began"),
        ('<span class="a">21</span><span class="b">st</span>', "21st"),
        ("<span>Van</span><span>guard</span>", "Vanguard"),
        ('<span class="a">Van</span><span class="b">guard</span>', "Vanguard"),
    ],
)  # fmt: skip
def test_spans_are_parted_where_they_are_two_things_and_never_within_a_word(markup, text):
    assert read_html(f"<main><p>{markup}</p></main>").text == text


def test_the_changed_plan_of_a_list_of_spans_is_one_change(read):
    pages = [
        (f"{SHOP}/plans", at, "<h1>Pick a plan</h1><ul>" + plan("Van", "$29") + plan("Fleet", fleet) + "</ul>")
        for at, fleet in (("2026-03-01", "$69"), ("2026-04-02", "$79"))
    ]  # fmt: skip
    found = read(*pages)
    assert [(one["amount"], one["before"], one["plan"]) for one in found] == [(79, 69, "Fleet")]


@pytest.mark.parametrize(
    "line", ["Includes support.", "Supports ISO 27001 audits.", "New dashboard.", "Get the API."]
)
def test_what_a_plan_holds_is_no_launch(read, line):
    body = f"<h1>Plans</h1><h2>Van</h2><p>$350 per year</p><p>{line}</p><h2>Fleet</h2><p>$1,450 per year</p><p>{line}</p>"
    assert read((f"{SHOP}/plans", "2026-04-02", body)) == []


NOTES = "<h1>Release notes</h1>{}"


@pytest.mark.parametrize(
    "body",
    [
        "<h2>v4.2 – June 16, 2026</h2><ul><li>Added: stop lists in PDF</li><li>Fixed: login loop</li></ul>",
        "<h2>4.2.0 (2026-06-16)</h2><h3>Added</h3><ul><li>Stop lists as a printed sheet</li></ul>"
        "<h3>Fixed</h3><ul><li>A loop when signing in</li></ul>",
        "<h2>16 June 2026 · v4.2</h2><ul><li>You can now share a round with a link.</li><li>Fixes a crash</li></ul>",
        "<h2>Version 4.2, 16 June 2026</h2><ul><li>New: stop lists in PDF</li><li>Bug: wrong totals</li></ul>",
    ],
)
@pytest.mark.parametrize("name", ["Release notes", "Brindle release notes", "What's new"])
def test_release_notes_give_one_launch_for_what_they_add(read, body, name):
    found = read((f"{SHOP}/releases", "2026-06-20", f"<h1>{name}</h1>{body}"))
    assert [(one["event_type"], one["date"]) for one in found] == [
        ("feature_launch", "2026-06-16")
    ]


def test_two_added_items_of_a_version_are_two_launches(read):
    found = read((f"{SHOP}/releases", "2026-06-20", NOTES.format(
        "<h2>v4.2 – June 16, 2026</h2><ul><li>Added: stop lists in PDF</li><li>Added: voice commands for drivers</li>"
        "<li>Fixed: login loop</li></ul><h2>v4.1 – May 28, 2026</h2><ul><li>Fixed: slow maps</li></ul>")))  # fmt: skip
    assert sorted(one["date"] for one in found) == ["2026-06-16", "2026-06-16"]
