"""A home of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from homes import Home, copy


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Give an empty home without any token."""
    return Home(tmp_path / "home")


@pytest.fixture(scope="session")
def anas_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Give the home that `ana` copies; tests must not change it."""
    home = Home(tmp_path_factory.mktemp("ana") / "home")
    home.token = home.token_for("human", "ana")
    return home


@pytest.fixture
def ana(anas_home: Home, tmp_path: Path) -> Home:
    """Give a home in which every run is Ana's, a person."""
    return copy(anas_home, tmp_path)
