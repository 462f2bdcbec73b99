"""People correct what counts as the same failure: joined, parted, taken out, and all of it reversible."""

from __future__ import annotations

import pytest

from caselore.errors import GateRefused, NotFound, WrongUse
from fakes.failures import (
    AGENT,
    ANA,
    BATCHES,
    BO,
    CI,
    IMPORT,
    LONGER,
    failure,
    memory_over,
    signed,
)
from fakes.memory_store import MemoryStore

LOCK, INDEX = signed("lock"), signed("index", family="timeout", unit="x")


def seen(memory, deployment, signature=LOCK, **more):
    more.setdefault("service", f"service-{deployment}")
    more.setdefault("block", f"{signature.message} of {deployment}")
    return memory.observe(failure(deployment, signature=signature, **more), CI)


def confirmed(memory, deployment, signature=LOCK, outcome=BATCHES, actor=ANA, **more):
    return memory.confirm(
        seen(memory, deployment, signature, **more).id, **outcome, actor=actor
    )  # fmt: skip


def same(memory, deployment, **more):
    """Give the deployments that are recalled as the same failure."""
    found = memory.recall(incident=deployment, **more)
    hits = (*found.hits, *found.nearest)
    return {hit.case.record.body.deployment for hit in hits if hit.same_failure}


def test_joined_signatures_are_one_failure_everywhere(memory):
    confirmed(memory, "1", LOCK)
    confirmed(memory, "2", INDEX, actor=BO)
    confirmed(memory, "3", INDEX, LONGER)
    seen(memory, "4", LOCK)
    assert same(memory, "4") == {"1"}

    grouped = memory.merge("2", "1", "the driver words it anew", ANA)
    later = seen(memory, "5", INDEX)

    assert grouped == (tuple(sorted((LOCK.id, INDEX.id))), 4)
    assert same(memory, "4") == {"1", "2", "3", "5"}
    assert same(memory, later.id) == {"1", "2", "3", "4"}
    for id in (LOCK.id, INDEX.id):
        assert memory.occurrences(id).count == 5
        best, worst = memory.fixes(id)
        assert (best.resolution, best.worked, best.tried, best.by) == (
            BATCHES["resolution"], 2, 2, ("ana", "bo"),
        )  # fmt: skip
        assert (worst.worked, worst.tried) == (0, 1)
    hits = memory.recall(incident="4").hits
    assert [(hit.standing_for, hit.confirmers) for hit in hits][:1] == [(2, ("ana", "bo"))]
    joined = next(hit for hit in hits if hit.case.record.body.deployment == "2")
    assert "joined by a person" in joined.signals[0].reason
    assert memory.ledger_verify().ok


def test_a_parted_signature_stands_alone_again(memory):
    confirmed(memory, "1", LOCK)
    seen(memory, "2", INDEX)
    memory.merge(INDEX.id, LOCK.id, "one cause", ANA)
    assert same(memory, "2") == {"1"}

    assert memory.split(INDEX.id, "two causes after all", BO) == ((INDEX.id,), 1)

    assert same(memory, "2") == set()
    assert memory.occurrences(LOCK.id).count == 1
    memory.merge(INDEX.id, LOCK.id, "it was one", ANA)
    assert same(memory, "2") == {"1"}
    assert memory.ledger_verify().ok


def test_three_are_joined_through_one_and_part_one_by_one(memory):
    third = signed("third")
    for name, signature in (("1", LOCK), ("2", INDEX), ("3", third)):
        seen(memory, name, signature)
    memory.merge(INDEX.id, LOCK.id, "one cause", ANA)
    memory.merge(third.id, INDEX.id, "one cause", ANA)
    assert memory.grouped(LOCK.id).incidents == 3

    memory.split(third.id, "another cause", ANA)
    assert memory.grouped(LOCK.id).signatures == tuple(sorted((LOCK.id, INDEX.id)))
    memory.merge(third.id, LOCK.id, "one cause", ANA)
    memory.split(LOCK.id, "the middle one is another", ANA)

    assert [memory.grouped(one.id).incidents for one in (LOCK, INDEX, third)] == [1, 1, 1]


def test_one_incident_is_taken_out_and_brought_back(memory):
    confirmed(memory, "1", LOCK)
    confirmed(memory, "2", LOCK, LONGER)
    seen(memory, "3", LOCK)

    memory.split("2", "that one was the disk", ANA)

    assert same(memory, "3") == {"1"}
    assert same(memory, "2") == set()
    assert memory.occurrences(LOCK.id).count == 2
    assert [one.tried for one in memory.fixes(LOCK.id)] == [1]
    own = memory.get("2").record.body.signature
    assert own.id.startswith("own:")
    assert own.family == LOCK.family
    assert [one.kind for one in memory.get("2").verdicts] == ["confirm", "single_out"]
    memory.resign("2", LOCK, ANA)
    assert same(memory, "3") == {"1"}
    memory.merge("2", LOCK.id, "it was not", BO)
    assert same(memory, "3") == {"1", "2"}
    assert memory.ledger_verify().ok


