"""Reads Buildbot's REST API (v2): builds of a buildset as one pipeline, builders as its jobs.

Buildbot knows no merge requests: change 7 of a project, `http://HOST/PROJECT/pulls/7`, is what was
built of the branch under which a forge, or a person, names it. Must not judge or count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from caselore.errors import BadInput, ForgeUnavailable, NotFound
from caselore.forges.transport import Transport
from caselore.forges.values import AnyChange, AnyJob, Change, Job, Pipeline, flag, row, rows, word

NEWEST = 200  # builds that are looked through
# https://docs.buildbot.net/latest/developer/results.html
RESULTS = {
    "0": "success", "1": "success", "2": "failed", "3": "skipped", "4": "failed", "5": "running",
    "6": "canceled",
}  # fmt: skip
EXCEPTION = "4"
WORST = ("running", "failed", "canceled", "success")


class Buildbot:
    """One Buildbot master."""

    def __init__(self, transport: Transport) -> None:
        """Ask through a transport whose base ends in /api/v2."""
        self._ask = transport

    def change(self, url: str) -> Change:
        """Give a change, its head being what was built of it last. Raises: BadInput, NotFound."""
        project, iid = parsed(url)
        newest = next(self._builds(branches(iid)), None)
        if newest is None:
            raise NotFound(f"Buildbot has built nothing of change {iid} yet.")
        branch = _property(newest, "branch")
        return Change(
            url=url,
            project=project,
            project_id=project,
            iid=iid,
            title=branch,
            head=_revision(newest),
            branch=branch,
            pusher=_property(newest, "owner"),
        )

    def pipelines(self, change: AnyChange) -> tuple[Pipeline, ...]:
        """Give the builds of the head, one pipeline a buildset, newest first."""
        built = self._builds(branches(change.iid))
        return self._grouped(one for one in built if _revision(one) == change.head)

    def pipeline(self, change: AnyChange, id: str) -> Pipeline | None:
        """Give the builds of one buildset of a change; None where they are too long ago."""
        found = self._grouped(self._builds(branches(change.iid)))
        return next((one for one in found if one.id == id), None)

    def after_merge(self, change: AnyChange) -> tuple[Pipeline, ...]:
        """Give nothing: Buildbot knows of no merge."""
        return ()

    def target(self, change: AnyChange) -> Pipeline | None:
        """Give nothing: Buildbot knows of no target branch."""
        return None

    def finished(self, project: str, since: str) -> Iterator[tuple[Change, Pipeline]]:
        """Give the finished builds since a time, the oldest first; `project` names a builder."""
        began = datetime.fromisoformat(since).timestamp()
        ended = [
            one
            for one in self._builds(frozenset())
            if float(word(one, "complete_at") or 0) >= began
            and (not project or _property(one, "buildername") == project)
        ]
        for build in reversed(ended):
            at = Change("", project or _property(build, "buildername"), "buildbot", "")
            yield at, self._pipeline(word(build, "buildid", needed=True), [build])

    def tests(self, change: AnyChange, pipeline: str) -> dict[str, tuple[int, int]]:
        """Give nothing: no report of tests is kept here."""
        return {}

    def log(self, change: AnyChange, job: AnyJob) -> AbstractContextManager[BinaryIO]:
        """Open the log of the step that failed, else of the last step."""
        return self._ask.file(f"logs/{self._log_of(job)}/raw")

    def rerun(self, change: AnyChange, job: AnyJob) -> None:
        """Rebuild a build."""
        asked = {"jsonrpc": "2.0", "id": 1, "method": "rebuild", "params": {}}
        self._ask.send("POST", f"builds/{job.id}", asked)

    def diff(self, change: AnyChange, base: str, head: str) -> str:
        """Raise ForgeUnavailable: Buildbot keeps no commits."""
        raise ForgeUnavailable("Buildbot keeps no commits to compare.", again=False)

    def comment(self, change: AnyChange, marker: str, text: str) -> None:
        """Raise ForgeUnavailable: a branch of Buildbot has no place for a comment."""
        raise ForgeUnavailable("Buildbot has no place for a comment.", again=False)

    # -- reading ---

    def _builds(self, wanted: frozenset[str]) -> Iterator[dict[str, Any]]:
        """Give the newest builds of some branches; of all where none is named."""
        asked = {"order": "-buildid", "limit": NEWEST, "property": "*"}
        found = row(self._ask.get("builds", **asked).value, "the builds")
        for one in rows(found.get("builds"), "builds"):
            if not wanted or _property(one, "branch") in wanted:
                yield one

    def _grouped(self, builds: Iterator[dict[str, Any]]) -> tuple[Pipeline, ...]:
        """Put builds of one buildset together: they were started by one change."""
        groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for one in builds:
            groups[_set_of(one)].append(one)
        return tuple(self._pipeline(id, group) for id, group in groups.items())

    def _pipeline(self, id: str, builds: list[dict[str, Any]]) -> Pipeline:
        jobs = tuple(self._job(one, id) for one in builds)
        states = [job.status for job in jobs]
        worst = next((one for one in WORST if one in states), "skipped")
        return Pipeline(
            id=id,
            sha=_revision(builds[0]),
            ref=_property(builds[0], "branch"),
            source=_property(builds[0], "scheduler"),
            status=worst,
            created_at=_time(word(builds[-1], "started_at")),
            url=jobs[0].url,
            jobs=jobs,
        )

    def _job(self, build: dict[str, Any], pipeline: str) -> Job:
        id = word(build, "buildid", needed=True)
        result = word(build, "results")
        builder, number = word(build, "builderid"), word(build, "number")
        base = self._ask.base.partition("/api/")[0]
        return Job(
            id=id,
            name=_property(build, "buildername") or f"builder {builder}",
            stage="build",
            status=RESULTS.get(result, "running") if flag(build, "complete") else "running",
            failure_reason="runner_system_failure" if result == EXCEPTION else "",
            pipeline=pipeline,
            url=f"{base}/#/builders/{builder}/builds/{number}",
        )

    def _log_of(self, job: AnyJob) -> str:
        """Find the log of the first failed step; a step's `stdio` before its others."""
        found = row(self._ask.get(f"builds/{job.id}/steps").value, "the steps")
        steps = sorted(rows(found.get("steps"), "steps"), key=_number)
        red = [one for one in steps if word(one, "results") in ("2", "4")] or steps[-1:]
        for step in red:
            logs = row(
                self._ask.get(f"steps/{word(step, 'stepid', needed=True)}/logs").value, "the logs"
            )
            listed = rows(logs.get("logs"), "logs")
            named = sorted(listed, key=lambda one: word(one, "name") != "stdio")
            if named:
                return word(named[0], "logid", needed=True)
        raise NotFound(f"Build {job.id} has no log.")


