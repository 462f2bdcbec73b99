"""What a repair may have done to the checks themselves: diffs that are named, and diffs that are not."""

from __future__ import annotations

import pytest

from caselore.repair.honest import doubts, missing_jobs
from caselore.repair.pipelines import Job, Pipeline
from caselore.repair.state import Attempt, State
from fakes.recordings import CHANGE


def diff(path, *lines, gone=False):
    mode = "deleted file mode 100644\n" if gone else ""
    body = "\n".join(lines)
    return f"diff --git a/{path} b/{path}\n{mode}--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n{body}\n"


SOURCE = diff("src/pay.py", "-total = 1", "+total = 2")
NAMED = {
    "a deleted test file": (diff("tests/test_pay.py", "-def test_a():", gone=True), "deleted"),
    "a removed test": (diff("tests/test_pay.py", "-def test_a():", "-    assert 1"), "removed"),
    "a removed assertion": (
        diff("pay/pay_test.go", '-\trequire.Equal(t, 1, got)', "+\t_ = got"), "assertions removed"
    ),
    "another expectation": (
        diff("tests/test_pay.py", "-    assert total == 3", "+    assert total == 4"), "expects"
    ),
    "a skipped test, pytest": (diff("tests/test_pay.py", "+@pytest.mark.skip"), "skipped"),
    "a skipped test, jest": (diff("src/pay.spec.ts", "-it('adds', f)", "+it.skip('adds', f)"), "skipped"),
    "a skipped test, go": (diff("pay/pay_test.go", '+\tt.Skip("later")'), "skipped"),
    "a skipped test, junit": (diff("src/test/PayTest.java", "+@Disabled"), "skipped"),
    "a skipped test, rust": (diff("src/lib.rs", "+#[ignore]"), "skipped"),
    "GitLab's configuration": (diff(".gitlab-ci.yml", "-  script: make test"), "CI configuration"),
    "GitHub's configuration": (diff(".github/workflows/ci.yml", "+  - run: true"), "CI configuration"),
    "a job that may fail now": (diff("ci/jobs.yml", "+  allow_failure: true"), "tolerated"),
    "a step that may fail now": (diff("ci/run.sh", "-make test", "+make test || true"), "tolerated"),
    "a silenced linter": (diff("src/pay.py", "-import os", "+import os  # noqa"), "silenced"),
    "a linter's rules": (diff("ruff.toml", '-select = ["ALL"]', '+select = ["E"]'), "rules of a check"),
    "a snapshot without a source": (
        diff("src/__snapshots__/pay.snap", "-total 3", "+total 4"), "snapshots"
    ),
}  # fmt: skip
HONEST = {
    "a change of the source": SOURCE,
    "a new test": diff("tests/test_pay.py", "+def test_b():", "+    assert total() == 3") + SOURCE,
    "a moved assertion": diff("tests/test_pay.py", "-assert a == 1", "+    assert a == 1")
    + SOURCE,
    "a test that runs again": diff("tests/test_pay.py", "-@pytest.mark.skip") + SOURCE,
    "documents": diff("docs/pay.md", "-old", "+new"),
    "a snapshot with its source": diff("src/__snapshots__/p.snap", "-3", "+4") + SOURCE,
    "nothing": "",
    "no diff at all": "<html>502</html>",
}
# What is named although it may be right: a person is asked once too often, which is the safe side.
KNOWN_WRONG = {
    "an expectation that was wrong before": (
        diff("tests/test_pay.py", "-    assert vat == 19", "+    assert vat == 20") + SOURCE
    ),
}


@pytest.mark.parametrize("case", NAMED)
def test_what_was_done_to_a_check_is_named(case):
    text, words = NAMED[case]

    assert any(words in one for one in doubts(text)), doubts(text)


@pytest.mark.parametrize("case", HONEST)
def test_an_honest_repair_is_not_doubted(case):
    assert doubts(HONEST[case]) == ()


@pytest.mark.parametrize("case", KNOWN_WRONG)
def test_what_is_asked_once_too_often(case):
    assert doubts(KNOWN_WRONG[case])


def series(*names):
    red = Attempt(
        "k", "2026-11-01T10:00:00.000000Z", "a", "7", "a", 2, "red", "script", ("1",) * len(names),
        names, ("sig1:a",), True, "u", 0, delivered=True, number=1,
    )  # fmt: skip
    return State(CHANGE, attempts=(red,))


@pytest.mark.parametrize(
    ("jobs", "words"),
    [
        ([Job("2", "lint", "success")], "did not run: test"),
        ([Job("2", "test", "skipped")], "did not run: test"),
        ([Job("2", "test", "success", allow_failure=True)], "may fail now: test"),
        ([Job("2", "test", "success")], ""),
        ([], ""),
    ],
)
def test_the_job_that_was_red_must_vouch_for_the_green(jobs, words):
    found = missing_jobs(series("test"), Pipeline("8", "b", "success", jobs=tuple(jobs)))

    assert " ".join(found).endswith(words)
    assert bool(found) == bool(words)
