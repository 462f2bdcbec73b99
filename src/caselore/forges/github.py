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
from caselore.forges.transport import Transport
from caselore.forges.values import Change, Job, Pipeline, row, rows, text

RUNS = 100  # runs of one commit
COMMENTS = 300
FINISHED = "completed"


class GitHub:
    """One GitHub, or GitHub Enterprise."""

    def __init__(self, transport: Transport) -> None:
        """Ask through a transport whose base is the API's."""
        self._ask = transport

    def change(self, url: str) -> Change:
        """Read a pull request. Raises: BadInput for an address that is none."""
        project, iid = parsed(url)
        found = row(self._ask.get(f"repos/{project}/pulls/{iid}").value, "the pull request")
        merged = found.get("merged") is True or bool(found.get("merged_at"))
        state = "merged" if merged else text(found, "state") or "open"
        return Change(
            url=text(found, "html_url") or url,
            project=project,
            project_id=text(found, "base", "repo", "id") or project,
            iid=iid,
            title=text(found, "title"),
            state={"open": "opened"}.get(state, state),
            head=text(found, "head", "sha", needed=True),
            branch=text(found, "head", "ref"),
            target=text(found, "base", "ref"),
            pusher=self._pusher(project, text(found, "head", "sha")),
            merge_sha=text(found, "merge_commit_sha") if merged else "",
        )

    def pipelines(self, change: Change) -> tuple[Pipeline, ...]:
        """Give the one pipeline of the head, if anything ran."""
        found = self._of_commit(change.project, change.head)
        return (found,) if found else ()

    def after_merge(self, change: Change) -> tuple[Pipeline, ...]:
        """Give the pipeline of the merge commit; runs of tags are one of their own."""
        if not change.merge_sha:
            return ()
        runs = self._runs(change.project, change.merge_sha)
        # a push of a tag names the tag where a push of a branch names the branch
        tags = [one for one in runs if text(one, "head_branch") != change.target]
        rest = [one for one in runs if text(one, "head_branch") == change.target]
        found = (
            self._joined(change.project, change.merge_sha, rest, tag=False),
            self._joined(change.project, change.merge_sha, tags, tag=True) if tags else None,
        )
        return tuple(one for one in found if one)

    def target(self, change: Change) -> Pipeline | None:
        """Give what ran last on the target branch, if it has ended."""
        path = f"repos/{change.project}/actions/runs"
        found = row(
            self._ask.get(
                path, branch=change.target, event="push", status=FINISHED, per_page=1
            ).value,
            "the runs",
        )
        newest = next(iter(rows(found.get("workflow_runs") or [], "workflow_runs")), None)
        return self._of_commit(change.project, text(newest, "head_sha")) if newest else None

    def pipeline(self, change: Change, id: str) -> Pipeline | None:
        """Give the pipeline of a commit."""
        return self._of_commit(change.project, id)

    def finished(self, project: str, since: str) -> Iterator[tuple[Change, Pipeline]]:
        """Give a repository's finished runs since a time, each as a pipeline of its own."""
        found = self._listed(
            f"repos/{project}/actions/runs", "workflow_runs", created=f">={since}", status=FINISHED
        )
        for run in found:
            sha = text(run, "head_sha", needed=True)
            read = self._joined(project, sha, [run], tag=False, checks=False)
            if read:
                yield (
                    Change("", project, project, "", head=sha, branch=text(run, "head_branch")),
                    read,
                )

    def log(self, change: Change, job: Job) -> AbstractContextManager[BinaryIO]:
        """Open a job's log."""
        return self._ask.file(f"repos/{change.project}/actions/jobs/{job.id}/logs")

    def rerun(self, change: Change, job: Job) -> None:
        """Run a job again."""
        self._ask.send("POST", f"repos/{change.project}/actions/jobs/{job.id}/rerun")

    def diff(self, change: Change, base: str, head: str) -> str:
        """Give what changed between two commits."""
        span = f"{quote(base, safe='')}...{quote(head, safe='')}"
        found = row(
            self._ask.get(f"repos/{change.project}/compare/{span}").value, "the comparison"
        )
        return "".join(_unified(one) for one in rows(found.get("files") or [], "files"))

    def comment(self, change: Change, marker: str, text_: str) -> None:
        """Write the comment that carries the marker, in place of what it said before."""
        path = f"repos/{change.project}/issues/{change.iid}/comments"
        written = (one for page in self._ask.pages(path, per_page=100) for one in rows(page, path))
        shown = islice(written, COMMENTS)
        mine = next((one for one in shown if text(one, "body").startswith(marker)), None)
        body = {"body": f"{marker}\n{text_}"}
        if mine is None:
            self._ask.send("POST", path, body)
        elif text(mine, "body").strip() != body["body"].strip():
            id = text(mine, "id", needed=True)
            self._ask.send("PATCH", f"repos/{change.project}/issues/comments/{id}", body)

    # -- reading ---

    def _pusher(self, project: str, sha: str) -> str:
        """Name who pushed a commit: whose push started its runs; empty before any ran."""
        runs = self._runs(project, sha)
        return text(runs[0], "actor", "login") if runs else ""

    def _listed(self, path: str, name: str, **query: Any) -> Iterator[dict[str, Any]]:
        for page in self._ask.pages(path, per_page=100, **query):
            yield from rows(row(page, name).get(name) or [], name)

    def _runs(self, project: str, sha: str) -> list[dict[str, Any]]:
        found = self._listed(f"repos/{project}/actions/runs", "workflow_runs", head_sha=sha)
        return list(islice(found, RUNS))

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
            id=sha if checks else text(first, "id"),
            sha=sha,
            ref=text(first, "head_branch"),
            tag=tag,
            source=text(first, "event"),
            status=_overall(states),
            run=_identity(latest, others),
            created_at=text(first, "run_started_at") or text(first, "created_at"),
            url=text(first, "html_url") or (others[0].url if others else ""),
            jobs=(*jobs, *others),
        )

    def _jobs(self, project: str, run: dict[str, Any]) -> Iterator[Job]:
        id = text(run, "id", needed=True)
        workflow = text(run, "name")
        for one in self._listed(
            f"repos/{project}/actions/runs/{id}/jobs", "jobs", filter="latest"
        ):
            name = text(one, "name", needed=True)
            yield Job(
                id=text(one, "id", needed=True),
                name=f"{workflow} / {name}" if workflow else name,
                stage=workflow,
                status=_status(one),
                pipeline=id,
                url=text(one, "html_url"),
            )

    def _others(self, project: str, sha: str) -> Iterator[Job]:
        """Give what other programs say of a commit: checks that are no Actions, statuses."""
        here = f"repos/{project}/commits/{sha}"
        for one in self._listed(f"{here}/check-runs", "check_runs", filter="latest"):
            if text(one, "app", "slug") != "github-actions":
                yield _check(one)
        seen: set[str] = set()
        for page in self._ask.pages(f"{here}/statuses", per_page=100):
            for one in rows(page, "statuses"):
                name = text(one, "context", needed=True)
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
        id=text(one, "id", needed=True),
        name=text(one, "name", needed=True),
        stage="checks",
        status=_status(one),
        url=text(one, "html_url"),
    )


