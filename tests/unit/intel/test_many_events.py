"""With many events, one more is stored and looked up without walking through all of them."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from caselore.intel.candidates import Candidate
from caselore.intel.entities import make
from caselore.intel.known_events import KnownEvents
from caselore.memory.evidence import CompetitorEvent, Report, Snapshot
from caselore.memory.exhibits import Filing
from caselore.memory.records import Actor, Role
from caselore.memory.stores.named_sql import migrations, queries
from caselore.settings import load
from caselore.wiring import open_memory

ASKED = {
    "bank": "b", "known_as": "k", "id": "e", "kind": "competitor_event", "subject": "brindle",
    "label": "hiring", "status": "", "since": "2026-01-01", "until": "2026-03-01", "known": "", "limit": 10,
}  # fmt: skip


@pytest.fixture
def store():
    """Give an empty store as the migrations leave it."""
    with sqlite3.connect(":memory:") as made:
        for one in migrations("sqlite"):
            made.executescript(one)
        yield made
    made.close()


def plan(store, sql):
    wanted = {name: value for name, value in ASKED.items() if f":{name}" in sql}
    return " ".join(row[3] for row in store.execute(f"EXPLAIN QUERY PLAN {sql}", wanted))


def test_a_known_event_is_found_by_the_index_of_its_name(store):
    assert "exhibits_by_known_as" in plan(store, queries("sqlite")["exhibit_known"])


def test_the_obvious_order_walks_through_every_event_of_the_bank(store):
    obvious = queries("sqlite")["exhibit_known"].replace("seq + 0", "seq")
    assert "exhibits_by_known_as" not in plan(store, obvious)


def test_the_events_of_some_days_are_found_by_competitor_and_day(store):
    found = plan(store, queries("sqlite")["exhibits_of"])
    assert "exhibits_by_time (bank=? AND kind=? AND subject=?" in found


def test_both_dialects_ask_for_a_known_event_in_the_same_order():
    for dialect in ("sqlite", "postgres"):
        assert "ORDER BY seq + 0 LIMIT 1" in queries(dialect)["exhibit_known"]


NOW = datetime(2026, 10, 8, tzinfo=UTC)
TEXT = "Something happened at a company that is watched here."


@pytest.fixture
def memory(tmp_path):
    """Give a memory with an event of each of 900 days."""
    made, actor = open_memory(load(tmp_path / "home", environment={})), Actor("t", Role.SYSTEM)
    page = made.file(Filing(Snapshot("https://n.example/a", TEXT, "d", "2026"), "page", NOW, NOW), actor)  # fmt: skip
    report = Report(TEXT, page.id, 0, len(TEXT), "https://n.example/a", tier="press")
    days = [NOW - timedelta(days=back) for back in range(900)]
    made.file_all(
        (
            Filing(CompetitorEvent("Brindle", "hiring", at.date().isoformat(), TEXT, report), f"k{at}", at, NOW)
            for at in days
        ),
        actor,
    )  # fmt: skip
    yield made
    made.close()


def said(day):
    return Candidate(make("Brindle"), "hiring", TEXT, 0, len(TEXT), TEXT, date=day)


@pytest.mark.parametrize("day", ["2024-09-15", "2025-06-30", "2026-10-01"])
def test_a_report_is_held_against_the_events_of_the_months_around_it(memory, day):
    around = KnownEvents(memory).around(said(day))
    gaps = [abs((datetime.fromisoformat(one.date) - datetime.fromisoformat(day)).days) for one, _ in around.values()]  # fmt: skip
    within = sum(abs((NOW.replace(tzinfo=None) - timedelta(days=back) - datetime.fromisoformat(day)).days) <= 120 for back in range(900))  # fmt: skip
    assert max(gaps) <= 185
    assert sum(gap <= 120 for gap in gaps) == within


def test_months_that_were_read_in_turns_give_what_one_reading_gives(memory):
    turns = KnownEvents(memory)
    for day in ("2026-10-01", "2024-10-01", "2025-10-01"):
        assert turns.around(said(day)).keys() == KnownEvents(memory).around(said(day)).keys()


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_first_and_the_last_day_have_months_around_them(memory, day):
    assert KnownEvents(memory).around(said(day)) == {}
