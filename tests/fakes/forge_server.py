"""Forges on loopback: one world, told in the words of GitLab, GitHub and Gitea, and faults on order."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from fakes.loopback import answering

HEAD, OLD, MERGE = "a" * 40, "b" * 40, "c" * 40
LOG = b"$ make test\nerror: it failed\nERROR: Job failed: exit code 1\n"


@dataclass
class Said:
    """One answer of a server."""

    value: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    drip: float = 0.0
    cut: int = 0
    """Bytes that are promised and not sent."""


@dataclass
class World:
    """What the forge holds: one change, its jobs, what else ran, the comments."""

    head: str = HEAD
    merged: bool = False
    jobs: list[dict[str, Any]] = field(
        default_factory=lambda: [
            {"id": 70, "name": "build", "status": "success"},
            {"id": 71, "name": "test", "status": "failed"},
        ]
    )
    status: str = "failed"
    attempt: int = 1
    comments: list[dict[str, Any]] = field(default_factory=list)
    reruns: list[str] = field(default_factory=list)
    log: bytes = LOG


Route = Callable[[str, str, dict[str, str], Any], Said | None]


@dataclass
class ForgeServer:
    """The running server; `faults` are given before anything else, one a request."""

    base: str
    route: Route
    faults: list[Said] = field(default_factory=list)
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)


@contextmanager
def serving(route: Route) -> Iterator[ForgeServer]:
    """Serve on a free port of loopback until the block ends."""
    with answering(_Handler) as httpd:
        httpd.handle_error = lambda *_: None  # a client that hangs up on a lie is right
        httpd.forge = ForgeServer(httpd.url, route)
        yield httpd.forge


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _any(self) -> None:
        parts = urlsplit(self.path)
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        forge = self.server.forge
        heads = {name.lower(): value for name, value in self.headers.items()}
        forge.asked.append((self.command, self.path, heads))
        said = forge.faults.pop(0) if forge.faults else None
        if said is None:
            said = forge.route(self.command, parts.path, query, body) or Said({}, 404)
        with suppress(BrokenPipeError, ConnectionResetError):
            self._send(said)

    do_GET = do_POST = do_PUT = do_PATCH = _any

    def _send(self, said: Said) -> None:
        data = said.raw if said.raw is not None else json.dumps(said.value).encode()
        data = b"" if said.status == 304 else data  # which has no body
        self.send_response(said.status)
        heads = {"Content-Type": "application/json", **said.headers}
        for name, value in heads.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) + said.cut))
        self.end_headers()
        if said.drip:
            for at in range(len(data)):
                self.wfile.write(data[at : at + 1])
                time.sleep(said.drip)
        else:
            self.wfile.write(data)
        if said.cut:
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


# -- GitLab ---


def gitlab(world: World) -> Route:
    """Tell the world as GitLab's REST API (v4) does."""

    def pipeline(id: int = 7) -> dict[str, Any]:
        return {
            "id": id, "sha": world.head, "ref": "fix", "source": "merge_request_event",
            "status": world.status, "tag": False, "created_at": "2026-11-01T10:00:00Z",
            "web_url": f"https://git.example/pay/-/pipelines/{id}", "yaml_errors": None,
        }  # fmt: skip

    def change() -> dict[str, Any]:
        return {
            "iid": 42, "project_id": 5, "target_project_id": 5, "title": "Fix", "sha": world.head,
            "state": "merged" if world.merged else "opened", "source_branch": "fix",
            "target_branch": "main", "web_url": "https://git.example/pay/-/merge_requests/42",
            "merge_commit_sha": MERGE if world.merged else None,
            "head_pipeline": {"id": 7, "sha": world.head, "user": {"username": "bot"}},
        }  # fmt: skip

    def job(one: dict[str, Any]) -> dict[str, Any]:
        return {
            "stage": "test", "allow_failure": False, "failure_reason": "script_failure",
            "web_url": f"https://git.example/pay/-/jobs/{one['id']}", **one,
        }  # fmt: skip

    child = {"id": 8, "project_id": 5, "status": "failed"}
    fixed: dict[str, Callable[[], Any]] = {
        "/projects/pay/merge_requests/42": change,
        "/projects/5/merge_requests/42/pipelines": lambda: [pipeline(), {**pipeline(6), "sha": OLD}],
        "/projects/5/pipelines/7": pipeline,
        "/projects/5/pipelines/9": lambda: {**pipeline(9), "sha": MERGE, "ref": "main"},
        "/projects/5/pipelines": lambda: [{**pipeline(9), "sha": MERGE, "ref": "main"}],
        "/projects/5/pipelines/7/jobs": lambda: [job(one) for one in world.jobs],
        "/projects/5/pipelines/9/jobs": lambda: [job({"id": 90, "name": "test", "status": "success"})],
        "/projects/5/pipelines/8/jobs": lambda: [job({"id": 80, "name": "child", "status": "failed"})],
        "/projects/5/pipelines/7/bridges": lambda: [{"downstream_pipeline": child, "allow_failure": True}],
        # a child that names its parent as its own child: a circle
        "/projects/5/pipelines/8/bridges": lambda: [{"downstream_pipeline": {"id": 7, "project_id": 5}}],
        "/projects/5/pipelines/9/bridges": list,
        "/projects/5/pipelines/7/test_report_summary": lambda: {
            "total": {"count": 41, "skipped": 2},
            "test_suites": [{"name": "unit", "total_count": 41, "skipped_count": 2}],
        },
        "/projects/5/repository/compare": lambda: {
            "diffs": [{"old_path": "a.py", "new_path": "a.py", "diff": "@@ -1 +1 @@\n-1\n+2\n"}]
        },
    }  # fmt: skip

    def route(method: str, path: str, query: dict[str, str], body: Any) -> Said | None:
        path = unquote(path).removeprefix("/api/v4")
        if path == "/projects/5/merge_requests/42/notes":
            return _comments(world, method, body, query)
        if path.startswith("/projects/5/merge_requests/42/notes/"):
            return _edited(world, path, body)
        if path.endswith("/trace"):
            return Said(raw=world.log, headers={"Content-Type": "text/plain"})
        if path.endswith("/retry"):
            world.reruns.append(path)
            return Said({}, 201)
        return Said(fixed[path]()) if path in fixed else None

    return route


