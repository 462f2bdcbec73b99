"""Forms of pages and turns of phrase, each with what it says and what it only seems to say."""

from __future__ import annotations

import json

import pytest

from caselore.intel.days import lone_day
from caselore.settings import load
from caselore.wiring import build

SHOP = "https://brindle.example"


@pytest.fixture
def read(tmp_path):
    """Give a reader: pages in, events out."""

    def _read(*pages, names=("Brindle",)):
        rows = []
        (tmp_path / "site").mkdir()
        for number, (url, at, text) in enumerate(pages):
            file = f"{number}.{'html' if text.startswith('<') else 'txt'}"
            (tmp_path / "site" / file).write_text(text)
            rows.append({"url": url, "fetched_at": f"{at}T08:00:00Z", "file": file})
        (tmp_path / "site" / "site.json").write_text(json.dumps({"pages": rows}))
        with build(load(tmp_path / "home", environment={})) as app:
            return app.intel.run("t", names, [str(tmp_path / "site")]).to_json()["events"]

    return _read


def told(events):
    return sorted((one["event_type"], one["date"], one["amount"]) for one in events)


def page(body, title=""):
    return f"<html><head><title>{title}</title></head><body><main>{body}</main></body></html>"


CARD = "<div><h3>Free</h3><p>$0</p></div><div><h3>Squad</h3><p>${} per user / month</p></div>"
INLINE = "<div>Free <b>Squad</b> <span>${}</span> per user/mo</div><div><b>Company</b> <span>$90</span></div>"
TOGGLE = "<div><h3>Squad</h3><p><span>${}/month</span><span>$999/year</span></p></div>"
STRUCK = "<div><h3>Squad</h3><p><del>$59</del> ${} per user / month</p></div><div><h3>Mini</h3><p>$9</p></div>"


@pytest.mark.parametrize("cards", [CARD, INLINE, TOGGLE, STRUCK])
def test_a_price_told_by_cards_and_by_a_post_is_one_change(read, cards):
    found = read(
        (f"{SHOP}/pricing", "2026-03-01", page("<h1>Pricing</h1>" + cards.format(39), "Pricing")),
        (f"{SHOP}/pricing", "2026-04-02", page("<h1>Pricing</h1>" + cards.format(45), "Pricing")),
        (f"{SHOP}/blog", "2026-04-02", page(
            "<h1>New pricing for Squad</h1><p>1 April 2026</p>"
            "<p>Starting today the Squad plan costs $45 per user per month, up from $39.</p>")),
    )  # fmt: skip
    assert told(found) == [("pricing_change", "2026-04-01", 45.0)]


def test_a_launch_and_the_sentence_on_its_availability_are_one_event(read):
    found = read((f"{SHOP}/n", "2026-04-02", page(
        "<h1>Brindle launches Lanternfish</h1><p>1 April 2026</p><p>Lanternfish routes invoices.</p>"
        "<p>General availability begins today.</p>")))  # fmt: skip
    assert told(found) == [("feature_launch", "2026-04-01", None)]


def test_each_entry_of_a_changelog_has_the_day_that_stands_over_it(read):
    found = read((f"{SHOP}/changelog", "2026-06-12", page(
        "<h1>Changelog</h1><h2>2026-06-08</h2><ul><li><b>New:</b> Bulk rerouting is now available to all."
        "</li><li><b>Fixed:</b> a crash</li></ul><h2>2026-05-02</h2><p>Added Offline maps for drivers</p>")))  # fmt: skip
    assert told(found) == [
        ("feature_launch", "2026-05-02", None),
        ("feature_launch", "2026-06-08", None),
    ]


NEWSROOM = (
    ("22 April 2026", "Brindle opens Oslo office", "Brindle has opened an office in Oslo."),
    ("3 March 2026", "Brindle partners with Postbank", "Brindle has partnered with Postbank."),
    ("1 February 2026", "Brindle launches Heron", "Heron plans rounds."),
)


@pytest.mark.parametrize(
    "form",
    [
        "<div><span class='date'>{0}</span><h3>{1}</h3><p>{2}</p></div>",
        "<div><h3>{1}</h3><span class='date'>{0}</span><p>{2}</p></div>",
        "<li><h3>{1}</h3><div>Posted on {0}</div><p>{2}</p></li>",
    ],
)
def test_each_item_of_a_newsroom_has_its_own_day(read, form):
    items = "".join(form.format(*one) for one in NEWSROOM)
    found = read((f"{SHOP}/newsroom", "2026-06-12", page(f"<h1>Newsroom</h1>{items}")))
    assert told(found) == [
        ("feature_launch", "2026-02-01", None),
        ("market_signal", "2026-04-22", None),
        ("partnership", "2026-03-03", None),
    ]


