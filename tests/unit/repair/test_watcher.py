"""The watcher over a forge in memory: it sees what happens, counts it once, and lies change nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from caselore.errors import Unavailable
from caselore.memory.loops import Hint
from caselore.repair.account import WORKER
from caselore.repair.comment import MARKER
from caselore.repair.observations import Untrack
from caselore.repair.pack import prompt
from fakes.failures import ANA
from fakes.forge import RateLimited, TimedOut, failing_log
from fakes.recordings import CHANGE
from fakes.repair_world import ID, World


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "lore.db")
    yield made
    assert made.account.memory.ledger_verify().ok
    made.store.close()


def test_a_red_pipeline_reaches_the_worker_with_what_is_known_of_it(world):
    world.forge.run(CHANGE, log=failing_log("a"))
    world.look()
    (event,) = world.take()

    (failure,) = event.event["evidence"]["failures"]
    assert failure["unit"].endswith("test_total_a")
    assert failure["signature"].startswith("sig1:")
    assert any("total_a lost a row" in part["text"] for part in failure["excerpt"])
    assert failure["incident"].startswith("inc_")
    assert event.event["evidence"]["fingerprints"] == [failure["signature"]]
    assert world.status["state"] == "repairing"
    text = prompt(event.event)
    assert "attempt 1/5" in text
    assert "<data " in text
    assert event.id in text


def test_looking_again_changes_nothing(world):
    world.forge.run(CHANGE)
    world.look()
    before = world.account.memory.ledger_verify().entries
    for _ in range(5):
        assert world.look().news == 0

    assert world.account.memory.ledger_verify().entries == before
    assert len(world.account.waiting(WORKER)) == 1


def test_a_confirmed_precedent_is_in_the_evidence_with_what_worked(world):
    world.forge.run(CHANGE, log=failing_log("a"))
    world.look()
    (first,) = world.take()
    world.account.memory.confirm(
        first.event["evidence"]["failures"][0]["incident"],
        cause="a row without an amount", resolution="skip rows without an amount",
        result="succeeded", actor=ANA,
    )  # fmt: skip
    world.forge.push(CHANGE, "aaa1")
    world.forge.run(CHANGE, log=failing_log("a"))
    world.look()
    (second,) = world.take()

    (known,) = second.event["evidence"]["failures"][0]["precedents"]
    assert known["same_failure"] is True
    assert known["resolution"] == "skip rows without an amount"
    assert second.event["evidence"]["progress"] == "unchanged"
    assert "skip rows without an amount" in prompt(second.event)
    assert "another" in prompt(second.event)


def test_a_retry_inside_the_pipeline_that_is_green_is_seen(world):
    world.forge.run(CHANGE)
    world.look()
    world.take()
    world.forge.retry(CHANGE, "success")
    world.look()

    assert world.told == ["pipeline_failed", "flake_observed", "pipeline_passed"]
    assert world.status["pipeline_fail_count"] == 0


def test_what_fails_on_the_target_branch_alike_is_not_counted(world):
    world.forge.fail_on_target(failing_log("main"))
    world.forge.run(CHANGE, log=failing_log("main"))
    world.look()

    assert world.told == ["baseline_red"]
    assert world.account.waiting(WORKER) == []


def test_a_person_who_pushes_pauses_the_loop(world):
    world.forge.run(CHANGE)
    world.look()
    world.forge.push(CHANGE, "bbb1", pusher="bob")
    world.forge.run(CHANGE)
    world.look()

    assert world.told == ["pipeline_failed", "needs_human"]
    assert world.status["state"] == "paused"
    assert world.account.waiting(WORKER) == []


def test_a_log_of_the_infrastructure_is_told_apart_and_run_again(world):
    world.forge.run(CHANGE, reason="runner_system_failure")
    world.look()

    assert world.told == ["infra_suspected"]
    assert len(world.forge.reruns) == 1


@pytest.mark.parametrize("error", [Unavailable("502 <html>"), RateLimited(), TimedOut()])
def test_a_forge_that_lies_or_sleeps_changes_nothing(world, error):
    world.forge.run(CHANGE)
    world.look()
    world.take()
    before = world.status
    for _ in range(4):
        world.forge.trouble = [error]
        assert world.look().errors
    world.forge.trouble = []

    assert {**world.status, "last_attempt": None} == {**before, "last_attempt": None}
    assert world.told == ["pipeline_failed"]


def test_three_times_not_found_and_it_is_gone(world):
    del world.forge.changes[CHANGE]
    for _ in range(5):
        world.look()

    assert world.told == ["change_gone"]
    assert world.status["state"] == "done"


def test_after_the_merge_the_target_branch_is_watched(world):
    world.forge.merge(CHANGE)
    world.look()
    world.forge.run_after_merge(CHANGE, "failed")
    world.look()

    assert world.told == ["main_pipeline_failed"]
    assert [one.type for one in world.account.waiting(WORKER)] == ["main_pipeline_failed"]
    assert world.status["pipeline_fail_count"] == 0


def test_a_tag_that_fails_after_a_green_target_branch_goes_to_the_worker_uncounted(world):
    world.forge.merge(CHANGE)
    world.forge.run_after_merge(CHANGE, "success")
    world.look()
    assert world.status["state"] == "done"
    for _ in range(8):
        world.look()
        assert len(world.account.memory.jobs("waiting")) == 1
    world.forge.trouble = [Unavailable("502 <html>")] * 3
    for _ in range(8):
        world.look()
    assert world.forge.trouble == []
    world.forge.run_after_merge(CHANGE, "failed", ref="v1.4.0", tag=True)
    for _ in range(6):
        world.look()

    assert world.told == ["tag_pipeline_failed"]
    assert [one.type for one in world.take()] == ["tag_pipeline_failed"]
    found = (world.status["state"], world.status["pipeline_fail_count"])
    assert found == ("post_merge", 0)
    world.look(minutes=world.account.policy.post_merge // 60 + 1)
    world.look()
    assert world.status["state"] == "done"
    assert world.told == ["tag_pipeline_failed"]


@pytest.mark.parametrize("ended", ["late", "untracked"])
def test_a_tag_is_not_looked_for_when_the_time_is_over_or_nobody_wants_it(world, ended):
    world.forge.merge(CHANGE)
    world.forge.run_after_merge(CHANGE, "success")
    world.look()
    if ended == "late":
        world.now += timedelta(seconds=world.account.policy.post_merge)
    else:
        world.account.step(ID, Untrack(world.now, "human:ana"), ANA, "untrack")
    world.forge.run_after_merge(CHANGE, "failed", ref="v1.4.0", tag=True)
    calls = world.forge.calls
    for _ in range(4):
        world.look(minutes=5)

    assert (world.told, world.forge.calls) == ([], calls)
    assert world.account.memory.jobs("waiting") == []


def test_a_green_that_comes_from_a_skipped_test_is_doubted(world):
    world.forge.run(CHANGE)
    world.look()
    world.take()
    world.forge.push(CHANGE, "aaa1")
    world.forge.diffs["aaa0", "aaa1"] = SKIPPED
    world.forge.run(CHANGE, "success")
    world.look()

    assert world.told == ["pipeline_failed", "needs_human"]
    assert world.status["state"] == "paused"
    assert world.status["pipeline_fail_count"] == 1
    assert "a test is skipped: tests/test_totals.py" in world.status["why"]


def test_a_green_after_an_honest_repair_resets(world):
    world.forge.run(CHANGE)
    world.look()
    world.take()
    world.forge.push(CHANGE, "aaa1")
    world.forge.run(CHANGE, "success")
    world.look()

    assert world.told == ["pipeline_failed", "pipeline_passed"]
    assert world.status["pipeline_fail_count"] == 0


def test_a_green_after_a_repair_is_proposed_as_its_resolution_and_confirmed_by_nobody(world):
    world.forge.run(CHANGE, log=failing_log("a"))
    world.look()
    (event,) = world.take()
    incident = event.event["evidence"]["failures"][0]["incident"]
    world.forge.push(CHANGE, "aaa1")
    world.forge.run(CHANGE, "success")
    world.look()

    case = world.account.memory.get(incident)
    assert case.status.value == "proposed"
    assert case.outcome is None
    said = case.verdicts[-1]
    assert str(said.actor) == "agent:coder"
    assert "aaa1" in said.body["resolution"]


def test_a_flake_proposes_nothing(world):
    world.forge.run(CHANGE, log=failing_log("a"))
    world.look()
    (event,) = world.take()
    world.forge.retry(CHANGE, "success")
    world.look()

    incident = event.event["evidence"]["failures"][0]["incident"]
    assert world.account.memory.get(incident).status.value == "observed"


def test_one_comment_says_where_it_stands(world):
    for number in range(1, 4):
        world.forge.push(CHANGE, f"aaa{number}")
        world.forge.run(CHANGE)
        world.look()
        world.take()

    ((_, marker),) = world.forge.comments
    texts = world.forge.comments[CHANGE, marker]
    assert marker == MARKER
    assert len(texts) == 3
    assert "attempt 3" in texts[-1]


def test_a_hint_is_looked_at_once_and_says_nothing_by_itself(world):
    world.look()
    world.forge.run(CHANGE)
    world.account.memory.hear([Hint("gitlab", "d1", ID, world.now)])
    swept = world.rounds.once(everything=False)

    assert (swept.looked, swept.news) == (1, 1)
    assert world.account.memory.heard() == []
    assert world.rounds.once(everything=False).looked == 0


def test_a_restart_forgets_nothing_and_tells_nothing_twice(world):
    for number in range(1, 9):
        world.forge.push(CHANGE, f"aaa{number}")
        world.forge.run(CHANGE)
        world.look()
        world.restart()
        world.take()
        world.restart()
        world.look()

    assert world.told == ["pipeline_failed"] * 5 + ["circuit_breaker"]
    assert world.status["state"] == "open"


SKIPPED = """diff --git a/tests/test_totals.py b/tests/test_totals.py
--- a/tests/test_totals.py
+++ b/tests/test_totals.py
@@ -9,2 +9,3 @@
+@pytest.mark.skip(reason="flaky")
 def test_total():
"""
