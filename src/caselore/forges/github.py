"""Reads GitHub's REST API: pull requests, Actions runs with their jobs, checks, statuses.

All runs, checks and statuses of one commit are one pipeline: its id is the sha, and its `run`
changes with every run, re-run and new check. Must not judge, count, or follow a log's redirect
with a token.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, BinaryIO
from urllib.parse import quote, urlsplit

from caselore.errors import BadInput
from caselore.forges.remark import remark
from caselore.forges.transport import Transport
from caselore.forges.values import (
    LEFT_OUT,
    AnyChange,
    AnyJob,
    Change,
    Job,
    Pipeline,
    row,
    rows,
    same,
    word,
)  # fmt: skip

RUNS = 100  # runs of one commit
MOST_FILES = 300  # files of one comparison; what is beyond is not told
FINISHED = "completed"
_OF_A_RUN = (
    "id", "workflow_id", "name", "run_attempt", "event", "head_branch", "head_sha", "status",
    "conclusion", "run_started_at", "created_at", "html_url",
)  # fmt: skip


class GitHub:
    """One GitHub, or GitHub Enterprise."""

    def __init__(self, transport: Transport) -> None:
        """Ask through a transport whose base is the API's."""
        self._ask = transport

    def change(self, url: str) -> Change:
        """Read a pull request. Raises: BadInput for an address that is none."""
        project, iid = parsed(url)
        found = row(self._ask.get(f"repos/{project}/pulls/{iid}").value, "the pull request")
        same(found, "number", iid)
        merged = found.get("merged") is True or bool(found.get("merged_at"))
        state = "merged" if merged else word(found, "state") or "open"
        return Change(
            url=word(found, "html_url") or url,
            project=project,
            project_id=word(found, "base", "repo", "id") or project,
            iid=iid,
            title=word(found, "title"),
            state={"open": "opened"}.get(state, state),
            head=word(found, "head", "sha", needed=True),
            branch=word(found, "head", "ref"),
            target=word(found, "base", "ref"),
            pusher=self._pusher(project, word(found, "head", "sha")),
            merge_sha=word(found, "merge_commit_sha") if merged else "",
        )

    def pipelines(self, change: AnyChange) -> tuple[Pipeline, ...]:
        """Give the one pipeline of the head, if anything ran."""
        found = self._of_commit(change.project, change.head)
        return (found,) if found else ()

    def after_merge(self, change: AnyChange) -> tuple[Pipeline, ...]:
        """Give the pipeline of the merge commit; runs of tags are one of their own."""
        if not change.merge_sha:
            return ()
        runs = self._runs(change.project, change.merge_sha)
        # a push of a tag names the tag where a push of a branch names the branch
        tags = [one for one in runs if word(one, "head_branch") != change.target]
        rest = [one for one in runs if word(one, "head_branch") == change.target]
        found = (
            self._joined(change.project, change.merge_sha, rest, tag=False),
            self._joined(change.project, change.merge_sha, tags, tag=True) if tags else None,
        )
        return tuple(one for one in found if one)

    def target(self, change: AnyChange) -> Pipeline | None:
        """Give what ran last on the target branch, if it has ended."""
        path = f"repos/{change.project}/actions/runs"
        found = row(
            self._ask.get(
                path, branch=change.target, event="push", status=FINISHED, per_page=1
            ).value,
            "the runs",
        )
        newest = next(iter(rows(found.get("workflow_runs") or [], "workflow_runs")), None)
        return self._of_commit(change.project, word(newest, "head_sha")) if newest else None

    def pipeline(self, change: AnyChange, id: str) -> Pipeline | None:
        """Give the pipeline of a commit."""
        return self._of_commit(change.project, id)

    def finished(self, project: str, since: str) -> Iterator[tuple[Change, Pipeline]]:
        """Give a repository's finished runs since a time, the oldest first, each by itself."""
        path = f"repos/{project}/actions/runs"
        found = self._listed(path, "workflow_runs", created=f">={since}", status=FINISHED)
        # the forge lists the newest first; a run is large, and few of its fields are needed
        slim = [{name: run.get(name) for name in _OF_A_RUN} for run in found]
        for run in reversed(slim):
            sha = word(run, "head_sha", needed=True)
            read = self._joined(project, sha, [run], tag=False, checks=False)
            at = Change("", project, project, "", head=sha, branch=word(run, "head_branch"))
            if read:
                yield at, read

    def tests(self, change: AnyChange, pipeline: str) -> dict[str, tuple[int, int]]:
        """Give nothing: no report of tests is kept here."""
        return {}

    def log(self, change: AnyChange, job: AnyJob) -> AbstractContextManager[BinaryIO]:
        """Open a job's log."""
        return self._ask.file(f"repos/{change.project}/actions/jobs/{job.id}/logs")

    def rerun(self, change: AnyChange, job: AnyJob) -> None:
        """Run a job again."""
        self._ask.send("POST", f"repos/{change.project}/actions/jobs/{job.id}/rerun")

    def diff(self, change: AnyChange, base: str, head: str) -> str:
        """Give what changed between two commits."""
        span = f"{quote(base, safe='')}...{quote(head, safe='')}"
        found = row(
            self._ask.get(f"repos/{change.project}/compare/{span}").value, "the comparison"
        )
        files = rows(found.get("files") or [], "files")
        rest = f"diff --git a/… b/…\n{LEFT_OUT}" if len(files) >= MOST_FILES else ""
        return "".join(map(_unified, files)) + rest

    def comment(self, change: AnyChange, marker: str, text: str) -> None:
        """Write the comment that carries the marker, in place of what it said before."""
        path = f"repos/{change.project}/issues/{change.iid}/comments"
        written = (one for page in self._ask.pages(path, per_page=100) for one in rows(page, path))
        at = (path, "PATCH", f"repos/{change.project}/issues/comments")
        remark(self._ask, at, written, marker, text)

    # -- reading ---

    def _pusher(self, project: str, sha: str) -> str:
        """Name who pushed a commit: whose push started its runs; empty before any ran."""
        runs = self._runs(project, sha)
        return word(runs[0], "actor", "login") if runs else ""

    def _listed(self, path: str, name: str, **query: Any) -> Iterator[dict[str, Any]]:
        for page in self._ask.pages(path, per_page=100, **query):
            yield from rows(row(page, name).get(name) or [], name)

    def _runs(self, project: str, sha: str) -> list[dict[str, Any]]:
        found = self._listed(f"repos/{project}/actions/runs", "workflow_runs", head_sha=sha)
        runs = list(islice(found, RUNS))
        for one in runs:
            same(one, "head_sha", sha)
        return runs

    def _of_commit(self, project: str, sha: str) -> Pipeline | None:
        return self._joined(project, sha, self._runs(project, sha), tag=False)

    def _joined(
        self, project: str, sha: str, runs: list[dict[str, Any]], *, tag: bool, checks: bool = True
    ) -> Pipeline | None:
        """Make one pipeline of all that ran on a commit."""
        latest = list(_latest(runs))
        jobs = [job for run in latest for job in self._jobs(project, run)]
        others = list(self._others(project, sha)) if checks else []
        if not latest and not others:
            return None
        states = [_status(run) for run in latest] + [job.status for job in others]
        first = latest[0] if latest else {}
        return Pipeline(
            id=sha if checks else word(first, "id"),
            sha=sha,
            ref=word(first, "head_branch"),
            tag=tag,
            source=word(first, "event"),
            status=_overall(states),
            run=_identity(latest, others),
            created_at=word(first, "run_started_at") or word(first, "created_at"),
            url=word(first, "html_url") or (others[0].url if others else ""),
            jobs=(*jobs, *others),
        )

    def _jobs(self, project: str, run: dict[str, Any]) -> Iterator[Job]:
        id = word(run, "id", needed=True)
        workflow = word(run, "name")
        for one in self._listed(
            f"repos/{project}/actions/runs/{id}/jobs", "jobs", filter="latest"
        ):
            name = word(one, "name", needed=True)
            yield Job(
                id=word(one, "id", needed=True),
                name=f"{workflow} / {name}" if workflow else name,
                stage=workflow,
                status=_status(one),
                pipeline=id,
                url=word(one, "html_url"),
            )

    def _others(self, project: str, sha: str) -> Iterator[Job]:
        """Give what other programs say of a commit: checks that are no Actions, statuses."""
        here = f"repos/{project}/commits/{sha}"
        for one in self._listed(f"{here}/check-runs", "check_runs", filter="latest"):
            if word(one, "app", "slug") != "github-actions":
                yield _check(one)
        seen: set[str] = set()
        for page in self._ask.pages(f"{here}/statuses", per_page=100):
            for one in rows(page, "statuses"):
                name = word(one, "context", needed=True)
                if name not in seen:  # newest first: only the last word of each counts
                    seen.add(name)
                    yield _told(one, name)


