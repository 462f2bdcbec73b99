"""A forge on one machine: a git repository, its branches as changes, a shell as its CI.

Change 7 is the branch `change-7`, or what `git config caselore-change.7.branch` says. Its CI is
`caselore-ci.toml` in its own tree: `[[job]]` with `name`, `run` and perhaps `allow_failure`. It
runs when somebody looks and the commit has not run yet, in a copy of the commit, and leaves its
logs beside the repository's own files. For the demonstration, for tests, and for whoever has no
other CI. Must not touch the working tree, nor run what git does not hold.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote, unquote, urlsplit

from caselore.errors import BadInput, ForgeGarbled, ForgeUnavailable, NotFound
from caselore.forges.values import AnyChange, AnyJob, Change, Job, Pipeline

CONFIGURATION = "caselore-ci.toml"
LONGEST_JOB = 1_800.0  # seconds
GIT = 120.0
_KEPT = "caselore-forge"  # the folder within the repository's git folder


class Local:
    """The git repositories of one machine."""

    def __init__(
        self, clock: Callable[[], datetime], environment: Mapping[str, str], target: str = "main"
    ) -> None:
        """Take what jobs may see of the environment, and the branch that changes go to."""
        self._clock, self._environment, self._target = clock, environment, target

    def change(self, url: str) -> Change:
        """Read a change, `file:///REPOSITORY/-/merge_requests/N`. Raises: BadInput, NotFound."""
        repository, iid = parsed(url)
        branch = branch_of(repository, iid)
        name = f"refs/heads/{branch}^{{commit}}"
        head = _git(repository, "rev-parse", "--verify", "--quiet", name)
        if not head:
            raise NotFound(f"{repository} has no branch {branch!r}.")
        merge = self._merge_of(repository, head)
        return Change(
            url=url,
            project=repository.name,
            project_id=str(repository),
            iid=iid,
            title=_git(repository, "log", "-1", "--format=%s", head),
            state="merged" if merge else "opened",
            head=head,
            branch=branch,
            target=self._target,
            pusher=_git(repository, "log", "-1", "--format=%cn", head),
            merge_sha=merge,
        )

    def pipelines(self, change: AnyChange) -> tuple[Pipeline, ...]:
        """Give the runs of the head, newest first; the first look runs it."""
        return self._runs(change, change.head, "push", change.branch)

    def after_merge(self, change: AnyChange) -> tuple[Pipeline, ...]:
        """Give the runs of the merge commit."""
        if not change.merge_sha:
            return ()
        return self._runs(change, change.merge_sha, "push", change.target)

    def target(self, change: AnyChange) -> Pipeline | None:
        """Give the newest run of the target branch that is there; nothing is run for it."""
        repository = Path(change.project_id)
        head = _git(repository, "rev-parse", "--verify", "--quiet", f"refs/heads/{change.target}")
        found = _stored(repository, head) if head else []
        return found[-1] if found else None

    def pipeline(self, change: AnyChange, id: str) -> Pipeline | None:
        """Give one run by its id."""
        found = _stored(Path(change.project_id), id.partition("-")[0])
        return next((one for one in found if one.id == id), None)

    def tests(self, change: AnyChange, pipeline: str) -> dict[str, tuple[int, int]]:
        """Give nothing: no report of tests is kept here."""
        return {}

    @contextmanager
    def log(self, change: AnyChange, job: AnyJob) -> Iterator[BinaryIO]:
        """Open a job's log. Raises: NotFound."""
        path = _kept(Path(change.project_id)) / f"{quote(job.id, safe='')}.log"
        if not path.is_file():
            raise NotFound(f"Job {job.id} has no log.")
        with path.open("rb") as file:
            yield file

    def rerun(self, change: AnyChange, job: AnyJob) -> None:
        """Run a commit once more."""
        self._run(Path(change.project_id), change.head, "rerun", change.branch)

    def diff(self, change: AnyChange, base: str, head: str) -> str:
        """Give what changed between two commits."""
        return _git(Path(change.project_id), "diff", "--no-color", base, head, "--")

    def comment(self, change: AnyChange, marker: str, text: str) -> None:
        """Write the one comment of a branch beside the repository's own files."""
        path = _kept(Path(change.project_id)) / f"{quote(change.branch, safe='')}.md"
        _replace(path, f"{marker}\n{text}\n".encode())

    # -- running ---

    def _merge_of(self, repository: Path, head: str) -> str:
        """Give the commit of the target branch that brought a head in; empty before."""
        target = f"refs/heads/{self._target}"
        if not _git(repository, "rev-parse", "--verify", "--quiet", target):
            return ""
        listed = _git(repository, "log", "--merges", "--format=%H %P", f"{head}..{target}")
        merges = [line.split() for line in listed.splitlines()]
        return next((one[0] for one in reversed(merges) if head in one[2:]), "")

    def _runs(self, change: AnyChange, sha: str, source: str, ref: str) -> tuple[Pipeline, ...]:
        repository = Path(change.project_id)
        if not _stored(repository, sha):
            self._run(repository, sha, source, ref)
        return tuple(reversed(_stored(repository, sha)))

    def _run(self, repository: Path, sha: str, source: str, ref: str) -> None:
        id = f"{sha}-{len(_stored(repository, sha)) + 1}"
        began = self._clock().isoformat()
        try:
            wanted = _configured(repository, sha)
            jobs = tuple(_jobs(repository, sha, id, wanted, self._environment))
            error = "" if wanted else f"{CONFIGURATION} names no job"
        except ForgeGarbled as fault:
            jobs, error = (), str(fault)
        red = any(job.status == "failed" and not job.allow_failure for job in jobs)
        status = "failed" if red or error else "success"
        read = Pipeline(
            id=id, sha=sha, ref=ref, source=source, status=status, run=id.rpartition("-")[2],
            created_at=began, url=f"{repository.as_uri()}#{id}", config_error=error, jobs=jobs,
        )  # fmt: skip
        _replace(_kept(repository) / f"{id}.json", json.dumps(asdict(read)).encode())


