"""What the repair loop's account must do over every store: the embedded one, the server, the fake."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from caselore.errors import GateRefused
from caselore.memory import Actor, Role
from caselore.memory.loops import Hint
from caselore.memory.stores.postgres import PostgresStore
from caselore.memory.stores.scan_index import ScanIndex
from caselore.memory.stores.sqlite import SqliteStore
from caselore.repair import recorded
from caselore.repair.account import PEOPLE, WORKER, Account, Owner, id_of
from caselore.repair.change import parse
from caselore.repair.observations import Rearm, Untrack
from fakes.failures import AGENT, ANA, START, memory_over
from fakes.memory_store import MemoryStore
from fakes.recordings import (
    AT_ONCE,
    BY_ANA,
    CHANGE,
    error,
    green,
    lines,
    of,
    red,
    reds,
    tell,
)

WATCHER = Actor("watcher", Role.SYSTEM)
REF = parse(CHANGE)
ID = id_of(REF)


@pytest.fixture(params=["sqlite", "postgres", "memory"])
def store(request, tmp_path):
    opened = {
        "sqlite": lambda: SqliteStore(tmp_path / "lore.sqlite3"),
        "postgres": lambda: PostgresStore(request.getfixturevalue("postgres_url")),
        "memory": MemoryStore,
    }[request.param]()
    yield opened
    opened.close()


@pytest.fixture
def account(store):
    account = Account(memory_over(store, index=ScanIndex(store)), AT_ONCE, told=True)
    account.track(REF, Owner("coder", "s1", "/src/pay"), WATCHER)
    yield account
    found = account.memory.ledger_verify()
    assert found.ok, found.broken


def feed(account, *rows, deliver=True):
    steps = []
    for told in recorded.read(lines(*rows)):
        steps.append(account.step(id_of(told.change), told.seen, WATCHER))
        for one in account.waiting(WORKER) if deliver else ():
            account.taken(one, WATCHER, told.seen.at)
    return steps


def test_the_account_says_what_the_reducer_says(account):
    rows = [*reds(3), green("g", 30), *reds(6, 40)]
    feed(account, *rows)
    events, status = tell(*rows)

    kept = account.tracked(ID).status(5)
    assert {name: kept[name] for name in status if name != "worker"} == {
        name: value for name, value in status.items() if name != "worker"
    }
    assert [one.id for one in account.events(ID) if one.target == PEOPLE] == [
        one.id for one in events
    ]
    row = account.listed()[0]
    assert (row.state, row.pipeline_fail_count, row.worker) == ("open", 5, "coder")


def test_an_event_waits_until_it_is_taken_and_counts_then(account):
    feed(account, red("a", 7), deliver=False)
    (waiting,) = account.waiting(WORKER)

    assert account.tracked(ID).state.count == 0
    account.taken(waiting, WATCHER, START)
    account.taken(waiting, WATCHER, START)
    assert account.tracked(ID).state.count == 1
    assert account.waiting(WORKER) == []
    assert [one.status for one in account.events(ID)] == ["waiting", "delivered"]
    assert [one.type for one in account.waiting(PEOPLE)] == ["pipeline_failed"]


def test_what_is_out_of_date_is_withdrawn_and_never_counts(account):
    feed(account, red("a", 7), green("b", 8), deliver=False)

    assert account.waiting(WORKER) == []
    assert account.tracked(ID).state.count == 0
    statuses = {one.type: one.status for one in account.events(ID) if one.target == WORKER}
    assert statuses == {"pipeline_failed": "withdrawn"}


def test_what_waits_when_a_change_is_taken_out_goes_to_nobody(account):
    feed(account, red("a", 7), deliver=False)
    account.step(ID, Untrack(START, "human:ana"), ANA, "untrack")

    assert account.waiting(WORKER) == []
    assert account.tracked(ID).state.offered == ""


def test_what_is_no_news_is_not_written(account):
    feed(account, red("a", 7))
    before = len(list(account.history(ID)))

    assert feed(account, *[red("a", 7)] * 5, *[error("api")] * 5) == [None] * 10
    assert len(list(account.history(ID))) == before


def test_only_a_person_rearms_and_an_agents_try_is_kept_as_refused(account):
    feed(account, *reds(6))
    word = Rearm(START, "human:ana", "the runner was broken")

    with pytest.raises(GateRefused, match="an agent may not rearm"):
        account.step(ID, word, AGENT, "rearm")
    assert account.tracked(ID).state.phase.value == "open"
    assert account.step(ID, word, ANA, "rearm") is not None
    assert account.tracked(ID).state.phase.value == "tracking"


def test_an_agent_neither_counts_nor_takes_a_change_out(account):
    (told,) = recorded.read(lines(red("a", 7)))

    with pytest.raises(GateRefused):
        account.step(ID, told.seen, AGENT)
    with pytest.raises(GateRefused):
        account.step(ID, Untrack(START, "agent:coder"), AGENT, "untrack")
    assert account.tracked(ID).state.phase.value == "tracking"


def test_tracking_again_gives_another_owner_and_keeps_the_count(account):
    feed(account, *reds(2))
    account.track(REF, Owner("other"), AGENT)

    found = account.tracked(ID)
    assert (found.owner.name, found.state.count) == ("other", 2)


def test_taking_an_open_change_out_and_in_again_does_not_rearm_it(account):
    feed(account, *reds(6))
    account.step(ID, Untrack(START, "human:ana"), ANA, "untrack")
    account.track(REF, Owner("coder"), AGENT)

    assert account.tracked(ID).state.phase.value == "open"
    feed(account, BY_ANA)
    assert account.tracked(ID).state.phase.value == "tracking"


def test_the_history_explains_each_count(account):
    feed(account, red("a", 7, "sig1:x"), of("a", 7, "running", []), red("b", 8))
    told = [one for one in account.history(ID) if one.notes]

    words = "\n".join("; ".join(one.notes) for one in told)
    assert "attempt 1/5" in words
    assert "attempt 2/5" in words
    assert [one.failures for one in told][-1] == 2


def test_a_change_that_nobody_tracks_is_left_alone(account):
    other = "https://git.example/shop/-/merge_requests/42"

    assert account.step(id_of(parse(other)), *_seen(red("a", 7))) is None
    assert account.tracked(id_of(parse(other))) is None


def _seen(row):
    (told,) = recorded.read(lines(row))
    return told.seen, WATCHER


def test_a_hint_that_comes_twice_is_one_hint(account):
    hint = Hint("gitlab", "delivery-1", ID, START)
    account.memory.hear([hint, hint])
    account.memory.hear([hint, Hint("gitlab", "delivery-2", ID, START + timedelta(seconds=1))])

    heard = account.memory.heard()
    assert [one.key for one in heard] == ["delivery-1", "delivery-2"]
    account.memory.attend(ID, heard[0].received_at)
    assert [one.key for one in account.memory.heard()] == ["delivery-2"]
    account.memory.hear([hint])
    assert [one.key for one in account.memory.heard()] == ["delivery-2"]


def test_one_holder_at_a_time_and_each_has_a_higher_fence(account):
    memory, later = account.memory, START + timedelta(seconds=61)
    first = memory.lease("watch", "a", START, 60)

    assert memory.lease("watch", "b", START, 60) is None
    assert memory.lease("watch", "a", START, 60).fence == first.fence
    second = memory.lease("watch", "b", later, 60)
    assert second.fence > first.fence
    memory.end_lease(first)
    assert memory.lease("watch", "a", later, 60) is None
    memory.end_lease(second)
    assert memory.lease("watch", "a", later, 60).fence > second.fence


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_two_watchers_at_once_handle_each_attempt_once(kind, tmp_path, request):
    place = request.getfixturevalue("postgres_url") if kind == "postgres" else tmp_path / "x.db"
    opened = [PostgresStore(place) if kind == "postgres" else SqliteStore(place) for _ in range(2)]
    accounts = [Account(memory_over(one, index=ScanIndex(one)), AT_ONCE) for one in opened]
    accounts[0].track(REF, Owner("coder"), WATCHER)
    rows = [*reds(3), green("g", 30), *reds(7, 40)]
    turns = [threading.Barrier(2, timeout=60) for _ in rows]

    def watch(account):
        for turn, told in zip(turns, recorded.read(lines(*rows)), strict=True):
            turn.wait()
            account.step(ID, told.seen, WATCHER)
            for one in account.waiting(WORKER):
                account.taken(one, WATCHER, told.seen.at)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(watch, accounts))
    left = [one.type for one in accounts[0].events(ID) if one.target == PEOPLE]
    found = accounts[1].tracked(ID).state
    assert sorted(left) == sorted(["pipeline_failed"] * 8 + ["pipeline_passed", "circuit_breaker"])
    assert (found.count, found.phase.value, len(found.attempts)) == (5, "open", len(rows))
    assert accounts[0].memory.ledger_verify().ok
    for one in opened:
        one.close()
