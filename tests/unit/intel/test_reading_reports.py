"""What a sentence reports: its type, its values and its day; and what reports nothing."""

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
from intel_prose import NOTHING, REPORTS

AT = datetime(2026, 10, 8, 12, tzinfo=UTC)
BOOK = entities.Book((entities.make("Velora"),))


def reported(text):
    page = plain_page("Some page\n" + text, "https://news.example/x", AT)
    page = page.having(published="2026-10-08", published_from="meta", title="")
    return [one for one in page_events(page, BOOK) if one.mode is Mode.ASSERTED]


@pytest.mark.parametrize(("text", "event_type", "values"), REPORTS, ids=lambda one: str(one)[:60])
def test_a_report_is_read_with_its_values(text, event_type, values):
    found = reported(text)

    assert [one.event_type for one in found] == [event_type]
    assert {name: getattr(found[0], name) for name in values} == values
    assert found[0].quote in text


@pytest.mark.parametrize("text", NOTHING, ids=lambda one: one[:60])
def test_what_reports_nothing_of_a_competitor_is_no_event(text):
    assert reported(text) == []
