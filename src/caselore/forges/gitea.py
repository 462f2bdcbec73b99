"""Reads Gitea's and Forgejo's API (v1): pull requests, Actions runs with their jobs, statuses.

All runs and statuses of one commit are one pipeline, as on GitHub. Must not judge or count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, BinaryIO
from urllib.parse import quote, urlsplit

from caselore.errors import BadInput, NotFound
from caselore.forges.remark import remark
from caselore.forges.transport import Transport
from caselore.forges.values import AnyChange, AnyJob, Change, Job, Pipeline, row, rows, same, word

RUNS = 50
_ENDED = ("failure", "cancelled", "skipped", "success", "neutral")


class Gitea:
    """One Gitea or Forgejo."""

    def __init__(self, transport: Transport) -> None:
        """Ask through a transport whose base ends in /api/v1."""
        self._ask = transport

    def change(self, url: str) -> Change:
        """Read a pull request. Raises: BadInput for an address that is none."""
        project, iid = parsed(url)
        found = row(self._ask.get(f"repos/{project}/pulls/{iid}").value, "the pull request")
        same(found, "number", iid)
        merged = found.get("merged") is True
        state = "merged" if merged else {"open": "opened"}.get(word(found, "state"), "closed")
        head = word(found, "head", "sha", needed=True)
        return Change(
            url=word(found, "html_url") or url,
            project=project,
            project_id=word(found, "base", "repo_id") or project,
            iid=iid,
            title=word(found, "title"),
            state=state,
            head=head,
            branch=word(found, "head", "ref"),
            target=word(found, "base", "ref"),
            pusher=self._pusher(project, head),
            merge_sha=word(found, "merge_commit_sha") if merged else "",
        )

    def pipelines(self, change: AnyChange) -> tuple[Pipeline, ...]:
        """Give the one pipeline of the head, if anything ran."""
        found = self._of_commit(change.project, change.head)
        return (found,) if found else ()

    def after_merge(self, change: AnyChange) -> tuple[Pipeline, ...]:
        """Give the pipeline of the merge commit."""
        found = self._of_commit(change.project, change.merge_sha) if change.merge_sha else None
        return (found,) if found else ()

    def target(self, change: AnyChange) -> Pipeline | None:
        """Give what ran on the target branch's newest commit, if it has ended."""
        path = f"repos/{change.project}/branches/{quote(change.target, safe='')}"
        found = row(self._ask.get(path).value, "the branch")
        read = self._of_commit(change.project, word(found, "commit", "id", needed=True))
        return read if read and read.status in _ENDED else None

    def pipeline(self, change: AnyChange, id: str) -> Pipeline | None:
        """Give the pipeline of a commit."""
        return self._of_commit(change.project, id)

    def tests(self, change: AnyChange, pipeline: str) -> dict[str, tuple[int, int]]:
        """Give nothing: no report of tests is kept here."""
        return {}

    def log(self, change: AnyChange, job: AnyJob) -> AbstractContextManager[BinaryIO]:
        """Open a job's log; a status of another program has none."""
        return self._ask.file(f"repos/{change.project}/actions/jobs/{job.id}/logs")

    def rerun(self, change: AnyChange, job: AnyJob) -> None:
        """Run a job again, where this version can."""
        path = f"repos/{change.project}/actions/runs/{job.pipeline}/jobs/{job.id}/rerun"
        self._ask.send("POST", path)

    def diff(self, change: AnyChange, base: str, head: str) -> str:
        """Give what changed between two commits."""
        span = f"{quote(base, safe='')}...{quote(head, safe='')}"
        with self._ask.file(f"repos/{change.project}/compare/{span}.diff") as found:
            return found.read().decode("utf-8", "replace")

    def comment(self, change: AnyChange, marker: str, text: str) -> None:
        """Write the comment that carries the marker, in place of what it said before."""
        path = f"repos/{change.project}/issues/{change.iid}/comments"
        written = (one for page in self._ask.pages(path, limit=50) for one in rows(page, path))
        at = (path, "PATCH", f"repos/{change.project}/issues/comments")
        remark(self._ask, at, written, marker, text)

    # -- reading ---

    def _pusher(self, project: str, sha: str) -> str:
        return next((word(run, "actor", "login") for run in self._runs(project, sha)), "")

    def _runs(self, project: str, sha: str) -> list[dict[str, Any]]:
        """Give the Actions runs of a commit; a version without that route has none."""
        try:
            found = self._listed(f"repos/{project}/actions/runs", "workflow_runs", head_sha=sha)
            return [one for one in islice(found, RUNS) if word(one, "head_sha") == sha]
        except NotFound:
            return []

    def _listed(self, path: str, name: str, **query: Any) -> Iterator[dict[str, Any]]:
        for page in self._ask.pages(path, limit=50, **query):
            yield from rows(row(page, name).get(name) or [], name)

    def _of_commit(self, project: str, sha: str) -> Pipeline | None:
        runs = self._runs(project, sha)
        jobs = [job for run in runs for job in self._jobs(project, run)]
        ours = {job.name for job in jobs}
        others = [one for one in self._statuses(project, sha) if not _same_run(one.name, ours)]
        if not runs and not others:
            return None
        first = runs[0] if runs else {}
        states = [_status(run) for run in runs] + [one.status for one in others]
        return Pipeline(
            id=sha,
            sha=sha,
            ref=word(first, "head_branch"),
            source=word(first, "event"),
            status=_overall(states),
            run=_identity(runs, others),
            created_at=word(first, "started_at") or word(first, "created_at"),
            url=word(first, "html_url") or (others[0].url if others else ""),
            jobs=(*jobs, *others),
        )

    def _jobs(self, project: str, run: dict[str, Any]) -> Iterator[Job]:
        id = word(run, "id", needed=True)
        for one in self._listed(f"repos/{project}/actions/runs/{id}/jobs", "jobs"):
            yield Job(
                id=word(one, "id", needed=True),
                name=word(one, "name", needed=True),
                stage=word(run, "display_title"),
                status=_status(one),
                pipeline=id,
                url=word(one, "html_url"),
            )

    def _statuses(self, project: str, sha: str) -> Iterator[Job]:
        seen: set[str] = set()
        for page in self._ask.pages(f"repos/{project}/commits/{sha}/statuses", limit=50):
            for one in rows(page, "statuses"):
                name = word(one, "context", needed=True)
                if name not in seen:  # newest first
                    seen.add(name)
                    state = word(one, "status") or word(one, "state")
                    yield Job(
                        id=word(one, "id", needed=True),
                        name=name,
                        stage="statuses",
                        status={"error": "failure", "warning": "success"}.get(state, state),
                        url=word(one, "target_url"),
                    )


def parsed(url: str) -> tuple[str, str]:
    """Give owner/name and number of a pull request's address. Raises: BadInput."""
    parts = urlsplit(url).path.strip("/").split("/")
    if len(parts) < 4 or parts[-2] not in ("pulls", "pull") or not parts[-1].isdigit():
        raise BadInput(f"{url!r} is no address of a pull request.")
    return f"{quote(parts[-4])}/{quote(parts[-3])}", parts[-1]


def _same_run(context: str, jobs: set[str]) -> bool:
    """Say whether a status only repeats a job of Actions: `Workflow / job (event)`."""
    return any(f"/ {job} (" in f"{context} (" for job in jobs)


def _status(one: dict[str, Any]) -> str:
    status = word(one, "status")
    return word(one, "conclusion") or status if status == "completed" else status or "waiting"


def _overall(states: list[str]) -> str:
    every = set(states)
    running = next((one for one in sorted(every) if one not in _ENDED), None)
    return running or next((one for one in _ENDED if one in every), "")


def _identity(runs: list[dict[str, Any]], others: list[Job]) -> str:
    parts = [f"{word(one, 'id')}:{word(one, 'run_attempt')}" for one in runs]
    parts += [f"status:{one.id}" for one in others]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:16]