def test_not_the_same_outlasts_any_joining(memory):
    confirmed(memory, "1", LOCK)
    seen(memory, "2", INDEX)
    memory.unlike("2", "1", "another table", ANA)

    memory.merge(INDEX.id, LOCK.id, "one cause", ANA)
    seen(memory, "3", INDEX)

    assert same(memory, "2") == {"3"}
    assert same(memory, "3") == {"2"}


def test_what_one_member_is_unlike_no_member_is_like(memory):
    other = signed("other", unit="0042_totals")
    confirmed(memory, "1", other, service="payment-service")
    seen(memory, "2", LOCK, service="payment-service")
    memory.unlike("2", "1", "another table", ANA)
    seen(memory, "3", INDEX, service="payment-service")
    memory.merge(INDEX.id, LOCK.id, "one cause", ANA)

    found = memory.recall(incident="3")

    names = {hit.case.record.body.deployment for hit in (*found.hits, *found.nearest)}
    assert names == {"2"}


@pytest.mark.parametrize("actor", [AGENT, CI, IMPORT])
def test_only_a_person_joins_and_parts(memory, actor):
    seen(memory, "1", LOCK)
    seen(memory, "2", INDEX)
    memory.merge("1", "2", "one cause", ANA)

    for say in (
        lambda: memory.split(LOCK.id, "two", actor),
        lambda: memory.split("1", "alone", actor),
    ):
        with pytest.raises(GateRefused):
            say()
    memory.split(LOCK.id, "two", ANA)
    with pytest.raises(GateRefused):
        memory.merge("1", "2", "one", actor)
    assert memory.grouped(LOCK.id).incidents == 1


def test_what_cannot_be_joined_or_parted_is_said(memory):
    seen(memory, "1", LOCK)
    seen(memory, "2", INDEX)
    seen(memory, "3", signed("exit code 1", generic=True))
    before = memory.ledger_verify().entries

    for error, say in (
        (WrongUse, lambda: memory.merge("1", LOCK.id, "x", ANA)),
        (WrongUse, lambda: memory.merge("3", "1", "x", ANA)),
        (WrongUse, lambda: memory.merge("1", "3", "x", ANA)),
        (WrongUse, lambda: memory.split(LOCK.id, "x", ANA)),
        (NotFound, lambda: memory.merge("sig1:nothing", "1", "x", ANA)),
        (NotFound, lambda: memory.split("99", "x", ANA)),
    ):
        with pytest.raises(error):
            say()

    assert memory.ledger_verify().entries == before


def test_an_earlier_day_knows_the_groups_of_that_day(memory):
    confirmed(memory, "1", LOCK)
    seen(memory, "2", INDEX)
    apart = memory._clock.at
    memory.merge(INDEX.id, LOCK.id, "one cause", ANA)
    joined = memory._clock.at
    memory.split(INDEX.id, "two causes", ANA)

    assert same(memory, "2", as_of=apart) == set()
    assert same(memory, "2", as_of=joined) == {"1"}
    assert same(memory, "2") == set()


def test_groups_go_out_and_come_in_with_the_records(memory):
    confirmed(memory, "1", LOCK)
    seen(memory, "2", INDEX)
    seen(memory, "3", LOCK)
    memory.merge(INDEX.id, LOCK.id, "one cause", ANA)
    memory.split(INDEX.id, "two", BO)
    memory.merge(INDEX.id, LOCK.id, "one after all", BO)
    memory.split("3", "the disk", ANA)
    rows, fresh = list(memory.export()), memory_over(MemoryStore())

    report = fresh.import_incidents(enumerate(rows, 1), IMPORT, sign=lambda _: signed())
    again = fresh.import_incidents(enumerate(rows, 1), IMPORT, sign=lambda _: signed())

    assert (report.refused, report.added, again.added, again.known) == ((), 6, 0, 6)
    assert list(fresh.export()) == rows
    assert fresh.grouped(LOCK.id) == memory.grouped(LOCK.id)
    assert same(fresh, "2") == {"1"}
    assert fresh.ledger_verify().ok
    unsigned = {**rows[-1], "actor": "agent:coder", "at": "2026-04-01T00:00:00.000000Z"}
    refused = fresh.import_incidents([(1, unsigned)], IMPORT, sign=lambda _: signed())
    assert [line for line, _ in refused.refused] == [1]


def test_how_common_a_failure_is_counts_the_services_of_all_joined_signatures(memory):
    for number in range(12):
        seen(memory, f"{number}", LOCK if number % 2 else INDEX)
    seen(memory, "other", signed("other"), service="service-1")
    assert memory.rarity(LOCK.id) == memory.rarity(INDEX.id) == pytest.approx(1 - 5 / 12)

    memory.merge(LOCK.id, INDEX.id, "one cause", ANA)

    assert memory.rarity(LOCK.id) == memory.rarity(INDEX.id) == pytest.approx(1 - 11 / 12)
    memory.split(LOCK.id, "two causes", ANA)
    assert memory.rarity(LOCK.id) == pytest.approx(1 - 5 / 12)
