"""What is Postgres's own: errors in our words, no state in sessions, erasure in every table."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psycopg
import pytest

from caselore import settings, wiring
from caselore.errors import StoreBusy, StoreDamaged, StoreTooNew, Unavailable
from caselore.memory import Quoted
from caselore.memory.rows import TABLES
from caselore.memory.stores.postgres import PostgresStore
from fakes.exhibits import event, page, report
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
    signed,
)
from fakes.loop_rows import loop_entry


@pytest.fixture
def told(postgres_url, tmp_path):
    """A small bank in which every table has rows."""
    memory = memory_at(postgres_url, tmp_path / "lore")
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
    memory.create_token("ci", "gitlab", None, ANA)
    memory.erase("3", "asked to", ANA)
    held = memory.file_all([page(), page("https://bad.example/", findings=["override"])], CI)
    deal = memory.file(event(held[0].id), CI)
    memory.corroborate(deal.id, report(held[0].id), CI, independent=True, key="there")
    memory.loop_write(*loop_entry("loop", CI))
    assert memory.ledger_verify().ok
    yield memory
    memory.close()


def sql(url, text, *values):
    with psycopg.connect(url, autocommit=True) as link:
        found = link.execute(text.encode(), values or None)
        return found.fetchall() if found.description else found.rowcount


@pytest.mark.parametrize("table", ["ledger", "payloads", *TABLES])
def test_a_changed_a_missing_and_an_extra_row_are_found(told, postgres_url, table):
    columns = sql(
        postgres_url,
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'caselore' AND table_name = %s ORDER BY ordinal_position",
        table,
    )
    before = sql(postgres_url, f"SELECT ctid::text FROM caselore.{table} ORDER BY 1")
    assert before
    (first,) = before[0]
    row = sql(postgres_url, f"SELECT * FROM caselore.{table} WHERE ctid = %s::tid", first)[0]
    for place, (name, kind) in enumerate(columns):
        new = row[place] + 1 if kind == "bigint" else row[place] + "x"
        with psycopg.connect(postgres_url, autocommit=True) as link:
            keys = " AND ".join(f"{column} = %s" for column, _ in columns)
            try:
                link.execute(
                    f"UPDATE caselore.{table} SET {name} = %s WHERE {keys}".encode(), (new, *row)
                )
            except psycopg.errors.UniqueViolation:  # the change would make two rows of one key
                continue
            assert not told.ledger_verify().ok, (table, name)
            changed = (*row[:place], new, *row[place + 1 :])
            link.execute(
                f"UPDATE caselore.{table} SET {name} = %s WHERE {keys}".encode(),
                (row[place], *changed),
            )
    assert told.ledger_verify().ok
    keys = " AND ".join(f"{column} = %s" for column, _ in columns)
    assert sql(postgres_url, f"DELETE FROM caselore.{table} WHERE {keys}", *row) == 1
    assert not told.ledger_verify().ok
    places = ", ".join(["%s"] * len(row))
    sql(postgres_url, f"INSERT INTO caselore.{table} VALUES ({places})", *row)
    assert told.ledger_verify().ok
    extra = [one + 7 if isinstance(one, int) else f"{one}x" for one in row]
    sql(postgres_url, f"INSERT INTO caselore.{table} VALUES ({places})", *extra)
    assert not told.ledger_verify().ok


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE caselore.odd (x int)",
        "DROP INDEX caselore.cases_by_unit",
        "ALTER TABLE caselore.cases ADD COLUMN odd int",
        "CREATE RULE odd AS ON DELETE TO caselore.cases DO INSTEAD NOTHING",
    ],
)
def test_tables_that_are_not_as_we_make_them_are_named(told, postgres_url, change):
    sql(postgres_url, change)

    found = told.ledger_verify()

    assert not found.ok
    assert "not as this version makes it" in str(found.broken)


def test_erased_content_is_in_no_table_and_no_file(told, postgres_url, tmp_path):
    words = (
        "zebrablock",
        "dingotitle",
        "marmotcause",
        "narwhalfix",
        "lemurservice",
        "aardvarkexcerpt",
    )
    secret = replace(
        failure("80017", service="lemurservice", block="zebrablock exploded", title="dingotitle"),
        excerpt=(Quoted(3, 3, "aardvarkexcerpt", "an error"),),
    )
    case = told.observe(secret, CI)
    told.confirm(
        case.id, cause="marmotcause", resolution="narwhalfix", result="succeeded", actor=ANA
    )
    told.index_rebuild()
    assert found_in(postgres_url, words) == set(words)

    told.erase(case.id, "a customer asked", ANA)

    assert found_in(postgres_url, words) == set()
    assert told.ledger_verify().ok
    assert sql(postgres_url, "SELECT * FROM caselore.unscrubbed") == []


def found_in(url, words):
    """Search the bytes of every table's files, old rows included, as the server reads them."""
    files = sql(
        url,
        "SELECT pg_relation_filepath(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('caselore', 'pg_toast') AND c.relkind IN ('r', 'i', 't')",
    )
    sql(url, "CHECKPOINT")
    found = set()
    for (path,) in files:
        data = sql(url, "SELECT pg_read_binary_file(%s, true)", path)[0][0] or b""
        found |= {word for word in words if word.encode() in bytes(data)}
    texts = [
        str(row)
        for table in ("ledger", "payloads", *TABLES)
        for row in sql(url, f"SELECT * FROM caselore.{table}")
    ]
    return found | {word for word in words for text in texts if word in text}


