"""An export goes into a fresh bank and comes out byte for byte, and brings nothing back that was undone."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caselore.memory import Status, read_lines
from caselore.memory.seals import Checked
from fakes import postgres
from fakes.exhibits import event, page, report
from fakes.failures import ANA, BATCHES, BO, CI, IMPORT, LONGER, failure, memory_at, signed
from fakes.histories import LONG, WHOLE, fresh, lines, live

LAW = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def take(memory, rows, *, person=None, **seals):
    return memory.import_incidents(
        read_lines(rows), IMPORT, sign=lambda _: signed(), person=person, seals=Checked(**seals)
    )


def must_round_trip(memory, other) -> None:
    """Import what one bank exports into an empty one, and compare the bytes of both exports."""
    first = lines(memory, private=True)

    taken = take(other, first, person=ANA)
    again = take(other, first, person=ANA)

    assert taken.refused == again.refused == ()
    assert lines(other, private=True) == first
    assert (again.added, again.updated, again.erased) == (0, 0, 0)
    assert other.ledger_verify().ok


@LAW
@given(WHOLE)
def test_whatever_was_done_the_round_trip_is_byte_for_byte(history):
    must_round_trip(live(fresh(), history), fresh())


@settings(LAW, max_examples=8)
@given(WHOLE)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_same_holds_on_real_stores(kind, request, tmp_path_factory, history):
    round_trip_on(kind, request, tmp_path_factory, history)


def round_trip_on(kind, request, tmp_path_factory, history) -> None:
    folder = tmp_path_factory.mktemp("round-trip")
    memory = live(memory_at(folder / "a.sqlite3"), history)
    place = folder / "b.sqlite3"
    if kind == "postgres":
        place = postgres.emptied(request.getfixturevalue("postgres_database"))
    other = memory_at(place, folder / "b")
    must_round_trip(memory, other)
    memory.close()
    other.close()


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_round_trip_holds_for_many_long_histories(kind, request, tmp_path_factory):
    @settings(LAW, max_examples=150)
    @given(LONG)
    def law(history):
        round_trip_on(kind, request, tmp_path_factory, history)

    law()


def test_exhibits_round_trip_too_with_their_erasures():
    memory = fresh()
    held = memory.file_all([page(), page("https://other.example/")], CI)
    deal = memory.file(event(held[0].id), CI)
    memory.corroborate(deal.id, report(held[0].id), CI, independent=True, key="there")
    memory.erase(held[1].id, "not ours", ANA)

    must_round_trip(memory, fresh())


# What was undone stays undone, whichever of two exports comes first.


def before_and_after(undo):
    """Give what a bank exported before something was undone, and after."""
    memory = fresh()
    memory.observe(failure("1"), CI)
    memory.observe(failure("2", signature=signed("other")), CI)
    memory.confirm("1", **LONGER, actor=ANA)
    memory.confirm("2", **BATCHES, actor=ANA)
    memory.merge("1", "2", "one cause", ANA)
    old = lines(memory)
    undo(memory)
    return old, lines(memory)


UNDONE = {
    "refuted": lambda memory: memory.refute("1", "it was another lock", BO),
    "superseded": lambda memory: memory.supersede("1", "2", "a better one", BO),
    "retracted": lambda memory: memory.retract("1", "another project", BO),
    "told again": lambda memory: memory.confirm("1", **BATCHES, actor=BO),
    "parted": lambda memory: memory.split(signed("other").id, "two causes", BO),
    "erased": lambda memory: memory.erase("1", "asked to", BO),
}


def standing(memory):
    """Give what is recalled by, and how it stands."""
    cases = {case.id: (case.status, case.outcome) for case in memory.list()}
    return cases, memory.grouped(signed("other").id)


@pytest.mark.parametrize("order", ["old first", "new first", "old last again"])
@pytest.mark.parametrize("what", UNDONE)
def test_an_older_export_brings_nothing_back(what, order):
    old, new = before_and_after(UNDONE[what])
    wanted = fresh()
    take(wanted, new, person=ANA)
    memory = fresh()

    for rows in {"old first": [old, new], "new first": [new, old]}.get(order, [old, new, old]):
        take(memory, rows, person=ANA)

    assert standing(memory) == standing(wanted)
    assert memory.ledger_verify().ok


@pytest.mark.parametrize("what", ["refuted", "superseded", "told again"])
def test_a_verdict_that_was_given_here_outlasts_an_older_one_that_is_new_here(what):
    """The bank never heard of the outcome that a person refuted here by his own knowledge."""
    memory, other = fresh(), fresh()
    memory.observe(failure("1"), CI)
    at = memory._clock.at
    take(other, lines(memory))
    other._clock.at = at
    other.confirm("1", **LONGER, actor=ANA)
    memory._clock.at = other._clock.at
    memory.observe(failure("2"), CI)
    memory.confirm("2", **BATCHES, actor=BO)
    if what == "superseded":
        memory.confirm("1", **BATCHES, actor=BO)
    UNDONE[what](memory)
    stood = standing(memory)

    report = take(memory, lines(other), person=ANA)

    assert (report.updated, report.refused) == (1, ())
    assert standing(memory) == stood
    assert LONGER["cause"] in str([one.body for one in memory.get("1").verdicts])
    must_round_trip(memory, fresh())


def test_a_joining_that_was_parted_here_stays_parted():
    memory = fresh()
    for name in ("1", "2"):
        memory.observe(failure(name, signature=signed(name)), CI)
    other = fresh()
    take(other, lines(memory))
    other._clock.at = memory._clock.at
    other.merge("1", "2", "one cause", ANA)
    memory._clock.at = other._clock.at
    memory.merge("2", "1", "one cause", BO)
    memory.split(signed("1").id, "two causes", BO)

    take(memory, lines(other))
    take(memory, lines(other))

    assert memory.grouped(signed("1").id).signatures == (signed("1").id,)
    must_round_trip(memory, fresh())


def test_a_newer_verdict_of_elsewhere_does_change_what_stands():
    memory, other = fresh(), fresh()
    memory.observe(failure("1"), CI)
    memory.confirm("1", **LONGER, actor=ANA)
    take(other, lines(memory))
    other._clock.at = memory._clock.at
    other.refute("1", "it came back", BO)

    take(memory, lines(other))

    assert memory.get("1").status is Status.REFUTED


# Only a person's import erases.


def test_an_import_without_a_person_erases_nothing_and_says_what_to_do():
    old, new = before_and_after(UNDONE["erased"])
    memory = fresh()
    take(memory, old)

    report = take(memory, new)

    id = memory.get("1").id
    assert [reason for _, reason in report.refused if f"caselore erase {id}" in reason]
    assert report.erased == 0
    assert memory.get("1").status is Status.CONFIRMED


def test_without_a_person_a_tombstone_keeps_out_what_is_not_here_yet():
    old, new = before_and_after(UNDONE["erased"])
    memory = fresh()

    assert take(memory, new).refused == ()
    report = take(memory, old)

    assert ["was erased" in reason for _, reason in report.refused] == [True]
    assert {case.record.body.deployment for case in memory.list()} == {"2"}


@pytest.mark.parametrize(
    "changed",
    [
        {"actor": "ci:gitlab"},
        {"actor": "human:Claude Code"},
        {"at": ""},
        {"body": {}},
        {"body": {"why": ""}},
        {"id": "a b\n"},
        {"id": ""},
        {"known_as": 7},
        {"known_as": "x" * 500},
        {"caselore": 2},
    ],
    ids=str,
)
def test_a_tombstone_that_names_no_person_or_nothing_is_refused(changed):
    row = json.loads(before_and_after(UNDONE["erased"])[1][-1])
    bare = {name: row[name] for name in row if name not in {"seal", "previous"}}
    memory = fresh()

    report = take(memory, [json.dumps({**bare, **changed})], person=ANA)

    assert [line for line, _ in report.refused] == [1]
    assert list(memory._store.writing("default").__enter__().rows("erased")) == []


def test_a_tombstone_does_not_erase_another_record_that_bears_the_id():
    old, new = before_and_after(UNDONE["erased"])
    memory = fresh()
    take(memory, old)
    row = json.loads(new[-1])
    bare = {name: row[name] for name in row if name not in {"seal", "previous"}}

    report = take(memory, [json.dumps({**bare, "known_as": "f" * 64})], person=ANA)

    assert "belongs to another record" in report.refused[0][1]
    assert memory.get("1").outcome


# A line that is not as it was exported is refused by its number, and all others are in.


def six():
    memory = fresh()
    for number in range(6):
        memory.observe(failure(str(number)), CI)
    return lines(memory)


def refused(rows, **seals):
    memory = fresh(new_id=lambda: "inc_of_its_own")
    report = take(memory, rows, **seals)
    return [line for line, _ in report.refused], len(list(memory.list()))


def places(value, path=()):
    """Give the way to each value within a row."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inner:
        if isinstance(one, (dict, list)) and one:
            yield from places(one, (*path, key))
        else:
            yield (*path, key)


