"""How English says an event, over all types: a table of sentences, and of some that report nothing.

The table was written without a look at the rules, so its shares say how far they reach; the floors may only rise.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from caselore.intel import entities
from caselore.intel.collect.reading import html_page
from caselore.intel.modality import Mode
from caselore.intel.page_events import page_events

AT = datetime(2026, 10, 8, 12, tzinfo=UTC)
BOOK = entities.Book((entities.make("Velora"),))
LINES = Path(__file__).with_name("english.txt").read_text(encoding="utf-8").splitlines()[1:]
ROWS = [[part.strip() for part in line.split("|")] for line in LINES]


def is_read(row):
    event_type, where, sentence, *amount = row
    host = "velora.example" if where == "own" else "paper.example"
    markup = f"<main><h1>Notes from the week</h1><p>{sentence}</p></main>"
    page = html_page(markup, f"https://{host}/news/x", AT)
    page = page.having(published="2026-10-08", published_from="meta", title="")
    found = [one for one in page_events(page, BOOK) if one.mode is Mode.ASSERTED]
    if [one.event_type for one in found] != ([] if event_type == "-" else [event_type]):
        return False
    return not (amount and amount[0]) or found[0].amount == float(amount[0])


@pytest.mark.parametrize(("kind", "least"), [("event", 0.60), ("nothing", 0.80)])
def test_a_share_of_sentences_is_read_that_no_rule_was_written_from(kind, least):
    rows = [row for row in ROWS if (row[0] == "-") == (kind == "nothing")]
    assert len(rows) > 60
    assert sum(map(is_read, rows)) / len(rows) >= least
