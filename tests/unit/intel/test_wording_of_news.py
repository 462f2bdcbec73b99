"""News is found however it is worded, and what only sounds like news is not."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from caselore.intel import entities
from caselore.intel.collect.reading import plain_page
from caselore.intel.modality import Mode
from caselore.intel.page_events import page_events

sys.path.insert(0, str(Path(__file__).parent))
from wording import NOTHING, OWN, PRESS

AT = datetime(2026, 10, 8, 12, tzinfo=UTC)
BOOK = entities.Book((entities.make("Velora"),))


def reported(text, host="news.example"):
    page = plain_page("Some page\n" + text, f"https://{host}/x", AT)
    page = page.having(published="2026-10-08", published_from="meta", title="")
    return [one for one in page_events(page, BOOK) if one.mode is Mode.ASSERTED]


@pytest.mark.parametrize(("text", "event_type", "values"), PRESS, ids=lambda one: str(one)[:60])
def test_the_press_reports_it_in_these_words(text, event_type, values):
    found = reported(text)

    assert [one.event_type for one in found] == [event_type]
    assert {name: getattr(found[0], name) for name in values} == values


@pytest.mark.parametrize(("text", "event_type", "values"), OWN, ids=lambda one: str(one)[:60])
def test_the_maker_reports_it_in_these_words(text, event_type, values):
    found = reported(text, "velora.example")

    assert [one.event_type for one in found] == [event_type]
    assert {name: getattr(found[0], name) for name in values} == values


@pytest.mark.parametrize("text", NOTHING, ids=lambda one: one[:60])
def test_what_only_sounds_like_news_is_none(text):
    assert reported(text) == []