def parsed(url: str) -> tuple[str, str]:
    """Give project and number of a change's address. Raises: BadInput."""
    project, found, iid = urlsplit(url).path.strip("/").rpartition("/pulls/")
    if not found or not project or not iid.isdigit():
        raise BadInput(f"{url!r} is no address of a change: http://HOST/PROJECT/pulls/7.")
    return project, iid


def branches(iid: str) -> frozenset[str]:
    """Give the names under which the branch of a change is built."""
    forms = ("refs/pull/{}/head", "refs/pull/{}/merge", "refs/merge-requests/{}/head", "change-{}")
    return frozenset(one.format(iid) for one in forms)


def _property(build: dict[str, Any], name: str) -> str:
    """Give a build's property; Buildbot writes each as [value, source]."""
    told = build.get("properties")
    found = told.get(name) if isinstance(told, dict) else None
    return str(found[0] or "") if isinstance(found, list) and found else ""


def _revision(build: dict[str, Any]) -> str:
    told = _property(build, "got_revision") or _property(build, "revision")
    return told or word(build, "buildid")


def _number(step: dict[str, Any]) -> int:
    return int(word(step, "number") or 0)


def _set_of(build: dict[str, Any]) -> str:
    """Name what started a build: all builds of one revision by one scheduler are one pipeline."""
    return f"{_property(build, 'scheduler')}-{_revision(build)}"


def _time(seconds: str) -> str:
    return datetime.fromtimestamp(float(seconds), UTC).isoformat() if seconds else ""
