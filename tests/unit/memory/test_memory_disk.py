"""Full, tiny and read-only disks: it is said, nothing acknowledged is lost, nothing half-written."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import pytest
from test_memory_durability import WRITER, Place, must_hold, start

from fakes import crowded, means
from fakes.failures import CI, failure, memory_at

on_a_disk_of_its_own = pytest.mark.needs("mounts")


def on(mount: str, work: str, *, check: bool = True):
    """Run a command where something is mounted; the mount ends with it."""
    words = [*means.IN_A_NAMESPACE, f"{mount} && {work}"]
    return subprocess.run(words, capture_output=True, text=True, timeout=200, check=check)


@pytest.fixture
def room(tmp_path):
    """Give the folder at which a disk is mounted."""
    own = tmp_path / "room"
    own.mkdir()
    return own


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))


def test_a_limit_on_file_size_is_said_and_all_older_records_are_intact(tmp_path):
    path = tmp_path / "lore.sqlite3"
    process = start(path, "a", preexec_fn=small_files)

    said = process.communicate(timeout=200)[0].splitlines()

    assert process.returncode == 0, said[-1]
    assert said[-1].startswith("full ")
    assert "No room is left" in said[-1]
    must_hold(Place(str(path)), [line.split() for line in said[1:-1]])


@on_a_disk_of_its_own
def test_a_full_disk_is_said_and_all_older_records_are_intact(tmp_path, room):
    work = " ".join([*WRITER, f"{room}/lore.sqlite3", "a", "100000"])
    # the folder vanishes with the mount: copy it out first
    run = on(means.tiny(room, "900k"), f"{work}; cp -r {room} {tmp_path}/after")
    said = run.stdout.splitlines()

    assert said[-1].startswith("full "), said[-1] + run.stderr
    must_hold(
        Place(str(tmp_path / "after" / "lore.sqlite3")), [line.split() for line in said[1:-1]]
    )


CROWDED = [
    ("write", 0), ("confirm", 0), ("import", 0), ("import", 2_500_000), ("backup", 0),
    ("backup", 100_000), ("index", 0), ("retention", 0), ("erase", 0), ("erase", 100_000),
]  # fmt: skip


@on_a_disk_of_its_own
@pytest.mark.parametrize(("job", "left"), CROWDED)
def test_any_job_on_a_full_disk_says_so_loses_nothing_and_works_when_there_is_room(
    room, job, left
):
    work = " ".join([sys.executable, crowded.__file__, str(room), job, str(left)])
    run = on(means.tiny(room, "14m"), work)
    told = json.loads(run.stdout.splitlines()[-1])
    kept = [one for one in told["before"] if one in told["between"]]

    assert told["full"]["kind"] == "StoreFull", told["full"]
    assert told["verified"]
    assert told["whole"]
    assert told["recalled"]
    assert told["reopened"] == told["between"]
    assert not [name for name in told["left"] if ".part" in name or "backup" in name]
    assert "done" in told["again"] or job == "erase"
    if (job, left) == ("erase", 100_000):  # it fitted, but the file could not be written anew
        assert "is erased from every table, but old pages" in told["full"]["words"]
        assert "nothing of this call" not in told["full"]["words"]
        assert len(kept) == len(told["before"]) - 1
    else:
        assert kept == told["before"]
    if (job, left) == ("import", 2_500_000):
        assert "The first 500 lines are in" in told["full"]["words"]
        assert len(told["between"]) == len(told["before"]) + 500
        assert len(told["after"]) == len(told["before"]) + 700


@on_a_disk_of_its_own
@pytest.mark.parametrize("size", ["60k", "200k", "300k", "400k"])
def test_a_disk_too_small_for_a_new_store_is_said_to_be_full_and_keeps_no_half_of_it(
    tmp_path, room, size
):
    work = " ".join([*WRITER, f"{room}/lore.sqlite3", "a", "1"])
    run = on(means.tiny(room, size), f"{work}; ls {room} > {tmp_path}/left")

    assert run.stdout.startswith("full "), run
    assert (tmp_path / "left").read_text() == ""


@on_a_disk_of_its_own
def test_a_read_only_disk_is_said_and_left_as_it_is(tmp_path):
    path = tmp_path / "home" / "lore.sqlite3"
    memory = memory_at(path)
    memory.observe(failure(), CI)
    memory.close()
    before = path.read_bytes()

    run = on(means.frozen(path.parent), " ".join([*WRITER, str(path), "a", "1"]), check=False)

    assert run.stdout.splitlines()[-1].startswith("error StoreReadOnly "), run
    assert path.read_bytes() == before
