"""Backups are whole, verified and current, come back on either store, and erasures reach them."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from dataclasses import replace

import pytest

from caselore.errors import GateRefused, NotFound, StoreDamaged, WrongUse
from caselore.memory import Quoted
from caselore.wiring import backup
from fakes.failures import AGENT, ANA, BATCHES, BO, CI, failure, memory_at, signed

SECRET = "zebrablock exploded while quuxing"


@pytest.fixture(params=["sqlite", "postgres"])
def memory(request, tmp_path):
    if request.param == "postgres":
        opened = memory_at(request.getfixturevalue("postgres_url"), tmp_path / "lore")
    else:
        opened = memory_at(tmp_path / "home" / "lore.sqlite3")
    yield opened
    opened.close()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "copies" / "monday.db"


def told(memory):
    """Live a little: records, verdicts, links, an erasure."""
    for number in range(6):
        memory.observe(failure(str(number)), CI)
    memory.confirm("0", **BATCHES, actor=ANA)
    memory.confirm("1", **BATCHES, actor=BO, precedents=["0"])
    memory.observe(failure("7", signature=signed("other")), CI)
    memory.merge("7", "0", "one cause", ANA)
    memory.erase("5", "asked to", ANA)
    hidden = replace(
        failure("80017", block=SECRET, title=SECRET), excerpt=(Quoted(1, 1, SECRET, "an error"),)
    )
    return memory.observe(hidden, CI)


def test_a_backup_is_the_whole_store_and_comes_back_into_an_empty_one(memory, file, tmp_path):
    told(memory)

    made = backup.make(memory, file, ANA)
    fresh = memory_at(tmp_path / "new" / "lore.sqlite3")
    back = backup.restore(fresh, file)

    assert [one.entries for one in made.banks] == [memory.ledger_verify().entries]
    assert back.banks[0].head == memory.ledger_verify().head
    assert fresh.ledger_verify() == memory.ledger_verify()
    assert list(fresh.export()) == list(memory.export())
    assert [one.name for one in file.parent.iterdir()] == [file.name]
    assert fresh.recall(text="statement timeout").hits
    fresh.close()


def test_a_backup_of_either_store_comes_back_on_postgres(tmp_path, file, postgres_url):
    memory = memory_at(tmp_path / "home" / "lore.sqlite3")
    told(memory)
    backup.make(memory, file, ANA)
    server = memory_at(postgres_url, tmp_path / "server")

    backup.restore(server, file)

    assert server.ledger_verify() == memory.ledger_verify()
    server.close()
    memory.close()


def test_the_same_file_is_brought_up_to_date(memory, file):
    told(memory)
    backup.make(memory, file, ANA)
    memory.observe(failure("new"), CI)

    again = backup.make(memory, file, ANA)

    assert again.banks[0].new == 2  # the failure, and the note of this backup
    copy = memory_at(file)
    assert copy.ledger_verify() == memory.ledger_verify()
    copy.close()
    assert [one.path for one in memory.backups()] == [str(file)]


def test_what_is_erased_is_in_no_byte_of_any_backup(memory, file, tmp_path):
    secret = told(memory)
    other = file.with_name("tuesday.db")
    for one in (file, other):
        backup.make(memory, one, ANA)
        assert SECRET.encode() in one.read_bytes()

    memory.erase(secret.id, "a customer asked", ANA)
    reached = backup.reach(memory)

    assert [(one.path, one.rewritten) for one in reached] == [
        (str(file), True), (str(other), True),
    ]  # fmt: skip
    for one in file.parent.iterdir():
        assert b"zebrablock" not in one.read_bytes()
    copy = memory_at(file)
    assert copy.ledger_verify().ok
    with pytest.raises(NotFound, match="erased"):
        copy.get(secret.id)
    copy.close()


def test_a_backup_out_of_reach_is_named_with_the_reason(memory, file):
    secret = told(memory)
    gone, broken, away = (file.with_name(name) for name in ("gone.db", "broken.db", "away.db"))
    for one in (file, gone, broken):
        backup.make(memory, one, ANA)
    memory.register_backup(str(away), "another-machine", CI)
    gone.unlink()
    broken.write_bytes(b"no database at all, only words\n" * 40)

    memory.erase(secret.id, "a customer asked", ANA)
    reached = {one.path: one for one in backup.reach(memory)}

    assert reached[str(file)].rewritten
    assert "no such file" in reached[str(gone)].reason
    assert "not a sound" in reached[str(broken)].reason
    assert "another-machine" in reached[str(away)].reason
    assert sum(one.rewritten for one in reached.values()) == 1


def test_another_stores_file_is_refused_and_left_as_it_is(memory, file, tmp_path):
    told(memory)
    file.parent.mkdir()
    other = memory_at(file)
    other.observe(failure("theirs"), CI)
    other.close()
    before = file.read_bytes()

    with pytest.raises(WrongUse, match="another history"):
        backup.make(memory, file, ANA)
    with pytest.raises(WrongUse, match="another history"):
        backup.restore(memory, file)

    assert file.read_bytes() == before
    words = tmp_path / "words.txt"
    words.write_text("not a database " * 99)
    with pytest.raises(StoreDamaged):
        backup.restore(memory, words)
    with pytest.raises(NotFound):
        backup.restore(memory, tmp_path / "nothing.db")


def test_an_older_backup_never_takes_a_store_back(memory, file):
    told(memory)
    backup.make(memory, file, ANA)
    memory.observe(failure("later"), CI)
    before = memory.ledger_verify()

    with pytest.raises(WrongUse):
        backup.restore(memory, file)

    assert memory.ledger_verify() == before


def test_a_damaged_backup_is_not_restored(memory, file, tmp_path):
    told(memory)
    backup.make(memory, file, ANA)
    link = sqlite3.connect(file)
    link.execute("UPDATE payloads SET body = replace(body, 'payment', 'paymint') WHERE seq = 1")
    link.commit()
    link.close()
    fresh = memory_at(tmp_path / "new" / "lore.sqlite3")

    with pytest.raises(StoreDamaged, match="entry 1"):
        backup.restore(fresh, file)

    assert fresh.ledger_verify().entries == 0
    fresh.close()


def test_an_agent_makes_no_backup(memory, file):
    told(memory)

    with pytest.raises(GateRefused, match="an agent may not make a backup"):
        backup.make(memory, file, AGENT)

    assert not file.exists()


def test_others_write_while_a_backup_is_made(tmp_path, file):
    memory = memory_at(tmp_path / "home" / "lore.sqlite3")
    told(memory)
    other, stop = memory_at(tmp_path / "home" / "lore.sqlite3"), threading.Event()
    other._new_id = lambda: f"inc_{threading.get_native_id():x}{next(numbers):08x}"
    numbers = iter(range(100_000))

    def write():
        for number in range(2_000):
            if stop.is_set():
                return
            other.observe(failure(f"busy-{number}"), CI)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        made = [backup.make(memory, file.with_name(f"{n}.db"), CI) for n in range(3)]
    finally:
        stop.set()
        thread.join()

    assert [one.banks[0].entries for one in made] == sorted(one.banks[0].entries for one in made)
    for one in made:
        own = shutil.copy(one.path, tmp_path / "own.db")
        copy = memory_at(own)
        assert copy.ledger_verify().ok
        assert copy.ledger_verify(one.banks[0].head).ok
        copy.close()
    assert memory.ledger_verify().ok
    other.close()
    memory.close()
