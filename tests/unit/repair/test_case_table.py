"""How each case counts: the table of cases, one row a case."""

from __future__ import annotations

import pytest

from fakes.recordings import (
    ALIVE,
    BY_ANA,
    CLOSED,
    DEAD,
    MERGED,
    after,
    at,
    error,
    green,
    job,
    of,
    pipeline,
    red,
    reds,
    tell,
)

FAILED, PASSED, BREAKER = "pipeline_failed", "pipeline_passed", "circuit_breaker"
FLAKE, BASE, INFRA, PERSON = "flake_observed", "baseline_red", "infra_suspected", "needs_human"
MAIN, TAG, GONE = "main_pipeline_failed", "tag_pipeline_failed", "change_gone"


def infra(head, id, reason="runner_system_failure"):
    return of(head, id, jobs=[job(id * 10, reason=reason, fingerprint="sig1:runner")])


def child(head, id, status="failed"):
    return of(head, id, status, source="parent_pipeline")


def target(*failed):
    return {"target": {"sha": "ttt1", "failed_fingerprints": list(failed)}}


def retried(head, id, *runs):
    """One pipeline whose job was run several times; the last run decides its status."""
    jobs = [
        job(id * 10 + n, status, fingerprint=print_) for n, (status, print_) in enumerate(runs)
    ]
    return of(head, id, runs[-1][0], jobs)