@settings(LAW, max_examples=80)
@given(st.integers(0, 5), st.randoms(use_true_random=False))
def test_a_changed_value_anywhere_is_found_at_its_line(place, chance):
    rows = six()
    row = json.loads(rows[place])
    *way, last = chance.choice(list(places(row)))
    inner = row
    for key in way:
        inner = inner[key]
    inner[last] = chance.choice(["another", 7, None, True]) if chance.random() < 0.8 else [1]
    rows[place] = json.dumps(row).encode()

    assert refused(rows)[0] == [place + 1]


CHANGED = {
    "as it was": (lambda rows: rows, []),
    "a missing line": (lambda rows: rows[:2] + rows[3:], [3]),
    "a missing first line": (lambda rows: rows[1:], [1]),
    "two lines swapped": (lambda rows: [rows[1], rows[0], *rows[2:]], [1, 3]),
    "a line twice": (lambda rows: [*rows[:2], rows[1], *rows[2:]], [3]),
    "an added line without a seal": (lambda rows: [*rows[:2], *added(), *rows[2:]], [3]),
    "a broken line": (lambda rows: [*rows[:2], rows[2][:-9], *rows[3:]], [3]),
    "two exports one after the other": (lambda rows: rows + rows, []),
    "closed incidents between": (lambda rows: [*rows[:2], CLOSED, *rows[2:]], []),
}
CLOSED = b'{"deployment_id": "99", "service": "pay", "error": "lock timeout"}'


