"""The kept counts of a database that an older version made: they are there after it was opened."""

from __future__ import annotations

import re
import sqlite3

import psycopg
import pytest

from caselore.memory.stores.named_sql import migrations
from fakes.failures import ANA, BATCHES, CI, failure, memory_at, signed

MADE_AGAIN = re.compile(r"^DROP INDEX (?:caselore\.)?(\w+);$", re.MULTILINE)


def number_of(dialect):
    """Give the number of the migration that brings the counts, and its text."""
    return next(
        (number, text)
        for number, text in enumerate(migrations(dialect), 1)
        if re.search(r"CREATE TABLE (caselore\.)?tallies", text)
    )


def undone(dialect):
    """Give the statements that take the counts away again, the old indexes restored."""
    number, text = number_of(dialect)
    schema = "caselore." if dialect == "postgres" else ""
    made = re.findall(r"CREATE INDEX (\w+)", text)
    yield f"DROP TABLE {schema}tallies"
    yield from (f"DROP INDEX {schema}{name}" for name in made)
    before = "\n".join(migrations(dialect)[: number - 1])
    for name in MADE_AGAIN.findall(text):
        yield from re.findall(rf"CREATE INDEX {name} ON[^;]+", before)[-1:]


def filled(memory):
    for number in range(6):
        memory.observe(failure(str(number), service=f"s{number % 2}"), CI)
    memory.observe(failure("9", signature=signed("other")), CI)
    memory.confirm("1", **BATCHES, actor=ANA)
    memory.close()


def answers(memory):
    assert memory.ledger_verify().ok
    found = memory.occurrences(failure().signature.id)
    return found.count, found.resolved, memory.recall(incident="0").hits[0].confirmers


def test_a_file_of_before_the_counts_has_them_once_it_is_opened(tmp_path):
    path = tmp_path / "lore.sqlite3"
    filled(memory_at(path))
    link = sqlite3.connect(path, isolation_level=None)
    for statement in undone("sqlite"):
        link.execute(statement)
    link.execute(f"PRAGMA user_version = {number_of('sqlite')[0] - 1}")
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        link.execute("SELECT * FROM tallies")
    link.close()

    memory = memory_at(path)

    assert answers(memory) == (6, 1, ("ana",))
    memory.close()


def test_a_database_of_before_the_counts_has_them_once_it_is_opened(postgres_url, tmp_path):
    filled(memory_at(postgres_url, tmp_path / "lore"))
    with psycopg.connect(postgres_url, autocommit=True) as link:
        for statement in undone("postgres"):
            link.execute(statement.encode())
        version = number_of("postgres")[0]
        link.execute(b"DELETE FROM caselore.migrations WHERE version >= %s", (version,))

    memory = memory_at(postgres_url, tmp_path / "lore")

    assert answers(memory) == (6, 1, ("ana",))
    memory.close()