# -- GitHub and Gitea ---


def github(world: World) -> Route:  # noqa: C901 - one table of routes
    """Tell the world as GitHub's REST API does."""
    words = {"failed": "failure", "success": "success", "canceled": "cancelled"}

    def ended(status: str) -> dict[str, Any]:
        done = status in words
        return {
            "status": "completed" if done else "in_progress",
            "conclusion": words.get(status),
        }

    def run() -> dict[str, Any]:
        return {
            "id": 7, "workflow_id": 3, "name": "CI", "run_attempt": world.attempt, "event": "pull_request",
            "head_branch": "fix", "head_sha": world.head, "actor": {"login": "bot"},
            "run_started_at": "2026-11-01T10:00:00Z", "html_url": "https://hub.example/pay/runs/7",
            **ended(world.status),
        }  # fmt: skip

    def change() -> dict[str, Any]:
        return {
            "number": 42, "title": "Fix", "state": "closed" if world.merged else "open",
            "merged": world.merged, "merge_commit_sha": MERGE, "html_url": "https://hub.example/o/pay/pull/42",
            "head": {"sha": world.head, "ref": "fix"}, "base": {"ref": "main", "repo": {"id": 5}, "repo_id": 5},
        }  # fmt: skip

    def jobs() -> dict[str, Any]:
        listed = [
            {"id": one["id"], "name": one["name"], "html_url": f"https://hub.example/j/{one['id']}",
             **ended(one["status"])}
            for one in world.jobs
        ]  # fmt: skip
        return {"total_count": len(listed), "jobs": listed}

    def runs(query: dict[str, str]) -> dict[str, Any]:
        if query.get("head_sha") == MERGE or query.get("branch") == "main":
            main = {**run(), "id": 9, "head_branch": "main", "event": "push", "head_sha": MERGE}
            return {"workflow_runs": [{**main, "status": "completed", "conclusion": "success"}]}
        return {"workflow_runs": [run()] if query.get("head_sha") == world.head else []}

    def route(method: str, path: str, query: dict[str, str], body: Any) -> Said | None:
        path = path.removeprefix("/api/v1")
        here = "/repos/o/pay"
        if path == f"{here}/issues/42/comments":
            return _comments(world, method, body, query)
        if path.startswith(f"{here}/issues/comments/"):
            return _edited(world, path, body)
        if path.endswith("/rerun"):
            world.reruns.append(path)
            return Said({}, 201)
        if path.endswith("/logs"):
            return Said(raw=world.log, headers={"Content-Type": "text/plain"})
        if path.endswith(".diff"):
            return Said(raw=b"diff --git a/a.py b/a.py\n@@ -1 +1 @@\n-1\n+2\n")
        if "/compare/" in path:
            files = [{"filename": "a.py", "status": "modified", "patch": "@@ -1 +1 @@\n-1\n+2"}]
            return Said({"files": files})
        answers: dict[str, Any] = {
            f"{here}/pulls/42": change,
            f"{here}/actions/runs": lambda: runs(query),
            f"{here}/actions/runs/7/jobs": jobs,
            f"{here}/actions/runs/9/jobs": lambda: {"jobs": []},
            f"{here}/branches/main": lambda: {"name": "main", "commit": {"id": MERGE}},
        }
        for sha in {HEAD, OLD, MERGE, world.head}:
            answers[f"{here}/commits/{sha}/check-runs"] = lambda: {"check_runs": []}
            answers[f"{here}/commits/{sha}/statuses"] = list
        return Said(answers[path]()) if path in answers else None

    return route


