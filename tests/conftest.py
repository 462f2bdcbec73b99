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


def pytest_collection_modifyitems(config, items):
    """Leave out what needs something that this machine does not have."""
    from fakes import means

    needs = {one: [mark.args[0] for mark in one.iter_markers("needs")] for one in items}
    left_out = [one for one in items if not all(map(means.here, needs[one]))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [one for one in items if one not in left_out]


def pytest_terminal_summary(terminalreporter):
    """Say at the end of a run what was not tested because this machine lacks something."""
    from fakes import means

    for told in means.absent():
        terminalreporter.write_line(told, yellow=True)
