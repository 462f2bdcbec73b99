"""Whatever is done in whatever order: the account holds, both stores agree, the past stays as it was."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from caselore.errors import CaseloreError
from caselore.memory import Status
from fakes.failures import (
    AGENT,
    ANA,
    BATCHES,
    BO,
    CI,
    IMPORT,
    LONGER,
    failure,
    memory_at,
    memory_over,
    signed,
)
from fakes.memory_store import MemoryStore

ACTORS = [CI, AGENT, IMPORT, ANA, BO]


def deeds(memory, chance):
    """Do one thing that may or may not be allowed."""
    actor, one, other = chance.choice(ACTORS), str(chance.randrange(9)), str(chance.randrange(9))
    findings = ["override"] if chance.random() < 0.15 else []
    name = chance.choice(["lock", "index", "quota"])
    incident = failure(one, service=chance.choice(["pay", "user"]), signature=signed(name))
    return chance.choice(
        [
            lambda: memory.observe(incident, actor, findings=findings),
            lambda: memory.observe(incident, CI),
            lambda: memory.propose(one, "a lock", "wait", actor, findings=findings),
            lambda: memory.confirm(one, **BATCHES, actor=actor, precedents=[other]),
            lambda: memory.confirm(one, **LONGER, actor=ANA),
            lambda: memory.refute(one, "it came back", actor),
            lambda: memory.unlike(one, other, "another table", ANA),
            lambda: memory.supersede(one, other, "a better one", actor),
            lambda: memory.supersede(*(confirmed(memory, chance) for _ in "12"), "so", ANA),
            lambda: memory.merge(one, other, "one cause", actor),
            lambda: memory.split(one, "another cause", actor),
            lambda: memory.split(signed(name).id, "two causes", ANA),
            lambda: memory.retract(one, "another project", actor),
            lambda: memory.release(held(memory, chance), "read it", ANA),
            lambda: memory.drop(held(memory, chance), "an attack", ANA),
            lambda: memory.remember_green("pay", one, b"x", "run", actor),
        ]
    )


def confirmed(memory, chance):
    """Name something that has an outcome, if anything has."""
    return chance.choice([one.id for one in memory.list(status="confirmed")] or ["nothing"])


def held(memory, chance):
    """Name something that is in quarantine, if anything is."""
    return chance.choice([one.subject for one in memory.quarantine_list()] + ["nothing"] * 3)


def live(memory, seed, steps, *, erasing=True, each=lambda: None):
    chance = random.Random(seed)
    for _ in range(steps):
        deed = deeds(memory, chance)
        if erasing and chance.random() < 0.04:
            deed = lambda: memory.erase(str(chance.randrange(9)), "asked to", ANA)  # noqa: E731
        with suppress(CaseloreError):
            deed()
        each()


def answers(memory, **more):
    """Give what is recalled for every incident that is known."""
    found = {}
    for case in memory.list():
        recalled = memory.recall(incident=case.id, **more)
        found[case.id] = [
            (hit.case.id, hit.score, hit.same_failure, hit.why_not, hit.case.status)
            for hit in recalled.hits + recalled.nearest
        ]
    return found


@pytest.mark.parametrize("seed", range(12))
def test_any_history_verifies_and_is_the_same_in_every_store(tmp_path, seed):
    real, fake = memory_at(tmp_path / "lore.sqlite3"), memory_over(MemoryStore())
    fixed = "0123456789abcdef" * 2
    for memory in (real, fake):
        memory._random = lambda: fixed
        live(memory, seed, 60)

    assert real.ledger_verify().ok
    assert real.ledger_verify() == fake.ledger_verify()
    assert list(real.export()) == list(fake.export())
    assert answers(real) == answers(fake)
    assert real.quarantine_list() == fake.quarantine_list()
    real.close()


@pytest.mark.parametrize("seed", range(12))
def test_any_history_goes_into_a_fresh_bank_with_the_same_statuses(seed):
    memory, fresh = memory_over(MemoryStore()), memory_over(MemoryStore())
    live(memory, seed, 60)

    report = fresh.import_incidents(enumerate(memory.export(), 1), IMPORT, sign=lambda _: signed())

    assert report.refused == ()
    assert {case.id: (case.status, case.outcome, case.counts) for case in fresh.list()} == {
        case.id: (case.status, case.outcome, case.counts) for case in memory.list()
    }
    assert list(fresh.export()) == list(memory.export())
    assert fresh.ledger_verify().ok


def test_the_histories_are_rich():
    seen, actions = set(), set()
    for seed in range(14):
        memory = memory_over(MemoryStore())
        live(memory, seed, 60)
        seen |= {case.status.value for case in memory.list()}
        actions |= {one.entry.action for one in memory.ledger_show()}

    assert seen == {status.value for status in Status}
    assert {"refused", "unlike", "vouch", "release", "drop", "erase", "green"} <= actions
    assert {"merge", "split", "single_out", "supersede"} <= actions


@pytest.mark.parametrize("seed", range(6))
def test_a_recall_as_of_a_time_is_what_was_answered_then(seed):
    memory, frozen = memory_over(MemoryStore()), []

    def freeze():
        at = memory._clock.at
        frozen.append((at, answers(memory, as_of=at), [case.id for case in memory.list()]))

    live(memory, seed, 22, erasing=False, each=freeze)

    for at, then, ids in frozen:
        now = answers(memory, as_of=at)
        assert {id: now[id] for id in ids} == then
