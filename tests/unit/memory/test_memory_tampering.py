"""One changed byte, a row too many or too few, anywhere: `ledger_verify` finds it."""

from __future__ import annotations

import random
import shutil
import sqlite3

import pytest

from caselore.errors import StoreDamaged, StoreReadOnly, StoreTooNew
from caselore.memory import Role
from caselore.memory.rows import TABLES
from fakes.exhibits import briefing, event, page, prediction, report, strategy
from fakes.failures import (
    AGENT,
    ANA,
    BATCHES,
    BO,
    CI,
    LONGER,
    failure,
    memory_at,
    missing_variable,
)
from fakes.loop_rows import loop_entry

ALL_TABLES = ("ledger", "payloads", *TABLES)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A small store in which every table has rows."""
    path = tmp_path_factory.mktemp("told") / "lore.sqlite3"
    memory = memory_at(path)
    for number in range(4):
        memory.observe(failure(str(number), url=f"https://ci.example/{number}"), CI)
    memory.observe(missing_variable("9"), AGENT)
    memory.observe(failure("5"), CI, findings=["override"])
    memory.confirm("0", **BATCHES, actor=ANA)
    memory.confirm("1", **BATCHES, actor=BO, precedents=["0"], proof=["https://ci.example/9"])
    memory.confirm("2", **LONGER, actor=ANA)
    memory.propose("9", "a variable", "set it", AGENT)
    memory.unlike("9", "0", "a variable, no lock", ANA)
    memory.supersede("2", "1", "batches do", ANA)
    memory.merge("9", "0", "one cause", ANA)
    memory.split(missing_variable().signature.id, "two causes", ANA)
    memory.split("5", "another cause", ANA)
    memory.remember_green("payment-service", "deploy", b"lines", "run 1", CI)
    memory.create_token(Role.CI, "gitlab", None, ANA)
    memory.erase("3", "asked to", ANA)
    held = memory.file_all([page(), page("https://bad.example/", findings=["override"])], CI)
    deal = memory.file(event(held[0].id), CI)
    memory.file_all([strategy(), event(held[0].id, "again", title="Another deal")], ANA)
    memory.file_all([prediction(), briefing()], CI)
    memory.corroborate(deal.id, report(held[0].id), CI, independent=True, key="there")
    memory.loop_write(*loop_entry("loop", CI))
    assert memory.ledger_verify().ok
    memory.close()
    return path


@pytest.fixture
def store(told, tmp_path):
    return shutil.copy(told, tmp_path / "lore.sqlite3")


def verdict_on(path):
    memory = memory_at(path)
    try:
        return memory.ledger_verify()
    finally:
        memory.close()


def changed(value):
    """Give the value with one bit of one byte changed."""
    if isinstance(value, int):
        return value ^ 1
    return value[:-1] + chr(ord(value[-1]) ^ 1) if value else "x"


def columns(path):
    link = sqlite3.connect(path)
    found = {
        table: [name for _, name, *_ in link.execute(f"PRAGMA table_info({table})")]
        for table in ALL_TABLES
    }
    link.close()
    return found


def test_the_untouched_store_is_sound(store):
    assert verdict_on(store).ok


@pytest.mark.parametrize("table", ALL_TABLES)
def test_a_change_in_any_column_of_any_row_is_found(told, store, table):
    names = columns(told)[table]
    link = sqlite3.connect(store, isolation_level=None)
    keys = [
        name
        for name, *_ in link.execute(f"SELECT name FROM pragma_table_info('{table}') WHERE pk")
    ]
    rows = link.execute(f"SELECT * FROM {table}").fetchall()
    assert rows
    memory = memory_at(store)
    for row in rows:
        for place, name in enumerate(names):
            old = dict(zip(names, row, strict=True))
            new = {**old, name: changed(row[place])}
            here = " AND ".join(f"{key} = :{key}" for key in keys)
            try:
                link.execute(
                    f"UPDATE {table} SET {name} = :new WHERE {here}", {**old, "new": new[name]}
                )
            except sqlite3.IntegrityError:  # the change would make two rows of one key
                continue
            assert not memory.ledger_verify().ok, (table, name, row)
            back = {**old, **{key: new[key] for key in keys}, "old": old[name]}
            link.execute(f"UPDATE {table} SET {name} = :old WHERE {here}", back)
    assert memory.ledger_verify().ok
    memory.close()
    link.close()


@pytest.mark.parametrize("table", ALL_TABLES)
def test_a_missing_row_is_found(store, table):
    link = sqlite3.connect(store, isolation_level=None)
    rows = link.execute(f"SELECT * FROM {table}").fetchall()
    names = columns(store)[table]
    for row in random.Random(2).sample(rows, min(len(rows), 6)):
        link.execute("BEGIN")
        where = " AND ".join(f"{name} = ?" for name in names)
        assert link.execute(f"DELETE FROM {table} WHERE {where}", row).rowcount == 1
        link.execute("COMMIT")
        assert not verdict_on(store).ok, row
        link.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
    link.close()
    assert verdict_on(store).ok


@pytest.mark.parametrize("table", ALL_TABLES)
def test_a_row_too_many_is_found(store, table):
    link = sqlite3.connect(store, isolation_level=None)
    row = link.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
    extra = [f"{value}x" if isinstance(value, str) else value + 7 for value in row]
    link.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", extra)
    link.close()

    assert not verdict_on(store).ok


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE notes (text TEXT)",
        "CREATE TRIGGER t AFTER INSERT ON ledger BEGIN DELETE FROM held; END",
        "CREATE VIEW v AS SELECT * FROM ledger",
        "DROP INDEX links_by_target",
        "ALTER TABLE cases ADD COLUMN verdict TEXT",
    ],
)
def test_another_schema_is_found(store, statement):
    link = sqlite3.connect(store)
    link.execute(statement)
    link.commit()
    link.close()

    found = verdict_on(store)

    assert not found.ok
    assert "not as this version makes it" in found.broken.reason


def test_a_shortened_chain_is_found_by_the_head_that_was_written_down(store):
    memory = memory_at(store)
    head = memory.ledger_verify().head
    link = sqlite3.connect(store)
    last = link.execute("SELECT max(seq) FROM ledger WHERE action <> 'erase'").fetchone()[0]
    assert memory.ledger_verify(head).ok
    memory.observe(failure("77"), CI)
    grown = memory.ledger_verify(head)
    memory.close()

    assert grown.ok
    assert last < grown.entries
    link.execute("DELETE FROM ledger WHERE seq >= ?", (last + 1,))
    link.execute("DELETE FROM payloads WHERE seq >= ?", (last + 1,))
    link.commit()
    link.close()
    assert not verdict_on(store).ok


def test_a_refusal_cut_off_the_end_is_found_only_by_the_head(store):
    memory = memory_at(store)
    sound = memory.ledger_verify().head
    with pytest.raises(Exception, match="may not"):
        memory.retract("0", "x", AGENT)
    head = memory.ledger_verify().head
    link = sqlite3.connect(store)
    for table in ("ledger", "payloads"):
        link.execute(f"DELETE FROM {table} WHERE seq = (SELECT max(seq) FROM {table})")
    link.commit()
    link.close()

    assert memory.ledger_verify().head == sound
    assert not memory.ledger_verify(head).ok
    memory.close()


def test_two_swapped_payloads_are_found(store):
    link = sqlite3.connect(store)
    link.execute(
        "UPDATE payloads SET seq = CASE seq WHEN 1 THEN -2 ELSE -1 END WHERE seq IN (1, 2)"
    )
    link.execute("UPDATE payloads SET seq = -seq WHERE seq < 0")
    link.commit()
    link.close()

    assert verdict_on(store).broken.place == "ledger entry 1 of bank default"


@pytest.mark.parametrize("table", TABLES)
def test_a_lost_table_is_derived_from_the_ledger_again(store, table):
    link = sqlite3.connect(store)
    before = link.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall()
    link.execute(f"DELETE FROM {table}")
    link.commit()
    memory = memory_at(store)
    assert not memory.ledger_verify().ok

    memory.rebuild()

    assert memory.ledger_verify().ok
    assert link.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall() == before
    memory.close()
    link.close()


def test_nothing_is_derived_from_a_ledger_that_does_not_hold(store):
    link = sqlite3.connect(store)
    link.execute("UPDATE payloads SET body = replace(body, 'batches', 'bunches')")
    link.commit()
    memory = memory_at(store)
    before = link.execute("SELECT * FROM cases").fetchall()

    with pytest.raises(StoreDamaged, match="its payload is not what was written"):
        memory.rebuild()

    assert link.execute("SELECT * FROM cases").fetchall() == before
    memory.close()
    link.close()


def contents(path):
    """Give every row of the file, or None where SQLite cannot read it."""
    link = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    link.text_factory = bytes
    try:
        return {
            table: sorted(map(repr, link.execute(f"SELECT * FROM {table} NOT INDEXED")))
            for table in ALL_TABLES
        }
    except sqlite3.Error:
        return None
    finally:
        link.close()


@pytest.mark.parametrize("seed", range(150))
def test_a_flipped_byte_of_the_file_is_never_called_sound_where_a_row_changed(store, seed):
    before, chance = contents(store), random.Random(seed)
    data = bytearray(store.read_bytes())
    used = [at for at, byte in enumerate(data) if byte]
    for _ in range(chance.choice([1, 1, 1, 5])):
        data[chance.choice(used)] ^= 1 << chance.randrange(8)
    store.write_bytes(data)

    try:
        sound = verdict_on(store).ok
    except (StoreDamaged, StoreTooNew, StoreReadOnly):
        return

    assert not sound or contents(store) == before


def flipped(path, places):
    """Give the verdict on the file with one byte changed, for each place; None where unopenable."""
    sound = path.read_bytes()
    for place in places:
        path.write_bytes(sound[:place] + bytes([sound[place] ^ 0x01]) + sound[place + 1 :])
        for side in ("-wal", "-shm"):
            path.with_name(path.name + side).unlink(missing_ok=True)
        try:
            yield place, verdict_on(path)
        except (StoreDamaged, StoreReadOnly, StoreTooNew):
            yield place, None
    path.write_bytes(sound)


def test_a_changed_byte_of_the_schema_is_an_answer_and_no_crash(store):
    page = store.read_bytes()[:4096]
    used = [place for place in range(100, 4096) if page[place]]
    for place, found in flipped(store, used[::9] + used[:60]):
        assert found is None or isinstance(found.ok, bool), place


def test_a_type_that_changed_is_an_answer_and_no_crash(store):
    link = sqlite3.connect(store)
    link.execute("PRAGMA writable_schema = ON")
    link.execute(
        "UPDATE sqlite_schema SET name = CAST(name AS BLOB) WHERE name = 'ledger_by_role'"
    )
    link.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE type = 'table'"
    )
    link.commit()
    link.close()
    assert not verdict_on(store).ok

    for table in ALL_TABLES:
        for column in columns(store)[table]:
            for cast in ("CAST({} AS BLOB)", "CAST({} AS TEXT) || x'ff'", "1.5"):
                link = sqlite3.connect(store, isolation_level=None)
                link.execute("BEGIN")
                try:
                    link.execute(f"UPDATE {table} SET {column} = {cast.format(column)}")
                except sqlite3.IntegrityError:
                    continue
                finally:
                    link.execute("COMMIT") if link.in_transaction else None
                    link.close()
                assert not verdict_on(store).ok, (table, column, cast)
