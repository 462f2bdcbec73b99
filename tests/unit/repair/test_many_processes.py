"""Several watchers and workers on one store, killed at random: nothing is lost, nothing twice."""

from __future__ import annotations

import random
import time
from collections import Counter

import psycopg
import pytest

from caselore.repair.account import PEOPLE, WORKER, id_of
from caselore.repair.change import parse
from fakes.loop_process import CHANGE, Nursery, Place, told, wait_until

ROLES = ["watch", "watch", "work", "work", "work"]
KINDS = ["sqlite", "postgres", "queue"]


@pytest.fixture(params=KINDS)
def place(request, tmp_path):
    file = str(tmp_path / "lore.db")
    store = file if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    return Place(tmp_path, store, "queue" if request.param == "queue" else "embedded")


def ids(plans):
    return [id_of(parse(CHANGE.format(number))) for number, _ in enumerate(plans, 1)]


def settled(account, plans):
    """Tell whether all changes are green or stopped, and nothing waits for anybody."""
    rows = account.listed()
    states = {row.id: row.state for row in rows}
    done = all(
        states[id] == ("green" if plan else "open")
        for id, plan in zip(ids(plans), plans, strict=True)
    )
    return (
        done
        and not account.waiting("")
        and all(
            len(brought(account.events(id))) == (plan or 5)
            for id, plan in zip(ids(plans), plans, strict=True)
        )
    )


def brought(events):
    """Give what a worker took; word of that may come after its push was seen."""
    return [one for one in events if (one.target, one.status) == (WORKER, "delivered")]


def check(place, account, plans):
    """Hold what is left against what a single untroubled process leaves."""
    left = set()
    for id, plan in zip(ids(plans), plans, strict=True):
        events = account.events(id)
        tries = plan or 5
        people = Counter(one.type for one in events if one.target == PEOPLE)
        assert people["pipeline_passed" if plan else "circuit_breaker"] == 1
        assert len(brought(events)) == tries <= people["pipeline_failed"]
        state = account.tracked(id).state
        assert (state.count, len(state.attempts)) == (0 if plan else 5, tries + 1)
        assert len(place.forge.read(CHANGE.format(ids(plans).index(id) + 1)).pushed) == tries
        left |= {one.id for one in events if one.target == PEOPLE}
        incidents = [
            failure["incident"]
            for one in brought(events)
            for failure in one.event["evidence"]["failures"]
        ]
        said = [[v.kind for v in account.memory.get(one).verdicts] for one in incidents]
        assert {len(one) for one in said} <= ({0, 1} if plan else {0})
    assert told(place) == left
    assert account.memory.ledger_verify().ok


def test_two_watchers_and_three_workers_one_of_them_killed_handle_each_attempt_once(place):
    plans = [2, 1, 0, 3]
    account, nursery = place.track(plans), Nursery(place)
    try:
        pids = [nursery.start(role) for role in ROLES]
        wait_until(lambda: told(place), nursery, 60)
        nursery.kill(pids[0])
        nursery.kill(pids[2])
        wait_until(lambda: settled(account, plans), nursery, 90)
    finally:
        nursery.close()
    check(place, account, plans)
    account.memory.close()


@pytest.mark.soak
def test_after_200_kills_of_processes_and_connections_nothing_is_lost_and_nothing_twice(place):
    dice, plans = random.Random(20261130), [1 + n % 4 if n % 5 else 0 for n in range(40)]
    account, nursery, cut = place.track(plans), Nursery(place), 0
    try:
        for role in ROLES:
            nursery.start(role)
        for number in range(200):
            time.sleep(dice.uniform(0.02, 0.35))
            nursery.start(nursery.kill(dice.choice(sorted(nursery.alive))))
            if "://" in place.where and number % 4 == 0:
                cut += cut_off(place.where)
            nursery.replace_dead()
        wait_until(lambda: settled(account, plans), nursery, 300)
    finally:
        nursery.close()
    check(place, account, plans)
    assert cut > 20 or "://" not in place.where
    account.memory.close()


def cut_off(url):
    """Cut one connection of the server off, as it comes."""
    with psycopg.connect(url, autocommit=True) as link:
        found = link.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND datname = current_database() AND backend_type = 'client backend' "
            "ORDER BY random() LIMIT 1"
        ).fetchall()
    return len(found)