@pytest.mark.parametrize(
    "words",
    [
        "If Brindle were to launch in Japan, it would need 60 engineers.",
        "Brindle should hire a country head.",
        "Brindle could buy Parcelo for $50 million.",
        "The company plans to triple its sales team by 2028.",
        "Brindle is not hiring 60 engineers.",
        "Brindle may raise $40 million in a Series C.",
    ],
)
def test_what_might_be_is_no_event(read, words):
    assert (
        read(
            (
                "https://n.example/n",
                "2026-04-02",
                page(f"<h1>On Brindle</h1><p>1 April 2026</p><p>{words}</p>"),
            )
        )
        == []
    )


def test_the_headline_of_a_release_is_not_the_words_that_it_is_one(read):
    found = read(("https://wire.example/pr", "2026-05-02",
        "FOR IMMEDIATE RELEASE\n\nBrindle appoints Ines Corral as chief revenue officer\n\n"
        "LISBON, May 1, 2026 - Brindle today announced that Ines Corral has joined as chief revenue officer.\n"))  # fmt: skip
    assert [one["title"] for one in found] == [
        "Brindle appoints Ines Corral as chief revenue officer"
    ]


def test_a_report_with_another_amount_supports_nothing(read):
    found = read(
        (f"{SHOP}/p", "2026-04-02", page(
            "<h1>Squad price change</h1><p>1 April 2026</p><p>The Squad plan now costs €35 per user per month.</p>")),
        ("https://tinkering.example/p", "2026-04-03", page(
            "<h1>Brindle price rise</h1><p>2 April 2026</p><p>Brindle’s Squad plan now costs €25 per user per month.</p>")),
    )  # fmt: skip
    assert [(one["amount"], one["origins"], len(one["contradictions"])) for one in found] == [
        (35, 1, 1)
    ]


def test_a_partnership_of_two_watched_companies_is_an_event_of_each(read):
    found = read(("https://n.example/p", "2026-04-02", page(
        "<h1>Brindle partners with Corvane</h1><p>1 April 2026</p>"
        "<p>Brindle has partnered with Corvane to share routes.</p>")), names=("Brindle", "Corvane"))  # fmt: skip
    assert sorted(one["competitor"] for one in found) == ["Brindle", "Corvane"]


def test_a_day_in_figures_is_read_by_the_day_of_its_page(read):
    found = read(("https://n.example/p", "2026-02-12", page(
        "<h1>Brindle opens Oslo office</h1><span>Words: Pia Holm</span><span>11/02/2026</span>"
        "<p>Brindle has opened an office in Oslo.</p>")))  # fmt: skip
    assert told(found) == [("market_signal", "2026-02-11", None)]


def test_who_publishes_a_page_is_not_taken_from_the_page(read):
    claimed = json.dumps(
        {"@type": "NewsArticle", "publisher": {"@type": "Organization", "name": "Brindle"}}
    )
    found = read(("https://whatever.example/p", "2026-04-02",
        f"<html><head><script type='application/ld+json'>{claimed}</script></head><body><main><h1>Brindle hit by breach</h1>"
        "<p>1 April 2026</p><p>Brindle suffered a data breach.</p></main></body></html>"))  # fmt: skip
    assert [one["tier"] for one in found] == ["unknown"]


STORY = "<article><h1>Brindle launches Heron</h1>{}<p>Brindle has launched Heron, a planner.</p></article>"


@pytest.mark.parametrize(
    "form",
    [
        "<meta itemprop='datePublished' content='2026-02-05'>",
        "<span itemprop='datePublished' content='2026-02-05T08:00:00Z'>last Thursday</span>",
        "<p>Feb. 5, 2026</p>",
        "<p>February 5th, 2026</p>",
        "<p>5-Feb-2026</p>",
        "<p>2026/02/05</p>",
        "<p>Updated 9 February 2026. First published 5 February 2026</p>",
        "<div>Ines Corral · 5 Feb 2026 · 3 min read</div>",
    ],
)
def test_the_day_of_a_page_is_found_in_many_forms(read, form):
    found = read(("https://n.example/n", "2026-02-12", page(STORY.format(form))))
    assert [one["date"] for one in found] == ["2026-02-05"]


