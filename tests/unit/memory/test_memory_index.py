"""The text index is derived: whatever becomes of its files, every record is found by the next call."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caselore.errors import StoreBusy, StoreReadOnly
from caselore.memory import Actor, Filters, Role
from caselore.memory.ports import Narrow
from caselore.memory.stores import tantivy_index, tantivy_shelf
from caselore.memory.stores.folder_lock import locked
from caselore.memory.stores.named_sql import migrations
from caselore.memory.stores.scan_index import ScanIndex
from caselore.memory.stores.sqlite_file import APPLICATION_ID
from caselore.memory.stores.tantivy_index import LATE, TantivyIndex
from caselore.memory.terms import codes
from fakes import writer
from fakes.failures import ANA, BATCHES, CI, START, failure, index_beside, memory_at, signed

ANIMALS = [
    "aardvark",
    "badger",
    "caracal",
    "dingo",
    "ermine",
    "ferret",
    "gopher",
    "hyena",
    "ibex",
    "jackal",
    "kestrel",
    "lemur",
]


def block(number: int) -> str:
    one, other = ANIMALS[number % 12], ANIMALS[(number * 5 + 1) % 12]
    return f"Traceback: the {one} importer of {other} could not open its spool (attempt {number})"


def told(path, most=40, **more):
    memory = memory_at(path, **more)
    for number in range(most):
        name = f"s{number % 12}-{(number * 5 + 1) % 12}"
        memory.observe(
            failure(f"{number}", block=block(number), signature=signed(name, unit=name)), CI
        )
    return memory


def nearest(memory, text, **more):
    found = memory.recall(text=text, limit=3, **more)
    return [hit.case.record.body.block for hit in (*found.hits, *found.nearest)]


def folder_of(path):
    (room,) = path.with_name(f"{path.name}-index").iterdir()
    return room / (room / "current").read_text()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lore.sqlite3"


def test_a_record_is_found_by_the_very_next_call_of_any_process(path):
    memory = told(path)
    memory.index_rebuild()
    other = memory_at(path)
    assert "zebu" not in nearest(other, "the zebu exporter fell over a pebble")[0:1]

    memory.observe(failure("z", block="the zebu exporter fell over a pebble"), CI)

    for one in (memory, other, memory_at(path)):
        assert nearest(one, "zebu exporter fell over a pebble")[0].startswith("the zebu")
    assert memory.index_status().entries < memory.index_status().head


def test_what_a_person_said_of_a_record_finds_it_too(path):
    memory = told(path)
    memory.confirm("7", **{**BATCHES, "cause": "a marmot gnawed the fibre"}, actor=ANA)

    for _ in range(2):
        hits = memory.recall(text="marmot gnawed fibre").hits
        assert [hit.case.record.body.deployment for hit in hits] == ["7"]
        memory.index_rebuild()


def test_after_enough_writes_the_index_takes_them_in(path):
    memory = told(path, most=LATE + 3)
    status = memory.index_status()

    assert status.sound
    assert status.documents == status.entries >= LATE
    assert status.head - status.entries < LATE


def test_a_search_takes_in_what_others_wrote(path):
    memory = told(path, most=10)
    memory.recall(text=block(3))
    writing = memory_at(path, new_id=iter(f"inc_{n:020x}" for n in range(999)).__next__)
    writing._index = ScanIndex(writing._store)
    for number in range(LATE + 20):
        writing.observe(failure(f"w{number}", block=block(number)), CI)

    memory.recall(text=block(3))

    assert memory.index_status().entries == memory.index_status().head == LATE + 30


def both(memory, path, text, narrow):
    with memory._store.reading() as view:
        ours = index_beside(memory._store, path).search(view, "default", text, 50, narrow)
        scan = ScanIndex(memory._store).search(view, "default", text, 50, narrow)
    return sorted(ours), sorted(scan)


@pytest.mark.parametrize(
    "narrow",
    [
        Narrow(),
        Narrow(service="user-service"),
        Narrow(environment="staging", branch="main"),
        Narrow(family="timeout"),
        Narrow(since="2026-03-02T09:00:10.000000Z"),
        Narrow(until="2026-03-02T09:00:10.000000Z"),
        Narrow(service="payment-service", since="2026-03-02T09:00:10.000000Z", last=30),
        Narrow(last=12),
        Narrow(service="nobody"),
    ],
)
@pytest.mark.parametrize("rebuilt", [False, True])
def test_index_and_store_bring_the_same_records_through_every_filter(path, narrow, rebuilt):
    memory = memory_at(path)
    for number in range(36):
        where = {
            "service": ("payment-service", "user-service")[number % 2],
            "environment": ("production", "staging", "")[number % 3],
            "branch": ("main", "feature/x")[number // 2 % 2],
        }
        family = ("migration", "timeout")[number // 3 % 2]
        case = memory.observe(
            failure(f"{number}", signature=signed(f"n{number}", family=family), **where), CI
        )
        if number % 5 == 0:
            memory.confirm(case.id, **BATCHES, actor=ANA)
    if rebuilt:
        memory.index_rebuild()

    ours, scan = both(memory, path, failure().block, narrow)

    assert ours == scan
    assert bool(ours) == (narrow.service != "nobody")


WORLD = st.lists(
    st.tuples(
        st.integers(0, 4), st.sampled_from("ab"), st.sampled_from(["main", "dev"]),
        st.integers(0, 30), st.booleans(),
    ),
    min_size=1, max_size=40,
)  # fmt: skip
FILTERS = st.builds(
    Narrow,
    service=st.sampled_from(["", "a"]),
    branch=st.sampled_from(["", "dev"]),
    since=st.sampled_from(["", "2026-02-10T00:00:00.000000Z", "2026-02-25T00:00:00.000000Z"]),
    until=st.sampled_from(["", "2026-02-12T00:00:00.000000Z"]),
    last=st.sampled_from([0, 7, 25]),
)


@settings(max_examples=30, deadline=None)
@given(world=WORLD, narrow=FILTERS, limit=st.sampled_from([3, 50]))
def test_texts_that_repeat_lose_no_record_behind_any_filter(world, narrow, limit):
    """Few texts are looked at first, so that the ways into the depth are taken, too."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(tantivy_shelf, "TEXTS", 2)
        patch.setattr(tantivy_shelf, "FEW", 3)
        memory = memory_at(Path(folder) / "lore.sqlite3")
        for number, (text, service, branch, day, early) in enumerate(world):
            incident = failure(f"{number}", service=service, branch=branch, block=block(text))
            at = START - timedelta(days=day)
            memory.observe(incident, CI, happened_at=at)
            if early:
                memory.index_rebuild() if number % 2 else memory._index._work(
                    "default", anew=False, wait=9
                )
        memory._index._work("default", anew=False, wait=9)
        with memory._store.reading() as view:
            ours = memory._index.search(view, "default", block(0), limit, narrow)
            scan = ScanIndex(memory._store).search(view, "default", block(0), 999, narrow)
        memory.close()

    assert len(ours) == len(set(ours)) == min(limit, len(scan))
    assert set(ours) <= set(scan)


