"""With many events, one more is stored and looked up without walking through all of them."""

from __future__ import annotations

import sqlite3

import pytest

from caselore.memory.stores.named_sql import migrations, queries

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
