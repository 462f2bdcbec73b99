"""The kept counts of a database that an older version made: they are there after it was opened."""

from __future__ import annotations

import re
import sqlite3

import psycopg

from caselore.memory.stores.named_sql import migrations
from caselore.memory.stores.sqlite_file import APPLICATION_ID
from fakes.failures import ANA, BATCHES, CI, failure, memory_at, signed

FACETS = [
    ("confirmed", "s1", 1),
    ("observed", "payment-service", 1),
    ("observed", "s0", 3),
    ("observed", "s1", 2),
]
TABLE = re.compile(r"^CREATE TABLE (?:caselore\.)?(\w+)", re.MULTILINE)


def before_the_counts(dialect):
    """Give the migrations before the one that brings the counts, and the tables they make."""
    scripts = migrations(dialect)
    number = next(n for n, text in enumerate(scripts) if "tallies" in TABLE.findall(text))
    old = scripts[:number]
    dropped = re.findall(r"DROP TABLE (?:caselore\.)?(\w+)", "".join(old))
    return old, [one for one in TABLE.findall("\n".join(old)) if one not in dropped]


def filled(memory):
    for number in range(6):
        memory.observe(failure(str(number), service=f"s{number % 2}"), CI)
    memory.observe(failure("9", signature=signed("other")), CI)
    memory.confirm("1", **BATCHES, actor=ANA)
    memory.close()


def answers(memory):
    assert memory.ledger_verify().ok
    found = memory.occurrences(failure().signature.id)
    facets = sorted((one.status, one.service, one.times) for one in memory.facets())
    return found.count, found.resolved, memory.recall(incident="0").hits[0].confirmers, facets


def test_a_file_of_before_the_counts_has_them_once_it_is_opened(tmp_path):
    filled(memory_at(tmp_path / "new.sqlite3"))
    scripts, tables = before_the_counts("sqlite")
    link = sqlite3.connect(tmp_path / "old.sqlite3", isolation_level=None)
    for script in scripts:
        link.executescript(script)
    link.execute("ATTACH ? AS new", (str(tmp_path / "new.sqlite3"),))
    for table in tables:
        link.execute(f"INSERT INTO {table} SELECT * FROM new.{table}")
    link.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    link.execute(f"PRAGMA user_version = {len(scripts)}")
    link.close()

    memory = memory_at(tmp_path / "old.sqlite3")

    assert answers(memory) == (6, 1, ("ana",), FACETS)
    memory.close()


def test_a_database_of_before_the_counts_has_them_once_it_is_opened(postgres_url, tmp_path):
    filled(memory_at(postgres_url, tmp_path / "new"))
    scripts, tables = before_the_counts("postgres")
    with psycopg.connect(postgres_url, autocommit=True) as link:
        held = {
            table: link.execute(f"SELECT * FROM caselore.{table}".encode()).fetchall()
            for table in tables
        }
        link.execute(b"DROP SCHEMA caselore CASCADE")
        link.execute(b"CREATE SCHEMA caselore")
        link.execute(b"CREATE TABLE caselore.migrations (version BIGINT PRIMARY KEY)")
        for number, script in enumerate(scripts, 1):
            link.execute(script.encode())
            link.execute(b"INSERT INTO caselore.migrations VALUES (%s)", (number,))
        for table, rows in held.items():
            for row in rows:
                places = ", ".join(["%s"] * len(row))
                link.execute(f"INSERT INTO caselore.{table} VALUES ({places})".encode(), row)

    memory = memory_at(postgres_url, tmp_path / "old")

    assert answers(memory) == (6, 1, ("ana",), FACETS)
    memory.close()