def test_a_transaction_that_may_still_read_the_old_rows_is_named_and_a_later_call_finishes(
    told, postgres_url, tmp_path
):
    id = told.resolve("2")
    told._store._busy = 0.1
    with psycopg.connect(postgres_url) as reader:
        reader.execute(b"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute(b"SELECT 1 FROM caselore.cases")
        with pytest.raises(StoreBusy, match="old pages may still hold a copy"):
            told.erase(id, "asked to", ANA)
    assert sql(postgres_url, "SELECT * FROM caselore.unscrubbed") == [("rows",)]

    memory_at(postgres_url).close()

    assert sql(postgres_url, "SELECT * FROM caselore.unscrubbed") == []


def test_no_state_is_left_in_a_session(told, postgres_url):
    told.recall(incident="0")
    link = told._store._take()

    assert link.execute(b"SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)
    assert link.execute(b"SHOW lock_timeout").fetchone() == ("0",)
    assert link.execute(
        b"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
    ).fetchone() == (0,)
    link.close()


def test_a_connection_that_was_cut_while_idle_is_replaced(told, postgres_url):
    sql(
        postgres_url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )

    assert told.get("0").outcome


def test_writers_of_one_bank_take_turns_and_one_that_waits_too_long_is_busy(postgres_url):
    store = PostgresStore(postgres_url, busy=0.2)
    with store.writing("default"):
        with (
            pytest.raises(StoreBusy, match="nothing of this call was written"),
            store.writing("default"),
        ):
            pass
        with store.writing("another") as view:
            assert view.head("another").seq == 0
    store.close()


def test_threads_share_one_memory(postgres_url, tmp_path):
    memory = memory_at(postgres_url, tmp_path / "lore")
    lock, ids = threading.Lock(), iter(range(10_000))

    def new_id():
        with lock:
            return f"inc_{next(ids):020x}"

    memory._new_id = new_id
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda number: memory.observe(failure(str(number)), CI), range(60)))
        list(pool.map(lambda case: memory.recall(incident=case.id), list(memory.list())[:20]))

    assert memory.ledger_verify().ok
    assert len(list(memory.list())) == 60
    memory.close()


def test_two_processes_that_open_an_empty_database_at_once_agree(postgres_url):
    with ThreadPoolExecutor(4) as pool:
        for store in pool.map(PostgresStore, [postgres_url] * 4):
            store.close()


def test_a_newer_database_is_refused(postgres_url):
    PostgresStore(postgres_url).close()
    sql(postgres_url, "INSERT INTO caselore.migrations VALUES (99)")

    with pytest.raises(StoreTooNew, match="version 99"):
        PostgresStore(postgres_url)


def test_a_database_without_our_tables_is_damaged(postgres_url):
    memory = memory_at(postgres_url)
    sql(postgres_url, "DROP TABLE caselore.cases CASCADE")

    with pytest.raises(StoreDamaged):
        list(memory.list())
    memory.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://nobody:hunter2@127.0.0.1:1/x",
        "postgresql:///x?host=/nowhere",
        "postgresql://h:port/x",
    ],
)
def test_a_server_that_does_not_answer_is_unavailable_and_no_password_is_said(url):
    with pytest.raises(Unavailable) as caught:
        PostgresStore(url)

    assert "hunter2" not in str(caught.value) + caught.value.hint


@pytest.mark.parametrize(
    "name", ["\0", "inc_\0", "a" * 5_000, "ü" * 3_000, "%(bank)s", "' OR 1=1 --"]
)
def test_any_name_is_looked_up_safely(told, name):
    assert list(told.list(service=name, signature=name, family=name)) == []
    assert told.occurrences(name).count == 0


def test_names_at_their_longest_are_stored_and_found(told):
    long = "ü" * 500
    unit = "é" * 4_000
    case = told.observe(
        failure(
            long,
            service=long,
            branch=long,
            environment=long,
            stage=long,
            title="a\0b",
            signature=replace(signed(), unit=unit, id=long, family=long),
        ),
        CI,
    )

    again = told.observe(
        failure(
            "again", service=long, signature=replace(signed(), unit=unit, id=long, family=long)
        ),
        CI,
    )

    assert told.get(case.id).record.body.title == "a\0b"
    assert told.recall(incident=again.id).nearest[0].case.id == case.id
    assert told.ledger_verify().ok


def test_the_settings_choose_postgres(postgres_url, tmp_path):
    environment = {"CASELORE_DATABASE_URL": postgres_url, "CASELORE_HOME": str(tmp_path / "home")}
    with wiring.build(settings.load(environment=environment)) as app:
        app.memory.observe(failure(), CI)
        assert app.memory.recall(text=failure().block).considered == 1
        assert app.memory.index_rebuild().sound
    assert (tmp_path / "home" / "index").is_dir()
    assert sql(postgres_url, "SELECT count(*) FROM caselore.cases") == [(1,)]


@pytest.mark.parametrize(
    "keys", [(), ("",), ('a"b', "a\\b"), ('x","y', "z"), ("NULL", "{}", "ü,'"), (7, 12)]
)
def test_a_list_of_keys_is_read_as_it_was_given(told, keys):
    kind = "bigint" if keys and isinstance(keys[0], int) else "text"
    with told._store.reading() as view:
        found = view._run(f"SELECT unnest(%(keys)s::{kind}[])", keys=view._keys(keys))

        assert [one for (one,) in found] == list(keys)
