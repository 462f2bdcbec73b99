"""What a sentence reports is known by the parts that play in it, whatever words it is told in."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from caselore.intel import entities
from caselore.intel.collect.reading import html_page
from caselore.intel.modality import Mode
from caselore.intel.page_events import page_events

sys.path.insert(0, str(Path(__file__).parent))
from intel_parts import ELSEWHERE, NO_VALUES, NOTHING_ELSEWHERE, NOTHING_OWN, OWN, OWN_VALUES

AT = datetime(2026, 3, 30, 12, tzinfo=UTC)
BOOK = entities.Book((entities.make("Quillmere"), entities.make("Tarnfield & Sons")))
NEWS, HOUSE = "https://daily.example/story", "https://quillmere.example/news/story"


def reported(text, url, title="In brief"):
    markup = f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>26 March 2026</p><p>{text}</p></main></body></html>"
    found = page_events(html_page(markup, url, AT), BOOK)
    return [(one.entity.name, one.event_type, one.date) for one in found if one.mode is Mode.ASSERTED]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "event_type", "day"), ELSEWHERE, ids=lambda one: one[:50]
)
def test_a_report_of_others_is_read_by_its_parts(text, name, event_type, day):
    assert reported(text, NEWS) == [(name, event_type, f"2026-03-{day}")]


@pytest.mark.parametrize(("text", "event_type", "day"), OWN, ids=lambda one: one[:50])
def test_what_a_competitor_tells_of_itself_is_its_own(text, event_type, day):
    assert reported(text, HOUSE) == [("Quillmere", event_type, f"2026-03-{day}")]


@pytest.mark.parametrize(
    ("text", "event_type", "amount"), OWN_VALUES, ids=lambda one: str(one)[:50]
)
def test_a_price_a_sum_or_an_owner_is_read_with_its_value(text, event_type, amount):
    markup = f"<html><body><main><h1>In brief</h1><p>26 March 2026</p><p>{text}</p></main></body></html>"
    found = page_events(html_page(markup, HOUSE, AT), BOOK)
    told = [(one.event_type, one.amount) for one in found if one.mode is Mode.ASSERTED]
    assert told == [(event_type, amount)]


@pytest.mark.parametrize("text", NO_VALUES, ids=lambda one: one[:50])
def test_a_sum_of_something_else_is_no_price_and_no_funding(text):
    assert reported(text, HOUSE) == []


@pytest.mark.parametrize("text", NOTHING_ELSEWHERE, ids=lambda one: one[:50])
def test_what_only_sounds_like_a_report_is_none(text):
    assert reported(text, NEWS) == []


@pytest.mark.parametrize("text", NOTHING_OWN, ids=lambda one: one[:50])
def test_what_a_competitor_repeats_promises_or_mends_is_no_event(text):
    assert reported(text, HOUSE) == []


def test_an_opinion_asserts_nothing():
    told = "Helena Marsh took over as finance director of Quillmere on Monday."
    assert reported(told, NEWS) != []
    assert reported(told, NEWS, "Opinion: the wrong people at the top") == []


def test_a_vacancy_reports_nothing_but_hiring():
    told = "In March 2026 Quillmere launched Inkwell, a new reader. We are hiring 30 engineers in Leith."
    assert {one[1] for one in reported(told, HOUSE, "Vacancy: proofreader")} == {"hiring"}


def test_a_table_that_only_arranges_a_page_is_read_as_text():
    told = (
        "Readers wait. Helena Marsh took over as finance director of Quillmere on Monday. "
        + "More is to come from the north of the county. " * 4
    )
    cells = f"<table><tr><td><ul><li>Home</li></ul></td><td><h1>People</h1><p>26 March 2026</p><p>{told}</p></td></tr></table>"
    page = html_page(f"<html><body>{cells}</body></html>", NEWS, AT)
    assert [(one.event_type, one.date) for one in page_events(page, BOOK)] == [("hiring", "2026-03-23")]  # fmt: skip


def test_a_saved_page_speaks_for_the_site_that_its_title_and_address_name():
    def owner(title, canonical):
        head = f"<title>{title}</title><link rel='canonical' href='{canonical}'>"
        page = html_page(f"<html><head>{head}</head><body><h1>Notes</h1></body></html>", "saved.html", AT)  # fmt: skip
        found = BOOK.owner_of(page)
        return found and found.name

    assert owner("Notes | Quillmere Ltd", "https://quillmere-reader.example/notes") == "Quillmere"
    assert owner("Notes", "https://quillmere.example/notes") == "Quillmere"
    assert owner("Notes | Quillmere", "https://daily.example/notes") is None
    assert owner("Quillmere raises prices | The Daily", "https://daily.example/notes") is None
