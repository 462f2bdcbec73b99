"""What tests of several folders share: a real Postgres."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture(scope="session")
def postgres_database(tmp_path_factory):
    """Give one process's own database."""
    from fakes import postgres

    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "popen-gw" in base.name else base
    with postgres.database(shared) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_database):
    """Give an empty database."""
    from fakes import postgres

    return postgres.emptied(postgres_database)
