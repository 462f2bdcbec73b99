"""An exact repeat is answered in few statements, and says what comparing everything would say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from caselore.memory import recall as recalling
from fakes.failures import ANA, BATCHES, BO, CI, LOCK, LONGER, failure, memory_at, signed

MOST = 5


@pytest.fixture(params=["sqlite", "postgres"])
def memory(request, tmp_path):
    if request.param == "postgres":
        opened = memory_at(request.getfixturevalue("postgres_url"), tmp_path / "lore")
    else:
        opened = memory_at(tmp_path / "lore.sqlite3")
    yield opened
    opened.close()


def seen(memory, deployment, number, **more):
    """A failure of the lock, in words of its own, on one of three services."""
    block = f"{LOCK}\n" + " ".join(f"{word}{number % 5}" for word in LOCK.split()[: number % 9])
    more.setdefault("service", f"service-{number % 3}")
    return memory.observe(failure(deployment, block=block, **more), CI)


def filled(memory, many):
    """Repeats of one failure with two fixes, and other failures of the same unit and family."""
    for number in range(many):
        case = seen(memory, f"d{number}", number)
        if number % 3 == 0:
            memory.confirm(case.id, **(LONGER if number % 4 else BATCHES), actor=ANA)
        other = signed(f"other{number % 2}", unit="0042_totals" if number % 2 else "else")
        near = seen(memory, f"n{number}", number, signature=other)
        if number % 2:
            memory.confirm(near.id, **BATCHES, actor=BO)


ODD = ['a "quoted" one', "C:\\temp\\x", "{a,b}", "NULL", "naïve, ünïcode", "it's $1 %s"]


@pytest.mark.parametrize("odd", ODD)
def test_a_name_is_found_whatever_signs_it_is_written_with(memory, odd):
    signature = replace(signed(), id=odd)
    case = seen(memory, "d1", 1, signature=signature, service=odd)
    memory.confirm(case.id, **LONGER, actor=ANA)
    again = seen(memory, "d2", 2, signature=signature, service=odd)
    with memory._store.reading() as view:
        (tally,) = view.tallies(memory.bank, [*ODD, odd[:3]])[odd]

    found = memory.recall(incident=again.id)

    assert (tally.times, tally.confirmed_by) == (1, ANA.name)
    assert [hit.case.id for hit in found.hits] == [case.id]
    assert found.hits[0].same_failure


@pytest.mark.parametrize("relation", ["merge", "unlike"])
def test_what_people_said_since_the_first_look_is_heard(memory, relation):
    """A view that learnt that nobody joined anything must not believe it for the next one."""
    first, asked = seen(memory, "d1", 1), seen(memory, "d2", 2, signature=signed("other"))
    memory.confirm(first.id, **LONGER, actor=ANA)
    same = seen(memory, "d3", 3)
    before = memory.recall(incident=asked.id), memory.recall(incident=same.id)

    if relation == "merge":
        memory.merge(signed("other").id, first.record.body.signature.id, why="one lock", actor=ANA)
    else:
        memory.unlike(same.id, first.id, why="another lock", actor=ANA)
    after = memory.recall(incident=asked.id), memory.recall(incident=same.id)

    assert [[hit.case.id for hit in one.hits] for one in before] == [[], [first.id]]
    if relation == "merge":
        assert [hit.case.id for hit in after[0].hits] == [first.id]
    else:
        assert not after[1].hits


def statements(memory, monkeypatch, id):
    """Count the statements of one recall, by the name of their query."""
    with memory._store.reading() as view:
        kind, asked = type(view), Counter()
    run = kind._run

    def counted(self, query, /, **values):
        asked[query[:20]] += 1
        return run(self, query, **values)

    with monkeypatch.context() as patched:
        patched.setattr(kind, "_run", counted)
        found = memory.recall(incident=id)
    assert found.hits[0].same_failure
    return asked


def test_an_exact_repeat_asks_few_statements_however_much_is_known(memory, monkeypatch):
    id = seen(memory, "asked", 0).id
    filled(memory, 4)
    few = statements(memory, monkeypatch, id)
    filled(memory, 40)

    many = statements(memory, monkeypatch, id)

    assert many == few
    assert sum(many.values()) <= MOST, many


@pytest.mark.parametrize("limit", [1, 5, 20])
def test_what_an_exact_repeat_shows_has_the_points_that_comparing_all_gives(
    memory, monkeypatch, limit
):
    seen(memory, "asked", 4)
    filled(memory, 30)
    quick = memory.recall(incident="asked", limit=limit)
    monkeypatch.setattr(recalling, "text_decides", lambda *_: True)

    whole = memory.recall(incident="asked", limit=90)

    assert len(quick.hits) == min(limit, len(whole.hits))
    for some, every in ((quick.hits, whole.hits), (quick.nearest, whole.nearest)):
        points = {hit.case.id: hit for hit in every}
        assert [points[hit.case.id] for hit in some] == list(some)
        order = [hit.case.id for hit in every if hit.case.id in {one.case.id for one in some}]
        assert order == [hit.case.id for hit in some]
    assert any(hit.signals != quick.hits[0].signals for hit in quick.hits[1:]) or limit == 1
    assert {"text similarity"} <= {one.name for hit in quick.hits for one in hit.signals}
