"""What is recalled for a failure, what only stands near it, and why."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from caselore.errors import Ambiguous, NotFound, WrongUse
from caselore.memory import Filters, Weights
from fakes.failures import (
    AGENT,
    ANA,
    BATCHES,
    BO,
    CI,
    CY,
    LOCK,
    LONGER,
    START,
    Clock,
    failure,
    memory_at,
    memory_over,
    missing_variable,
    signed,
)
from fakes.memory_store import MemoryStore


@pytest.fixture(params=["sqlite", "memory"])
def memory(request, tmp_path):
    fake = request.param == "memory"
    opened = memory_over(MemoryStore()) if fake else memory_at(tmp_path / "lore.sqlite3")
    yield opened
    opened.close()


def confirmed(memory, deployment, outcome=None, actor=ANA, **where):
    case = memory.observe(failure(deployment, **where), CI)
    return memory.confirm(case.id, **(outcome or BATCHES), actor=actor)


def names(hits):
    return [hit.case.record.body.deployment for hit in hits]


def test_the_second_failure_gets_the_first_ones_fix_and_the_unrelated_one_does_not(memory):
    confirmed(memory, "1017")
    memory.observe(failure("1057", block=LOCK.replace("900", "1201")), CI)
    memory.observe(missing_variable("2001"), CI)

    found = memory.recall(incident="1057")
    other = memory.recall(incident="2001")

    assert names(found.hits) == ["1017"]
    assert found.hits[0].same_failure
    assert found.hits[0].case.outcome.resolution == BATCHES["resolution"]
    assert other.hits == ()
    assert all("other family: migration" in hit.why_not for hit in other.nearest)


def test_a_deployment_is_never_its_own_precedent(memory):
    confirmed(memory, "1017")
    again = memory.observe(failure("1017", block=LOCK + "\nretried"), CI)
    elsewhere = memory.observe(failure("1017", service="order-service"), CI)

    assert names(memory.recall(incident=again.id).hits) == []
    assert names(memory.recall(incident=elsewhere.id).hits) == ["1017"]


def test_not_the_same_is_for_good_and_both_ways(memory):
    first, second = confirmed(memory, "1"), confirmed(memory, "2")
    memory.unlike("1", "2", "another table", ANA)
    memory.confirm("1", **BATCHES, actor=BO)

    for one in (first, second):
        assert memory.recall(incident=one.id).hits == ()


def test_not_the_same_holds_for_the_next_failure_of_that_signature_too(memory):
    lock, other = signed("lock"), signed("index", unit="0042_totals")
    confirmed(memory, "1", signature=lock)
    memory.observe(failure("2", signature=other), CI)
    memory.observe(failure("3", signature=other), CI)
    assert names(memory.recall(incident="3").hits) == ["1"]

    memory.unlike("2", "1", "an index, no lock", ANA)

    assert memory.recall(incident="3").hits == ()
    assert names(memory.recall(incident="3").nearest) == ["2"]


def test_what_is_not_confirmed_is_only_shown_as_seen(memory):
    memory.observe(failure("1"), CI)
    memory.propose("1", "a lock", "kill it", AGENT)
    memory.observe(failure("2"), AGENT)
    memory.observe(failure("3"), CI)

    found = memory.recall(incident="3")

    assert found.hits == ()
    assert {hit.why_not for hit in found.nearest} == {"seen before, not resolved yet"}


def test_a_fix_that_failed_is_shown_as_that_below_the_one_that_worked(memory):
    confirmed(memory, "1", LONGER)
    confirmed(memory, "2", BATCHES)
    confirmed(memory, "3", LONGER)
    memory.observe(failure("4"), CI)

    hits = memory.recall(incident="4").hits

    assert [hit.case.outcome.result for hit in hits] == ["succeeded", "failed", "failed"]
    assert "did not work" in {signal.name for signal in hits[1].signals}
    assert hits[1].standing_for == 2


def test_precedents_alike_leave_room_for_others_and_tell_their_count_and_people(memory):
    for number, who in enumerate([ANA, ANA, ANA, BO, CY] * 2):
        confirmed(memory, str(number), actor=who, service=f"service-{number}")
    drop = {**BATCHES, "resolution": "Drop the index first."}
    confirmed(memory, "90", drop, service="service-90")
    memory.observe(failure("99"), CI)

    hits = memory.recall(incident="99").hits

    assert [(hit.standing_for, hit.confirmers) for hit in hits] == [
        *[(10, ("ana", "bo", "cy"))] * 4,
        (1, ("ana",)),
    ]
    assert hits[0].score - hits[-1].score == pytest.approx(10, abs=0.5)


def test_two_confirmed_with_the_same_fix_are_both_shown(memory):
    confirmed(memory, "1017", BATCHES)
    confirmed(memory, "1057", BATCHES)
    memory.observe(failure("1063"), CI)

    assert sorted(names(memory.recall(incident="1063").hits)) == ["1017", "1057"]


def test_a_generic_signature_never_makes_a_failure_known(memory):
    vague = signed("exit code 1", generic=True, unit="")
    confirmed(memory, "1", signature=vague, service="other", block="make: *** [all] Error 1")
    memory.observe(failure("2", signature=vague, block="make: *** [deploy] Error 1"), CI)

    found = memory.recall(incident="2")

    assert found.hits == ()
    assert "generic signature" in found.nearest[0].why_not


def test_the_limit_is_kept_for_both_lists(memory):
    for number in range(9):
        confirmed(memory, str(number), {**BATCHES, "resolution": f"Fix number {number}."})
    for number in range(9):
        memory.observe(missing_variable(f"9{number}", service="payment-service"), CI)
    memory.observe(failure("99"), CI)

    assert len(memory.recall(incident="99").hits) == 5
    assert len(memory.recall(incident="99", limit=2).hits) == 2
    assert memory.recall(incident="99", limit=0).hits == ()


def test_a_question_in_words_finds_records_by_their_text_and_outcome(memory):
    confirmed(memory, "1017")
    memory.observe(missing_variable("2001"), CI)
    memory.confirm(
        "2001",
        cause="AUTH_ISSUER_URL is not set",
        resolution="Set it",
        result="succeeded",
        actor=BO,
    )

    assert names(memory.recall(text="migration statement timeout payments").hits) == ["1017"]
    assert names(memory.recall(text="required variable missing").hits) == ["2001"]
    assert names(memory.recall(text="batches of records").hits) == ["1017"]
    assert memory.recall(text="giraffe kangaroo").hits == ()
    assert memory.recall(text="").hits == ()


def test_filters_are_filters_and_not_hints(memory):
    confirmed(memory, "1", service="pay", environment="staging", branch="dev")
    confirmed(memory, "2", service="user")
    memory.observe(failure("3"), CI)

    def found(**wanted):
        return names(memory.recall(incident="3", filters=Filters(**wanted)).hits)

    assert found(service="user") == ["2"]
    assert found(environment="staging", branch="dev") == ["1"]
    assert found(family="timeout") == []
    assert found(status="refuted") == []
    assert found(since=START + timedelta(days=1)) == []
    assert set(found(until=START + timedelta(days=1))) & {"1", "2"}


def test_a_recall_as_of_a_day_knows_nothing_later(memory):
    clock = memory._clock = Clock()
    confirmed(memory, "1")
    memory.observe(failure("3"), CI)
    then = clock()
    memory.refute("1", "it came back", ANA)
    confirmed(memory, "2", {**BATCHES, "resolution": "Another."})

    past, now = memory.recall(incident="3", as_of=then), memory.recall(incident="3")

    assert names(past.hits) == ["1"]
    assert [one.kind for one in past.hits[0].case.verdicts] == ["confirm"]
    assert names(now.hits) == ["2"]
    assert names(now.nearest) == ["1"]


def test_nothing_asked_is_wrong_use(memory):
    with pytest.raises(WrongUse):
        memory.recall()


def test_people_who_saw_a_fix_fail_do_not_raise_it(memory):
    for number, who in enumerate([ANA, BO, CY]):
        confirmed(memory, str(number), LONGER, actor=who)
    memory.observe(failure("9"), CI)

    hit = memory.recall(incident="9").hits[0]

    assert hit.confirmers == ("ana", "bo", "cy")
    assert "independent confirmations" not in {signal.name for signal in hit.signals}


def test_the_same_question_has_the_same_answer(memory):
    chance = random.Random(5)
    for number in range(30):
        confirmed(memory, str(number), {**BATCHES, "resolution": f"fix {chance.randrange(4)}"})
    memory.observe(failure("99"), CI)
    at = memory._clock.at
    memory._clock = lambda: at

    first = memory.recall(incident="99")

    assert all(memory.recall(incident="99") == first for _ in range(3))


def test_the_weights_are_settings(memory):
    memory.weights = Weights(succeeded=0, same_signature=1)
    confirmed(memory, "1")
    memory.observe(failure("2"), CI)

    (hit,) = memory.recall(incident="2").hits

    assert {signal.name: signal.points for signal in hit.signals}["same signature"] == 1


def test_among_many_near_duplicates_the_right_family_and_service_comes_first(tmp_path):
    memory, chance = memory_at(tmp_path / "lore.sqlite3"), random.Random(9)
    words = ["".join(chance.choices("bcdfghklmnprst", k=7)) for _ in range(300)]
    texts = [" ".join(chance.choices(words, k=25)) for _ in range(40)]

    def rows():
        for number in range(1_200):
            family, service = number % 40, (number // 40) % 10
            error = (
                f"{texts[family]} after {chance.randrange(900)} s\ncommand failed with exit code 1"
            )
            yield (
                number + 1,
                {
                    "deployment_id": number,
                    "service": f"service-{service}",
                    "error": error,
                    "root_cause": f"cause {family}",
                    "resolution": f"fix {family}",
                    "outcome": "resolved",
                    "confirmed_by": "ana",
                    "confirmed_at": (START - timedelta(days=chance.randrange(600)))
                    .date()
                    .isoformat(),
                },
            )

    def sign(text):
        return signed(text.partition(" after")[0], unit="")

    memory.import_incidents(rows(), ANA, sign=sign)
    for number in range(0, 40, 4):
        block = f"{texts[number]} after 7 s\ncommand failed with exit code 1"
        known = failure("n", signature=sign(block), service=f"service-{number % 10}", block=block)
        case = memory.observe(known, CI)
        best = memory.recall(incident=case.id).hits[0].case
        nowhere = {"service": f"new-{number}", "environment": "", "branch": ""}
        other = failure(f"u{number}", signature=signed(f"u{number}"), block=block, **nowhere)
        unsigned = memory.observe(other, CI)

        assert (best.outcome.resolution, best.record.body.service) == (
            f"fix {number}",
            known.service,
        )
        near = memory.recall(incident=unsigned.id).nearest[0].case
        assert near.record.body.block.startswith(texts[number])
    memory.close()


def test_a_deployment_that_failed_twice_means_its_newest_failure(memory):
    first = memory.observe(failure("77", block=LOCK + "\nfirst try"), CI)
    second = memory.observe(failure("77", block=LOCK + "\nsecond try"), CI)

    assert memory.get("77").id == memory.get("#77").id == second.id
    assert memory.confirm("77", **BATCHES, actor=ANA).id == second.id
    assert memory.get(first.id).outcome is None

    memory.observe(failure("77", service="user-service"), CI)
    with pytest.raises(Ambiguous, match="2 incidents"):
        memory.get("77")


def test_a_precedent_that_nothing_bears_is_not_found_and_nothing_is_written(memory):
    case = memory.observe(failure("1057"), CI)
    before = memory.ledger_verify().entries

    for name in ("1071", "#1071", "inc_0000000000", "inc_ffffffffffffffffffff"):
        with pytest.raises(NotFound, match=name.removeprefix("#")):
            memory.confirm(case.id, **BATCHES, precedents=[name], actor=ANA)

    assert memory.ledger_verify().entries == before


@pytest.mark.parametrize("ref", ["\udcff", "10\ud800", "", " ", "#", "a\nb"])
def test_a_name_that_nothing_can_bear_is_not_found(memory, ref):
    memory.observe(failure("10"), CI)
    with pytest.raises(NotFound):
        memory.get(ref)


def fixed_and_back(tmp_path, days, *, result="succeeded", service="payment-service", name="lock"):
    """Confirm a fix, then see a failure again after some days."""
    memory = memory_at(tmp_path / "lore.sqlite3")
    old = memory.observe(failure("old"), CI, happened_at=START - timedelta(days=1))
    memory.confirm(old.id, **{**BATCHES, "result": result}, actor=ANA)
    at = memory.get(old.id).outcome.confirmed_at + timedelta(days=days, minutes=5)
    new = memory.observe(
        failure("new", service=service, signature=signed(name)), CI, happened_at=at
    )
    found = memory.recall(incident=new.id)
    (hit,) = (*found.hits, *found.nearest)
    memory.close()
    return [one for one in hit.signals if one.name == "regression"]


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0, "came back within a day of its confirmed fix"),
        (1, "came back 1 day after its confirmed fix"),
        (41, "came back 41 days after its confirmed fix"),
    ],
)
def test_a_failure_that_returns_after_its_confirmed_fix_is_a_regression(tmp_path, days, words):
    (signal,) = fixed_and_back(tmp_path, days)

    assert signal.reason == words
    assert signal.points < 0


@pytest.mark.parametrize(
    "more",
    [
        {"days": -2},
        {"days": 9, "result": "failed"},
        {"days": 9, "service": "user-service"},
        {"days": 9, "name": "another"},
    ],
)
def test_what_was_not_fixed_there_before_is_no_regression(tmp_path, more):
    assert fixed_and_back(tmp_path, **more) == []


JOB = """Running with runner 17.%d.0 on pool-%d
Fetching changes with git depth set to %d...
Restoring cache for default-%d-protected...
%s
Uploading artifacts... reports/%d.xml: found 1 matching file
Cleaning up project directory and file based variables"""
CAUSES = (
    "spool of mail is locked",
    "certificate has expired",
    "manifest unknown",
    "deadlock detected",
    "heap limit reached",
    "quota of cpus exceeded",
    "no such column: rate",
    "peer refused the socket",
)


def job(number, cause):
    """Give a cause within lines of its job, of which each job lacks some."""
    lines = (JOB % (number, number * 7, number, number, cause, number)).split("\n")
    return "\n".join(
        one for at, one in enumerate(lines) if one == cause or (number * 7 + at * 3) % 5
    )


def test_lines_that_every_log_has_do_not_tell_whose_failure_is_asked_for(memory):
    for number, cause in enumerate(CAUSES):
        one = failure(
            str(number),
            block=job(number, cause),
            title=cause,
            signature=signed(cause),
        )
        memory.observe(one, CI)
        memory.confirm(str(number), **BATCHES, actor=ANA)

    for number, cause in enumerate(CAUSES):
        found = memory.recall(text=job(number + 33, cause))
        assert names(found.hits)[:1] == [str(number)], cause
        points = [hit.score for hit in found.hits]
        assert points == sorted(points, reverse=True)


@pytest.mark.parametrize(
    "stranger",
    [
        "ModuleNotFoundError: No module named 'yaml'",
        "fatal: unable to access the remote: Could not resolve host",
        "go.sum: checksum mismatch for github.com/acme/wire",
        "Segmentation fault (core dumped)",
    ],
)
def test_pasted_lines_of_an_unknown_failure_are_not_answered_by_what_every_log_holds(
    memory, stranger
):
    for number, cause in enumerate(CAUSES):
        one = failure(str(number), block=job(number, cause), title=cause, signature=signed(cause))
        memory.observe(one, CI)
        memory.confirm(str(number), **BATCHES, actor=ANA)

    for number in (40, 41, 42):
        found = memory.recall(text=job(number, stranger))
        assert names(found.hits) == []
        assert found.nearest[0].why_not == "only what most hold of the question stands in it"


def test_what_chance_wrote_into_pasted_lines_takes_no_answer_away(memory):
    cause = "could not obtain lock on row in relation invoices"
    for number, one in enumerate((*CAUSES, cause)):
        told = failure(str(number), block=job(number, one), title=one, signature=signed(one))
        memory.observe(told, CI)
        memory.confirm(str(number), **BATCHES, actor=ANA)

    asked = job(57, cause) + "\nPod build-7f9c4d5b6-x2x4z on node ip-10-0-43-117, trace 9f2c11d4e5"

    assert names(memory.recall(text=asked).hits)[:1] == [str(len(CAUSES))]


def test_a_failure_that_came_often_is_found_by_its_words_as_one_that_came_once(memory):
    for number, cause in enumerate(CAUSES[:3]):
        for again in range(9 if number == 1 else 1):
            name = f"{number}-{again}"
            one = failure(name, block=cause, title=cause, signature=signed(cause))
            memory.observe(one, CI)
        memory.confirm(f"{number}-0", **BATCHES, actor=ANA)

    asked = [memory.recall(text=f"why is it that the {cause}?").hits[0] for cause in CAUSES[:3]]
    assert [hit.case.record.body.title for hit in asked] == list(CAUSES[:3])


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("TS2304", "1"),
        ("error TS2322", "2"),
        ("what is 40P01", "3"),
        ("exit code 137", "4"),
        ("exit code 143", "5"),
    ],
)
def test_a_code_is_found_as_it_stands(memory, question, first):
    lines = [
        "error TS2304: Cannot find name",
        "error TS2322: Type is not assignable",
        "deadlock detected, state 40P01",
        "the container ended with exit code 137",
        "the container ended with exit code 143",
    ]
    for number, line in enumerate(lines, start=1):
        one = failure(str(number), block=line, title=line, signature=signed(f"code {number}"))
        memory.observe(one, CI)
        memory.confirm(str(number), **BATCHES, actor=ANA)

    assert names(memory.recall(text=question).hits)[:1] == [first]
