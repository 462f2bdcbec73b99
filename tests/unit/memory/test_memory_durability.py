"""Killed, crowded, foreign or damaged: nothing acknowledged is lost, nothing half-written."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from caselore.errors import StoreBusy, StoreDamaged, StoreReadOnly, StoreTooNew
from caselore.memory import Status
from caselore.memory.stores.sqlite import SqliteStore
from fakes import postgres, writer
from fakes.failures import ANA, CI, failure, memory_at
from fakes.nursery import Nursery

WRITER = [sys.executable, writer.__file__]


class Place(NamedTuple):
    """Where a store lives, and the folder of its index."""

    address: str
    folder: Path | None = None

    def memory(self, **more):
        return memory_at(self.address, self.folder, **more)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    if request.param == "sqlite":
        return Place(str(tmp_path / "lore.sqlite3"))
    return Place(request.getfixturevalue("postgres_url"), tmp_path / "lore")


def start(place, name, most=100_000, **more):
    words = list(map(str, filter(None, place))) if isinstance(place, Place) else [str(place)]
    return subprocess.Popen(
        [*WRITER, words[0], name, str(most), *words[1:]], stdout=subprocess.PIPE, text=True, **more
    )


ROUNDS = 10  # kills of one store; then a new one, so that a whole look at it stays quick
PAGE = 20  # rows that a writer imports at once


@pytest.fixture
def nursery(tmp_path):
    own = Nursery(tmp_path)
    yield own
    own.close()


def kill_at_a_random_moment(nursery, place, name, chance) -> list[list[str]]:
    """Let a writer work for a moment, kill it with -9 and give what it had acknowledged."""
    child = nursery.writer(place.address, name, place.folder)
    if chance.random() < 0.9:  # else it may be killed while it opens the store
        child.until_ready(lines=chance.randrange(10))  # by its work: a slow machine does some, too
    time.sleep(chance.uniform(0.0, 0.1))
    return [line for line in child.end(signal.SIGKILL) if line != ["ready"]]


def must_hold(place, acknowledged) -> None:
    """Check that all that was acknowledged is there, that all that is there is whole, and recall."""
    with closing(place.memory()) as memory:
        must_be_whole(memory, acknowledged)
        must_recall(memory, acknowledged)


def must_be_whole(memory, acknowledged) -> None:
    found = memory.ledger_verify()
    assert found.ok, found.broken
    deployments = Counter(row["incident"]["deployment"] for row in memory.export())
    assert set(deployments.values()) <= {1}
    pages = Counter(one.rpartition("-")[0] for one in deployments if one.count("-") == 2)
    assert set(pages.values()) <= {PAGE}
    for what, name, *_ in acknowledged:
        if what == "imported":
            assert pages[name] == PAGE
        elif what in {"observed", "confirmed"}:
            case = memory.get(name)
            assert what == "observed" or case.status is Status.CONFIRMED


def must_recall(memory, acknowledged) -> None:
    """Ask at once: a fix that was confirmed is found by its like and by words, and only confirmed ones."""
    observed = [name for what, name, *_ in acknowledged if what == "observed"]
    confirmed = {name for what, name, *_ in acknowledged if what == "confirmed"}
    by_words = memory.recall(text="statement timeout of payments")
    assert by_words.considered or not observed
    if confirmed - {*observed[-1:]}:
        by_its_like = memory.recall(incident=observed[-1])
        assert by_its_like.hits
        for hit in by_its_like.hits:
            assert (hit.case.status, hit.same_failure) == (Status.CONFIRMED, True)
    assert memory.index_status().sound


def kills(nursery, places, rounds: int, seed: int) -> int:
    """Kill writers at random moments; give how much they had acknowledged."""
    chance, total = random.Random(seed), 0
    for begin in range(0, rounds, ROUNDS):
        place, acknowledged = places(begin), []
        for number in range(begin, min(begin + ROUNDS, rounds)):
            acknowledged += kill_at_a_random_moment(nursery, place, f"w{number}", chance)
            must_hold(place, acknowledged)
        total += len(acknowledged)
    return total


@pytest.fixture
def places(request, tmp_path, place):
    """Give what makes an empty store, again and again."""

    def make(number):
        if "://" in place.address:
            postgres.emptied(place.address)
            return Place(place.address, tmp_path / f"index-{number}" / "lore")
        return Place(str(tmp_path / f"store-{number}" / "lore.sqlite3"))

    return make


def test_a_writer_killed_at_any_moment_loses_nothing_acknowledged(nursery, places):
    assert kills(nursery, places, 8, seed=1) > 10


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_two_hundred_kills_lose_nothing_acknowledged(nursery, places):
    total = kills(nursery, places, 200, seed=2)

    print(f"200 kills, {total} acknowledged writes, none lost")
    assert total > 300


def many_write(nursery, place, names, most=100_000, seconds=0.0):
    """Let processes write and confirm at once; check that each acknowledged record is there once."""
    children = [nursery.writer(place.address, name, place.folder, most) for name in names]
    for child in children:
        child.until_ready()
    if seconds:
        time.sleep(seconds)
        said = [child.end(signal.SIGTERM) for child in children]
    else:
        said = [child.end(0, patience=600) for child in children]
    lines = [line for one in said for line in one if line != ["ready"]]
    assert not [line for line in lines if line[0] in {"error", "full"}]
    must_hold(place, lines)
    times = Counter(what for what, *_ in lines)
    return times


def test_several_processes_write_at_once_and_all_of_it_is_there(nursery, place):
    times = many_write(nursery, place, "abc", 20)

    assert (times["observed"], times["confirmed"], times["imported"]) == (60, 21, 9)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_eight_processes_write_for_a_minute_and_all_of_it_is_there(nursery, place):
    times = many_write(nursery, place, "abcdefgh", seconds=60.0)

    print(f"8 processes, 60 s: {dict(times)} acknowledged, no duplicate, the ledger verifies")
    assert times["confirmed"] > 100


def test_two_processes_that_see_the_same_runs_record_each_once(place):
    running = [start(place, "same", most=20) for _ in range(2)]

    said = [process.communicate(timeout=120)[0].splitlines() for process in running]

    memory = place.memory()
    assert len(list(memory.list(service="payment-service"))) == 20
    assert [line for line in said[0] if "observed" in line] == [
        line for line in said[1] if "observed" in line
    ]
    assert memory.ledger_verify().ok
    memory.close()


def test_a_folder_that_cannot_be_made_is_read_only(tmp_path):
    (tmp_path / "file").write_text("no folder")

    with pytest.raises(StoreReadOnly, match="file"):
        SqliteStore(tmp_path / "file" / "home" / "lore.sqlite3")


def test_a_newer_store_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "lore.sqlite3"
    memory_at(path).close()
    link = sqlite3.connect(path)
    link.execute("PRAGMA user_version = 99")
    link.commit()
    link.close()
    before = path.read_bytes()

    with pytest.raises(StoreTooNew, match="version 99"):
        SqliteStore(path)

    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        b"no database at all, only words\n" * 40,
        b"SQLite format 3\0" + b"\xff" * 4000,
        b"\0" * 8192,
    ],
    ids=["words", "a broken head", "zeroes"],
)
def test_what_is_no_database_is_refused_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "lore.sqlite3"
    path.write_bytes(content)

    with pytest.raises(StoreDamaged, match=r"lore\.sqlite3"):
        SqliteStore(path).close()

    assert path.read_bytes() == content


def test_another_programs_database_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "lore.sqlite3"
    link = sqlite3.connect(path)
    link.execute("CREATE TABLE songs (title TEXT)")
    link.commit()
    link.close()
    before = path.read_bytes()

    with pytest.raises(StoreDamaged, match="another program"):
        SqliteStore(path)

    assert path.read_bytes() == before


def test_a_file_cut_in_half_is_damaged(tmp_path):
    path = tmp_path / "lore.sqlite3"
    memory = memory_at(path)
    for number in range(30):
        memory.observe(failure(str(number)), CI)
    memory.close()
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])

    try:
        memory = memory_at(path)
    except StoreDamaged:
        return
    assert not memory.ledger_verify().ok
    with pytest.raises(StoreDamaged):
        list(memory.list())


def test_a_store_that_another_process_holds_is_busy_and_nothing_is_written(tmp_path):
    path = tmp_path / "lore.sqlite3"
    store = SqliteStore(path, busy=0.1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreBusy, match="nothing of this call was written"), store.writing():
        pass

    other.execute("ROLLBACK")
    other.close()
    with store.writing("default") as view:
        assert view.head("default").seq == 0
    store.close()


def test_threads_share_one_memory(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    memory = memory_at(tmp_path / "lore.sqlite3")
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda number: memory.observe(failure(str(number)), CI), range(60)))
        list(pool.map(lambda case: memory.recall(incident=case.id), list(memory.list())))
        memory.retract("0", "twice", ANA)

    assert memory.ledger_verify().ok
    assert len(list(memory.list())) == 60
    memory.close()


@pytest.mark.parametrize("left", ["empty", "gone"])
def test_a_store_that_lost_its_file_is_damaged_and_not_begun_anew(tmp_path, left):
    path = tmp_path / "lore.sqlite3"
    memory = memory_at(path)
    memory.observe(failure("1"), CI)
    log = path.with_name(path.name + "-wal")
    kept = log.read_bytes()
    memory.close()
    log.write_bytes(kept)
    path.write_bytes(b"") if left == "empty" else path.unlink()

    with pytest.raises(StoreDamaged, match=left) as told:
        memory_at(path)

    assert log.read_bytes() == kept
    assert "Restore" in told.value.hint


def test_an_empty_file_is_damaged_and_an_absent_one_is_a_new_memory(tmp_path):
    path = tmp_path / "lore.sqlite3"
    path.write_bytes(b"")
    with pytest.raises(StoreDamaged, match="is empty"):
        memory_at(path)
    assert path.read_bytes() == b""

    path.unlink()
    memory_at(path).close()
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
