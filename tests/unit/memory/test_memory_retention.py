"""What rules let go goes for good and with its reason; what a kept record names stays, and says so."""

from __future__ import annotations

import sqlite3
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caselore.errors import GateRefused, StoreDamaged, WrongUse
from caselore.memory import Status
from caselore.memory.records import ModelCall
from caselore.memory.retention import WHAT, read_rules
from caselore.memory.stores.postgres import PostgresStore
from caselore.memory.stores.sqlite import SqliteStore
from fakes.exhibits import briefing, event, page
from fakes.failures import AGENT, ANA, BATCHES, CI, LONGER, START, failure, memory_at
from fakes.histories import WHOLE, fresh, live

CALL = ModelCall("openai:x", "diagnosis-1", "ab12", "answered", 900, 80, None, 1.5)
DAY = timedelta(days=1)


def rule(**more):
    return read_rules({"old": {"older": "100d", **more}})


@pytest.fixture
def memory(memory):
    """Let the account hold after each test, too."""
    yield memory
    found = memory.ledger_verify()
    assert found.ok, found.broken


def seen(memory, name, days_ago, **more):
    at = START - days_ago * DAY
    return memory.observe(failure(name, **more), CI, happened_at=at).id


def going(memory, rules):
    return {one.id for due in memory.retention_due(rules) for one in due.going}


def staying(memory, rules):
    return {one.id: one.why for due in memory.retention_due(rules) for one in due.staying}


def apply(memory, rules, actor=ANA):
    return memory.retention_apply(memory.retention_due(rules), actor)


def test_old_incidents_that_nobody_confirmed_go_and_all_others_stay(memory):
    old, new = seen(memory, "1", 200), seen(memory, "2", 20)
    kept = seen(memory, "3", 200)
    memory.confirm(kept, **BATCHES, actor=ANA)
    refuted = seen(memory, "4", 200)
    memory.refute(refuted, "no failure of ours", ANA)
    told = memory.retention_due(rule())
    before = memory.ledger_verify()

    assert {one.id for one in told[0].going} == {old, refuted}
    assert memory.ledger_verify() == before
    assert apply(memory, rule()) == 2

    assert {case.id for case in memory.list()} == {new, kept}
    stones = [one for one in memory.ledger_show() if one.entry.action == "erase"]
    assert {one.entry.subject for one in stones} == {old, refuted}
    assert all("old: incidents that are observed" in one.payload.body for one in stones)
    assert apply(memory, rule()) == 0


FILTERS = [
    ({}, {"1", "2", "3"}),
    ({"environment": "staging"}, {"2"}),
    ({"environment": ["staging", "production"]}, {"1", "2", "3"}),
    ({"service": "user-service"}, {"3"}),
    ({"family": "migration", "service": ["payment-service"]}, {"1", "2"}),
    ({"branch": "release"}, set()),
    ({"status": "confirmed"}, {"4", "5"}),
    ({"status": "confirmed", "result": "failed"}, {"5"}),
    ({"status": ["confirmed", "observed"], "environment": "staging"}, {"2"}),
    ({"older": "1000d"}, set()),
    ({"older": "0h"}, {"1", "2", "3", "6"}),
    ({"untouched": "1d"}, set()),
    ({"untouched": "0h"}, {"1", "2", "3"}),
]


@pytest.mark.parametrize(("asked", "wanted"), FILTERS, ids=[str(asked) for asked, _ in FILTERS])
def test_a_rule_takes_what_its_words_say(asked, wanted):
    memory = fresh()
    seen(memory, "1", 200)
    seen(memory, "2", 200, environment="staging")
    seen(memory, "3", 200, service="user-service")
    for name, outcome in (("4", BATCHES), ("5", LONGER)):
        memory.confirm(seen(memory, name, 200), **outcome, actor=ANA)
    seen(memory, "6", 1)

    names = {case.id: case.record.body.deployment for case in memory.list()}
    assert {names[id] for id in going(memory, rule(**asked))} == wanted


