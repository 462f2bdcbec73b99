"""Through PgBouncer in transaction pooling all of it holds: nothing is kept in a session."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

import caselore.memory.stores
from caselore.memory import Status
from fakes import writer
from fakes.failures import ANA, BATCHES, CI, failure, memory_at
from fakes.pgbouncer import SESSIONS

WRITER = [sys.executable, writer.__file__]
STORES = Path(caselore.memory.stores.__file__).parent
through_it = pytest.mark.needs("pgbouncer")
# What outlives a transaction in a session, or needs one session for long.
SESSION_STATE = {
    "a setting": r"(^|[;'\"])\s*SET\s+(?!LOCAL\b|TRANSACTION\b)\w+\s*(=|\bTO\b)",
    "a setting by function": r"set_config\s*\([^)]*false",
    "a lock of a session": r"pg_(try_)?advisory_lock",
    "a prepared statement": r"\bPREPARE\b|prepare\s*=\s*True|prepare_threshold\s*=\s*\d",
    "a listener": r"\bLISTEN\b|\.notifies\(",
    "a temporary table": r"CREATE\s+(GLOBAL\s+|LOCAL\s+)?TEMP",
    "a cursor beyond its transaction": r"WITH\s+HOLD|withhold\s*=\s*True",
    "the last value of a sequence": r"\b(currval|lastval)\s*\(",
    "session replication or role": r"SET\s+(SESSION|ROLE)\b",
}
KNOWN_WRONG = (
    "SET lock_timeout = 15000",
    "set search_path to caselore",
    "SELECT set_config('caselore.bank', 'x', false)",
    "SELECT pg_advisory_lock(7)",
    "SELECT pg_try_advisory_lock(7)",
    "PREPARE head AS SELECT 1",
    "link.execute(sql, prepare=True)",
    "psycopg.connect(url, prepare_threshold=5)",
    "LISTEN caselore",
    "CREATE TEMP TABLE found (id text)",
    "DECLARE rows CURSOR WITH HOLD FOR SELECT 1",
    "link.cursor(name='rows', withhold=True)",
    "SELECT currval('seq')",
    "SET ROLE reader",
)


def session_state(text: str) -> set[str]:
    return {name for name, form in SESSION_STATE.items() if re.search(form, text, re.IGNORECASE)}


@pytest.mark.parametrize("wrong", KNOWN_WRONG)
def test_what_a_session_would_keep_is_recognised(wrong):
    assert session_state(wrong)


@pytest.mark.parametrize(
    "right",
    [
        "SET LOCAL lock_timeout = 9",
        "SELECT pg_advisory_xact_lock(7)",
        "UPDATE t SET x = 1",
        "prepare_threshold=None",
    ],
)
def test_what_ends_with_its_transaction_is_let_be(right):
    assert session_state(right) == set()


def test_no_statement_of_the_store_leaves_anything_in_a_session():
    files = [*STORES.glob("postgres*.py"), *STORES.glob("sql/postgres/*.sql")]
    found = {
        (path.name, what)
        for path in files
        for line in path.read_text().splitlines()
        for what in session_state(line)
    }

    assert len(files) > 8
    assert found == set()


@through_it
def test_no_session_that_clients_share_is_left_with_anything(pooled_url, tmp_path):
    memory = memory_at(pooled_url, tmp_path / "lore")
    for number in range(12):
        memory.observe(failure(str(number)), CI)
    memory.confirm("0", **BATCHES, actor=ANA)
    memory.recall(incident="1")
    assert len(list(memory.list())) == 12
    memory.erase("3", "asked to", ANA)

    with ExitStack() as stack:  # as many open transactions as there are sessions: each is seen
        seen = set()
        for _ in range(SESSIONS):
            link = stack.enter_context(psycopg.connect(pooled_url))
            (pid, *left) = link.execute(LEFT).fetchone()
            seen.add(pid)
            assert left == [0, 0, 0, "0", 0]
        assert len(seen) == SESSIONS
    memory.close()


LEFT = b"""SELECT pg_backend_pid(),
    (SELECT count(*) FROM pg_prepared_statements),
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'),
    (SELECT count(*) FROM pg_cursors),
    current_setting('lock_timeout'),
    (SELECT count(*) FROM pg_listening_channels())"""


def start(url, name, most, folder):
    return subprocess.Popen(
        [*WRITER, url, name, str(most), str(folder)], stdout=subprocess.PIPE, text=True
    )


def must_hold(url, folder, said) -> None:
    memory = memory_at(url, folder)
    found = memory.ledger_verify()
    assert found.ok, found.broken
    deployments = [row["incident"]["deployment"] for row in memory.export()]
    assert len(deployments) == len(set(deployments))
    for what, name, *_ in said:
        if what == "imported":
            assert {f"{name}-{one}" for one in range(20)} <= set(deployments)
        elif what in {"observed", "confirmed"}:
            case = memory.get(name)
            assert what == "observed" or case.status is Status.CONFIRMED
    memory.close()


@through_it
def test_more_writers_than_sessions_write_at_once_and_all_of_it_is_there(pooled_url, tmp_path):
    names = "abcdef"
    running = [start(pooled_url, name, 8, tmp_path / name) for name in names]

    said = [process.communicate(timeout=120)[0] for process in running]

    lines = [line.split() for text in said for line in text.splitlines() if line != "ready"]
    assert [process.returncode for process in running] == [0] * len(names), lines[-3:]
    assert sum(line[0] == "observed" for line in lines) == 8 * len(names)
    must_hold(pooled_url, tmp_path / "check", lines)


@through_it
@pytest.mark.parametrize("rounds", [4, pytest.param(60, marks=pytest.mark.soak)])
def test_a_client_killed_behind_it_loses_nothing_and_blocks_nobody(rounds, pooled_url, tmp_path):
    chance, said = random.Random(rounds), []
    for number in range(rounds):
        running = [start(pooled_url, f"{one}{number}", 100_000, tmp_path / one) for one in "ab"]
        assert [process.stdout.readline() for process in running] == ["ready\n"] * 2
        time.sleep(chance.uniform(0.0, 0.3))
        for process in running:
            process.send_signal(signal.SIGKILL)
            told = process.communicate()[0]
            said += [line.split() for line in told[: told.rfind("\n") + 1].splitlines()]
    must_hold(pooled_url, tmp_path / "check", said)
    assert len(said) > rounds