def _told(one: dict[str, Any], name: str) -> Job:
    state = text(one, "state")
    return Job(
        id=text(one, "id", needed=True),
        name=name,
        stage="statuses",
        status={"error": "failure"}.get(state, state),
        url=text(one, "target_url"),
    )


def _status(one: dict[str, Any]) -> str:
    """Give the conclusion of what has ended, the status of what has not."""
    status = text(one, "status")
    return text(one, "conclusion") or status if status == FINISHED else status or "queued"


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
        runs, key=lambda run: text(run, "run_started_at") or text(run, "created_at"), reverse=True
    ):
        key = (text(one, "workflow_id") or text(one, "name"), text(one, "event"))
        if key not in seen:
            seen.add(key)
            yield one


def _identity(runs: Iterable[dict[str, Any]], others: Iterable[Job]) -> str:
    """Give what changes with every run, attempt and new check."""
    parts = [
        f"{text(one, 'workflow_id')}:{text(one, 'id')}:{text(one, 'run_attempt')}" for one in runs
    ]
    parts += [f"check:{one.id}" for one in others]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:16]


def _unified(one: dict[str, Any]) -> str:
    new = text(one, "filename")
    old = text(one, "previous_filename") or new
    status = text(one, "status")
    before = "/dev/null" if status == "added" else f"a/{old}"
    after = "/dev/null" if status == "removed" else f"b/{new}"
    return f"diff --git a/{old} b/{new}\n--- {before}\n+++ {after}\n{text(one, 'patch')}\n"
