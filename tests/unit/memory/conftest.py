"""Puts the fakes on the path, and gives a memory over each kind of store."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fakes.failures import memory_at, memory_over
from fakes.memory_store import MemoryStore


@pytest.fixture(params=["sqlite", "postgres", "memory"])
def memory(request, tmp_path):
    """Give an empty memory: in a file, on Postgres, and in a fake."""
    if request.param == "memory":
        opened = memory_over(MemoryStore())
    elif request.param == "postgres":
        opened = memory_at(request.getfixturevalue("postgres_url"), tmp_path / "lore")
    else:
        opened = memory_at(tmp_path / "lore.sqlite3")
    yield opened
    opened.close()
