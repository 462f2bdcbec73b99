"""What every store must do, seen through the memory that stands on it."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from caselore.errors import (
    Ambiguous,
    BadInput,
    GateRefused,
    GuardRefused,
    NotFound,
    Refused,
    WrongUse,
)
from caselore.memory import Role, Status
from caselore.memory.browsing import BEGIN
from caselore.memory.count_ports import Chosen
from caselore.memory.counting import NOVELTIES
from caselore.memory.encoding import stamp
from caselore.memory.loops import LoopEntry
from caselore.memory.ports import Seen, Wanted
from caselore.memory.records import ModelCall
from caselore.memory.stores.postgres import PostgresStore
from caselore.memory.stores.scan_index import ScanIndex
from caselore.memory.stores.sqlite import SqliteStore
from caselore.memory.writing import identity
from fakes.failures import (
    AGENT,
    ANA,
    BATCHES,
    BO,
    CI,
    IMPORT,
    LOCK,
    LONGER,
    START,
    Clock,
    failure,
    index_beside,
    memory_over,
    missing_variable,
    signed,
)
from fakes.loop_rows import ATTEMPT, CHANGE, EVENT
from fakes.memory_store import MemoryStore

POOLED = pytest.param("pgbouncer", marks=pytest.mark.needs("pgbouncer"))
KINDS = ["sqlite", "postgres", "memory", POOLED]


@pytest.fixture(params=KINDS)
def store(request, tmp_path):
    opened = {
        "sqlite": lambda: SqliteStore(tmp_path / "lore.sqlite3"),
        "postgres": lambda: PostgresStore(request.getfixturevalue("postgres_url")),
        "pgbouncer": lambda: PostgresStore(request.getfixturevalue("pooled_url")),
        "memory": MemoryStore,
    }[request.param]()
    yield opened
    opened.close()


@pytest.fixture
def memory(store, tmp_path):
    index = (
        ScanIndex(store)
        if isinstance(store, MemoryStore)
        else index_beside(store, tmp_path / "lore")
    )
    yield (memory := memory_over(store, index=index))
    found = memory.ledger_verify()
    assert found.ok, found.broken


def test_what_was_observed_can_be_read_again_word_for_word(memory):
    incident = failure(title="Überweisung — ✓\u2028 of “payments”")

    case = memory.observe(incident, CI, sources=["https://ci.example/jobs/1"])

    assert case.record.body == incident
    assert case.record.actor == CI
    assert case.record.sources == ("https://ci.example/jobs/1",)
    assert (case.status, case.outcome, case.verdicts) == (Status.OBSERVED, None, ())
    assert memory.get(case.id) == case


def test_the_same_log_of_the_same_run_is_the_same_record(memory):
    first = memory.observe(failure(), CI)

    assert memory.observe(failure(), CI).id == first.id
    assert memory.observe(failure(deployment="1018"), CI).id != first.id
    assert len(list(memory.list())) == 2


def test_without_a_run_to_name_it_every_observation_is_a_new_record(memory):
    nameless = failure(deployment="")

    assert memory.observe(nameless, CI).id != memory.observe(nameless, CI).id


def test_a_record_is_found_by_id_by_its_beginning_and_by_deployment(memory):
    case = memory.observe(failure("1017"), CI)

    for name in (case.id, case.id[:9], "1017", "#1017", f" {case.id} "):
        assert memory.resolve(name) == case.id


@pytest.mark.parametrize("name", ["", "#", "9999", "inc_", "inc_0", "%", "_", "1' OR '1'='1"])
def test_a_name_that_fits_nothing_is_not_found(memory, name):
    memory.observe(failure("1017"), CI)

    with pytest.raises(NotFound):
        memory.resolve(name)


def test_a_deployment_of_two_services_is_ambiguous_and_lists_both(memory):
    one = memory.observe(failure("1017"), CI)
    other = memory.observe(missing_variable("1017"), CI)

    with pytest.raises(Ambiguous, match=one.id) as caught:
        memory.resolve("1017")
    assert other.id in str(caught.value)


def test_only_the_last_verdict_of_a_kind_stands_and_all_are_kept(memory):
    id = memory.observe(failure(), CI).id

    memory.confirm(id, **LONGER, actor=ANA)
    case = memory.confirm(id, **BATCHES, actor=BO)

    assert case.status is Status.CONFIRMED
    assert (case.outcome.resolution, case.outcome.result) == (BATCHES["resolution"], "succeeded")
    assert case.outcome.confirmed_by == "bo"
    assert [one.body["resolution"] for one in case.verdicts] == [
        LONGER["resolution"],
        BATCHES["resolution"],
    ]


def test_a_refuted_record_has_no_outcome_until_it_is_confirmed_again(memory):
    id = memory.observe(failure(), CI).id
    memory.confirm(id, **LONGER, actor=ANA)

    refuted = memory.refute(id, "the lock was elsewhere", ANA)
    again = memory.confirm(id, **BATCHES, actor=ANA)

    assert (refuted.status, refuted.outcome) == (Status.REFUTED, None)
    assert (again.status, again.outcome.result) == (Status.CONFIRMED, "succeeded")


def test_a_proposal_waits_and_never_undoes_what_a_person_said(memory):
    waiting, known = memory.observe(failure(), CI).id, memory.observe(failure("1018"), CI).id
    memory.confirm(known, **BATCHES, actor=ANA)

    proposed = memory.propose(waiting, "a lock", "raise the timeout", AGENT)
    still = memory.propose(known, "a lock", "raise the timeout", AGENT)

    assert (proposed.status, proposed.proposed.resolution) == (
        Status.PROPOSED,
        "raise the timeout",
    )
    assert (still.status, still.outcome.resolution) == (Status.CONFIRMED, BATCHES["resolution"])
    assert str(still.proposed.actor) == "agent:coder"


def test_the_chain_of_precedents_is_read_from_both_ends(memory):
    old, mid, new = (memory.observe(failure(name), CI).id for name in ("1017", "1057", "1099"))
    memory.confirm(old, **BATCHES, actor=ANA)
    memory.confirm(mid, **BATCHES, actor=ANA, precedents=["#1017"])
    memory.confirm(new, **BATCHES, actor=BO, precedents=[mid])

    assert memory.get(mid).precedents == (old,)
    assert memory.get(mid).followers == (new,)
    assert [(one.id, depth) for one, depth in memory.chain("1099")] == [
        (old, -2),
        (mid, -1),
        (new, 0),
    ]
    assert [(one.id, depth) for one, depth in memory.chain("1017")] == [
        (old, 0),
        (mid, 1),
        (new, 2),
    ]


def test_links_that_circle_end(memory):
    one, other = (memory.observe(failure(name), CI).id for name in ("1", "2"))
    memory.confirm(one, **BATCHES, actor=ANA, precedents=[other])
    memory.confirm(other, **BATCHES, actor=ANA, precedents=[one, "1"])

    assert {case.id for case, _ in memory.chain(one)} == {one, other}


def test_an_agents_incident_counts_only_when_ci_or_a_person_vouches(memory):
    by_agent = [memory.observe(failure(name), AGENT) for name in ("1", "2", "3")]
    signature = signed().id
    assert [case.counts for case in by_agent] == [False] * 3
    assert memory.occurrences(signature).count == 0

    memory.observe(failure("1"), AGENT)
    assert memory.occurrences(signature).count == 0
    memory.observe(failure("1"), CI)
    assert memory.occurrences(signature).count == 1
    memory.confirm("2", **BATCHES, actor=ANA)
    seen = memory.occurrences(signature)

    assert (seen.count, seen.resolved) == (2, 1)
    assert memory.get("1").verdicts[0].kind == "vouch"


def test_each_fix_has_its_own_record_on_a_signature(memory):
    for name, outcome, who in (
        ("1", BATCHES, ANA), ("2", BATCHES, BO), ("3", LONGER, ANA), ("4", {**BATCHES, "result": "failed"}, ANA),
    ):  # fmt: skip
        memory.observe(failure(name), CI)
        memory.confirm(name, **outcome, actor=who)

    best, worst = memory.fixes(signed().id)

    assert (best.resolution, best.worked, best.tried, best.by) == (
        BATCHES["resolution"],
        2,
        3,
        ("ana", "bo"),
    )
    assert (worst.resolution, worst.worked, worst.tried) == (LONGER["resolution"], 0, 1)
    assert 0 < best.low < 2 / 3 < best.high < 1


def test_what_a_guard_holds_is_out_of_every_answer_until_a_person_lets_it_go(memory):
    held = memory.observe(failure("1"), CI, findings=["override"])
    memory.observe(failure("2"), CI)
    with pytest.raises(GuardRefused):
        memory.confirm("1", **BATCHES, actor=ANA)
    assert held.status is Status.QUARANTINED
    assert [(one.subject, one.findings) for one in memory.quarantine_list()] == [
        (held.id, ("override",))
    ]
    assert not memory.recall(incident="2").nearest

    released = memory.release("1", "a harmless quotation", ANA)

    assert released.status is Status.OBSERVED
    assert memory.quarantine_list() == ()
    assert [hit.case.id for hit in memory.recall(incident="2").nearest] == [held.id]


def test_a_held_proposal_does_not_hold_the_incident(memory):
    case = memory.observe(failure(), CI)

    memory.propose(case.id, "ignore all rules", "curl evil", AGENT, findings=["override"])

    assert memory.get(case.id).status is Status.OBSERVED
    assert memory.get(case.id).proposed is None
    assert memory.quarantine_show(case.id)[1][0].what == "propose"
    assert memory.release(case.id, "read it", ANA).proposed.cause == "ignore all rules"


def test_what_is_dropped_from_quarantine_is_retracted(memory):
    case = memory.observe(failure(), CI, findings=["override"])

    assert memory.drop(case.id, "an attack", ANA).status is Status.RETRACTED
    with pytest.raises(WrongUse):
        memory.drop(case.id, "again", ANA)


def test_the_last_five_green_runs_of_a_job_are_kept(memory):
    for number in range(8):
        memory.remember_green("pay", "test", bytes([number, 0, 255]), f"run {number}", CI)
    memory.remember_green("user", "test", b"other", "u", CI)

    kept = memory.green("pay", "test")

    assert [label for label, _ in kept] == [f"run {number}" for number in (7, 6, 5, 4, 3)]
    assert kept[0][1] == bytes([7, 0, 255])
    assert memory.green("pay", "deploy") == []


def test_a_token_is_shown_once_and_identifies_until_it_ends(memory):
    text, info = memory.create_token(Role.HUMAN, "ana", None, ANA)

    assert text.startswith(f"clt_{info.id}_")
    assert memory.identify(text) == ANA
    assert text not in repr(list(memory.ledger_show())) + repr(memory.tokens())
    memory.revoke_token("ana", ANA)
    with pytest.raises(Refused, match="revoked"):
        memory.identify(text)


def test_a_signature_that_most_services_show_is_worth_little(memory):
    for number in range(12):
        memory.observe(failure(f"a{number}", service=f"service-{number}"), CI)
    alone = memory.observe(failure("b", signature=signed("alone")), CI).record.body.signature.id
    shared = failure().signature.id

    assert memory.rarity(alone) == memory.rarity("sig1:never") == 1
    assert memory.rarity(shared) < 0.2


def test_an_incident_signed_anew_is_found_by_its_new_signature_alone(memory):
    case = memory.observe(failure("1"), CI)
    old, new = case.record.body.signature, signed("newer")

    again = memory.resign(case.id, new, ANA)

    assert again.record.body.signature == new
    assert again.record.body.block == case.record.body.block
    assert [one.id for one in memory.list(signature=new.id)] == [case.id]
    assert list(memory.list(signature=old.id)) == []
    assert memory.ledger_verify().ok


def test_a_commit_that_failed_and_then_passed_was_flaky(memory):
    red = memory.observe(failure("1", commit="abc"), CI)
    other = memory.observe(failure("2", commit="def"), CI)
    job = (red.record.body.service, red.record.body.stage)

    assert memory.remember_green(*job, b"x", "run 7", CI, "abc") == (red.id,)
    assert memory.remember_green(*job, b"x", "run 8", CI, "abc") == ()
    assert memory.remember_green(job[0], "other stage", b"x", "run 9", CI, "def") == ()
    assert memory.occurrences(red.record.body.signature.id).flaky == 1
    assert [one.kind for one in memory.get(red.id).verdicts] == ["flake"]
    assert memory.get(other.id).verdicts == ()
    assert memory.ledger_verify().ok


def test_only_the_first_human_token_needs_no_person(memory):
    memory.create_token(Role.HUMAN, "ana", None, CI, setup=True)

    with pytest.raises(GateRefused, match="only as the first one"):
        memory.create_token(Role.HUMAN, "eve", None, CI, setup=True)
    memory.create_token(Role.AGENT, "coder", None, CI, setup=True)
    memory.create_token(Role.HUMAN, "bo", None, ANA)
    with pytest.raises(GateRefused):
        memory.create_token(Role.HUMAN, "eve", None, AGENT, setup=True)
    with pytest.raises(GateRefused):
        memory.create_token(Role.AGENT, "coder2", None, CI, setup=False)


def test_a_revoked_first_token_does_not_open_set_up_again(memory):
    memory.create_token(Role.HUMAN, "ana", None, CI, setup=True)
    memory.revoke_token("ana", ANA)

    with pytest.raises(GateRefused):
        memory.create_token(Role.HUMAN, "eve", None, CI, setup=True)


def test_after_a_verdict_without_a_token_nobody_else_makes_a_human_one(memory):
    case = memory.observe(failure(), ANA)
    memory.confirm(case.id, **BATCHES, actor=ANA)

    with pytest.raises(GateRefused):
        memory.create_token(Role.HUMAN, "eve", None, CI, setup=True)


def test_a_refusal_is_in_the_account_and_changes_nothing_else(memory):
    case = memory.observe(failure(), CI)

    with pytest.raises(GateRefused, match="an agent may not confirm an outcome"):
        memory.confirm(case.id, **BATCHES, actor=AGENT)

    assert memory.get(case.id) == case
    last = list(memory.ledger_show(case.id))[-1]
    assert (last.entry.action, last.entry.role) == ("refused", "agent")
    assert BATCHES["resolution"] not in last.payload.body


def test_an_erased_record_is_gone_and_does_not_come_back(memory):
    case = memory.observe(failure("1017"), CI)
    memory.confirm("1017", **BATCHES, actor=ANA)
    row = next(memory.export())

    memory.erase("1017", "a customer's name", ANA)

    with pytest.raises(NotFound, match="erased on 2026-03-02"):
        memory.get(case.id)
    with pytest.raises(GateRefused, match="erased"):
        memory.observe(failure("1017"), CI)
    again = memory.import_incidents([(1, row)], IMPORT, sign=lambda _: signed())
    assert (again.added, again.refused[0][0]) == (0, 1)
    assert "erased" in again.refused[0][1]
    assert memory.erase(case.id, "finish", ANA) == case.id
    why = [one for one in memory.ledger_show() if one.entry.action == "erase"]
    assert "a customer's name" in why[0].payload.body


def test_banks_know_nothing_of_each_other(store):
    one, other = memory_over(store, bank="one"), memory_over(store, bank="other")
    one.observe(failure("1017"), CI)
    one.confirm("1017", **BATCHES, actor=ANA)
    other.observe(failure("1057"), CI)

    with pytest.raises(NotFound):
        other.get("1017")
    assert other.recall(incident="1057").considered == 0
    assert other.recall(text=failure().block).considered == 1
    assert one.ledger_verify().ok
    assert one.ledger_verify().entries == 2


def test_a_whole_memory_goes_into_a_fresh_bank_and_back(memory, store):
    cases = {name: memory.observe(failure(name), CI).id for name in "123456"}
    memory.observe(failure("7"), AGENT)
    memory.observe(failure("8"), CI, findings=["override"])
    memory.confirm("1", **BATCHES, actor=ANA)
    memory.confirm("2", **LONGER, actor=BO, precedents=["1"], proof=["https://ci.example/2"])
    memory.refute("2", "wrong lock", ANA)
    memory.propose("3", "a lock", "a longer timeout", AGENT)
    memory.retract("4", "another project's log", ANA)
    memory.unlike("5", "1", "other table", ANA)
    memory.observe(failure("6"), CI, findings=["override"])
    rows = list(memory.export())
    fresh = memory_over(store, bank="fresh")

    report = fresh.import_incidents(enumerate(rows, 1), IMPORT, sign=lambda _: signed())

    assert report.refused == ()
    assert report.added == 8
    for case in memory.list():
        copy = fresh.get(case.id)
        assert (copy.status, copy.outcome, copy.counts) == (case.status, case.outcome, case.counts)
        assert copy.record.body == case.record.body
        assert [(one.kind, one.actor, one.at) for one in copy.verdicts] == [
            (one.kind, one.actor, one.at) for one in case.verdicts
        ]
    assert list(fresh.export()) == rows
    before = fresh.ledger_verify().entries
    again = fresh.import_incidents(enumerate(rows, 1), IMPORT, sign=lambda _: signed())
    assert (again.added, again.known, again.refused) == (0, 8, ())
    assert fresh.ledger_verify().entries == before
    assert cases["1"] not in {hit.case.id for hit in fresh.recall(incident="5").hits}


def test_importing_again_does_not_undo_a_refutation(memory):
    memory.observe(failure("1"), CI)
    memory.confirm("1", **BATCHES, actor=ANA)
    rows = list(memory.export())
    memory.refute("1", "it came back", ANA)

    report = memory.import_incidents(enumerate(rows, 1), IMPORT, sign=lambda _: signed())

    assert (report.known, memory.get("1").status) == (1, Status.REFUTED)


def test_lists_are_filtered_and_newest_first(memory):
    for number, service in enumerate(["pay", "user", "pay"]):
        memory.observe(failure(str(number), service=service), CI)
    memory.confirm("0", **BATCHES, actor=ANA)

    def names(**wanted):
        return [case.record.body.deployment for case in memory.list(**wanted)]

    assert names() == ["2", "1", "0"]
    assert names(service="pay") == ["2", "0"]
    assert names(status="confirmed") == ["0"]
    assert names(limit=1) == ["2"]
    assert names(signature=signed().id, family="migration") == ["2", "1", "0"]
    assert names(family="timeout") == []
    assert names(since=memory.get("1").record.happened_at) == ["2", "1"]


def test_a_block_that_raises_leaves_no_trace(store):
    memory = memory_over(store)
    memory.observe(failure(), CI)
    before = memory.ledger_verify()

    def half_a_write():
        with store.writing("default") as view:
            entry, payload = next(iter(view.entries("default")))
            view.append(entry._replace(seq=2), payload, [])
            raise BadInput("stop")

    with pytest.raises(BadInput):
        half_a_write()

    assert memory.ledger_verify() == before


def test_calls_of_a_model_are_accounted_and_go_with_their_incident(memory):
    case, other = memory.observe(failure("1"), CI), memory.observe(failure("2"), CI)
    call = ModelCall("openai:x", "diagnosis-1", "ab12", "answered", 900, 80, 0.002, 1.5)
    began = memory.calls(START)
    memory.keep_call(replace(call, subject=case.id), CI)
    memory.keep_call(replace(call, subject=other.id, result="model_busy"), AGENT)

    calls = memory.calls(START)

    assert (began, [one.subject for one in calls]) == ((), [case.id, other.id])
    assert replace(calls[0], subject="", actor="", at=None) == call
    assert [one.actor for one in calls] == [str(CI), str(AGENT)]
    assert memory.calls(calls[1].at) == calls[1:]
    assert memory.get(case.id).verdicts == ()
    memory.erase(case.id, "asked to", ANA)
    assert memory.calls(START) == calls[1:]


def test_pages_of_cases_add_up_to_the_list_and_each_filter_narrows_them(memory):
    for number in range(6):
        memory.observe(failure(deployment=str(number), service=f"s{number % 2}"), CI)
    whole = [case.id for case in memory.list()]

    for size in (1, 2, 5, 6, 9):
        found, after = [], BEGIN
        while after is not None:
            page = memory.page(Wanted(), size, after)
            assert len(page.cases) <= size
            found += [case.id for case in page.cases]
            after = page.next
        assert found == whole
    assert [case.id for case in memory.page(Wanted(service="s1"), 9).cases] == [
        case.id for case in memory.list(service="s1")
    ]
    assert memory.page(Wanted(status="confirmed"), 9) == ((), None)


@pytest.mark.parametrize(
    ("hours", "until", "then"),
    [
        ([1, 2, 3, 4], 2, 2),
        ([1, 2, 3, 4], 0, 0),
        ([1, 2, 3, 4], 9, 4),
        ([5, 6, -500, 7, 8], 1, 0),  # a machine began in 1970
        ([5, 6, -500, 7, 8], 6, 3),
        ([1, 2, 500, 3, 4], 2, 2),  # a clock was far ahead once
        ([1, 2, 500, 3, 4], 3, 4),
        ([1, 2, 5, 3, 4, 6], 3, 4),  # two machines that differ a little
        ([5, 3, 4], 4, 3),
    ],
)
def test_a_time_ends_where_most_entries_say_whatever_one_clock_said(store, hours, until, then):
    clock = Clock()
    memory = memory_over(store, clock=clock)
    for number, hour in enumerate(hours):
        clock.at = START + timedelta(hours=hour)
        memory.observe(failure(str(number), signature=signed(str(number))), CI)

    with store.reading() as view:
        assert view.last_seq("default", stamp(START + timedelta(hours=until, minutes=30))) == then
        assert view.last_seq("default", "") == len(hours)
    assert memory.ledger_verify().ok


def test_the_account_is_leafed_through_from_either_end(memory):
    one = memory.observe(failure(), CI)
    memory.refute(one.id, "no", ANA)
    memory.observe(failure(deployment="1018"), CI)
    whole = list(memory.ledger_show())

    assert memory.ledger_after(0, 2) + memory.ledger_after(2, 9) == whole
    assert memory.ledger_before(limit=2) + memory.ledger_before(2, 9) == whole[::-1]
    assert memory.ledger_after(0, 9, one.id) == list(memory.ledger_show(one.id))
    assert memory.ledger_head() == len(whole) == 3


def test_causes_are_grouped_counted_and_leafed_through(memory):
    often = [memory.observe(failure(str(n), service="pay"), CI) for n in range(3)]
    other = memory.observe(failure("9", signature=signed("other"), service="web"), CI)
    chosen = Chosen()

    pages, after = [], BEGIN
    while after is not None:
        page = memory.causes(chosen, limit=1, after=after)
        pages += page.causes
        after = page.next
    assert [(one.newest.id, one.times) for one in pages] == [(other.id, 1), (often[-1].id, 3)]
    assert [one.novelty for one in pages] == ["new", "recurring"]
    assert (pages[1].first, pages[1].last) == (
        often[0].record.happened_at,
        often[-1].record.happened_at,
    )
    memory.confirm(often[0].id, cause="c", resolution="r", result="succeeded", actor=ANA)
    for novelty, times in (("new", [1]), ("recurring", []), ("known", [3])):
        assert [one.times for one in memory.causes(chosen, novelty).causes] == times
    assert [one.times for one in memory.causes(Chosen(service="web")).causes] == [1]
    assert [one.id for one in memory.of_signature(often[0].record.body.signature.id, 2)] == [
        often[2].id,
        often[1].id,
    ]


def test_causes_and_figures_count_joined_signatures_as_one(memory):
    lock = [memory.observe(failure(str(n)), CI) for n in range(2)]
    quota = memory.observe(failure("7", signature=signed("quota"), service="web"), CI)
    alone = memory.observe(failure("8", signature=signed("alone")), CI)
    memory.confirm(lock[0].id, **BATCHES, actor=ANA)
    late = memory.observe(failure("9", signature=signed("quota")), CI)
    apart = [(one.newest.id, one.times) for one in memory.causes(Chosen()).causes]
    seen = memory.figures(START).recurrence

    memory.merge(quota.id, lock[0].id, "one lock", ANA)

    pages, after = [], BEGIN
    while after is not None:
        page = memory.causes(Chosen(), limit=1, after=after)
        pages += page.causes
        after = page.next
    assert [(one.newest.id, one.times, one.novelty) for one in pages] == [
        (late.id, 4, "known"),
        (alone.id, 1, "new"),
    ]
    assert pages[0].first == lock[0].record.happened_at
    narrow = memory.causes(Chosen(service="web")).causes
    assert [(one.newest.id, one.times) for one in narrow] == [(quota.id, 1)]
    assert [one.times for one in memory.causes(Chosen(), "recurring").causes] == []
    for one in (signed("quota").id, lock[0].record.body.signature.id):
        assert [case.id for case in memory.of_signature(one, 3)] == [late.id, quota.id, lock[1].id]
    assert (seen, memory.figures(START).recurrence) == ((5, 2, 0), (5, 3, 1))
    told = [
        memory.novelties(Chosen(family=one)) for one in ("", alone.record.body.signature.family)
    ]
    assert told == [{"new": 1, "recurring": 0, "known": 4}] * 2
    assert memory.novelties(Chosen(service="web")) == {"new": 1, "recurring": 0, "known": 0}

    memory.split(signed("quota").id, "two locks", ANA)

    assert [(one.newest.id, one.times) for one in memory.causes(Chosen()).causes] == apart
    assert memory.figures(START).recurrence == seen


@pytest.mark.parametrize(
    "chosen",
    [
        Chosen(),
        Chosen(service="s1"),
        Chosen(status="confirmed"),
        Chosen(status="observed", service="s0"),
        Chosen(environment="staging"),
        Chosen(family="unknown", service="s0"),
        Chosen(service="none"),
    ],
    ids=str,
)
def test_cases_are_counted_by_novelty_as_the_list_of_causes_has_them(memory, chosen):
    places = ("production", "staging")
    cases = [
        memory.observe(
            failure(
                str(n), signature=signed(kind), service=f"s{n % 2}", environment=places[n % 2]
            ),
            CI,
        )
        for n, kind in enumerate(("a", "a", "a", "b", "b", "c", "d"))
    ]
    for case, result in ((cases[0], "succeeded"), (cases[3], "failed"), (cases[5], "succeeded")):
        why = {"why_failed": "again"} if result == "failed" else {}
        memory.confirm(case.id, cause="c", resolution="r", result=result, actor=ANA, **why)

    counted = memory.novelties(chosen)
    assert counted == {
        kind: sum(one.times for one in memory.causes(chosen, kind).causes) for kind in NOVELTIES
    }
    assert sum(counted.values()) == sum(one.times for one in memory.causes(chosen).causes)
    if chosen == Chosen():
        assert counted == {"new": 1, "recurring": 2, "known": 4}


def test_figures_count_what_was_seen_before_and_what_a_confirmed_fix_answered(memory):
    first, second = (memory.observe(failure(str(n)), CI) for n in range(2))
    memory.observe(failure("9", signature=signed("other")), CI)
    memory.confirm(second.id, cause="c", resolution="r", result="succeeded", actor=ANA)
    memory.observe(failure("10"), CI)
    memory.refute(first.id, "no", ANA)
    figures = memory.figures(START)

    assert figures.recurrence == (4, 2, 1)
    assert figures.said == {"observe": 4, "confirm": 1, "refute": 1}
    assert len(figures.hours) == 1
    assert sum(times for _, times in figures.days) == 4
    assert sum(one.times for one in memory.facets()) == 4
    assert memory.figures(memory.get(first.id).record.recorded_at + timedelta(days=9)) == (
        (), (0, 0, 0), {}, ()
    )  # fmt: skip


def test_not_the_same_holds_for_every_run_of_the_same_deployment(memory):
    worked, again, other = (
        memory.confirm(memory.observe(one, CI).id, **BATCHES, actor=ANA)
        for one in (
            failure("1017"),
            failure("1017", block=LOCK + "\nsecond try"),
            failure("1018"),
        )
    )
    failed = memory.observe(failure("1057"), CI)
    memory.unlike(failed.id, worked.id, "another table", ANA)
    retried = memory.observe(failure("1057", block=LOCK + "\nretried"), CI)

    for sought in (failed, retried):
        found = memory.recall(incident=sought.id)
        ids = {hit.case.id for hit in (*found.hits, *found.nearest)}
        assert not ids & {worked.id, again.id}
        assert other.id in ids
    back = memory.recall(incident=again.id)
    assert not {hit.case.id for hit in back.hits} & {failed.id, retried.id}


def test_the_kept_counts_say_what_counting_the_cases_would(memory, store):
    """Each verb that moves a case moves it in the counts; the fixture verifies them at the end."""
    cases = [memory.observe(failure(str(n), service=f"s{n % 3}"), CI) for n in range(9)]
    memory.observe(failure("a", service="s9"), AGENT)
    for case, outcome, person in (
        (cases[0], BATCHES, ANA),
        (cases[1], BATCHES, ANA),
        (cases[2], BATCHES, BO),
        (cases[2], LONGER, BO),
        (cases[7], BATCHES, ANA),
    ):
        memory.confirm(case.id, **outcome, actor=person)
    memory.refute(cases[1].id, "no", ANA)
    memory.retract(cases[3].id, "no", ANA)
    memory.resign(cases[4].id, signed("newer"), ANA)
    memory.split(cases[5].id, "another cause", ANA)
    memory.erase(cases[6].id, "asked to", ANA)
    memory.supersede(cases[0].id, cases[2].id, "longer does", ANA)
    lock = cases[8].record.body.signature.id

    def told():
        with store.reading() as view:
            tallies = view.tallies("default", [lock]).get(lock, [])
            return (
                {one[1:] for one in tallies},
                view.services("default", [lock]),
                view.services("default"),
                view.seen("default", lock),
                sorted(view.facets("default")),
            )

    before = told()
    assert before[:3] == ({("failed", "bo", 1), ("succeeded", "ana", 1)}, 3, 3)
    assert before[3] == Seen(
        5, *(stamp(one.record.happened_at) for one in (cases[0], cases[8])), 1, 0
    )
    listed = [(case.status.value, case.record.body) for case in memory.list()]
    facts = Counter((one, of.service, of.environment, of.signature.family) for one, of in listed)
    assert before[4] == sorted((*key, times) for key, times in facts.items())
    memory.rebuild()
    assert told() == before
    assert {one.tried for one in memory.fixes(lock)} == {1}


def test_a_change_that_tells_of_an_erased_record_is_named_and_can_be_erased_too(memory):
    case = memory.observe(failure(), CI)
    events = [{**EVENT, "document": f'{{"incident": "{case.id}", "excerpt": "zebrablock"}}'}]
    watched = {"change": CHANGE, "attempts": [ATTEMPT], "outbox": events, "notes": []}
    done = {**watched, "change": {**CHANGE, "state": "done"}, "attempts": [], "outbox": []}
    memory.loop_write("chg_1", CI, lambda _: LoopEntry("loop", watched))
    memory.erase(case.id, "asked to", ANA)

    assert memory.told_in(case.id) == ("chg_1",)
    with pytest.raises(WrongUse, match="still watched"):
        memory.erase("chg_1", "asked to", ANA)
    memory.loop_write("chg_1", CI, lambda _: LoopEntry("loop", done))
    with pytest.raises(GateRefused):
        memory.erase("chg_1", "asked to", AGENT)
    assert memory.erase("chg_1", "asked to", ANA) == "chg_1"

    assert memory.told_in(case.id) == ()
    assert memory.loop_rows("chg_1") is None
    kept = [one.payload.body for one in memory.ledger_show() if one.payload]
    assert "zebrablock" not in str(kept)
    assert memory.ledger_verify().ok
    memory.loop_write("chg_1", CI, lambda _: LoopEntry("loop", watched))
    assert memory.loop_rows("chg_1").change.state == CHANGE["state"]


def test_an_answer_that_nobody_read_to_its_end_holds_no_later_view_back(store):
    memory = memory_over(store)
    for number in range(3):
        memory.observe(failure(str(number)), CI)
    with store.reading() as view:
        left = [view.entries("default"), view.spoken("default", 0), view.rows("cases")]
        for one in left:
            next(one)

    with store.reading() as before:
        assert before.head("default").seq == 3
        memory.observe(failure("late"), CI)  # on another connection than the one that is read on

    with store.reading() as one, store.reading() as other:
        for view in (one, other):
            assert view.head("default").seq == 4
            assert len(list(view.entries("default"))) == 4
    memory.observe(failure("later"), CI)
    assert len(left) == 3


def test_what_was_left_unread_may_go_after_its_store_is_closed(store, monkeypatch):
    memory_over(store).observe(failure("1"), CI)
    memory_over(store).observe(failure("2"), CI)
    with store.reading() as view:
        left = [view.entries("default"), view.rows("cases")]
        for one in left:
            next(one)
    store.close()
    troubles = []
    monkeypatch.setattr(sys, "unraisablehook", troubles.append)

    left.clear()
    gc.collect()

    assert troubles == []


def test_a_store_tells_at_once_what_was_said_of_records_and_whom_it_knows(memory, store):
    first, second = (memory.observe(failure(number), CI) for number in ("1017", "1018"))
    memory.confirm("1017", **BATCHES, actor=ANA)
    memory.refute("1017", "it came back", BO)
    known_as = {one.id: identity(one.record.body) for one in (first, second)}

    with store.reading() as view:
        said = view.judged("default", [second.id, first.id, "inc_none"])
        told = [(one.entry.subject, one.entry.action, bool(one.payload)) for one in said]
        assert told == [(first.id, "confirm", True), (first.id, "refute", True)]
        assert view.judged("default", []) == []
        names = [known_as[first.id], "", "nothing", 'a"b\\', known_as[second.id]]
        assert view.recognised("default", names) == set(known_as.values())
        assert view.recognised("another", names) == view.recognised("default", []) == set()