BOB = "human:bob"
# (what happens, the events that leave in order, the state at the end, the count at the end)
CASES = {
    # no verdict yet, or none at all
    **{
        f"a {status} pipeline changes nothing": ([of("a", 7, status, [])], [], "tracking", 0)
        for status in (
            "created", "waiting_for_resource", "preparing", "pending", "running", "scheduled",
            "canceling", "waiting_for_callback", "queued", "in_progress", "a_word_of_next_year",
        )
    },
    **{
        f"a {status} pipeline is no verdict": (
            [red("a", 7), of("b", 8, status, [])], [FAILED], "waiting", 1
        )
        for status in ("skipped", "neutral", "stale")
    },
    "no pipeline changes nothing": (
        [red("a", 7), {"head": "b", "pusher": "worker"}, {"head": "b", "pipeline": None}],
        [FAILED], "waiting", 1,
    ),
    # red
    "a red job of the worker's own counts": ([red("a", 7)], [FAILED], "repairing", 1),
    "a run that has started after the repair is waited for": (
        [red("a", 7), of("b", 8, "running", [])], [FAILED], "waiting", 1
    ),
    "a job that timed out counts": (
        [of("a", 7, jobs=[job(70, reason="job_execution_timeout")])], [FAILED], "repairing", 1
    ),
    "a run that timed out counts": ([of("a", 7, "timed_out")], [FAILED], "repairing", 1),
    "a pipeline cancelled by a job's timeout counts": (
        [of("a", 7, "canceled", [job(70, reason="job_execution_timeout")])],
        [FAILED], "repairing", 1,
    ),
    "a configuration that cannot be run counts": (
        [of("a", 7, jobs=[], yaml_errors="jobs:test config should contain script")],
        [FAILED], "repairing", 1,
    ),
    "a red pipeline without any job counts": ([of("a", 7, jobs=[])], [FAILED], "repairing", 1),
    "words of other forges mean the same": (
        [of("a", 7, "completed", [job(70, "completed", conclusion="failure")],
            conclusion="failure", source="pull_request")],
        [FAILED], "repairing", 1,
    ),
    "a red job in a pipeline that waits for a manual one counts": (
        [of("a", 7, "manual", [job(70), job(71, "manual", name="deploy")])],
        [FAILED], "repairing", 1,
    ),
    "one red job that may fail is a pass with warnings": (
        [red("a", 7), of("b", 8, "failed", [job(80, allow_failure=True), job(81, "success", name="unit")])],
        [FAILED, PASSED], "green", 0,
    ),
    "success with warnings is success": (
        [of("a", 7, "success", [job(70, allow_failure=True), job(71, "success", name="unit")])],
        [PASSED], "green", 0,
    ),
    "one that may fail beside one that may not is red": (
        [of("a", 7, jobs=[job(70, allow_failure=True, name="lint"), job(71)])],
        [FAILED], "repairing", 1,
    ),
    "five go to the worker": (reds(5), [FAILED] * 5, "repairing", 5),
    "the sixth trips": (reds(6), [FAILED] * 5 + [BREAKER], "open", 5),
    "all after the sixth are silent": (reds(9), [FAILED] * 5 + [BREAKER], "open", 5),
    # green
    "green resets": (
        [*reds(4), green("e", 50), red("f", 60)], [FAILED] * 4 + [PASSED, FAILED], "repairing", 1
    ),
    "green resets as often as it comes": (
        [*reds(5), green("e", 50), *reds(5, 60), green("f", 70)],
        [FAILED] * 5 + [PASSED] + [FAILED] * 5 + [PASSED], "green", 0,
    ),
    "the same green twice is said once": ([green("a", 7), green("a", 7)], [PASSED], "green", 0),
    # cancelled
    "cancelled for a newer commit is no verdict": (
        [red("a", 7), of("c", 9, "running", []), of("c", 8, "canceled", [], sha="b")],
        [FAILED], "waiting", 1,
    ),
    "cancelled by the forge for a newer one is no verdict": (
        [of("a", 7, "canceled", [], auto_canceled_by={"id": 8})], [], "tracking", 0
    ),
    "cancelled on the head pauses and tells a person once": (
        [red("a", 7), of("b", 8, "canceled", []), of("b", 8, "canceled", [])],
        [FAILED, PERSON], "paused", 1,
    ),
    "a push of the worker ends that pause": (
        [of("a", 7, "canceled", []), red("b", 8)], [PERSON, FAILED], "repairing", 1
    ),
    # waiting for people
    "a pipeline that waits for a manual job is no green, said once": (
        [red("a", 7), *[of("b", 8, "manual", [job(80, "success"), job(81, "manual")])] * 2],
        [FAILED, PERSON], "waiting", 1,
    ),
    "a run that needs an approval tells a person": (
        [of("a", 7, "action_required", [])] * 2, [PERSON], "waiting", 0
    ),
    "a run that could not start tells a person": (
        [of("a", 7, "startup_failure", [])], [PERSON], "waiting", 0
    ),
    # the infrastructure
    **{
        f"{reason} is not counted": ([infra("a", 7, reason)], [INFRA], "tracking", 0)
        for reason in (
            "runner_system_failure", "api_failure", "stuck_or_timeout_failure", "registry_5xx",
            "scheduler_failure", "data_integrity_failure",
        )
    },
    "infrastructure and a real failure together count": (
        [of("a", 7, jobs=[job(70, reason="runner_system_failure"), job(71, name="unit")])],
        [FAILED], "repairing", 1,
    ),
    "the infrastructure leaves the count as it is": (
        [*reds(3), infra("i", 30), red("j", 31)], [FAILED] * 3 + [INFRA, FAILED], "repairing", 4
    ),
    "the infrastructure is parked after six in a row": (
        [infra(f"i{n}", n) for n in range(1, 10)], [INFRA] * 6 + [PERSON], "paused", 0
    ),
    "a real failure after that counts": (
        [*[infra(f"i{n}", n) for n in range(1, 8)], red("x", 30)],
        [INFRA] * 6 + [PERSON, FAILED], "repairing", 1,
    ),
    # the same commit again
    "the same reading again changes nothing": ([red("a", 7)] * 3, [FAILED], "repairing", 1),
    "a retry inside one pipeline that is red alike is no new work": (
        [red("a", 7), retried("a", 7, ("failed", "sig1:70"), ("failed", "sig1:70"))],
        [FAILED], "repairing", 1,
    ),
    "a retry inside one pipeline with another failure counts": (
        [red("a", 7), retried("a", 7, ("failed", "sig1:70"), ("failed", "sig1:other"))],
        [FAILED, FAILED], "repairing", 2,
    ),
    "a retry inside one pipeline that is green resets, and was a flake": (
        [red("a", 7), retried("a", 7, ("failed", "sig1:70"), ("success", None))],
        [FAILED, FLAKE, PASSED], "green", 0,
    ),
    "a new pipeline of the same commit that is green was a flake": (
        [red("a", 7), green("a", 8)], [FAILED, FLAKE, PASSED], "green", 0
    ),
    "a new pipeline of the same commit that is red alike is no new work": (
        [red("a", 7, "sig1:x"), red("a", 8, "sig1:x")], [FAILED], "repairing", 1
    ),
    "one whose retried run is green while its own status lags is no verdict": (
        [red("a", 7), of("a", 7, "failed", [job(70), job(71, "success")])],
        [FAILED], "repairing", 1,
    ),
    "jobs that are listed late are the same attempt": (
        [red("a", 7), of("a", 7, jobs=[job(70), job(71, name="unit")])], [FAILED], "repairing", 1
    ),
    "red, green and red again without any job listed are three attempts": (
        [of("a", 7, jobs=[]), green("a", 7, jobs=[]), of("a", 7, jobs=[])],
        [FAILED, FLAKE, PASSED, FAILED], "repairing", 1,
    ),
    "a failure that is known to be flaky is run again first, twice": (
        [of("a", 7, jobs=[job(70, flaky=True, fingerprint="sig1:f")]),
         of("a", 7, jobs=[job(71, flaky=True, fingerprint="sig1:f")]),
         of("a", 7, jobs=[job(72, flaky=True, fingerprint="sig1:f")])],
        [FLAKE, FLAKE, FAILED], "repairing", 1,
    ),
    # whose fault, whose push
    "red alike on the target branch is not counted": (
        [target("sig1:a", "sig1:b"), red("a", 7, "sig1:a")], [BASE], "tracking", 0
    ),
    "red beyond what fails on the target branch counts": (
        [target("sig1:a"),
         of("a", 7, jobs=[job(70, fingerprint="sig1:a"), job(71, name="u", fingerprint="sig1:z")])],
        [FAILED], "repairing", 1,
    ),
    "a target branch that is green again excuses nothing": (
        [target("sig1:a"), red("a", 7, "sig1:a"), target(), red("b", 8, "sig1:a")],
        [BASE, FAILED], "repairing", 1,
    ),
    "a person's red push is not the worker's": (
        [red("a", 7), red("b", 8, pusher=BOB)], [FAILED, PERSON], "paused", 1
    ),
    "a person's push pauses": (
        [red("a", 7), of("b", 8, "running", [], pusher=BOB)], [FAILED], "paused", 1
    ),
    "the worker's next push goes on counting": (
        [red("a", 7), red("b", 8, pusher=BOB), red("c", 9)],
        [FAILED, PERSON, FAILED], "repairing", 2,
    ),
    "red while paused by a cancellation is not told again": (
        [of("a", 7, "canceled", []), red("a", 8)], [PERSON], "paused", 0
    ),
    "a person's green push resets": (
        [*reds(3), green("x", 30, pusher=BOB)], [FAILED] * 3 + [PASSED], "green", 0
    ),
    # which pipeline speaks
    "a pipeline of an older head is stale": (
        [red("a", 7), of("b", 8, "running", []), of("b", 7, jobs=[job(75)], sha="a")],
        [FAILED], "waiting", 1,
    ),
    "after a force push the old commit no longer speaks": (
        [of("b", 9, "running", []), of("b", 8, sha="gone")], [], "tracking", 0
    ),
    "the merge request's pipeline goes before the branch's": (
        [of("a", 8, "running", []), of("a", 7, source="push"), green("a", 8)],
        [PASSED], "green", 0,
    ),
    "a branch pipeline and the merge request's count one push once": (
        [red("a", 7, "sig1:x", source="push"), red("a", 8, "sig1:y")], [FAILED], "repairing", 1
    ),
    "a branch's green does not hide the merge request's red": (
        [red("a", 8), green("a", 7, source="push"), green("a", 9, source="push")],
        [FAILED], "repairing", 1,
    ),
    "an external status does not speak where a pipeline does": (
        [green("a", 8), of("a", 9, source="external")], [PASSED], "green", 0
    ),
    "a merged result speaks for the head it was made of": (
        [of("a", 7, sha="merged1", ref="refs/merge-requests/42/merge")],
        [FAILED], "repairing", 1,
    ),
    "the merged result of an older head is stale": (
        [of("a", 7, sha="m1", ref="refs/merge-requests/42/merge"),
         of("b", 9, "running", []),
         of("b", 7, jobs=[job(75)], sha="m1", ref="refs/merge-requests/42/merge")],
        [FAILED], "waiting", 1,
    ),
    "the merged result of another change says nothing here": (
        [of("a", 7, sha="m1", ref="refs/merge-requests/43/merge")], [], "tracking", 0
    ),
    "a train goes before the merged result": (
        [of("a", 8, "running", [], sha="t1", ref="refs/merge-requests/42/train"),
         of("a", 9, sha="m1", ref="refs/merge-requests/42/merge")],
        [], "tracking", 0,
    ),
    "a child does not speak for its parent": (
        [child("a", 8), of("a", 7)], [FAILED], "repairing", 1
    ),
    "a child that may fail leaves its parent green": (
        [child("a", 8), of("a", 7, "success", [job(70, allow_failure=True, name="bridge")])],
        [PASSED], "green", 0,
    ),
    "an older pipeline of the same head is superseded": (
        [green("a", 8), red("a", 7)], [PASSED], "green", 0
    ),
    "without a word about the head, a new commit's own pipeline is it": (
        [{"pipeline": pipeline(7, "a")}, {"pipeline": pipeline(8, "b")},
         {"pipeline": pipeline(9, "a", "success")}],
        [FAILED, FAILED], "repairing", 2,
    ),
    # arrival
    "a reading that comes late is of an older head": (
        [at(9, red("b", 8)), at(0, red("a", 7))], [FAILED], "repairing", 1
    ),
    "a reading that comes late does not undo a newer one": (
        [at(9, green("a", 7)), at(0, red("a", 7))], [PASSED], "green", 0
    ),
    # trouble
    **{
        f"an error of kind {kind} changes nothing": (
            [red("a", 7), *[error(kind)] * 9], [FAILED], "repairing", 1
        )
        for kind in ("api", "rate_limited", "timeout", "html instead of json")
    },
    "three times not found, and it is gone": ([error("not_found")] * 4, [GONE], "done", 0),
    "found in between, and it is not gone": (
        [*[error("not_found")] * 2, of("a", 7, "running", []), *[error("not_found")] * 2],
        [], "tracking", 0,
    ),
    "closed, and it is gone": ([red("a", 7), CLOSED, CLOSED], [FAILED, GONE], "done", 1),
    "opened again, and it is tracked": (
        [CLOSED, {"state": "opened"}, red("a", 7)], [GONE, FAILED], "repairing", 1
    ),
    "closed and opened again does not rearm the breaker": (
        [*reds(6), CLOSED, {"state": "reopened"}, red("x", 30)],
        [FAILED] * 5 + [BREAKER, GONE], "open", 5,
    ),
    "closed, and a late pipeline says nothing": ([CLOSED, red("a", 7)], [GONE], "done", 0),
    # after the merge
    "merged, and the target branch is watched": ([MERGED], [], "post_merge", 0),
    "red on the target branch after the merge is never counted": (
        [*reds(2), MERGED, after("main", 90, "mmm1")], [FAILED, FAILED, MAIN], "post_merge", 2
    ),
    "the same red there is said once": (
        [MERGED, *[after("main", 90, "mmm1")] * 3], [MAIN], "post_merge", 0
    ),
    "red on a tag after the merge is never counted": (
        [MERGED, after("v1.4.0", 91, "mmm1")], [TAG], "post_merge", 0
    ),
    "a tag may be named with its folder": (
        [MERGED, after("tags/seven", 91, "mmm1")], [TAG], "post_merge", 0
    ),
    "a held failure that the target branch turns out to have is not handed over": (
        [DEAD, red("a", 7, "sig1:a"), target("sig1:a"), ALIVE, red("a", 7, "sig1:a")],
        [BASE], "tracking", 0,
    ),
    "a held failure of which the target branch has one half is handed over": (
        [
            DEAD,
            of("a", 7, jobs=[job(70, name="x", fingerprint="sig1:a"), job(71, name="y", fingerprint="sig1:b")]),
            target("sig1:a"),
            ALIVE,
        ],
        [FAILED], "repairing", 1,
    ),
    "a tag that the forge names as one": (
        [MERGED, after("release-7", 91, "mmm1", tag=True)], [TAG], "post_merge", 0
    ),
    "green on the target branch ends it": (
        [MERGED, after("main", 90, "mmm1", "success")], [], "done", 0
    ),
    "a red tag after that is still told": (
        [MERGED, after("main", 90, "mmm1", "success"), after("v2.0", 91, "mmm1")],
        [TAG], "post_merge", 0,
    ),
    "the same green there again says nothing of that tag": (
        [
            MERGED, after("main", 90, "mmm1", "success"), after("v2.0", 91, "mmm1"),
            after("main", 90, "mmm1", "success"),
        ],
        [TAG], "post_merge", 0,
    ),
    "another green there ends it again": (
        [MERGED, after("main", 90, "mmm1"), after("main", 92, "mmm1", "success")], [MAIN], "done", 0
    ),
    "another commit's pipeline on the target branch is not this change's": (
        [MERGED, after("main", 90, "other")], [], "post_merge", 0
    ),
    "a target branch that is read before the merge is kept until it": (
        [after("main", 90, "mmm1"), MERGED], [MAIN], "post_merge", 0
    ),
    "a pipeline of the merged change itself no longer matters": (
        [MERGED, red("a", 7)], [], "post_merge", 0
    ),
    # the worker
    "a dead worker holds the failure, which does not count yet": (
        [DEAD, red("a", 7)], [], "waiting", 0
    ),
    "it goes out and counts when the worker is back": (
        [DEAD, red("a", 7), ALIVE, ALIVE], [FAILED], "repairing", 1
    ),
    "only the newest one is held": (
        [DEAD, red("a", 7), red("b", 8), ALIVE], [FAILED], "repairing", 1
    ),
    "a green lets go of what was held": (
        [DEAD, red("a", 7), green("b", 8), ALIVE], [PASSED], "green", 0
    ),
    "a worker that was dead all along cannot trip the breaker": (
        [DEAD, *reds(9)], [], "waiting", 0
    ),
    # the breaker and a person
    "a person's word begins again at one": (
        [*reds(6), BY_ANA, red("x", 30)], [FAILED] * 5 + [BREAKER, FAILED], "repairing", 1
    ),
    "an agent's word does not": (
        [*reds(6), {"rearm": {"by": "agent:claude", "why": "let me"}}, red("x", 30)],
        [FAILED] * 5 + [BREAKER], "open", 5,
    ),
    "nor does a word without a reason": (
        [*reds(6), {"rearm": {"by": "human:ana", "why": " "}}], [FAILED] * 5 + [BREAKER], "open", 5
    ),
    "it trips again after five more": (
        [*reds(6), BY_ANA, *reds(7, 30)],
        [FAILED] * 5 + [BREAKER] + [FAILED] * 5 + [BREAKER], "open", 5,
    ),
    "a green while open resets the count and leaves it open": (
        [*reds(6), green("x", 30), red("y", 31)], [FAILED] * 5 + [BREAKER, PASSED], "open", 0
    ),
    # progress
    "the same failure three times trips early": (
        [red(f"c{n}", n, "sig1:same") for n in range(1, 7)],
        [FAILED, FAILED, BREAKER], "open", 2,
    ),
    "a shrinking set goes on to five": (
        [
            of(f"c{n}", n, jobs=[job(n * 100 + m, name=f"t{m}", fingerprint=f"sig1:{m}")
                                 for m in range(7 - n)])
            for n in range(1, 7)
        ],
        [FAILED] * 5 + [BREAKER], "open", 5,
    ),
    "job names alone cannot say that a failure is the same": (
        [red(f"c{n}", n, "") for n in range(1, 7)], [FAILED] * 5 + [BREAKER], "open", 5
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_how_a_case_counts(case):
    rows, events, state, count = CASES[case]
    left, status = tell(*rows)

    assert [one.type.value for one in left] == events
    assert (status["state"], status["pipeline_fail_count"]) == (state, count)


# Readings that a rule might be expected to see through, and does not: what is kept instead.
KNOWN_LIMITS = {
    "a cancellation is told before the newer push that caused it is known": (
        [of("a", 7, "canceled", []), of("b", 8, "running", [])], [PERSON], "tracking"
    ),
    "a branch pipeline that comes first is believed until the merge request's is known": (
        [of("a", 7, source="push"), green("a", 8)], [FAILED, PASSED], "green"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", KNOWN_LIMITS)
def test_what_settling_is_for(case):
    rows, events, state = KNOWN_LIMITS[case]
    left, status = tell(*rows)

    assert [one.type.value for one in left] == events
    assert status["state"] == state


def test_a_message_says_which_attempt_it_is_and_where_to_look():
    left, _ = tell(*reds(3))

    assert left[2].message == (
        "CI pipeline failed on MR !42 (attempt 3/5). "
        "See: https://git.example/pay/-/pipelines/3. Fix the failing job and push."
    )
    assert [(one.attempt, one.max, one.pipeline_fail_count) for one in left] == [
        (1, 5, 1),
        (2, 5, 2),
        (3, 5, 3),
    ]


def test_the_second_time_unchanged_asks_for_another_strategy():
    left, _ = tell(red("a", 7, "sig1:x"), red("b", 8, "sig1:x"), red("c", 9, "sig1:y"))

    assert [one.evidence["progress"] for one in left] == ["first", "unchanged", "changed"]
    assert "another" in left[1].evidence["strategy"]
    assert "strategy" not in left[2].evidence


def test_the_last_attempt_says_what_was_decided_about_it():
    _, status = tell(red("a", 7))

    assert status["last_attempt"]["attempt"] == 1
    assert status["last_attempt"]["counted"] is True
    assert status["last_attempt"]["decision"] == "red: attempt 1/5, to the worker"


def test_a_pipeline_says_its_own_address_where_it_has_one():
    row = of("a", 7, url="https://ci.example/runs/7")
    left, status = tell(row)

    assert left[0].url == "https://ci.example/runs/7"
    assert status["last_attempt"]["url"] == "https://ci.example/runs/7"
    assert pipeline(7, "a")["id"] == 7
