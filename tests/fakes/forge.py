"""A forge that lives in memory: people and workers push, pipelines run, and it misbehaves on order.

Must not judge: it says what happened, as the real ones do.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from caselore.errors import NotFound, Unavailable


@dataclass(frozen=True)
class FakeJob:
    id: str
    name: str
    status: str
    pipeline: str
    stage: str = "test"
    allow_failure: bool = False
    failure_reason: str = ""
    url: str = ""


@dataclass(frozen=True)
class FakePipeline:
    id: str
    sha: str
    status: str
    ref: str = "refs/merge-requests/42/head"
    tag: bool = False
    source: str = "merge_request_event"
    run: str = ""
    created_at: str = ""
    url: str = ""
    config_error: str = ""
    jobs: tuple[FakeJob, ...] = ()


@dataclass(frozen=True)
class FakeChange:
    url: str
    project: str = "pay"
    project_id: str = "11"
    iid: str = "42"
    title: str = "Totals"
    state: str = "opened"
    head: str = "aaa0"
    branch: str = "totals"
    target: str = "main"
    pusher: str = "coder-bot"
    merge_sha: str = ""


class RateLimited(Unavailable):
    """The forge asks for patience."""

    code = "rate_limited"


class TimedOut(Unavailable):
    """The forge does not answer in time."""

    code = "timeout"


@dataclass
class FakeForge:
    """One forge with some changes."""

    changes: dict[str, FakeChange] = field(default_factory=dict)
    pipes: dict[str, list[FakePipeline]] = field(default_factory=dict)
    merged: dict[str, list[FakePipeline]] = field(default_factory=dict)
    logs: dict[str, bytes] = field(default_factory=dict)
    diffs: dict[tuple[str, str], str] = field(default_factory=dict)
    comments: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    reruns: list[str] = field(default_factory=list)
    trouble: list[Exception] = field(default_factory=list)
    reports: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    on_target: FakePipeline | None = None
    numbers: int = 0
    calls: int = 0

    # What happens on it

    def open(self, url, **more):
        self.changes[url] = FakeChange(url, **more)
        self.pipes[url] = []
        return url

    def push(self, url, head, pusher="coder-bot"):
        self.changes[url] = replace(self.changes[url], head=head, pusher=pusher)

    def run(self, url, status="failed", log=b"", *, job="test", reason="", **more):
        """Let a pipeline of the head end with one job."""
        id, job_id = self._number(), self._number()
        if status == "failed" or log:
            self.logs[job_id] = log or failing_log(id)
        own = FakeJob(job_id, job, status, id, failure_reason=reason or "script_failure")
        sha = more.pop("sha", self.changes[url].head)
        made = FakePipeline(id, sha, status, url=f"{url}/pipelines/{id}", jobs=(own,), **more)
        self.pipes[url].insert(0, made)
        return made

    def retry(self, url, status, log=b""):
        """Run the newest pipeline's job again, inside the pipeline."""
        last, job_id = self.pipes[url][0], self._number()
        if status == "failed" or log:
            self.logs[job_id] = log or failing_log(job_id)
        again = replace(last.jobs[-1], id=job_id, status=status)
        self.pipes[url][0] = replace(last, status=status, jobs=(*last.jobs, again))

    def merge(self, url, sha="mmm1"):
        self.changes[url] = replace(self.changes[url], state="merged", merge_sha=sha)

    def run_after_merge(self, url, status, ref="main", **more):
        id = self._number()
        made = FakePipeline(
            id, self.changes[url].merge_sha, status, ref=ref, source="push", **more
        )
        self.merged.setdefault(url, []).insert(0, made)

    def close(self, url):
        self.changes[url] = replace(self.changes[url], state="closed")

    def fail_on_target(self, log):
        id, job_id = self._number(), self._number()
        self.logs[job_id] = log
        job = FakeJob(job_id, "test", "failed", id, failure_reason="script_failure")
        self.on_target = FakePipeline(id, f"ttt{id}", "failed", ref="main", jobs=(job,))

    def _number(self):
        self.numbers += 1
        return str(100 + self.numbers)

    # What it answers

    def _answer(self):
        self.calls += 1
        if self.trouble:
            raise self.trouble.pop(0)

    def change(self, url):
        self._answer()
        if url not in self.changes:
            raise NotFound(f"{url}: 404")
        return self.changes[url]

    def pipelines(self, change):
        self._answer()
        return list(self.pipes[change.url])

    def after_merge(self, change):
        self._answer()
        return list(self.merged.get(change.url, ()))

    def pipeline(self, change, id):
        self._answer()
        found = [*self.pipes.get(change.url, ()), *self.merged.get(change.url, ())]
        return next((one for one in found if one.id == id), None)

    def tests(self, change, pipeline):
        self._answer()
        return self.reports.get(pipeline, {})

    def target(self, change):
        return self.on_target

    @contextmanager
    def log(self, change, job):
        if job.id not in self.logs:
            raise NotFound(f"no log of {job.id}")
        yield io.BytesIO(self.logs[job.id])

    def rerun(self, change, job):
        self.reruns.append(job.id)

    def diff(self, change, base, head):
        return self.diffs.get((base, head), SOUND)

    def comment(self, change, marker, text):
        self.comments.setdefault((change.url, marker), []).append(text)


SOUND = """diff --git a/src/totals.py b/src/totals.py
--- a/src/totals.py
+++ b/src/totals.py
@@ -1 +1 @@
-total = sum(rows)
+total = sum(row.amount for row in rows)
"""


def failing_log(name, lines=30):
    """Give a log whose failure is of this name alone."""
    before = "\n".join(f"step {number} of the build is done" for number in range(lines))
    return f"""{before}
============================= FAILURES =============================
_________________ test_total_{name} _________________
    def test_total_{name}():
>       assert total_{name}([1, 2]) == 3
E       AssertionError: total_{name} lost a row
tests/test_totals_{name}.py:12: AssertionError
=========================== short test summary info ===========================
FAILED tests/test_totals_{name}.py::test_total_{name} - AssertionError: total_{name} lost a row
1 failed, 40 passed in 3.10s
""".encode()
