"""What tests of several folders share: a real Postgres."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture(scope="session")
def postgres_database():
    """Give a database of this process's own; without a given server, one of its own, too."""
    from fakes import postgres

    with postgres.server() as admin, postgres.database(admin) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_database):
    """Give an empty database."""
    from fakes import postgres

    return postgres.emptied(postgres_database)
