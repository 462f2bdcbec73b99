"""Twelve ways in which such a loop is known to fail; each is closed here."""

from __future__ import annotations

from caselore.repair.events import Restore, Stop
from caselore.repair.observations import Delivered
from caselore.repair.recorded import read
from caselore.repair.reducer import reduce
from caselore.repair.state import State, from_json
from fakes.recordings import (
    ALIVE,
    AT_ONCE,
    CHANGE,
    DEAD,
    MERGED,
    after,
    at,
    green,
    job,
    lines,
    of,
    red,
    reds,
    tell,
)


def types(*rows):
    return [one.type.value for one in tell(*rows)[0]]


def steps(*rows, state=None):
    """Give every step of a history whose events no worker takes."""
    state, made = state or State(CHANGE), []
    for _, seen in read(lines(*rows)):
        made.append(reduce(state, seen, AT_ONCE))
        state = made[-1].state
    return made


def test_p1_a_job_that_is_retried_inside_one_pipeline_is_seen():
    again = of("a", 7, "success", [job(70), job(71, "success")])

    assert types(red("a", 7), again) == ["pipeline_failed", "flake_observed", "pipeline_passed"]


def test_p2_an_event_that_no_worker_took_is_still_there_after_a_restart():
    state = steps(red("a", 7))[-1].state
    read_again = from_json(state.to_json(), state.attempts)

    assert read_again == state
    assert read_again.offered
    assert read_again.count == 0


def test_p3_a_failure_that_no_worker_took_never_counts():
    events, status = tell(DEAD, *reds(20))

    assert events == []
    assert (status["state"], status["pipeline_fail_count"]) == ("waiting", 0)


def test_p4_the_breaker_tells_once_and_a_later_green_does_not_rearm_it():
    events, status = tell(*reds(9), green("g", 40), *reds(3, 50))

    assert [one.type.value for one in events].count("circuit_breaker") == 1
    assert [one.type.value for one in events][-1] == "pipeline_passed"
    assert status["state"] == "open"


def test_p5_no_worker_is_started_again_while_the_breaker_is_open():
    simulated = steps(*reds(1))
    assert any(isinstance(one, Restore) for one in steps(*reds(1), DEAD)[-1].commands)

    state = simulated[-1].state
    opened = _opened(state)
    died = steps(DEAD, state=opened)[-1]

    assert died.commands == ()
    assert "no restore" in " ".join(died.notes)


def _opened(state):
    for row in reds(5, 2):
        (told,) = read(lines(row))
        if state.offered:
            state = reduce(state, Delivered(told.seen.at, state.offered), AT_ONCE).state
        step = reduce(state, told.seen, AT_ONCE)
        state = step.state
    assert any(isinstance(one, Stop) for one in step.commands)
    assert state.phase.value == "open"
    return state


def test_p6_a_pipeline_of_another_commit_or_a_lesser_kind_does_not_speak():
    assert types(of("b", 8, "running", []), of("b", 9, sha="a")) == []
    assert types(green("a", 8), red("a", 9, source="push")) == ["pipeline_passed"]


def test_p7_the_same_number_in_another_project_or_on_another_host_is_another_change():
    urls = [
        "https://git.example/pay/-/merge_requests/7",
        "https://git.example/shop/-/merge_requests/7",
        "https://git.other/pay/-/merge_requests/7",
    ]
    ids = {tell(red("a", 7), change=url)[0][0].id for url in urls}

    assert len(ids) == 3


def test_p8_what_a_person_pushed_does_not_use_up_the_workers_budget():
    events, status = tell(*[red(f"h{n}", n, pusher="human:bob") for n in range(1, 9)])

    assert {one.type.value for one in events} == {"needs_human"}
    assert status["pipeline_fail_count"] == 0


def test_p9_an_event_says_which_job_failed_and_how():
    (event,), _ = tell(red("a", 7, "sig1:x"))

    assert event.evidence["jobs"] == [{"id": "70", "name": "test"}]
    assert event.evidence["fingerprints"] == ["sig1:x"]
    assert event.evidence["class"] == "script"


def test_p10_how_often_a_worker_was_started_again_outlives_a_restart():
    state = steps(red("a", 7))[-1].state
    asked = 0
    for _ in range(6):
        for row in (DEAD, ALIVE):
            step = steps(row, state=from_json(state.to_json(), state.attempts))[-1]
            state = step.state
            asked += sum(isinstance(one, Restore) for one in step.commands)

    assert asked == AT_ONCE.restores
    assert any(one.startswith("restores:") for one in state.notices)


def test_p11_the_watch_after_the_merge_ends_by_time_not_by_the_number_of_looks():
    running = [at(n, after("main", 90, "mmm1", "running")) for n in range(1, 600)]
    late = at(23 * 60, after("main", 90, "mmm1"))
    too_late = at(25 * 60, after("main", 91, "mmm1"))

    assert types(at(0, MERGED), *running, late) == ["main_pipeline_failed"]
    assert types(at(0, MERGED), too_late) == []


def test_p12_cancelled_for_a_newer_commit_and_cancelled_by_a_person_differ():
    superseded = [of("b", 8, "running", []), of("b", 7, "canceled", [], sha="a")]

    assert types(red("a", 7), *superseded) == ["pipeline_failed"]
    assert types(red("a", 7), of("b", 8, "canceled", [])) == ["pipeline_failed", "needs_human"]
