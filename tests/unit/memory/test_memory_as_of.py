"""A recall as of a day answers what a store that was frozen on that day answered, word for word."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from itertools import count
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caselore.errors import NotFound
from caselore.memory import Filters, Memory
from caselore.memory.moving import move
from caselore.memory.retention import read_rules
from caselore.memory.stores.sqlite import SqliteStore
from fakes import postgres
from fakes.failures import (
    ANA,
    BATCHES,
    BO,
    CI,
    LONGER,
    Clock,
    failure,
    index_beside,
    memory_at,
    memory_over,
)
from fakes.histories import BROUGHT, GONE, HISTORIES, KEPT, do
from fakes.memory_store import MemoryStore

QUESTIONS = (
    "statement timeout of payments",
    "required variable AUTH_ISSUER_URL",
    "batches of 500",
)


def answers(memory, ids, **more):
    """Give all that is answered for incidents and questions, with every word of it."""
    asked = [{"incident": id} for id in ids] + [{"text": text} for text in QUESTIONS]
    asked += [{"incident": id, "filters": Filters(service="pay")} for id in ids[:2]]
    return [memory.recall(limit=4, **one, **more) for one in asked]


def frozen(memory):
    """Answer as the store stands, at the time that it shows."""
    clock = memory._clock
    memory._clock = lambda: clock.at
    ids = [case.id for case in memory.list()][:6]
    found = clock.at, ids, answers(memory, ids)
    memory._clock = clock
    return found


def must_remember(memory, history, every=3) -> None:
    """Live through a history, and compare each frozen answer with the one that is given later."""
    kept = []
    for number, deed in enumerate(history):
        do(memory, deed)
        if number % every == 0:
            kept.append(frozen(memory))
    for at, ids, then in kept:
        assert answers(memory, ids, as_of=at) == then


LAW = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@LAW
@given(HISTORIES)
def test_a_recall_as_of_a_time_is_what_a_frozen_store_answered(history):
    must_remember(memory_over(MemoryStore()), history)


# With content that goes for good, the frozen store is one in which the same content went, as in a backup.


class Frozen(NamedTuple):
    """A copy of a store as it was, and when that was."""

    memory: Memory
    at: datetime
    gone: int
    """Erasures of before: they are in the copy already."""


def copy_of(memory, folder, erased) -> Frozen:
    store = SqliteStore(folder / "lore.sqlite3")
    move(memory._store, store)
    index = index_beside(store, folder / "lore.sqlite3")
    clock = Clock(memory._clock.at)
    return Frozen(memory_over(store, index=index, clock=clock), clock.at, len(erased))


def must_match(memory, history, copied, every) -> None:
    """Live, freeze copies, let the copies forget what is erased later, and compare."""
    erased, frozen = [], []
    for number, deed in enumerate(history):
        before = {case.id for case in memory.list()}
        if deed == ("retain",):
            due = memory.retention_due(RULES)
            memory.retention_apply(due, ANA)
        else:
            do(memory, deed)
        erased += sorted(before - {case.id for case in memory.list()})
        if number % every == every - 1:
            frozen.append(copied(erased))
    for one in frozen:
        for id in erased[one.gone :]:
            with suppress(NotFound):  # it came later than this copy
                one.memory.erase(id, "erased since", ANA)
        ids = [case.id for case in one.memory.list()][:6]
        clock = one.memory._clock
        one.memory._clock = lambda at=one.at: at
        assert answers(memory, ids, as_of=one.at) == answers(one.memory, ids)
        one.memory._clock = clock
        assert one.memory.ledger_verify().ok
        one.memory.close()
    assert memory.ledger_verify().ok


RULES = read_rules({"old": {"older": "0h", "status": ["observed", "proposed"]}})
ALL = st.lists(
    st.one_of(*KEPT, *BROUGHT, *GONE, *GONE, st.just(("retain",))), min_size=4, max_size=20
)
LONGER_ONES = st.lists(
    st.one_of(*KEPT, *KEPT, *BROUGHT, *GONE, *GONE, st.just(("retain",))), min_size=20, max_size=90
)


OPENING = [
    *(("observe", number, "pay", "lock", CI) for number in range(6)),
    *(("confirm", number, BATCHES, 5, ANA) for number in range(3)),
]  # so that there is something to be known, and something to lose


def law_on(kind, request, folders, history, every) -> None:
    folder = folders.mktemp("as-of")
    place = folder / "now" / "lore.sqlite3"
    if kind == "postgres":
        place = postgres.emptied(request.getfixturevalue("postgres_database"))
    memory = memory_at(place, folder / "now" / "lore")
    copies = (folder / f"copy-{number}" for number in count())
    must_match(
        memory, [*OPENING, *history], lambda erased: copy_of(memory, next(copies), erased), every
    )
    memory.close()


@pytest.mark.parametrize(("kind", "examples"), [("sqlite", 10), ("postgres", 5)])
def test_the_same_holds_on_a_real_store_with_erasures_retention_and_imports(
    kind, examples, request, tmp_path_factory
):
    @settings(LAW, max_examples=examples)
    @given(ALL)
    def law(history):
        law_on(kind, request, tmp_path_factory, history, every=9)

    law()


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_law_holds_for_many_histories(kind, request, tmp_path_factory):
    seen = count()

    @settings(LAW, max_examples=int(os.environ.get("CASELORE_TEST_HISTORIES", "100")))
    @given(LONGER_ONES)
    def law(history):
        law_on(kind, request, tmp_path_factory, history, every=20)
        next(seen)

    law()
    print(f"{kind}: {next(seen)} histories, each frozen every 20 deeds")


def test_the_past_of_a_crowded_signature_is_found_behind_what_came_later(memory):
    numbers = count()
    for outcome, times in ((BATCHES, 12), (LONGER, 12)):
        for _ in range(times):
            number = str(next(numbers))
            memory.observe(failure(number), CI)
            memory.confirm(number, **outcome, actor=ANA)
    then = frozen(memory)
    for _ in range(40):
        memory.observe(failure(str(next(numbers))), CI)
    for number in range(20):
        memory.refute(str(number), "it was another lock", BO)

    at, ids, answered = then
    assert answers(memory, ids, as_of=at) == answered


def test_a_name_means_the_incident_that_bore_it_then(memory):
    first = memory.observe(failure("7"), CI)
    other = memory.observe(failure("8"), CI)
    at = memory._clock.at
    memory.observe(failure("7", block="another log of deployment seven"), CI)

    found = memory.recall(incident="7", as_of=at)

    assert [hit.case.id for hit in found.nearest] == [other.id]
    assert first.id not in {hit.case.id for hit in found.nearest}


def test_before_the_first_entry_nothing_is_known(memory):
    at = memory._clock.at
    memory.observe(failure("7"), CI)
    memory.confirm("7", **BATCHES, actor=ANA)
    memory.observe(failure("8"), CI)

    assert memory.recall(incident="8", as_of=at).considered == 0
    assert memory.recall(text="batches of 500 records", as_of=at).hits == ()