def test_one_text_that_repeats_does_not_fill_the_answer(path):
    memory = memory_at(path)
    memory.observe(failure("other", block=f"{block(5)} while the moon was full"), CI)
    rows = [
        {"deployment_id": str(n), "service": "payment-service", "error": block(5)}
        for n in range(500)
    ]
    memory.import_incidents(enumerate(rows, 1), CI, sign=lambda _: signed())
    memory.index_rebuild()

    with memory._store.reading() as view:
        found = memory._index.search(view, "default", block(5), 50)

    assert memory.resolve("other") in found
    assert len(found) == 50


@pytest.mark.parametrize("rebuilt", [False, True])
@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what is TS2304", "ts"),
        ("ts2304?", "ts"),
        ("TS2322", ""),
        ("sqlstate 40P01", "pg"),
        ("E0308", "rust"),
        ("who knows build-7731.2", "dot"),
        ("7731", "dot"),
    ],
)
def test_a_code_finds_its_record_as_it_stands(path, question, found, rebuilt):
    memory = told(path)
    for name, line in {
        "ts": "src/pay.ts(3,4): error TS2304: Cannot find name 'Cart'.",
        "pg": "ERROR: deadlock detected (SQLSTATE 40P01)",
        "rust": "error[E0308]: mismatched types",
        "dot": "the hook of build-7731.2 went away",
    }.items():
        memory.observe(failure(name, block=line, signature=signed(name)), CI)
    if rebuilt:
        memory.index_rebuild()

    with memory._store.reading() as view:
        ids = [
            id for code in codes(question) for id in memory._index.coded(view, "default", code, 9)
        ]
        scan = ScanIndex(memory._store)
        assert ids == [
            id for code in codes(question) for id in scan.coded(view, "default", code, 9)
        ]
        assert [view.case("default", id).deployment for id in ids] == [found][: bool(found)]


