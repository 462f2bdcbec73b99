"""Signing kept incidents anew: the same version changes nothing, and a plan tells what would."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caselore.incidents import ingest, resign
from caselore.incidents.resign import current, plan
from caselore.logs import read
from caselore.memory import Memory
from caselore.memory.records import Actor, Incident, Role

LOGS = sorted((Path(__file__).parents[2] / "cases" / "logs").glob("*.log"))
ANA = Actor("ana", Role.HUMAN)


def incident(log: bytes, deployment: str) -> Incident:
    return ingest.to_incident(read(log, name="log"), service="pay", deployment=deployment)


@pytest.mark.parametrize("path", LOGS[::9], ids=lambda path: path.stem)
def test_the_same_version_signs_what_it_kept_as_before(path: Path) -> None:
    kept = incident(path.read_bytes(), "1")

    assert current(kept).id == kept.signature.id


@pytest.fixture
def memory(tmp_path: Path):
    from caselore import settings, wiring

    app = wiring.open_memory(settings.load(tmp_path))
    yield app
    app.close()


def older(one: Incident, id: str) -> Incident:
    """An incident as another version signed it."""
    return replace(one, signature=replace(one.signature, id=id))


def test_a_plan_tells_merges_and_splits_and_writes_nothing_until_applied(memory: Memory) -> None:
    lock = b"ERROR: deadlock detected while updating accounts\n"
    full = b"write failed: disk quota of the build volume exceeded\n"
    memory.observe(older(incident(lock, "1"), "sig0:a"), ANA)
    memory.observe(older(incident(lock, "2"), "sig0:b"), ANA)
    memory.observe(older(incident(full, "3"), "sig0:b"), ANA)
    one, other = incident(lock, "x").signature.id, incident(full, "x").signature.id

    found = plan(memory.list())

    assert (found.looked_at, len(found.changes)) == (3, 3)
    assert found.merges == {one: ["sig0:a", "sig0:b"]}
    assert found.splits == {"sig0:b": sorted([one, other])}
    assert {case.record.body.signature.id for case in memory.list()} == {"sig0:a", "sig0:b"}

    assert resign.apply(memory, found, ANA) == 3
    assert {case.record.body.signature.id for case in memory.list()} == {one, other}
    assert plan(memory.list()).changes == ()
    assert memory.ledger_verify().ok
