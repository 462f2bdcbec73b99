"""What passes is fed to the memory, and a failure is read beside it; a green that shrank is doubted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from caselore.repair import greens
from caselore.repair.pack import prompt
from fakes.forge import FakeJob, FakePipeline, failing_log
from fakes.recordings import CHANGE
from fakes.repair_world import World

NOISE = b"ERROR: could not find metrics.json, going on without it"


def passing_log(tests=41, skipped=0, noise=NOISE):
    out = f", {skipped} skipped" if skipped else ""
    return b"step\n" * 30 + noise + f"\n===== {tests} passed{out} in 3.10s =====\n".encode()


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "lore.db")
    yield made
    assert made.account.memory.ledger_verify().ok
    made.store.close()


def kept(world, stage="test"):
    return [label for label, _ in world.account.memory.green("pay", stage)]


def fetched(world):
    """Count how many logs are fetched from now on."""
    seen, inner = [], world.forge.log

    def log(change, job):
        seen.append(job.id)
        return inner(change, job)

    world.forge.log = log
    return seen


# -- feeding


def test_a_green_pipeline_feeds_the_memory_once(world):
    made = world.forge.run(CHANGE, "success", passing_log())
    world.look()
    before = world.account.memory.ledger_verify().entries
    world.look(90)
    world.restart()
    world.look(90)

    assert kept(world) == [made.jobs[0].id]
    assert world.account.memory.ledger_verify().entries == before


def test_a_red_one_is_read_beside_the_last_green_of_the_same_job(world):
    world.forge.run(CHANGE, "success", passing_log())
    world.look()
    world.forge.push(CHANGE, "aaa1")
    world.forge.run(CHANGE, log=NOISE + b"\n" + failing_log("a"))
    world.look()
    (event,) = world.take()

    (failure,) = event.event["evidence"]["failures"]
    assert failure["green_compared"] == kept(world)[0]
    assert "total_a lost a row" in str(failure["excerpt"])
    assert "metrics.json" not in str(failure["excerpt"])
    assert "last passing runs of this job printed" in prompt(event.event)


def test_what_passes_on_the_target_branch_is_read_beside_the_first_failure(world):
    job = FakeJob("900", "test", "success", "9")
    world.forge.on_target = FakePipeline("9", "ttt", "success", ref="main", jobs=(job,))
    world.forge.logs["900"] = passing_log()
    world.forge.run(CHANGE, log=failing_log("a"))
    world.look()
    (event,) = world.take()

    assert event.event["evidence"]["failures"][0]["green_compared"] == "900"


def test_what_passes_after_the_merge_is_fed_too(world):
    world.forge.merge(CHANGE)
    world.forge.run_after_merge(CHANGE, "success")
    (made,) = world.forge.merged[CHANGE]
    job = FakeJob("901", "test", "success", made.id)
    world.forge.merged[CHANGE] = [replace(made, jobs=(job,))]
    world.forge.logs["901"] = passing_log()
    world.look()

    assert world.status["state"] == "done"
    assert kept(world) == ["901"]


def test_twenty_jobs_at_most_and_none_of_them_twice_in_an_hour(world):
    jobs = tuple(FakeJob(str(500 + n), f"job {n}", "success", "7") for n in range(50))
    for job in jobs:
        world.forge.logs[job.id] = passing_log()
    world.forge.pipes[CHANGE] = [FakePipeline("7", "aaa0", "success", jobs=jobs)]
    seen = fetched(world)
    world.look()
    assert len(seen) == greens.JOBS

    again = tuple(replace(job, id=f"6{job.id}") for job in jobs[: greens.JOBS])
    for job in again:
        world.forge.logs[job.id] = passing_log()
    world.forge.push(CHANGE, "aaa1")
    world.forge.pipes[CHANGE] = [FakePipeline("8", "aaa1", "success", jobs=again)]
    world.look()
    assert len(seen) == greens.JOBS
    world.forge.push(CHANGE, "aaa2")
    world.forge.pipes[CHANGE] = [FakePipeline("9", "aaa2", "success", jobs=again)]
    world.now += timedelta(hours=1)
    world.look()
    assert len(seen) == 2 * greens.JOBS


@pytest.mark.parametrize(
    "log", [failing_log("a"), b"ERROR: Job failed: exit code 1\nFAILED tests/x.py::y - Error: z\n"]
)
def test_what_reads_as_a_failure_is_no_green_whatever_the_forge_says(world, log):
    world.forge.run(CHANGE, "success", log)
    world.look()

    assert world.told == ["pipeline_passed"]
    assert kept(world) == []


def test_the_same_commit_red_then_green_is_known_as_a_flake(world):
    world.forge.run(CHANGE, log=failing_log("a"))
    world.look()
    (event,) = world.take()
    world.forge.retry(CHANGE, "success", passing_log())
    world.look()

    signature = event.event["evidence"]["failures"][0]["signature"]
    assert world.account.memory.occurrences(signature).flaky == 1


def test_logs_that_cannot_be_had_stop_nothing(world):
    made = world.forge.run(CHANGE, "success")
    assert made.jobs[0].id not in world.forge.logs
    world.look()

    assert world.told == ["pipeline_passed"]
    assert kept(world) == []


# -- fewer than before


def repaired(world, green, red=None, first=None):
    """Tell a story: perhaps green at first, then red, then repaired; gives the status."""
    if first is not None:
        world.forge.push(CHANGE, "aaa0")
        world.forge.run(CHANGE, "success", first)
        world.look()
    world.forge.push(CHANGE, "aaa1")
    world.forge.run(CHANGE, log=red or failing_log("a"))
    world.look()
    world.take()
    world.forge.push(CHANGE, "aaa2")
    made = world.forge.run(CHANGE, "success", green)
    world.look()
    return made


SUSPICIOUS = {
    "fewer than when it was red": (dict(green=passing_log(40)), "ran 40 tests instead of 41"),
    "fewer than in the last green": (
        dict(green=passing_log(41), first=passing_log(60)), "ran 41 tests instead of 60",
    ),
    "more are left out": (
        dict(green=passing_log(41, skipped=5), first=passing_log(41, skipped=2)),
        "left out 5 tests instead of 2",
    ),
    "none at all": (dict(green=b"no tests ran in 0.01s\n===== 1 skipped in 0.1s =====\n"), "ran 0 tests"),
}  # fmt: skip
SOUND = {
    "as many as before": dict(green=passing_log(41), first=passing_log(41)),
    "more than before": dict(green=passing_log(42), first=passing_log(41)),
    "no count now": dict(green=b"all good\n", first=passing_log(41)),
    "no count before": dict(green=passing_log(3), red=b"x\n" * 30 + b"error: it broke\n"),
    "another tool": dict(green=b"Tests:       3 passed, 3 total\n"),
}


@pytest.mark.parametrize("case", SUSPICIOUS)
def test_a_green_that_ran_fewer_tests_asks_a_person(world, case):
    story, words = SUSPICIOUS[case]
    repaired(world, **story)

    assert world.status["state"] == "paused"
    assert world.status["why"].startswith("suspicious_green: ")
    assert words in world.status["why"]
    assert world.status["pipeline_fail_count"] == 1
    assert world.told[-1] == "needs_human"
    # and its log is no measure for what comes
    assert len(kept(world)) == ("first" in story)


@pytest.mark.parametrize("case", SOUND)
def test_a_green_that_ran_as_many_resets_the_count(world, case):
    repaired(world, **SOUND[case])

    assert world.status["state"] == "green", world.status["why"]
    assert world.status["pipeline_fail_count"] == 0


def test_the_forges_own_report_goes_before_its_logs(world):
    first = repaired(world, passing_log(99), first=passing_log(41))
    assert world.status["state"] == "green"

    world.forge.reports[first.id] = {"unit": (60, 0), "web": (5, 1)}
    world.forge.push(CHANGE, "aaa3")
    world.forge.run(CHANGE, log=failing_log("b"))
    world.look()
    world.take()
    world.forge.push(CHANGE, "aaa4")
    made = world.forge.run(CHANGE, "success", passing_log(99))
    world.forge.reports[made.id] = {"unit": (60, 0), "web": (4, 2)}
    world.look()

    assert "test report: web ran 4 tests instead of 5" in world.status["why"]


@pytest.mark.parametrize(("on_target", "state"), [(44, "green"), (60, "paused")])
def test_a_branch_may_be_a_little_behind_its_target(world, on_target, state):
    job = FakeJob("900", "test", "success", "9")
    world.forge.on_target = FakePipeline("9", "ttt", "success", ref="main", jobs=(job,))
    world.forge.logs["900"] = passing_log(on_target)
    repaired(world, passing_log(41))

    assert world.status["state"] == state, world.status["why"]


def test_a_job_that_ran_in_the_last_green_and_not_now_is_missed(world):
    lint = FakeJob("800", "lint", "success", "7")
    test = FakeJob("801", "test", "success", "7")
    world.forge.pipes[CHANGE] = [FakePipeline("7", "aaa0", "success", jobs=(lint, test))]
    world.look()
    repaired(world, passing_log(41))

    assert "a job did not run: lint" in world.status["why"]


def test_a_job_that_may_fail_now_is_named(world):
    made = world.forge.run(CHANGE, log=failing_log("a"))
    other = FakeJob("802", "lint", "success", made.id)
    world.forge.pipes[CHANGE][0] = replace(made, jobs=(*made.jobs, other))
    world.look()
    world.take()
    world.forge.push(CHANGE, "aaa2")
    made = world.forge.run(CHANGE, "success", passing_log(41))
    lint = replace(other, id="803", status="failed", allow_failure=True)
    world.forge.pipes[CHANGE][0] = replace(made, jobs=(*made.jobs, lint))
    world.look()

    assert "a job may fail now: lint" in world.status["why"]


def test_a_change_that_the_forge_does_not_show_is_doubted(world):
    world.forge.diffs["aaa1", "aaa2"] = (
        "diff --git a/tests/big.py b/tests/big.py\n--- a/tests/big.py\n+++ b/tests/big.py\n"
        "[caselore: left out by the forge: too large, or no text]\n"
    )
    repaired(world, passing_log(41))

    assert "not shown by the forge: tests/big.py" in world.status["why"]