def test_a_filter_finds_a_record_behind_a_thousand_newer_ones(path):
    memory = memory_at(path)
    memory.observe(
        failure("old", environment="staging"), CI, happened_at=START - timedelta(days=9)
    )
    rows = [
        {
            "deployment_id": str(n),
            "service": "payment-service",
            "environment": "production",
            "error": failure().block,
        }
        for n in range(1000)
    ]
    memory.import_incidents(enumerate(rows, 1), CI, sign=lambda _: signed())
    asked = memory.observe(failure("new"), CI)

    found = memory.recall(incident=asked.id, filters=Filters(environment="staging"))

    assert [hit.case.record.body.deployment for hit in found.nearest] == ["old"]


def test_where_few_share_what_is_rare_in_a_question_those_that_share_the_rest_are_given_after(
    path,
):
    memory = told(path, most=LATE + 60)
    rare = " ".join(f"{one}{other}" for one in ANIMALS[:4] for other in "qwxz")
    memory.observe(failure("rare", block=rare, signature=signed("rare", unit="rare")), CI)
    memory.index_rebuild()
    question = f"{rare}\n{block(3)}"

    with memory._store.reading() as view:
        few, many = (
            list(memory._index.search(view, "default", question, 40, broad=broad))
            for broad in (False, True)
        )

    assert len(few) < len(many) == 40
    assert many[: len(few)] == few


def test_the_same_question_has_the_same_answer_from_any_build_of_the_index(path):
    memory = memory_at(path)
    for number in range(150):
        memory.observe(failure(f"{number}", service=f"s{number}"), CI)

    with memory._store.reading() as view:
        index = memory._index
        first = list(index.search(view, "default", failure().block, 50))
        answers = []
        for _ in range(3):
            memory.index_rebuild()
            answers.append(list(index.search(view, "default", failure().block, 50)))

    assert answers[0] == answers[1] == answers[2]
    assert set(answers[0]) == set(first) or len(first) >= 50


def written_anew(part, data):
    """Put another file in its place: cutting one that a thread still has mapped ends the process."""
    draft = part.with_name("draft")
    draft.write_bytes(data)
    draft.replace(part)


def damages(folder):
    parts = {path.suffix: path for path in folder.iterdir() if path.suffix != ".lock"}
    yield "no folder", lambda: shutil.rmtree(folder)
    yield "no meta", (folder / "meta.json").unlink
    yield "broken meta", lambda: (folder / "meta.json").write_text("{")
    yield "broken managed", lambda: (folder / ".managed.json").write_text("{")
    for suffix in (".idx", ".term", ".fast", ".fieldnorm"):
        yield f"no {suffix}", parts[suffix].unlink
        yield (
            f"zeroed {suffix}",
            lambda part=parts[suffix]: written_anew(part, bytes(part.stat().st_size)),
        )
        yield (
            f"cut {suffix}",
            lambda part=parts[suffix]: written_anew(part, part.read_bytes()[:40]),
        )
    yield "no pointer", (folder.parent / "current").unlink
    yield "a pointer out", lambda: (folder.parent / "current").write_text("../../lore.sqlite3")
    yield "a pointer to nothing", lambda: (folder.parent / "current").write_text(folder.name[:-1])


def test_whatever_is_damaged_is_built_again_and_nobody_hears_of_it(path):
    memory = told(path)
    memory.index_rebuild()
    expected = nearest(memory, block(5))
    memory.close()
    names = [name for name, _ in damages(folder_of(path))]
    for number, name in enumerate(names):
        list(damages(folder_of(path)))[number][1]()
        memory = memory_at(path)

        assert nearest(memory, block(5)) == expected, name
        assert name == "zeroed .fieldnorm" or memory.index_status().sound, name
        memory.index_rebuild()
        memory.close()


def test_damage_beneath_an_open_index_is_healed_as_well(path):
    memory = told(path)
    expected = nearest(memory, block(5))
    shutil.rmtree(path.with_name(f"{path.name}-index"))

    assert nearest(memory, block(5)) == expected


def test_an_index_that_cannot_be_kept_is_done_without(path, tmp_path):
    memory = told(path)
    expected = nearest(memory, block(5))
    (tmp_path / "file").write_text("no folder")
    memory._index = TantivyIndex(memory._store, tmp_path / "file" / "index")

    assert nearest(memory, block(5)) == expected
    assert "Give this user the folder" in memory.index_status().trouble
    with pytest.raises(StoreReadOnly, match="text index could not be built") as caught:
        memory.index_rebuild()
    assert "remove it" in caught.value.hint


def test_an_index_of_another_store_is_never_asked(path, tmp_path):
    memory = told(path)
    memory.index_rebuild()
    memory.close()
    path.unlink()

    other = memory_at(path)
    other.observe(failure("only", block=block(5)), CI)

    assert nearest(other, block(5)) == [block(5)]
    assert len(list(other.list())) == 1