def added():
    memory = fresh()
    memory.observe(failure("added"), CI)
    row = next(memory.export())
    return [
        json.dumps({name: row[name] for name in row if name not in {"seal", "previous"}}).encode()
    ]


@pytest.mark.parametrize("name", CHANGED)
def test_a_broken_chain_is_refused_at_the_line_where_it_breaks(name):
    change, wrong = CHANGED[name]

    assert refused(change(six()))[0] == wrong


def test_all_other_lines_are_in():
    assert refused(CHANGED["a missing line"][0](six())) == ([3], 4)


def test_a_cut_end_shows_by_the_last_seal():
    rows = six()
    last = json.loads(rows[-1])["seal"]

    assert refused(rows, last=last)[0] == []
    assert refused(rows[:-1], last=last) == ([6], 5)


def test_lines_of_a_part_are_taken_each_for_itself_but_not_when_changed():
    rows = six()[1::2]
    assert refused(rows, part=True) == ([], 3)

    rows[1] = rows[1].replace(b"payment-service", b"another-service")
    assert refused(rows, part=True) == ([2], 2)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_an_export_is_taken_in_with_as_few_statements_however_many_rows(kind, request, tmp_path):
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else None
    asked = []
    for many in (100, 200):
        rows = lines(confirmed(many))
        memory = memory_at(url, tmp_path / "lore") if url else memory_at(tmp_path / f"{many}.db")
        memory.bank = f"of {many}"
        with memory._store.reading() as view:
            view_of = type(view)
        with counted(view_of, "_run") as ran, counted(view_of, "_put") as put:
            assert take(memory, rows).added == many
        asked.append((ran, put))
        memory.close()
    assert asked[0] == asked[1]
    assert sum(sum(one.values()) for one in asked[0]) < 20, asked


def confirmed(many):
    """Give a memory with as many confirmed incidents."""
    memory = fresh()
    for number in range(many):
        memory.observe(failure(str(number)), CI)
        memory.confirm(str(number), **BATCHES, actor=ANA)
    return memory


@contextmanager
def counted(kind, method):
    """Count the calls of a view's method by the name of their query."""
    called, work = Counter(), getattr(kind, method)

    def noted(self, query, /, *given, **more):
        called[query] += 1
        return work(self, query, *given, **more)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kind, method, noted)
        yield called
