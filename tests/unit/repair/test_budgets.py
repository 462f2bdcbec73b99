"""What the loop may spend beside the count: reruns end, and nothing but a proven green gives back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from caselore.repair import recorded
from caselore.repair.events import Rerun
from caselore.repair.observations import Delivered
from caselore.repair.policy import Policy
from caselore.repair.reducer import reduce
from caselore.repair.state import State
from fakes.recordings import AT_ONCE, CHANGE, MERGED, after, green, job, lines, of, red

RUNNER = "runner_system_failure"


class Loop:
    """The reducer, told row by row; a worker takes at once whatever leaves."""

    def __init__(self, policy=AT_ONCE):
        self.state, self.policy = State(CHANGE), policy
        self.told, self.reruns, self.minute = [], [], 0

    def tell(self, row, *doubts):
        """Tell one row; gives what it had for news."""
        self.minute += 1
        at = f"2026-11-01T{10 + self.minute // 60:02d}:{self.minute % 60:02d}:00Z"
        (one,) = recorded.read(lines({"at": at, **row}))
        seen = one.seen
        if doubts:
            seen = replace(seen, pipeline=replace(seen.pipeline, doubts=doubts))
        step = self._take(seen)
        for event in step.events:
            self._take(Delivered(seen.at, event.id))
        return [event.type.value for event in step.events], step.commands

    def _take(self, seen):
        step = reduce(self.state, seen, self.policy)
        self.state = step.state
        self.told += [event.type.value for event in step.events]
        self.reruns += [one for one in step.commands if isinstance(one, Rerun)]
        return step


def in_place(times, reason=RUNNER):
    """One pipeline whose job was run so many times, and failed each time."""
    jobs = [job(70 + n, reason=reason, fingerprint=f"sig1:{n}") for n in range(times)]
    return of("a", 7, jobs=jobs)


def pushed(times, reason=RUNNER):
    return of(f"c{times}", times, jobs=[job(times * 10, reason=reason)])


@pytest.mark.parametrize("how", [in_place, pushed])
@pytest.mark.parametrize("reruns", [0, 1, 2, 5])
@pytest.mark.parametrize("limit", [1, 3, 6])
def test_a_broken_infrastructure_is_run_again_so_often_and_then_parked(how, reruns, limit):
    loop = Loop(Policy(settle=0, infra_reruns=reruns, infra_limit=limit))
    for times in range(1, limit + 1):
        assert str(loop.state.phase) != "paused"
        loop.tell(how(times))
    assert str(loop.state.phase) == "paused"
    assert len(loop.reruns) == min(reruns, limit)
    assert loop.told == ["infra_suspected"] * limit + ["needs_human"]

    for times in range(limit + 1, limit + 30):  # parked: whatever comes, it asks for nothing more
        assert loop.tell(how(times)) == ([], ())
    assert str(loop.state.phase) == "paused"
    assert loop.state.count == 0


def test_a_change_that_a_person_paused_is_not_run_again():
    loop = Loop()
    loop.tell(red("a", 1))
    loop.tell(of("b", 2, "running", [], pusher="human:bob"))
    for number in range(3, 12):
        row = of("b", number, jobs=[job(number * 10, reason=RUNNER)], pusher="human:bob")
        assert loop.tell(row) == ([], ())
    assert (str(loop.state.phase), loop.state.count) == ("paused", 1)


ONCE = {
    "red": red("a", 7),
    "red of the infrastructure": in_place(1),
    "green": green("a", 7),
    "cancelled": of("a", 7, "canceled"),
    "waiting for a person": of("a", 7, "manual", [job(70, "success"), job(71, "manual")]),
    "red without jobs": of("a", 7, jobs=[]),
}


@pytest.mark.parametrize("kind", ONCE)
def test_an_attempt_that_was_handled_is_asked_for_first(kind):
    """However often it is read, it is in the account once, and spends once."""
    loop = Loop()
    loop.tell(ONCE[kind])
    before, told, reruns = loop.state, list(loop.told), len(loop.reruns)
    assert told
    for _ in range(10):
        assert loop.tell(ONCE[kind]) == ([], ())

    assert (loop.told, len(loop.reruns)) == (told, reruns)
    assert loop.state.attempts == before.attempts
    assert (loop.state.run, loop.state.infra) == (before.run, before.infra)


def test_nothing_after_the_merge_counts_or_trips():
    loop = Loop()
    for number in range(1, 5):
        loop.tell(red(f"c{number}", number))
    loop.tell(MERGED)
    for number in range(100, 130):
        loop.tell(after("main", number, "mmm1"))
        loop.tell(after(f"v1.{number}", 100 + number, "mmm1"))
        loop.tell(red(f"d{number}", 200 + number))

    assert loop.state.count == 4
    assert loop.told.count("pipeline_failed") == 4
    assert set(loop.told) == {"pipeline_failed", "main_pipeline_failed", "tag_pipeline_failed"}
    assert loop.told.count("main_pipeline_failed") == 30
    assert loop.reruns == []


@pytest.mark.parametrize("reds", [1, 4, 5])
def test_a_green_that_proves_little_gives_no_attempt_back(reds):
    loop = Loop()
    for number in range(1, reds + 1):
        loop.tell(red(f"c{number}", number))
    told, _ = loop.tell(green("d", 50), "a test is skipped: tests/test_totals.py")
    assert told == ["needs_human"]
    assert (str(loop.state.phase), loop.state.count, loop.state.run) == ("paused", reds, 0)

    for number in range(60, 65 - reds):  # what is left of the five, and not one more
        loop.tell(red(f"c{number}", number))
    loop.tell(red("last", 90))
    assert loop.told[-1] == "circuit_breaker"
    assert loop.told.count("pipeline_failed") == 5
    assert "pipeline_passed" not in loop.told