def parsed(url: str) -> tuple[str, str]:
    """Give owner/name and number of a pull request's address. Raises: BadInput."""
    parts = urlsplit(url).path.strip("/").split("/")
    if len(parts) < 4 or parts[2] not in ("pull", "pulls") or not parts[3].isdigit():
        raise BadInput(f"{url!r} is no address of a pull request.")
    return f"{quote(parts[0])}/{quote(parts[1])}", parts[3]


def _check(one: dict[str, Any]) -> Job:
    return Job(
        id=word(one, "id", needed=True),
        name=word(one, "name", needed=True),
        stage="checks",
        status=_status(one),
        url=word(one, "html_url"),
    )


def _told(one: dict[str, Any], name: str) -> Job:
    state = word(one, "state")
    return Job(
        id=word(one, "id", needed=True),
        name=name,
        stage="statuses",
        status={"error": "failure"}.get(state, state),
        url=word(one, "target_url"),
    )


def _status(one: dict[str, Any]) -> str:
    """Give the conclusion of what has ended, the status of what has not."""
    status = word(one, "status")
    return word(one, "conclusion") or status if status == FINISHED else status or "queued"


_WORST = (
    "failure", "timed_out", "action_required", "startup_failure", "cancelled", "success",
    "neutral", "skipped", "stale",
)  # fmt: skip


