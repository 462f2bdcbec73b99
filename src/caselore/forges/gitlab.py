"""Reads GitLab's REST API (v4): merge requests, pipelines with their children, traces, notes.

Must not judge a status, count, or choose among the pipelines that may speak for a head.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO
from urllib.parse import quote, urlsplit

from caselore.errors import BadInput, ForgeGarbled, ForgeSlow, NotFound
from caselore.forges.remark import remark
from caselore.forges.transport import Transport
from caselore.forges.values import (
    LEFT_OUT,
    AnyChange,
    AnyJob,
    Change,
    Job,
    Pipeline,
    flag,
    row,
    rows,
    same,
    word,
)  # fmt: skip

NEWEST = 6  # pipelines of a merge request that are read with their jobs
DEPTH = 3  # levels of child pipelines


class GitLab:
    """One GitLab."""

    def __init__(self, transport: Transport) -> None:
        """Ask through a transport whose base ends in /api/v4."""
        self._ask = transport

    def change(self, url: str) -> Change:
        """Read a merge request. Raises: BadInput for an address that is none."""
        project, iid = parsed(url)
        path = f"projects/{quote(project, safe='')}/merge_requests/{iid}"
        found = row(self._ask.get(path).value, "the merge request")
        same(found, "iid", iid)
        head = word(found, "sha")
        return Change(
            url=word(found, "web_url") or url,
            project=project,
            project_id=word(found, "target_project_id") or word(found, "project_id", needed=True),
            iid=iid,
            title=word(found, "title"),
            state=_STATES.get(word(found, "state"), "opened"),
            head=head,
            branch=word(found, "source_branch"),
            target=word(found, "target_branch"),
            pusher=_pusher(found, head),
            merge_sha=_merged(found),
        )

    def pipelines(self, change: AnyChange) -> tuple[Pipeline, ...]:
        """Give what may speak for the head, newest first, children rolled up."""
        found = self._list(f"{self._project(change)}/merge_requests/{change.iid}/pipelines")
        own = f"refs/merge-requests/{change.iid}/"
        speaks = (
            one
            for one in found
            if word(one, "sha") == change.head or word(one, "ref").startswith(own)
        )
        return tuple(self._pipeline(change, one) for one in islice(speaks, NEWEST))

    def after_merge(self, change: AnyChange) -> tuple[Pipeline, ...]:
        """Give the pipelines of the merge commit, those of tags among them."""
        if not change.merge_sha:
            return ()
        path = f"{self._project(change)}/pipelines"
        found = self._list(path, sha=change.merge_sha, order_by="id", sort="desc")
        return tuple(self._pipeline(change, one) for one in islice(found, NEWEST))

    def target(self, change: AnyChange) -> Pipeline | None:
        """Give the newest finished pipeline of the target branch."""
        path = f"{self._project(change)}/pipelines"
        found = self._list(path, ref=change.target, scope="finished", order_by="id", sort="desc")
        first = next((one for one in found if word(one, "status") in ("success", "failed")), None)
        return self._pipeline(change, first) if first else None

    def pipeline(self, change: AnyChange, id: str) -> Pipeline | None:
        """Read one pipeline by its id."""
        try:
            return self._pipeline(change, {"id": id})
        except NotFound:
            return None

    def finished(self, project: str, since: str) -> Iterator[tuple[Change, Pipeline]]:
        """Give a project's finished pipelines since a time, the oldest first."""
        at = Change(url="", project=project, project_id=project, iid="")
        path = f"{self._project(at)}/pipelines"
        found = self._list(
            path, scope="finished", updated_after=since, order_by="updated_at", sort="asc"
        )
        for one in found:
            read = self._pipeline(at, one)
            yield replace(at, branch=read.ref, head=read.sha), read

    def tests(self, change: AnyChange, pipeline: str) -> dict[str, tuple[int, int]]:
        """Give how many tests ran and were left out, by suite."""
        path = f"{self._project(change)}/pipelines/{pipeline}/test_report_summary"
        found = row(self._ask.get(path).value, "the test report")
        return dict(_suite(one) for one in rows(found.get("test_suites") or [], "test_suites"))

    def log(self, change: AnyChange, job: AnyJob) -> AbstractContextManager[BinaryIO]:
        """Open a job's trace."""
        return self._ask.file(f"{self._project(change)}/jobs/{job.id}/trace")

    def rerun(self, change: AnyChange, job: AnyJob) -> None:
        """Retry a job."""
        self._ask.send("POST", f"{self._project(change)}/jobs/{job.id}/retry")

    def diff(self, change: AnyChange, base: str, head: str) -> str:
        """Give what changed between two commits."""
        path = f"{self._project(change)}/repository/compare"
        found = row(self._ask.get(path, from_=base, to=head).value, "the comparison")
        if flag(found, "compare_timeout"):
            raise ForgeSlow("GitLab did not finish the comparison of two commits.")
        return "".join(_unified(one) for one in rows(found.get("diffs") or [], "diffs"))

    def comment(self, change: AnyChange, marker: str, text: str) -> None:
        """Write the note that carries the marker, in place of what it said before."""
        path = f"{self._project(change)}/merge_requests/{change.iid}/notes"
        notes = self._list(path, order_by="created_at", sort="asc")
        remark(self._ask, (path, "PUT", path), notes, marker, text)

    # -- reading ---

    def _project(self, change: AnyChange) -> str:
        return f"projects/{quote(change.project_id or change.project, safe='')}"

    def _list(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        for page in self._ask.pages(path, per_page=100, **query):
            yield from rows(page, path.rpartition("/")[2])

    def _pipeline(self, change: AnyChange, listed: dict[str, Any]) -> Pipeline:
        id = word(listed, "id", needed=True)
        project = self._project(change)
        one = row(self._ask.get(f"{project}/pipelines/{id}").value, "the pipeline")
        same(one, "id", id)
        if word(listed, "sha"):
            same(one, "sha", word(listed, "sha"))
        return Pipeline(
            id=id,
            sha=word(one, "sha", needed=True),
            ref=word(one, "ref"),
            tag=flag(one, "tag"),
            source=word(one, "source"),
            status=word(one, "status", needed=True),
            created_at=word(one, "created_at"),
            url=word(one, "web_url"),
            config_error=word(one, "yaml_errors"),
            jobs=tuple(self._jobs(project, id, False, frozenset())),
        )

    def _jobs(
        self, project: str, pipeline: str, may_fail: bool, seen: frozenset[str]
    ) -> Iterator[Job]:
        """Give a pipeline's jobs and those of its children; a circle of children ends."""
        here = f"{project}/pipelines/{pipeline}"
        for one in self._list(f"{here}/jobs", include_retried="true"):
            yield _job(one, pipeline, may_fail)
        if len(seen) >= DEPTH:
            return
        for bridge in self._list(f"{here}/bridges"):
            child = bridge.get("downstream_pipeline")
            if isinstance(child, dict):
                yield from self._child(child, bridge, may_fail, seen | {f"{here}"})

    def _child(
        self, child: dict[str, Any], bridge: dict[str, Any], may_fail: bool, seen: frozenset[str]
    ) -> Iterator[Job]:
        project = f"projects/{word(child, 'project_id', needed=True)}"
        id = word(child, "id", needed=True)
        if f"{project}/pipelines/{id}" not in seen:
            yield from self._jobs(project, id, may_fail or flag(bridge, "allow_failure"), seen)


_STATES = {"merged": "merged", "closed": "closed"}


def parsed(url: str) -> tuple[str, str]:
    """Give project path and number of a merge request's address. Raises: BadInput."""
    path = urlsplit(url).path.strip("/")
    project, found, rest = path.partition("/-/merge_requests/")
    if not found:
        project, found, rest = path.partition("/merge_requests/")
    iid = rest.partition("/")[0]
    if not found or not project or not iid.isdigit():
        raise BadInput(f"{url!r} is no address of a merge request.")
    return project, iid


def _pusher(found: dict[str, Any], head: str) -> str:
    """Name who pushed the head: whose push started its pipeline."""
    pipeline = found.get("head_pipeline")
    if isinstance(pipeline, dict) and word(pipeline, "sha") == head:
        return word(pipeline, "user", "username")
    return ""


def _merged(found: dict[str, Any]) -> str:
    if word(found, "state") != "merged":
        return ""
    return (
        word(found, "merge_commit_sha") or word(found, "squash_commit_sha") or word(found, "sha")
    )


def _job(one: dict[str, Any], pipeline: str, may_fail: bool) -> Job:
    return Job(
        id=word(one, "id", needed=True),
        name=word(one, "name", needed=True),
        stage=word(one, "stage"),
        status=word(one, "status", needed=True),
        allow_failure=may_fail or flag(one, "allow_failure"),
        failure_reason=word(one, "failure_reason"),
        pipeline=pipeline,
        url=word(one, "web_url"),
    )


def _suite(one: dict[str, Any]) -> tuple[str, tuple[int, int]]:
    total, out = (_count(one, name) for name in ("total_count", "skipped_count"))
    return word(one, "name", needed=True), (max(0, total - out), out)


def _count(one: dict[str, Any], name: str) -> int:
    told = word(one, name) or "0"
    if not told.isdigit():
        raise ForgeGarbled(f"{name} is no number in what the forge answered.")
    return int(told)


def _unified(one: dict[str, Any]) -> str:
    old, new = word(one, "old_path"), word(one, "new_path")
    before = "/dev/null" if flag(one, "new_file") else f"a/{old}"
    after = "/dev/null" if flag(one, "deleted_file") else f"b/{new}"
    body = word(one, "diff")
    if flag(one, "too_large") or flag(one, "collapsed"):
        body = LEFT_OUT
    end = "" if body.endswith("\n") or not body else "\n"
    return f"diff --git a/{old} b/{new}\n--- {before}\n+++ {after}\n{body}{end}"
