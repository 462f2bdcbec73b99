"""What tests of several folders share: a real Postgres, and a real PgBouncer before it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture(scope="session")
def postgres_server():
    """Give the address of a server; without a given one, of one of this process's own."""
    from fakes import postgres

    with postgres.server() as admin:
        yield admin


@pytest.fixture(scope="session")
def postgres_database(postgres_server):
    """Give a database of this process's own."""
    from fakes import postgres

    with postgres.database(postgres_server) as url:
        yield url


@pytest.fixture(scope="session")
def pgbouncer(postgres_server):
    """Give what turns a database's address into one through PgBouncer."""
    from fakes import pgbouncer

    with pgbouncer.before(postgres_server) as through:
        yield through


@pytest.fixture
def postgres_url(postgres_database):
    """Give an empty database."""
    from fakes import postgres

    return postgres.emptied(postgres_database)


@pytest.fixture
def pooled_url(postgres_url, pgbouncer):
    """Give an empty database, reached through PgBouncer in transaction pooling."""
    return pgbouncer(postgres_url)


def pytest_terminal_summary(terminalreporter):
    """Say at the end of a run what was not tested because it is not installed."""
    from fakes import pgbouncer

    if not pgbouncer.PROGRAM:
        terminalreporter.write_line(pgbouncer.ABSENT, yellow=True)
