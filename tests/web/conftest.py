"""A server that the tests of a module share, and one of a test's own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from serving import running


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """Give a server whose content the tests of a module add to."""
    with running(tmp_path_factory.mktemp("shared") / "home") as served:
        yield served


@pytest.fixture
def served(tmp_path):
    """Give a server with an empty memory."""
    with running(tmp_path / "home") as own:
        yield own