WRONG = [
    {"old": {}},
    {"old": "180d"},
    {"old": {"older": 180}},
    {"old": {"older": "-1d"}},
    {"old": {"older": "soon"}},
    {"old": {"older": "180d", "what": "everything"}},
    {"old": {"older": "180d", "staus": "observed"}},
    {"old": {"older": "180d", "status": "quarantined"}},
    {"old": {"older": "180d", "status": ["erased"]}},
    {"old": {"older": "180d", "result": "maybe"}},
    {"old": {"older": "180d", "cited": True}},
    {"old": {"older": "180d", "service": 7}},
    {"old": {"older": "180d", "what": "pages", "service": "pay"}},
    {"old": {"older": "12h", "what": "calls"}},
]


@pytest.mark.parametrize("given", WRONG, ids=str)
def test_a_rule_that_says_nothing_sound_is_refused_before_anything_goes(given):
    with pytest.raises(WrongUse, match="retention"):
        read_rules(given)


# What a kept record names stays.


def test_a_precedent_of_a_record_that_stays_stays_and_it_is_said(memory):
    first = seen(memory, "1", 300)
    memory.confirm(first, **BATCHES, actor=ANA)
    second = seen(memory, "2", 2)
    memory.confirm(second, **BATCHES, actor=ANA, precedents=[first])
    all_old = rule(status=["confirmed"])

    assert going(memory, all_old) == set()
    assert staying(memory, all_old) == {first: f"{second} names it"}
    assert apply(memory, all_old) == 0
    assert memory.get("2").precedents == (first,)


def test_a_chain_goes_whole_or_stays_whole():
    memory = fresh()
    ids = []
    for number in range(5):
        ids.append(seen(memory, str(number), 300 - number))
        memory.confirm(ids[-1], **BATCHES, actor=ANA, precedents=ids[-2:-1])
    rules = rule(status=["confirmed"])
    assert going(memory, rules) == set(ids)

    last = seen(memory, "new", 1)
    memory.confirm(last, **BATCHES, actor=ANA, precedents=["4"])

    assert going(memory, rules) == set()
    assert set(staying(memory, rules)) == set(ids)


def test_what_replaces_a_kept_outcome_stays():
    memory = fresh()
    old, new = seen(memory, "1", 1), seen(memory, "2", 300)
    for id in (old, new):
        memory.confirm(id, **BATCHES, actor=ANA)
    memory.supersede(old, new, "a better one", ANA)

    assert staying(memory, rule(status=["confirmed"])) == {new: f"{old} names it"}


def test_a_rule_may_say_that_even_cited_records_go_and_then_it_is_told_by_whom(memory):
    first = seen(memory, "1", 300)
    memory.confirm(first, **BATCHES, actor=ANA)
    second = seen(memory, "2", 2)
    memory.confirm(second, **BATCHES, actor=ANA, precedents=[first])
    rules = rule(status=["confirmed"], cited="remove")

    (due,) = memory.retention_due(rules)
    assert [second in one.why for one in due.going] == [True]
    assert apply(memory, rules) == 1
    assert memory.get("2").precedents == ()


def test_a_page_that_an_event_or_a_briefing_quotes_stays(memory):
    quoted, briefed, loose = memory.file_all(
        [page(), page("https://b.example/"), page("https://c.example/")], CI
    )
    memory.file(event(quoted.id), CI)
    text = f'{{"claims": [{{"snapshot": "{briefed.id}"}}]}}'
    note = memory.file(briefing(document=text), CI)
    memory._clock.at += 200 * DAY
    pages = rule(what="pages")

    assert going(memory, pages) == {loose.id}
    assert set(staying(memory, pages)) == {quoted.id, briefed.id}
    both = (*pages, *read_rules({"briefs": {"what": "briefings", "older": "100d"}}))
    assert going(memory, both) == {loose.id, briefed.id, note.id}
    assert apply(memory, both) == 3


# What is no record of its own.


