"""Killed, crowded, full, read-only, foreign or damaged: nothing acknowledged is lost, nothing half-written."""

from __future__ import annotations

import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from caselore.errors import StoreBusy, StoreDamaged, StoreReadOnly, StoreTooNew
from caselore.memory import Status
from caselore.memory.stores.sqlite import SqliteStore
from fakes import writer
from fakes.failures import ANA, CI, failure, memory_at

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


def kill_at_a_random_moment(place, name, chance) -> list[list[str]]:
    """Let a writer work for a moment, kill it with -9 and give what it had acknowledged."""
    process = start(place, name)
    assert process.stdout.readline() == "ready\n"
    time.sleep(chance.uniform(0.0, 0.25))
    process.send_signal(signal.SIGKILL)
    said = process.communicate()[0]
    whole = said[: said.rfind("\n") + 1]
    return [line.split() for line in whole.splitlines()]


def must_hold(place, acknowledged) -> None:
    """Check that all that was acknowledged is there, and that all that is there is whole."""
    memory = place.memory() if isinstance(place, Place) else memory_at(place)
    found = memory.ledger_verify()
    assert found.ok, found.broken
    deployments = {row["incident"]["deployment"] for row in memory.export()}
    for what, name, *_ in acknowledged:
        if what == "imported":
            assert {f"{name}-{one}" for one in range(20)} <= deployments
        else:
            case = memory.get(name)
            assert what == "observed" or case.status is Status.CONFIRMED
    memory.close()


def kills(place, rounds: int, seed: int) -> int:
    chance, acknowledged = random.Random(seed), []
    for number in range(rounds):
        acknowledged += kill_at_a_random_moment(place, f"w{number}", chance)
        must_hold(place, acknowledged[-40:])
    must_hold(place, acknowledged)
    return len(acknowledged)


def test_a_writer_killed_at_any_moment_loses_nothing_acknowledged(place):
    assert kills(place, 10, seed=1) > 10


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_two_hundred_kills_lose_nothing_acknowledged(place):
    assert kills(place, 200, seed=2) > 200


def many_write(place, names, most):
    """Let processes write at once, and check that each record is there once."""
    running = [start(place, name, most=most) for name in names]

    said = [process.communicate(timeout=600)[0] for process in running]

    assert [process.returncode for process in running] == [0] * len(names)
    lines = [line.split() for text in said for line in text.splitlines() if line != "ready"]
    must_hold(place, lines)
    memory = place.memory()
    imports = len(names) * -(-most // 7) * 20
    assert len(list(memory.list(service="payment-service"))) == len(names) * most
    assert len(list(memory.list(service="pay"))) == imports
    memory.close()


def test_several_processes_write_at_once_and_all_of_it_is_there(place):
    many_write(place, "abc", 25)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_eight_processes_write_for_a_minute_and_all_of_it_is_there(place):
    many_write(place, "abcdefgh", 300)


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


def tiny_room(folder: Path, size: str = "900k") -> list[str]:
    """Give the words that run a command with a tiny disk at `folder`, if this machine can."""
    inside = f"mount -t tmpfs -o size={size} none '{folder}' && "
    words = ["unshare", "-rm", "sh", "-c"]
    able = (
        shutil.which("unshare")
        and not subprocess.run(
            [*words, inside + "true"], capture_output=True, check=False
        ).returncode
    )
    return [*words, inside] if able else []


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))


def test_a_limit_on_file_size_is_said_and_all_older_records_are_intact(tmp_path):
    path = tmp_path / "lore.sqlite3"
    process = start(path, "a", preexec_fn=small_files)

    said = process.communicate(timeout=60)[0].splitlines()

    assert process.returncode == 0, said[-1]
    assert said[-1].startswith("full ")
    assert "No room is left" in said[-1]
    must_hold(path, [line.split() for line in said[1:-1]])


def test_a_full_disk_is_said_and_all_older_records_are_intact(tmp_path):
    room = tmp_path / "room"
    room.mkdir()
    words = tiny_room(room)
    if not words:  # this machine mounts nothing for us: a limit on file size is the nearest
        test_a_limit_on_file_size_is_said_and_all_older_records_are_intact(tmp_path)
        return
    work = " ".join([*WRITER, f"{room}/lore.sqlite3", "a", "100000"])
    # the folder vanishes with the mount: copy it out first
    run = subprocess.run(
        [*words[:-1], f"{words[-1]} {work}; cp -r {room} {tmp_path}/after"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    said = run.stdout.splitlines()

    assert said[-1].startswith("full "), said[-1] + run.stderr
    must_hold(tmp_path / "after" / "lore.sqlite3", [line.split() for line in said[1:-1]])


@pytest.mark.parametrize("size", ["60k", "200k", "300k", "400k"])
def test_a_disk_too_small_for_a_new_store_is_said_to_be_full_and_keeps_no_half_of_it(
    tmp_path, size
):
    room = tmp_path / "room"
    room.mkdir()
    words = tiny_room(room, size)
    if not words:  # this machine mounts nothing for us
        return
    work = " ".join([*WRITER, f"{room}/lore.sqlite3", "a", "1"])
    run = subprocess.run(
        [*words[:-1], f"{words[-1]} {work}; ls {room} > {tmp_path}/left"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip

    assert run.stdout.startswith("full "), run
    assert (tmp_path / "left").read_text() == ""


def test_a_folder_that_cannot_be_made_is_read_only(tmp_path):
    (tmp_path / "file").write_text("no folder")

    with pytest.raises(StoreReadOnly, match="file"):
        SqliteStore(tmp_path / "file" / "home" / "lore.sqlite3")


def test_a_read_only_disk_is_said_and_left_as_it_is(tmp_path):
    path = tmp_path / "home" / "lore.sqlite3"
    memory = memory_at(path)
    memory.observe(failure(), CI)
    memory.close()
    before = path.read_bytes()
    frozen = (
        f"mount --bind {path.parent} {path.parent} && mount -o remount,ro,bind {path.parent} && "
    )
    words = ["unshare", "-rm", "sh", "-c"]
    work = " ".join([*WRITER, str(path), "a", "1"])
    if tiny_room(path.parent):
        run = subprocess.run(
            [*words, frozen + work], capture_output=True, text=True, timeout=60, check=False
        )
        assert run.stdout.splitlines()[-1].startswith("error StoreReadOnly "), run
    assert path.read_bytes() == before


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
