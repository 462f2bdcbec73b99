"""Agents and bots are told from people by their whole name."""

from __future__ import annotations

import pytest

from caselore.guards.agents import is_agent
from caselore.settings import AGENT_MARKERS


@pytest.mark.parametrize("name", sorted(set(AGENT_MARKERS.values())))
def test_every_agent_that_the_settings_know_is_one(name: str) -> None:
    assert is_agent(name)
    assert is_agent(name.lower().replace(" ", "-"))
    assert is_agent(f"  {name.upper()} 2.1 ")


@pytest.mark.parametrize(
    "name",
    ["dependabot[bot]", "renovate-bot", "github-actions[bot]", "gpt-4", "Devin AI", "release bot"],
)
def test_a_bot_is_one(name: str) -> None:
    assert is_agent(name)


@pytest.mark.parametrize(
    "name", ["Ana Silva", "Claude Dupont", "Devin", "Abbot", "Ai Weiwei", "Jules", "bo", "2", ""]
)
def test_a_person_is_none(name: str) -> None:
    assert not is_agent(name)