def _overall(states: Iterable[str]) -> str:
    """Give one status: still running while anything runs, else the worst conclusion."""
    every = set(states)
    running = next((one for one in sorted(every) if one not in _WORST), None)
    return running or next((one for one in _WORST if one in every), "")


def _latest(runs: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Give of each workflow and event the newest run."""
    seen: set[tuple[str, str]] = set()
    for one in sorted(
        runs, key=lambda run: word(run, "run_started_at") or word(run, "created_at"), reverse=True
    ):
        key = (word(one, "workflow_id") or word(one, "name"), word(one, "event"))
        if key not in seen:
            seen.add(key)
            yield one


def _identity(runs: Iterable[dict[str, Any]], others: Iterable[Job]) -> str:
    """Give what changes with every run, attempt and new check."""
    parts = [
        f"{word(one, 'workflow_id')}:{word(one, 'id')}:{word(one, 'run_attempt')}" for one in runs
    ]
    parts += [f"check:{one.id}" for one in others]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:16]


def _unified(one: dict[str, Any]) -> str:
    new = word(one, "filename")
    old = word(one, "previous_filename") or new
    status = word(one, "status")
    before = "/dev/null" if status == "added" else f"a/{old}"
    after = "/dev/null" if status == "removed" else f"b/{new}"
    body = word(one, "patch")
    if not body and word(one, "changes") not in ("", "0"):
        body = LEFT_OUT
    return f"diff --git a/{old} b/{new}\n--- {before}\n+++ {after}\n{body}\n"
