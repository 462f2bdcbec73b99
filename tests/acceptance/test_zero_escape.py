"""Attacks stored by every path and recalled by a reader that obeys them change nothing."""

from __future__ import annotations

import pytest

import caselore
from caselore.guards import injection
from caselore.settings import AGENT_MARKERS
from fakes.attack_world import ATTACKS, World, attacks

ALL = attacks()


@pytest.fixture
def world(tmp_path, monkeypatch):
    for name in [*AGENT_MARKERS, "CASELORE_TOKEN", "CASELORE_DATABASE_URL", "CASELORE_HOME"]:
        monkeypatch.delenv(name, raising=False)
    with caselore.open(tmp_path / "home") as app:
        yield World(app)


def escapes_of(world, texts):
    for text in texts:
        world.store(text)
    world.recall(texts)
    assert world.confirmed() == [world.known]
    assert world.app.memory.ledger_verify().ok
    return world.escapes


def test_one_attack_of_every_kind_escapes_nowhere(world):
    texts = list(dict(ALL).values())
    assert len(texts) == 12

    assert escapes_of(world, texts) == []


@pytest.mark.soak
def test_no_attack_escapes(world):
    assert escapes_of(world, [text for _, text in ALL]) == []


def test_every_kind_but_the_plain_one_is_found_by_the_rules():
    assert {kind for kind, text in ALL if not injection.scan(text)} == {"plain"}
    assert ATTACKS.is_file()
