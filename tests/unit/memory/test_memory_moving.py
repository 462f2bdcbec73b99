"""A bank moves between stores with every entry, erased ones included, and can move back."""

from __future__ import annotations

import sqlite3

import pytest

from caselore.errors import StoreDamaged, WrongUse
from caselore.memory import Role
from caselore.memory.moving import move
from caselore.memory.stores.postgres import PostgresStore
from caselore.memory.stores.sqlite import SqliteStore
from fakes.failures import AGENT, ANA, BATCHES, BO, CI, LONGER, failure, memory_over


def tell(store, bank="default"):
    memory = memory_over(store, bank=bank)
    for number in range(8):
        memory.observe(failure(str(number), title="nul\0title"), CI)
    memory.confirm("0", **BATCHES, actor=ANA)
    memory.confirm("1", **LONGER, actor=BO, precedents=["0"])
    memory.refute("1", "wrong lock", ANA)
    memory.unlike("2", "3", "other table", ANA)
    memory.observe(failure("held"), CI, findings=["override"])
    memory.propose("4", "a lock", "wait", AGENT)
    for number in range(7):
        memory.remember_green("pay", "test", bytes([number]), f"run {number}", CI)
    memory.create_token(Role.CI, "gitlab", None, ANA)
    memory.erase("5", "asked to", ANA)
    return memory


@pytest.fixture(params=["sqlite to postgres", "postgres to sqlite", "sqlite to sqlite"])
def stores(request, tmp_path):
    made = []
    for number, kind in enumerate(request.param.split(" to ")):
        url = request.getfixturevalue("postgres_url") if kind == "postgres" else ""
        made.append(PostgresStore(url) if url else SqliteStore(tmp_path / f"{number}.sqlite3"))
    yield tuple(made)
    for store in made:
        store.close()


def test_every_bank_moves_whole_and_answers_as_before(stores):
    source, target = stores
    memory = tell(source)
    tell(source, bank="other")

    moved = move(source, target)

    assert [(one.bank, one.entries) for one in moved] == [
        ("default", memory.ledger_verify().entries),
        ("other", memory.ledger_verify().entries),
    ]
    copy = memory_over(target)
    assert copy.ledger_verify() == memory.ledger_verify()
    assert list(copy.list()) == list(memory.list())
    assert list(copy.export()) == list(memory.export())
    assert copy.green("pay", "test") == memory.green("pay", "test")
    copy.observe(failure("later"), CI)
    assert copy.ledger_verify().ok


def test_a_second_move_brings_only_what_is_new_and_erases_what_was_erased(stores):
    source, target = stores
    memory = tell(source)
    move(source, target)
    memory.observe(failure("new"), CI)
    memory.erase("6", "asked to", ANA)

    (moved,) = move(source, target)

    assert moved.new == 2
    copy = memory_over(target)
    assert copy.ledger_verify() == memory.ledger_verify()
    assert "6" not in {case.record.body.deployment for case in copy.list()}


def test_another_history_is_left_as_it_is(stores):
    source, target = stores
    tell(source)
    other = memory_over(target)
    other.observe(failure("its own"), CI)
    before = other.ledger_verify()

    with pytest.raises(WrongUse, match="another history"):
        move(source, target)

    assert other.ledger_verify() == before


def test_a_damaged_store_is_not_copied(tmp_path):
    source, target = SqliteStore(tmp_path / "a"), SqliteStore(tmp_path / "b")
    tell(source)
    link = sqlite3.connect(tmp_path / "a")
    link.execute("UPDATE payloads SET body = replace(body, 'lock', 'luck') WHERE seq = 2")
    link.commit()
    link.close()

    with pytest.raises(StoreDamaged, match="entry 2"):
        move(source, target)

    assert memory_over(target).ledger_verify().entries == 0