def parsed(url: str) -> tuple[Path, str]:
    """Give repository and number of a change's address. Raises: BadInput."""
    parts = urlsplit(url)
    path, found, iid = unquote(parts.path).rpartition("/-/merge_requests/")
    if parts.scheme != "file" or not found or not path.startswith("/") or not iid.isdigit():
        raise BadInput(
            f"{url!r} is no address of a local change: file:///REPOSITORY/-/merge_requests/7."
        )
    return Path(path), iid


def branch_of(repository: Path, iid: str) -> str:
    """Give the branch of a change: what git's configuration says, else `change-N`."""
    return _git(repository, "config", f"caselore-change.{iid}.branch") or f"change-{iid}"


def _configured(repository: Path, sha: str) -> list[dict[str, Any]]:
    """Read a commit's CI. Raises: ForgeGarbled for a file that is none."""
    shown = _git(repository, "show", f"{sha}:{CONFIGURATION}")
    try:
        found = tomllib.loads(shown).get("job", [])
    except tomllib.TOMLDecodeError as error:
        raise ForgeGarbled(f"{CONFIGURATION} is not sound TOML: {error}.") from None
    sound = isinstance(found, list) and all(map(_is_job, found))
    if not sound:
        raise ForgeGarbled(f"{CONFIGURATION}: each [[job]] has a name and what to run.")
    return list(found)


def _is_job(value: Any) -> bool:
    told = (value.get("name"), value.get("run")) if isinstance(value, dict) else (None,)
    return all(isinstance(one, str) for one in told)


def _jobs(
    repository: Path,
    sha: str,
    id: str,
    wanted: list[dict[str, Any]],
    environment: Mapping[str, str],
) -> Iterator[Job]:
    """Run the jobs of a commit, one after the other, in a copy of it."""
    with tempfile.TemporaryDirectory(prefix="caselore-ci-") as place:
        tree = Path(place) / "tree"
        tree.mkdir()
        archive = subprocess.run(
            ["git", "-C", str(repository), "archive", "--format=tar", sha],
            capture_output=True, timeout=GIT, check=True,
        )  # fmt: skip
        subprocess.run(
            ["tar", "-x", "-C", str(tree)], input=archive.stdout, timeout=GIT, check=True
        )
        for number, one in enumerate(wanted, 1):
            job = f"{id}-{number}"
            path = _kept(repository) / f"{quote(job, safe='')}.log"
            code = _ran(one["run"], tree, path, environment)
            yield Job(
                id=job,
                name=one["name"],
                stage="local",
                status="success" if code == 0 else "failed",
                allow_failure=one.get("allow_failure") is True,
                failure_reason="job_execution_timeout" if code is None else "",
                pipeline=id,
                url=path.as_uri(),
            )


def _ran(command: str, tree: Path, log: Path, environment: Mapping[str, str]) -> int | None:
    """Run one job's command, its words in a log; none where its time ran out."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out:
        out.write(f"$ {command}\n".encode())
        out.flush()
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=tree,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(timeout=LONGEST_JOB)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code:
            out.seek(0, os.SEEK_END)
            out.write(f"ERROR: Job failed: exit code {code}\n".encode())
    return code


def _stored(repository: Path, sha: str) -> list[Pipeline]:
    """Give the runs of a commit in their order."""
    found = []
    for path in _kept(repository).glob(f"{sha}-*.json"):
        with suppress(ValueError, TypeError, KeyError):
            told = json.loads(path.read_text("utf-8"))
            told["jobs"] = tuple(Job(**job) for job in told["jobs"])
            found.append(Pipeline(**told))
    return sorted(found, key=lambda one: int(one.run))


def _kept(repository: Path) -> Path:
    folder = _git(repository, "rev-parse", "--absolute-git-dir")
    if not folder:
        raise NotFound(f"{repository} is no git repository.")
    return Path(folder) / _KEPT


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}.new")
    new.write_bytes(data)
    new.replace(path)


def _git(repository: Path, *arguments: str) -> str:
    """Ask git; empty where it answers with an error. Raises: ForgeUnavailable without git."""
    try:
        found = subprocess.run(
            ["git", "-C", str(repository), *arguments],
            capture_output=True, text=True, errors="replace", timeout=GIT, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ForgeUnavailable(f"git does not run: {type(error).__name__}.", again=False) from None
    return found.stdout.strip() if found.returncode == 0 else ""
