"""With many events, one more is stored and looked up without walking through all of them."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from caselore.intel.candidates import Candidate
from caselore.intel.dossier import put_together
from caselore.intel.entities import make
from caselore.intel.intake import Intake, Reported
from caselore.intel.known_events import KnownEvents
from caselore.intel.modality import Mode
from caselore.intel.origins import reach_of, same_event
from caselore.intel.pages import text_page
from caselore.intel.stored_pages import snapshot_filing
from caselore.memory.evidence import EVENT_TYPES, CompetitorEvent, Report, Snapshot
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


def days_between(one, other):
    return abs((datetime.fromisoformat(one) - datetime.fromisoformat(other)).days)


@pytest.mark.parametrize(("mode", "reach"), [(Mode.ASSERTED, 60), (Mode.DENIED, 120)])
@pytest.mark.parametrize("day", ["2024-09-15", "2025-06-30", "2026-10-01"])
def test_a_report_is_held_against_the_events_within_the_reach_of_its_type(
    memory, day, mode, reach
):
    around = KnownEvents(memory).around(said(day).having(mode=mode))
    gaps = [days_between(one.date, day) for one, _ in around.values()]
    every = [(NOW - timedelta(days=back)).date().isoformat() for back in range(900)]

    assert sum(gap <= reach for gap in gaps) == sum(
        days_between(one, day) <= reach for one in every
    )
    assert max(gaps) <= reach + 14  # whole weeks are read: the rest of 900 days is not


@pytest.mark.parametrize("event_type", EVENT_TYPES)
def test_two_reports_that_are_alike_in_everything_are_two_events_beyond_the_reach(event_type):
    first = said("2026-01-01").having(
        event_type=event_type, amount=45.0, count=15, party="Pinewood", tokens=frozenset({"a", "b"}),
        names=frozenset({"a"}), plan="Team", quote="Brindle was fined",
    )  # fmt: skip
    reach = reach_of(event_type)
    later = [
        first.having(
            date=(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=gap)).date().isoformat()
        )
        for gap in (1, reach + 1)
    ]

    assert [same_event(first, one) for one in later] == [True, False]


def test_what_is_told_again_with_an_earlier_day_is_found_by_that_day(memory):
    """The day by which the store finds an event is the day that the event shows."""
    intake = Intake(memory, Actor("t", Role.HUMAN))
    for number, day in enumerate(("2023-05-20", "2023-05-12")):
        text = f"Brindle appoints Rosa Velk as its chief of staff, note {number}."
        page = text_page(f"https://n{number}.example/a", text, fetched_at=NOW, tier="press")
        page = page.having(snapshot=memory.file_all([snapshot_filing(page)], intake.actor)[0].id)
        one = said(day).having(
            quote=text, last=len(text), title=text, party="Rosa Velk", date_from="page"
        )
        intake.take([Reported(page, one)])

    assert (len(intake.new), len(intake.touched)) == (1, 1)
    one = memory.exhibit(intake.new[0])
    assert one.happened_at.date().isoformat() == put_together(one).date == "2023-05-12"


def test_weeks_that_were_read_in_turns_give_what_one_reading_gives(memory):
    turns = KnownEvents(memory)
    for day in ("2026-10-01", "2024-10-01", "2025-10-01"):
        assert turns.around(said(day)).keys() == KnownEvents(memory).around(said(day)).keys()


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_first_and_the_last_day_have_weeks_around_them(memory, day):
    assert KnownEvents(memory).around(said(day)) == {}
