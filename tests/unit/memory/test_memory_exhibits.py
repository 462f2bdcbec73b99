"""Records that are no incidents: filed once, found by words, counted, told of, moved and erased."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from caselore.errors import BadInput, GateRefused, NotFound, WrongUse
from caselore.memory import Kind, Role, Status
from caselore.memory.evidence import CompetitorEvent, Condition, Prediction, Report
from caselore.memory.exhibit_ports import Sought
from caselore.memory.records import Actor
from fakes.exhibits import (
    AT,
    QUOTE,
    TEXT,
    briefing,
    event,
    page,
    prediction,
    report,
    strategy,
)
from fakes.failures import AGENT, ANA, CI, IMPORT, failure, memory_at, memory_over
from fakes.memory_store import MemoryStore

SYSTEM = Actor("collector", Role.SYSTEM)
EVENTS = Sought("competitor_event")


@pytest.fixture(params=["fake", "sqlite", "postgres"])
def memory(request, tmp_path):
    """One memory over each store: what holds of one holds of all."""
    if request.param == "fake":
        yield memory_over(MemoryStore())
        return
    sqlite = request.param == "sqlite"
    place = tmp_path / "lore.db" if sqlite else request.getfixturevalue("postgres_url")
    memory = memory_at(place, tmp_path / "lore")
    yield memory
    memory.close()


@pytest.fixture
def deal(memory):
    snapshot = memory.file(page(), SYSTEM)
    return memory.file(event(snapshot.id), SYSTEM)


def test_a_page_is_kept_word_for_word_and_once(memory):
    first = memory.file(page(), SYSTEM)
    again = memory.file_all([page()], CI)[0]

    assert memory.page_text(first.id) == TEXT
    assert (again.id, again.new) == (first.id, False)
    assert memory.exhibit(first.id[:12]).id == first.id


def test_a_changed_page_is_a_second_version_of_its_address(memory):
    memory.file_all([page(), page(text=TEXT + " Corrected.")], SYSTEM)

    versions = list(memory.exhibits(Sought("snapshot", label="https://news.example/a")))
    assert {one.body.text for one in versions} == {TEXT, TEXT + " Corrected."}


def test_an_event_quotes_a_page_at_its_place(memory, deal):
    quoted = deal.body.report

    assert memory.page_text(quoted.snapshot)[quoted.first : quoted.last] == QUOTE
    assert (deal.status, deal.counts, deal.origins) == (Status.OBSERVED, True, 1)


def test_an_agent_may_file_an_event_that_a_stored_page_says(memory):
    snapshot = memory.file(page(), SYSTEM)

    assert memory.file(event(snapshot.id), AGENT).counts


@pytest.mark.parametrize(
    "wrong",
    [
        lambda id: report("snp_0000000000"),
        lambda id: Report(QUOTE.replace("28", "82"), id, 0, len(QUOTE), "https://news.example/a"),
        lambda id: Report(QUOTE, id, 5, 5 + len(QUOTE), "https://news.example/a"),
    ],
    ids=["no such page", "other words", "another place"],
)
def test_an_agents_event_without_its_quote_in_a_stored_page_is_refused(memory, wrong):
    snapshot = memory.file(page(), SYSTEM)

    with pytest.raises(GateRefused, match="quote in a stored snapshot"):
        memory.file(event(snapshot.id, report=wrong(snapshot.id)), AGENT)
    assert memory.exhibit_rows(EVENTS) == []


def test_a_page_that_a_guard_holds_supports_no_agents_event(memory):
    held = memory.file(page(findings=("override",)), SYSTEM)

    with pytest.raises(GateRefused):
        memory.file(event(held.id), AGENT)
    assert held.status is Status.QUARANTINED


def test_what_rests_on_an_agents_page_is_in_no_statistic_until_another_page_says_it(memory):
    own = memory.file(page(), AGENT)
    filed = memory.file(event(own.id), AGENT)
    assert not filed.counts

    fetched = memory.file(page("https://other.example/b"), SYSTEM)
    memory.corroborate(filed.id, report(fetched.id), SYSTEM, independent=True, key="b")
    assert memory.exhibit(filed.id).counts


def test_a_strategy_is_a_proposal_and_no_machine_that_only_observes_may_write_one(memory):
    assert memory.file(strategy(), AGENT).status is Status.PROPOSED
    with pytest.raises(GateRefused, match="propose a strategy"):
        memory.file(strategy(), CI)


def test_a_strategy_evolves_by_revisions_that_are_all_kept(memory):
    first = memory.file(strategy(), AGENT)
    later = strategy(statement="Velora buys what it cannot build", confidence=0.7).body
    memory.revise(first.id, later, "a second purchase", AGENT)

    now = memory.exhibit(first.id)
    assert now.body.statement == "Velora buys what it cannot build"
    assert [(one.kind, one.body["why"]) for one in now.said] == [("revise", "a second purchase")]


def test_a_report_is_counted_once_and_only_own_origins_count(memory, deal):
    same = report(deal.body.report.snapshot)

    assert memory.corroborate(deal.id, same, SYSTEM, independent=False, key="copy")
    assert not memory.corroborate(deal.id, same, SYSTEM, independent=False, key="copy")
    assert memory.corroborate(deal.id, same, SYSTEM, independent=True, key="own")
    now = memory.exhibit(deal.id)
    assert (now.reports, now.origins) == (3, 2)
    assert memory.reported("own") == deal.id
    assert memory.reported("nowhere") == ""


def test_a_corrected_event_is_superseded_and_stays(memory, deal):
    other = memory.file(event(deal.body.report.snapshot, "right", amount=26e6), SYSTEM)
    memory.correct(deal.id, "superseded", other.id, "the publisher corrected it", SYSTEM)

    assert memory.exhibit(deal.id).status is Status.SUPERSEDED
    counted = {
        one.status: one.times
        for one in memory.exhibit_counts(Sought("competitor_event", "velora"))
    }
    assert counted == {"observed": 1, "superseded": 1}
    with pytest.raises(GateRefused):
        memory.correct(other.id, "superseded", deal.id, "so an agent says", AGENT)


def test_many_events_are_read_with_few_questions_and_each_with_its_own_account(
    memory, deal, monkeypatch
):
    snapshot = deal.body.report.snapshot
    ids = [memory.file(event(snapshot, known_as=f"k{n}"), SYSTEM).id for n in range(30)]
    for number, id in enumerate(ids):
        for _ in range(number % 3):
            memory.corroborate(id, report(snapshot), SYSTEM, independent=False, key="")
    asked = []
    with memory._store.reading() as view:
        one = type(view)
    plain = one.entries_of_some
    monkeypatch.setattr(one, "entries_of_some", lambda *all: asked.append(1) or plain(*all))
    found = {each.id: each for each in memory.exhibits(EVENTS)}
    questions = len(asked)

    assert set(found) == {deal.id, *ids}
    assert [len(found[id].said) for id in ids] == [number % 3 for number in range(30)]
    assert questions < 6
    assert found[ids[7]] == memory.exhibit(ids[7])


def test_events_are_found_by_their_words_and_their_synonyms(memory, deal):
    memory.file(event(deal.body.report.snapshot, "price", title="Velora doubles its price"), CI)

    found = memory.search_exhibits("doubles price", Kind.COMPETITOR_EVENT, 5)
    assert [one.body.title for one, _ in found] == ["Velora doubles its price"]
    assert memory.search_exhibits("zeppelin", Kind.COMPETITOR_EVENT, 5) == []
    by_synonym = memory.search_exhibits(
        "takeover", Kind.COMPETITOR_EVENT, 5, [("takeover", "acquisition")]
    )
    assert len(by_synonym) == 2


def test_counting_looks_at_impact_time_and_what_was_known(memory, deal):
    counts = memory.exhibit_counts
    about = Sought("competitor_event", "velora")

    assert [one.times for one in counts(about)] == [1]
    assert [(one.recent, one.grave) for one in counts(about, AT, 8.0)] == [(1, 0)]
    assert [(one.recent, one.grave) for one in counts(about, AT, 6.0)] == [(1, 1)]
    assert [one.recent for one in counts(about, AT + timedelta(days=1))] == [0]
    assert counts(about._replace(since="2026-03-01")) == []
    assert counts(about._replace(known="2026-01-01")) == []
    assert memory.exhibit_subjects(Kind.COMPETITOR_EVENT) == {"velora": 1}


def test_the_time_of_the_last_event_is_told_without_walking_through_all(memory, deal):
    assert memory.last_filed(Kind.COMPETITOR_EVENT) == deal.recorded_at
    assert memory.last_filed(Kind.PREDICTION) is None


def test_a_held_page_is_listed_and_only_a_person_lets_it_in(memory):
    held = memory.file(page(findings=("override",)), SYSTEM)
    assert [one.subject for one in memory.quarantine_list()] == [held.id]

    with pytest.raises(GateRefused):
        memory.judge_exhibit("release", held.id, "I am an agent", AGENT)
    assert memory.judge_exhibit("release", held.id, "a test page", ANA).status is Status.OBSERVED
    assert memory.quarantine_list() == ()
    with pytest.raises(WrongUse):
        memory.judge_exhibit("drop", held.id, "twice", ANA)


def test_a_person_retracts_an_event(memory, deal):
    assert memory.judge_exhibit("retract", deal.id, "misread", ANA).status is Status.RETRACTED
    assert memory.search_exhibits("Pinewood", Kind.COMPETITOR_EVENT, 5) == []


def test_what_is_erased_is_gone_and_does_not_come_back(memory, deal):
    memory.erase(deal.id, "asked to", ANA)

    with pytest.raises(NotFound, match="erased"):
        memory.exhibit(deal.id)
    assert memory.search_exhibits("Pinewood", Kind.COMPETITOR_EVENT, 5) == []
    again = memory.file_all([event(deal.body.report.snapshot)], SYSTEM)[0]
    assert "was erased" in again.refusal
    assert memory.ledger_verify().ok


def test_incidents_and_exhibits_do_not_mix(memory, deal):
    case = memory.observe(failure("1057"), CI)

    assert [one.id for one in memory.list()] == [case.id]
    with pytest.raises(NotFound):
        memory.get(deal.id)
    with pytest.raises(NotFound):
        memory.exhibit(case.id)


def test_everything_survives_an_export_and_an_import(memory, deal, tmp_path):
    memory.file_all([strategy()], ANA)
    memory.file_all([prediction(), briefing()], CI)
    memory.corroborate(deal.id, report(deal.body.report.snapshot), CI, independent=True, key="k")
    note = report("", quote="They asked for a discount", text="They asked for a discount")
    memory.file(event("", "note", private=True, report=note), ANA)
    rows = [json.loads(json.dumps(row)) for row in memory.export()]
    copy = memory_at(tmp_path / "copy.db")

    taken = copy.import_incidents(enumerate(rows, 1), IMPORT, sign=None)
    assert (taken.added, taken.refused) == (5, ())
    assert copy.import_incidents(enumerate(rows, 1), IMPORT, sign=None).known == 5
    assert list(copy.export()) == rows
    assert len(list(memory.export(private=True))) == 6
    assert copy.exhibit(deal.id).origins == 2
    assert copy.ledger_verify().ok
    copy.close()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "strategy"), ("id", "inc_1"), ("caselore", 2),
        ("body", {}), ("verdicts", [{"kind": "confirm"}]),
    ],
)  # fmt: skip
def test_a_row_that_is_no_exported_exhibit_is_refused_with_the_reason(
    memory, deal, tmp_path, field, value
):
    row = {**list(memory.export())[-1], field: value}
    copy = memory_at(tmp_path / "copy.db")

    taken = copy.import_incidents([(7, row)], IMPORT, sign=None)
    assert taken.refused
    assert taken.refused[0][0] == 7
    copy.close()


def test_the_tables_are_derived_from_the_ledger_again(memory, deal):
    memory.corroborate(deal.id, report(deal.body.report.snapshot), CI, independent=True, key="k")
    before = memory.exhibit(deal.id)
    memory.rebuild()

    assert memory.exhibit(deal.id) == before
    assert memory.ledger_verify().ok


@pytest.mark.parametrize(
    "make",
    [
        lambda: event("snp_1", competitor="Velora; rm -rf /"),
        lambda: event("snp_1", competitor="Vel\u202eora"),
        lambda: event("snp_1", event_type="rumour"),
        lambda: event("snp_1", impact_added=2.0),
        lambda: prediction(probability=1.2),
        lambda: prediction(deadline="2026-01-01"),
        lambda: prediction(where=(Condition("amount", "contains", "x"),)),
        lambda: prediction(where=(Condition("title", ">=", 3.0),)),
        lambda: Report("twelve", "snp_1", 0, 5, "u"),
        lambda: strategy(confidence="high"),
    ],
)
def test_what_could_not_be_true_cannot_be_filed(make):
    with pytest.raises(BadInput):
        make()


@pytest.mark.parametrize(
    "name", ["AT&T", "L'Oréal", "Johnson & Johnson", "Yahoo!", "日本電気", "S&P Global"]
)
def test_real_names_of_companies_pass(name):
    body = event("snp_1", competitor=name).body
    assert isinstance(body, CompetitorEvent)
    assert isinstance(prediction(competitor=name).body, Prediction)
