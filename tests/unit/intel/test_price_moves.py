"""A price has changed where the amounts of a text say so, whatever the words around them."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from caselore.intel import entities
from caselore.intel.attributes import prices
from caselore.intel.collect.reading import html_page
from caselore.intel.days import days
from caselore.intel.modality import Mode
from caselore.intel.money import amounts
from caselore.intel.page_events import page_events
from caselore.intel.price_moves import begins, moved

sys.path.insert(0, str(Path(__file__).parent))
from price_sentences import CHANGES, STANDSTILL, SUMS

DAY = "2026-03-26"
QUILLMERE = entities.make("Quillmere")


@pytest.mark.parametrize(
    ("text", "new", "currency", "old"), CHANGES, ids=lambda one: str(one)[:50]
)
def test_a_change_is_told_by_its_amounts(text, new, currency, old):
    assert moved(text, DAY) is not None
    told = [(one.amount, one.currency, one.before) for one in prices(text, QUILLMERE)]
    assert told == [(new, currency, old)]


@pytest.mark.parametrize("text", STANDSTILL, ids=lambda one: one[:50])
def test_what_compares_keeps_or_forecasts_a_price_is_no_change(text):
    assert moved(text, DAY) is None


@pytest.mark.parametrize(("text", "value", "currency"), SUMS, ids=str)
def test_a_sum_is_read_in_each_form_of_writing(text, value, currency):
    assert [(one.value, one.currency) for one in amounts(f"It came to {text}, they say.")] == [(value, currency)]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["1080p video", "at 5 p.m. sharp", "in 4 hours 5 minutes", "page 12 pp"]
)
def test_a_number_of_something_else_is_no_sum(text):
    assert list(amounts(text)) == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Since 1 March it costs £2.", "2026-03-01"),
        ("It costs £2 on invoices dated 1 April 2026 or later.", "2026-04-01"),
        ("EUR 41 (until 31.03.2026: EUR 38)", "2026-04-01"),
        ("It was free until 28 February.", "2026-03-01"),
        ("It costs £2.", ""),
    ],
)
def test_a_price_holds_from_the_day_named_or_the_one_after_the_old_ones_last(text, day):
    assert begins(text, days(text, DAY), DAY) == day


def told(markup, title="Tariffs"):
    page = html_page(
        f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>26 March 2026</p>{markup}</main></body></html>",
        "https://quillmere.example/news/story",
        datetime(2026, 3, 30, 12, tzinfo=UTC),
    )
    found = page_events(page, entities.Book((QUILLMERE,)))
    return [(one.event_type, one.date, one.amount) for one in found if one.mode is Mode.ASSERTED]


def test_two_neighbouring_sentences_tell_one_change():
    text = "<p>The barge edition was free until 28 February. Barges cost £4 a month apiece.</p>"
    assert told(text) == [("pricing_change", "2026-03-01", 4.0)]
    assert told("<p>The walk was lovely until 28 February. Barges are fine.</p>") == []


def test_a_line_of_a_list_that_gives_both_prices_tells_a_change():
    rows = "<table><tr><th>Service</th><th>Price</th></tr><tr><td>{}</td><td>{}</td></tr></table>"
    both = rows.format("Licence, per barge and year", "EUR 410 (until 28.02.2026: EUR 380)")
    assert told(both) == [("pricing_change", "2026-03-01", 410.0)]
    assert told(rows.format("Licence, per barge and year", "EUR 410")) == []