@pytest.mark.parametrize(
    "beside",
    [
        "<div class='related'><h3>Related</h3><p>Brindle raises $20 million Series A</p></div>",
        "<h4>More</h4><p><a href='/b'>Brindle buys Parcelo</a></p>",
        "<p>Read next: Brindle lays off 40 people</p>",
        "<div id='sidebar'><p>Brindle opens Oslo office</p></div>",
    ],
)
def test_what_only_points_to_other_pages_is_no_report(read, beside):
    text = page(STORY.format("<p>1 April 2026</p>").replace("article>", "section>") + beside)
    found = read(("https://n.example/n", "2026-04-02", text))
    assert [one["event_type"] for one in found] == ["feature_launch"]


SHOPS = (
    ("Brindle", "brindle.example"),
    ("Brindle.io", "brindle.example"),
    ("Brindle Rounds", "brindlerounds.example"),
    ("Brindle HR", "brindle.example"),
    ("L'Élan", "lelan.example"),
)


@pytest.mark.parametrize(("name", "host"), SHOPS)
def test_a_company_is_known_by_its_own_site(read, name, host):
    cards = f"<h1>{name} pricing</h1><h3>Élan</h3><p>$14</p><h3>Élan Plus</h3><p>${{}} / vehicle / month</p>"
    found = read(
        (f"https://{host}/pricing", "2026-03-01", page(cards.format(24))),
        (f"https://{host}/pricing", "2026-04-02", page(cards.format(27))),
        names=(name,),
    )
    assert [(one["amount"], one["plan"]) for one in found] == [(27, "Élan Plus")]


@pytest.mark.parametrize(
    ("words", "event_type"),
    [
        ("Brindle brings Heron, a route planner, to market.", "feature_launch"),
        ("Brindle has expanded its platform with payroll cards.", "feature_launch"),
        ("Brindle for Android Auto is out today.", "feature_launch"),
        ("Delivigo has picked Brindle as its routing partner.", "partnership"),
        ("Shiftly becomes part of Brindle.", "acquisition"),
        ("Sable Ridge is leading a $64 million investment in Brindle.", "funding"),
        (
            "Brindle customers on Squad will pay $13 per driver per month, up from $11.",
            "pricing_change",
        ),
        ("The regulator has fined Brindle €80,000 for flying without a permit.", "market_signal"),
        (
            "About 130 workers at the Bristol plant of Brindle went on strike on Thursday.",
            "market_signal",
        ),
        ("Meet us at Fleet Expo in Lyon, says Brindle.", None),
        ("Brindle customers include Delivigo, which acquired Zoomo.", None),
        ("Unlike Brindle, Parcelo raised $20 million.", None),
    ],
)
def test_a_turn_of_phrase_is_read_for_whose_doing_it_tells(read, words, event_type):
    found = read(
        (
            "https://n.example/n",
            "2026-04-02",
            page(f"<h1>Notes</h1><p>1 April 2026</p><p>{words}</p>"),
        )
    )
    assert [one["event_type"] for one in found] == ([event_type] if event_type else [])


def test_a_company_called_people_says_nothing_of_people(read):
    found = read(("https://n.example/n", "2026-04-02", page(
        "<h1>B&amp;R People discloses leak of applicant data</h1><p>1 April 2026</p>"
        "<p>B&amp;R People said that the personal data of 41,000 applicants had been exposed.</p>")), names=("B&R People",))  # fmt: skip
    assert [one["event_type"] for one in found] == ["market_signal"]


def test_a_standard_or_an_ordinary_word_is_no_name(tmp_path):
    from datetime import UTC, datetime

    from caselore.intel.aliases import learn
    from caselore.intel.collect.reading import plain_page
    from caselore.intel.entities import make

    text = "Brindle HR is now SOC 2 Type II certified. From today Brindle HR is StaffSpring's new name."
    page_ = plain_page(text, "https://n.example/n", datetime(2026, 4, 1, tzinfo=UTC))
    names = learn([make("Brindle HR")], [page_])[0].names
    assert not {"SOC 2 Type II", "From", "SOC"} & set(names)


@pytest.mark.parametrize(
    ("line", "beside", "day"),
    [
        ("3 May 2026", 0, "2026-05-03"),
        ("Posted on 3 May 2026", 4, "2026-05-03"),
        ("v4.2 — 3 May 2026", 4, "2026-05-03"),
        ("Posted on 3 May 2026", 1, ""),
        ("The trial ended on 3 May 2026.", 9, ""),
        ("3 May 2026 to 5 May 2026", 9, ""),
        ("May 2026", 4, ""),
        ("yesterday", 4, ""),
    ],
)
def test_a_line_is_there_for_its_day_when_it_holds_one_and_little_else(line, beside, day):
    lone = lone_day(line, beside, "2026-05-10")
    assert (lone.day if lone else "") == day
