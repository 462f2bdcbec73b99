"""Takes what a forge ran into the memory: failed jobs as incidents, passed ones as green runs.

Must not judge or confirm: it fetches, reads, records as observed, and writes one comment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol, cast

from caselore.errors import BadInput, CaseloreError, NotGreen, WrongUse
from caselore.settings import Settings, passed_on
from caselore.wiring.forges import KINDS, forge_of

if TYPE_CHECKING:
    from caselore.forges.values import Change, Job, Pipeline
    from caselore.incidents.diagnosis import Diagnosis
    from caselore.repair.ports import Forge
    from caselore.wiring.app import App

MARKER = "<!-- caselore: incidents -->"
GREEN_JOBS = 20  # passed jobs of one pipeline whose logs are fetched
RED = frozenset({"failed", "failure", "timed_out", "error"})
PASSED = frozenset({"success"})
_GITLAB = (
    "CI_SERVER_URL", "CI_PROJECT_PATH", "CI_PROJECT_ID", "CI_PROJECT_NAME", "CI_PIPELINE_ID",
    "CI_JOB_ID", "CI_JOB_NAME", "CI_JOB_STATUS", "CI_JOB_URL", "CI_COMMIT_SHA",
    "CI_COMMIT_REF_NAME", "CI_MERGE_REQUEST_IID", "CI_ENVIRONMENT_NAME",
)  # fmt: skip
_GITHUB = (
    "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID", "GITHUB_SHA", "GITHUB_REF_NAME",
    "GITHUB_JOB", "GITHUB_RUN_ATTEMPT",
)  # fmt: skip


class Listing(Protocol):
    """A forge that can list what has ended."""

    def finished(self, project: str, since: str) -> Iterator[tuple[Change, Pipeline]]:
        """Give the finished pipelines since a time, the oldest first."""


@dataclass
class Taken:
    """What came in."""

    pipelines: int = 0
    incidents: list[str] = field(default_factory=list)
    greens: int = 0
    errors: list[str] = field(default_factory=list)
    until: str = ""

    def to_json(self) -> dict[str, Any]:
        """Give it as plain JSON values."""
        return {
            "pipelines": self.pipelines,
            "incidents": self.incidents,
            "greens": self.greens,
            "errors": self.errors,
            "until": self.until or None,
        }


@dataclass(frozen=True)
class Run:
    """The names of the run that a job belongs to."""

    service: str
    branch: str
    commit: str
    deployment: str
    environment: str = ""
    at: datetime | None = None


def take(app: App, forge: Forge, change: Change, pipeline: Pipeline) -> Taken:
    """Take in one pipeline; what cannot be fetched is told and stops nothing."""
    taken = Taken(pipelines=1, until=pipeline.created_at)
    run = Run(
        service=change.project.rpartition("/")[2] or change.project,
        branch=pipeline.ref or change.branch,
        commit=pipeline.sha,
        deployment=pipeline.id if pipeline.id.isdigit() else "",
        at=_time(pipeline.created_at),
    )
    red = [job for job in pipeline.jobs if job.status in RED and not job.allow_failure]
    read = [_red(app, forge, change, run, job, taken) for job in red]
    found = [one for one in read if one is not None]
    for job in [one for one in pipeline.jobs if one.status in PASSED][:GREEN_JOBS]:
        _green(app, forge, change, run, job, taken)
    if found and change.iid:
        _commented(forge, change, found, taken)
    return taken


def _red(
    app: App, forge: Forge, change: Change, run: Run, job: Job, taken: Taken
) -> Diagnosis | None:
    try:
        with forge.log(change, job) as log:
            found = app.diagnose(
                log,
                name=f"{job.name} {job.id}",
                service=run.service,
                branch=run.branch,
                commit=run.commit,
                deployment=run.deployment,
                environment=run.environment,
                stage=job.name,
                url=job.url,
                at=run.at,
            )
    except CaseloreError as error:
        taken.errors.append(f"{job.name} {job.id}: {error}")
        return None
    taken.incidents.append(found.incident)
    return found


def _green(app: App, forge: Forge, change: Change, run: Run, job: Job, taken: Taken) -> None:
    try:
        with forge.log(change, job) as log:
            app.remember_green(
                log, service=run.service, stage=job.name, label=job.id, commit=run.commit
            )
        taken.greens += 1
    except NotGreen:
        return  # the forge says passed, its log reads as failed: neither is taken
    except CaseloreError as error:
        taken.errors.append(f"{job.name} {job.id}: {error}")


def _commented(forge: Forge, change: Change, found: list[Diagnosis], taken: Taken) -> None:
    from caselore.incidents.comment import markdown  # noqa: PLC0415

    try:
        forge.comment(change, MARKER, "\n---\n".join(markdown(one) for one in found))
    except CaseloreError as error:
        taken.errors.append(f"the comment: {error}")


# -- inside a job ---


def from_environment(app: App, kind: str, log: Any = None) -> Taken:
    """Take in the job, or the run, whose environment this is.

    Raises: WrongUse outside such a job; what the forge raises.
    """
    names = passed_on(_GITLAB if kind == "gitlab" else _GITHUB)
    if log is not None:
        return _given(app, kind, names, log)
    if kind == "gitlab":
        return _gitlab_job(app, names)
    return _github_run(app, names)


def _given(app: App, kind: str, names: Mapping[str, str], log: Any) -> Taken:
    """Take in a log that the job kept itself, under the job's names."""
    lab = kind == "gitlab"
    project = names.get("CI_PROJECT_PATH" if lab else "GITHUB_REPOSITORY", "")
    found = app.diagnose(
        log,
        service=project.rpartition("/")[2],
        branch=names.get("CI_COMMIT_REF_NAME" if lab else "GITHUB_REF_NAME", ""),
        commit=names.get("CI_COMMIT_SHA" if lab else "GITHUB_SHA", ""),
        deployment=names.get("CI_PIPELINE_ID" if lab else "GITHUB_RUN_ID", ""),
        environment=names.get("CI_ENVIRONMENT_NAME", ""),
        stage=names.get("CI_JOB_NAME" if lab else "GITHUB_JOB", ""),
        url=names.get("CI_JOB_URL", ""),
    )
    return Taken(pipelines=1, incidents=[found.incident])