def test_a_restored_copy_of_the_store_makes_a_new_index(path, tmp_path):
    memory = told(path, most=30)
    memory.close()
    shutil.copy(path, tmp_path / "copy")
    memory = memory_at(path)
    for number in range(30, 30 + 2 * LATE):
        memory.observe(failure(f"{number}", block=block(number)), CI)
    memory.close()
    shutil.copy(tmp_path / "copy", path)

    memory = memory_at(path)

    assert memory.recall(text=block(5)).considered
    assert memory.index_status().entries == memory.index_status().head == 30


def test_another_version_builds_its_own_and_removes_the_old(path, monkeypatch):
    memory = told(path)
    memory.index_rebuild()
    old = folder_of(path)
    monkeypatch.setattr(tantivy_index, "VERSION", "9-later")

    memory.recall(text=block(5))

    assert folder_of(path).name.startswith("9-later")
    assert not old.exists()


def test_while_another_process_writes_the_index_the_store_answers(path, monkeypatch):
    memory = told(path)
    monkeypatch.setattr(tantivy_index, "PATIENCE", 0.0)
    expected = nearest(memory, block(5))
    shutil.rmtree(folder_of(path))
    with locked(folder_of_lock(path), 0) as held:
        assert held
        assert nearest(memory_at(path), block(5)) == expected
        gone = memory.resolve("3")
        with pytest.raises(StoreBusy, match="text index"):
            memory.erase(gone, "asked to", ANA)
    memory.erase(gone, "asked to", ANA)
    assert block(3) not in nearest(memory, block(3))


def folder_of_lock(path):
    (room,) = path.with_name(f"{path.name}-index").iterdir()
    return room / "lock"


def test_an_erasure_that_died_before_the_index_is_finished_by_any_search(path, monkeypatch):
    memory = told(path)
    memory.index_rebuild()
    old = folder_of(path)
    monkeypatch.setattr(TantivyIndex, "forget", lambda self, bank: None)
    memory.erase("3", "asked to", ANA)
    monkeypatch.undo()
    assert old.exists()

    memory_at(path).recall(text=block(7))

    assert not old.exists()


def test_a_record_that_was_signed_anew_is_filtered_by_its_new_family(path):
    memory = told(path)
    memory.index_rebuild()
    id = memory.resolve("7")

    memory.resign(id, signed("new", family="quota"), Actor("reader", Role.SYSTEM))

    for family, found in (("quota", [block(7)]), ("nothing", [])):
        assert nearest(memory, block(7), filters=Filters(family=family)) == found


def test_banks_have_folders_of_their_own(path):
    one, other = told(path, bank="one"), memory_at(path, bank="../other")
    other.observe(failure("x", block=block(5)), CI)
    one.index_rebuild()
    other.index_rebuild()

    assert len(list(path.with_name(f"{path.name}-index").iterdir())) == 2
    assert nearest(other, block(5)) == [block(5)]


def test_a_deletion_by_the_id_field_deletes(tmp_path):
    """An unsigned field would silently keep the old watermark beside the new."""
    memory = told(tmp_path / "a", most=5)
    for number in range(5, 5 + 3 * LATE):
        memory.observe(failure(f"{number}", block=block(number)), CI)
    shelf = memory._index._shelf("default")

    assert shelf.searcher.num_docs == shelf.mark.seq + 1


def killed(path, rounds, seed):
    chance = random.Random(seed)
    for number in range(rounds):
        process = subprocess.Popen(
            [sys.executable, writer.__file__, str(path), f"k{number}", "100000"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        process.stdout.readline()
        time.sleep(chance.uniform(0.05, 0.5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        memory = memory_at(path)
        status = memory.index_status()
        spoken = [
            one for one in memory.ledger_show() if one.entry.action in {"observe", "confirm"}
        ]
        held = [one for one in spoken if one.entry.seq <= status.entries]
        assert status.documents == len(held), number
        newest = next(memory.list())
        found = memory.recall(text=newest.record.body.block)
        assert found.considered, number
        memory.close()


def test_a_writer_killed_at_any_moment_leaves_an_index_that_goes_on(path):
    killed(path, 6, seed=3)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_two_hundred_kills_leave_an_index_that_goes_on(path):
    killed(path, 200, seed=4)


def test_a_store_of_the_first_version_loses_its_table_of_words(path):
    link = sqlite3.connect(path)
    link.executescript(migrations("sqlite")[0])
    link.execute("INSERT INTO terms VALUES ('default', 7, 1)")
    link.execute("PRAGMA user_version = 1")
    link.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    link.commit()
    link.close()

    memory = memory_at(path)

    assert memory.ledger_verify().ok
    memory.close()