gitea = github


# -- Buildbot ---


def buildbot(world: World) -> Route:
    """Tell the world as Buildbot's REST API (v2) does: one builder a job."""
    results = {"success": 0, "failed": 2, "canceled": 6}

    def build(one: dict[str, Any]) -> dict[str, Any]:
        properties = {
            "branch": "change-42", "got_revision": world.head, "scheduler": f"all-{world.attempt}",
            "buildername": one["name"], "owner": "bot",
        }  # fmt: skip
        return {
            "buildid": one["id"], "builderid": one["id"] % 10, "number": one["id"],
            "complete": one["status"] in results, "results": results.get(one["status"]),
            "started_at": 1_793_000_000, "complete_at": 1_793_000_100,
            "properties": {name: [value, "here"] for name, value in properties.items()},
        }  # fmt: skip

    def route(method: str, path: str, query: dict[str, str], body: Any) -> Said | None:
        path = path.removeprefix("/api/v2")
        if path == "/builds":
            return Said(
                {"builds": [build(one) for one in reversed(world.jobs)], "meta": {"total": 2}}
            )
        if path.endswith("/steps"):
            return Said({"steps": [{"stepid": 5, "number": 1, "results": 2, "name": "test"}]})
        if path == "/steps/5/logs":
            return Said({"logs": [{"logid": 6, "name": "stdio"}]})
        if path == "/logs/6/raw":
            return Said(raw=world.log, headers={"Content-Type": "text/plain"})
        if method == "POST" and path.startswith("/builds/"):
            world.reruns.append(path)
            return Said({"result": [1, {}]})
        return None

    return route


def _comments(world: World, method: str, body: Any, query: dict[str, str]) -> Said:
    if method == "POST":
        world.comments.append({"id": 100 + len(world.comments), "body": body["body"]})
        return Said(world.comments[-1], 201)
    return Said(world.comments if query.get("page", "1") == "1" else [])


def _edited(world: World, path: str, body: Any) -> Said | None:
    id = int(path.rpartition("/")[2])
    found = next((one for one in world.comments if one["id"] == id), None)
    if found is None:
        return None
    found["body"] = body["body"]
    return Said(found)