def _gitlab_job(app: App, names: Mapping[str, str]) -> Taken:
    from caselore.forges.values import Change, Job, Pipeline  # noqa: PLC0415

    needed = ("CI_SERVER_URL", "CI_PROJECT_PATH", "CI_PROJECT_ID", "CI_JOB_ID", "CI_JOB_NAME")
    _must(names, needed, "--from-gitlab-env")
    status = names.get("CI_JOB_STATUS", "failed")
    iid = names.get("CI_MERGE_REQUEST_IID", "")
    change = Change("", names["CI_PROJECT_PATH"], names["CI_PROJECT_ID"], iid)
    job = Job(
        names["CI_JOB_ID"], names["CI_JOB_NAME"], status=status, url=names.get("CI_JOB_URL", "")
    )
    run = Pipeline(
        id=names.get("CI_PIPELINE_ID", ""),
        sha=names.get("CI_COMMIT_SHA", ""),
        ref=names.get("CI_COMMIT_REF_NAME", ""),
        status=status,
        jobs=(job,),
    )
    return take(app, forge_of(app.settings, names["CI_SERVER_URL"], app.now), change, run)


def _github_run(app: App, names: Mapping[str, str]) -> Taken:
    needed = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")
    _must(names, needed, "--from-github-env")
    from caselore.forges.values import Change  # noqa: PLC0415

    project, sha = names["GITHUB_REPOSITORY"], names["GITHUB_SHA"]
    change = Change("", project, project, "", head=sha, branch=names.get("GITHUB_REF_NAME", ""))
    forge = forge_of(app.settings, names["GITHUB_SERVER_URL"], app.now)
    total = Taken()
    for pipeline in forge.pipelines(change):
        total = _added(total, take(app, forge, change, cast("Pipeline", pipeline)))
    return total


def _must(names: Mapping[str, str], needed: tuple[str, ...], option: str) -> None:
    missing = [name for name in needed if not names.get(name)]
    if missing:
        raise WrongUse(
            f"{', '.join(missing)} is not set: this is no such job.",
            hint=f"{option} is for use inside a CI job; elsewhere give a log.",
        )


# -- history ---


def import_history(
    app: App,
    kind: str,
    project: str,
    since: timedelta,
    address: str,
    progress: Callable[[Taken], None] | None = None,
) -> Taken:
    """Take in a project's finished pipelines, the oldest first; it goes on where it stopped.

    Raises: WrongUse for a forge that is none; what the forge raises, after keeping how far it got.
    """
    if kind not in KINDS:
        raise WrongUse(f"{kind!r} is no forge.", hint=f"Known are {', '.join(KINDS)}.")
    forge = forge_of(app.settings, address, app.now)
    if not hasattr(forge, "finished"):
        raise WrongUse(f"The history of a {kind} cannot be listed.", hint="Ingest run by run.")
    began = (app.now() - since).astimezone(UTC).isoformat().replace("+00:00", "Z")
    mark = Cursor(app.settings, f"{address} {project}")
    total = Taken(until=max(mark.read(), began))
    for change, pipeline in cast("Listing", forge).finished(project, total.until):
        total = _added(total, take(app, forge, change, pipeline))
        mark.write(total.until)
        if progress:
            progress(total)
    return total


def _added(total: Taken, one: Taken) -> Taken:
    return Taken(
        total.pipelines + one.pipelines,
        total.incidents + one.incidents,
        total.greens + one.greens,
        total.errors + one.errors,
        max(total.until, one.until),
    )


@dataclass(frozen=True)
class Cursor:
    """How far the history of a project was taken in, kept in the home."""

    settings: Settings
    project: str

    def read(self) -> str:
        """Give the time of the last pipeline; empty before the first."""
        return str(self._all().get(self._key, ""))

    def write(self, until: str) -> None:
        """Keep a time; the file is written whole or not at all."""
        path = self.settings.home / "history.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(json.dumps({**self._all(), self._key: until}), "utf-8")
        new.replace(path)

    @property
    def _key(self) -> str:
        return f"{self.settings.bank} {self.project}"

    def _all(self) -> dict[str, Any]:
        try:
            found = json.loads((self.settings.home / "history.json").read_text("utf-8"))
        except (OSError, ValueError):
            return {}  # a lost mark costs a second look; nothing is taken in twice
        return found if isinstance(found, dict) else {}


def span(text: str) -> timedelta:
    """Read 30d, 12h or 2w. Raises: BadInput."""
    units = {"h": 3_600, "d": 86_400, "w": 604_800}
    number, unit = text[:-1], text[-1:]
    if not number.isdigit() or unit not in units or not 0 < int(number) < 10_000:
        raise BadInput(f"{text!r} is no span of time: 12h, 30d or 8w.")
    return timedelta(seconds=int(number) * units[unit])


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