def test_what_guards_hold_goes_by_its_age_here(memory):
    held = memory.observe(failure("1"), CI, findings=["override"]).id
    live_one = seen(memory, "2", 1)
    memory.propose(live_one, "zebracause", "wait", AGENT, findings=["override"])
    bad = memory.file(page("https://bad.example/", findings=["override"]), CI).id
    memory._clock.at += 50 * DAY
    rules = rule(what="quarantine", older="30d")

    assert apply(memory, rules) == 3

    assert memory.quarantine_list() == ()
    assert [case.id for case in memory.list()] == [live_one]
    assert memory.get(live_one).status is Status.OBSERVED
    kept = [one.payload.body for one in memory.ledger_show() if one.payload]
    assert not [body for body in kept if "zebracause" in body or "Pinewood" in body]
    assert {held, bad} <= {one.entry.subject for one in memory.ledger_show()}


def test_a_proposal_that_came_lately_keeps_all_that_is_held_of_a_record():
    memory = fresh()
    id = seen(memory, "1", 1)
    memory.propose(id, "first", "wait", AGENT, findings=["override"])
    memory._clock.at += 50 * DAY
    memory.propose(id, "second", "wait", AGENT, findings=["override"])

    assert apply(memory, rule(what="quarantine", older="30d")) == 0
    assert len(memory.quarantine_list()) == 2


def test_calls_of_models_go_and_those_of_today_still_count(memory):
    for _ in range(3):
        memory.keep_call(CALL, CI)
    memory.open_call(lambda calls: CALL, CI, START)
    memory._clock.at += 50 * DAY
    memory.keep_call(CALL, CI)

    assert apply(memory, rule(what="calls", older="30d")) == 4
    assert len(memory.calls(START)) == 1
    assert apply(memory, rule(what="calls", older="30d")) == 0


def test_the_newest_passing_run_of_a_job_stays_and_what_it_had_forgotten_stays_forgotten(memory):
    for number in range(14):  # more than are kept: older ones are forgotten by newer ones
        memory.remember_green("pay", "test", b"lines", f"run {number}", CI)
    memory.remember_green("pay", "lint", b"lines", "only", CI)
    memory._clock.at += 50 * DAY

    assert apply(memory, rule(what="greens", older="30d")) == 4
    assert [label for label, _ in memory.green("pay", "test")] == ["run 13"]
    assert [label for label, _ in memory.green("pay", "lint")] == ["only"]
    for number in range(7):
        memory.remember_green("pay", "test", b"lines", f"later {number}", CI)
    assert memory.ledger_verify().ok


# Who, when, and what if it is cut off.


@pytest.mark.parametrize("actor", [AGENT, CI], ids=str)
@pytest.mark.parametrize("what", ["incidents", "calls"])
def test_only_a_person_lets_go(memory, actor, what):
    seen(memory, "1", 200)
    memory.keep_call(CALL, CI)
    memory._clock.at += 200 * DAY

    with pytest.raises(GateRefused, match="may not"):
        apply(memory, rule(what=what), actor)

    assert len(list(memory.list())) == len(memory.calls(START)) == 1
    assert list(memory.ledger_show())[-1].entry.action == "refused"


