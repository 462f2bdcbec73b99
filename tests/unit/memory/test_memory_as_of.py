"""A recall as of a day answers what a store that was frozen on that day answered, word for word."""

from __future__ import annotations

from contextlib import suppress
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caselore.errors import CaseloreError
from caselore.memory import Filters
from fakes import postgres
from fakes.failures import (
    AGENT,
    ANA,
    BATCHES,
    BO,
    CI,
    LONGER,
    VARIABLE,
    failure,
    memory_at,
    memory_over,
    signed,
)
from fakes.memory_store import MemoryStore

NUMBERS = st.integers(0, 7)
NAMES = st.sampled_from(["lock", "index", "quota"])
SERVICES = st.sampled_from(["pay", "user"])
FAMILIES = st.sampled_from(["migration", "timeout"])
PEOPLE = st.sampled_from([ANA, BO])
OUTCOMES = st.sampled_from([BATCHES, LONGER])
DEEDS = st.one_of(
    st.tuples(st.just("observe"), NUMBERS, SERVICES, NAMES, st.sampled_from([CI, AGENT])),
    st.tuples(st.just("confirm"), NUMBERS, OUTCOMES, NUMBERS, PEOPLE),
    st.tuples(st.just("refute"), NUMBERS, PEOPLE),
    st.tuples(st.just("supersede"), NUMBERS, NUMBERS, PEOPLE),
    st.tuples(st.just("merge"), NUMBERS, NUMBERS),
    st.tuples(st.just("split"), NUMBERS),
    st.tuples(st.just("part"), NUMBERS, NAMES),
    st.tuples(st.just("retract"), NUMBERS, PEOPLE),
    st.tuples(st.just("unlike"), NUMBERS, NUMBERS, PEOPLE),
    st.tuples(st.just("propose"), NUMBERS),
    st.tuples(st.just("resign"), NUMBERS, NAMES, FAMILIES),
)
HISTORIES = st.lists(DEEDS, min_size=4, max_size=24)
QUESTIONS = (
    "statement timeout of payments",
    "required variable AUTH_ISSUER_URL",
    "batches of 500",
)


def do(memory, deed) -> None:
    """Do one thing, if it can be done now."""
    what, one, *rest = deed
    deeds = {
        "observe": lambda service, name, actor: memory.observe(
            failure(
                str(one),
                service=service,
                signature=signed(name),
                **({"block": VARIABLE} if name == "quota" else {}),
            ),
            actor,
        ),
        "confirm": lambda outcome, other, actor: memory.confirm(
            str(one), **outcome, actor=actor, precedents=[str(other)]
        ),
        "refute": lambda actor: memory.refute(str(one), "it was not that", actor),
        "supersede": lambda other, actor: memory.supersede(str(one), str(other), "so", actor),
        "merge": lambda other: memory.merge(str(one), str(other), "one cause", ANA),
        "split": lambda: memory.split(str(one), "another cause", ANA),
        "part": lambda name: memory.split(signed(name).id, "two causes", ANA),
        "retract": lambda actor: memory.retract(str(one), "another project", actor),
        "unlike": lambda other, actor: memory.unlike(str(one), str(other), "no", actor),
        "propose": lambda: memory.propose(str(one), "a lock", "wait", AGENT),
        "resign": lambda name, family: memory.resign(
            str(one), signed(name + "2", family=family), ANA
        ),
    }
    with suppress(CaseloreError):
        deeds[what](*rest)


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


@settings(LAW, max_examples=12)
@given(HISTORIES)
def test_the_same_holds_on_sqlite_with_the_text_index(tmp_path_factory, history):
    memory = memory_at(tmp_path_factory.mktemp("as-of") / "lore.sqlite3")
    must_remember(memory, history, every=6)
    memory.close()


@settings(LAW, max_examples=6)
@given(HISTORIES)
def test_the_same_holds_on_postgres_with_the_text_index(
    postgres_database, tmp_path_factory, history
):
    url = postgres.emptied(postgres_database)
    memory = memory_at(url, tmp_path_factory.mktemp("as-of") / "lore")
    must_remember(memory, history, every=8)
    memory.close()


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_law_holds_for_many_histories(kind, tmp_path_factory, request):
    @settings(LAW, max_examples=400)
    @given(st.lists(DEEDS, min_size=20, max_size=160))
    def law(history):
        place = tmp_path_factory.mktemp("as-of") / "lore.sqlite3"
        if kind == "postgres":
            url = postgres.emptied(request.getfixturevalue("postgres_database"))
            memory = memory_at(url, place)
        else:
            memory = memory_at(place)
        must_remember(memory, history, every=20)
        memory.close()

    law()


@pytest.fixture(params=["sqlite", "postgres", "memory"])
def memory(request, tmp_path):
    if request.param == "memory":
        opened = memory_over(MemoryStore())
    elif request.param == "postgres":
        opened = memory_at(request.getfixturevalue("postgres_url"), tmp_path / "lore")
    else:
        opened = memory_at(tmp_path / "lore.sqlite3")
    yield opened
    opened.close()


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