def test_what_was_confirmed_since_the_survey_stays():
    memory = fresh()
    seen(memory, "1", 200)
    seen(memory, "2", 200)
    due = memory.retention_due(rule())
    memory.confirm("1", **BATCHES, actor=ANA)

    assert memory.retention_apply(due, ANA) == 1
    assert [case.record.body.deployment for case in memory.list()] == ["1"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_cut_off_in_the_middle_it_goes_on_at_the_next_call(kind, request, tmp_path, monkeypatch):
    place = request.getfixturevalue("postgres_url") if kind == "postgres" else tmp_path / "a.db"
    memory = memory_at(place, tmp_path / "lore")
    monkeypatch.setattr("caselore.memory.expiring.BATCH", 3)
    for number in range(10):
        seen(memory, str(number), 200)

    class Cut(Exception):
        pass

    def cut(done):
        if done >= 6:
            raise Cut

    with pytest.raises(Cut):
        memory.retention_apply(memory.retention_due(rule()), ANA, cut)
    store = SqliteStore(place) if kind == "sqlite" else PostgresStore(place)
    store.close()  # opening finishes the rewriting of the files
    assert memory.ledger_verify().ok
    assert len(list(memory.list())) == 4

    assert apply(memory, rule()) == 4
    assert apply(memory, rule()) == 0
    assert memory.ledger_verify().ok
    memory.close()


LAW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@LAW
@given(WHOLE, st.sampled_from(sorted(WHAT)), st.sets(st.sampled_from([*Status]), min_size=1))
def test_whatever_was_done_only_what_is_due_goes_and_nothing_kept_names_it(history, what, asked):
    memory = live(fresh(), history)
    memory._clock.at += 400 * DAY
    statuses = [one.value for one in asked if one is not Status.QUARANTINED]
    more = {"status": statuses} if what == "incidents" else {}
    rules = rule(what=what, older="2d", **more)
    due = memory.retention_due(rules)
    gone = {one.id for one in due[0].going}
    before = {row["id"]: bare(row) for row in memory.export() if "verdicts" in row}

    memory.retention_apply(due, ANA)

    after = {row["id"]: bare(row) for row in memory.export() if "verdicts" in row}
    assert set(before) - set(after) == {id for id in gone if id in before}
    assert all(after[id] == before[id] for id in after if f"{id} (proposals)" not in gone)
    named = {one for case in memory.list() for one in (*case.precedents, case.superseded_by)}
    assert not named & gone
    assert memory.ledger_verify().ok
    assert apply(memory, rules) == 0


def bare(row):
    return {name: value for name, value in row.items() if name not in {"seal", "previous"}}


# A ledger that an early version left with a gap.


def broken_by_an_early_version(path):
    """Give a store in which the runs that one run had forgotten are in nobody's account any more."""
    memory = memory_at(path)
    for number in range(12):
        memory.remember_green("pay", "test", b"lines", f"run {number}", CI)
    seen(memory, "1", 1)
    memory.close()
    link = sqlite3.connect(path)
    link.execute("DELETE FROM greens WHERE seq = 8")
    link.execute("DELETE FROM payloads WHERE seq = 8")
    link.commit()
    link.close()
    return memory_at(path)


def test_a_gap_that_an_early_version_left_is_accounted_for_by_a_person(tmp_path):
    memory = broken_by_an_early_version(tmp_path / "lore.db")
    assert "payload is missing" in memory.ledger_verify().broken.reason
    with pytest.raises(GateRefused):
        memory.mend("it was us", AGENT)

    assert memory.mend("forgotten by the first release", ANA) == (8,)

    assert memory.ledger_verify().ok
    said = list(memory.ledger_show())[-1]
    assert (said.entry.action, said.entry.actor) == ("expire", "ana")
    assert "first release" in said.payload.body
    assert memory.mend("again", ANA) == ()
    assert memory.get("1").status is Status.OBSERVED
    memory.close()


def test_no_other_gap_can_be_accounted_for(tmp_path):
    memory = broken_by_an_early_version(tmp_path / "lore.db")
    memory.confirm("1", **BATCHES, actor=ANA)
    memory.close()
    link = sqlite3.connect(tmp_path / "lore.db")
    link.execute("DELETE FROM payloads WHERE seq = (SELECT max(seq) FROM payloads)")
    link.commit()
    link.close()
    memory = memory_at(tmp_path / "lore.db")

    with pytest.raises(StoreDamaged, match="confirm"):
        memory.mend("hide it", ANA)

    assert not memory.ledger_verify().ok
    memory.close()


def test_an_entry_that_lets_go_of_a_verdict_does_not_verify():
    memory = fresh()
    seen(memory, "1", 1)
    memory.confirm("1", **BATCHES, actor=ANA)
    with memory._store.writing("default") as view:
        memory._pen(view).write("expire", "retention", {"why": "x", "forgets": [2]}, ANA)

    found = memory.ledger_verify()

    assert "lets go of entry 2 (confirm)" in found.broken.reason
