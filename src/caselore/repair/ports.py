"""What the repair loop needs of a forge, as small structural Protocols.

A forge adapter gives values with these names; it need not import anything from here. All texts
are as the forge says them, ids are texts, an unknown text is empty. Statuses, sources and failure
reasons are passed on unmapped: `verdict` knows the words of GitLab, GitHub, Gitea and Buildbot.

What the loop counts on, of every adapter:

- `pipelines` gives those that may speak for the head: of the head sha, or of the merged result
  and the merge train of this change (`ref` then is `refs/merge-requests/IID/merge|train`, or
  `source` is `merged_result` or `merge_train`), newest first, jobs included. Jobs of child
  pipelines are rolled up: they stand among the parent's jobs with their own `pipeline` id; a
  bridge that may fail passes `allow_failure` on to them. Where a job was retried, both runs may be
  listed: the newest run of a name counts. Where the forge has no pipelines (GitHub, commit
  statuses), all runs of one sha are one pipeline, whose id is the sha and whose `run` changes
  with every re-run.
- An answer that cannot be had is an error of `caselore.errors`: NotFound for 404 and 410;
  Unavailable or a leaf of it otherwise, whose `code` is `rate_limited`, `timeout` or anything
  else. An answer that is no sound answer is such an error, too, never an empty list.
- Nothing here decides: no adapter counts, retries a job by itself or hides a red one.

Must not know any forge, nor hold a rule of the loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol


class ForgeJob(Protocol):
    """One run of one job."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def stage(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def allow_failure(self) -> bool: ...
    @property
    def failure_reason(self) -> str: ...
    @property
    def pipeline(self) -> str:
        """Id of the pipeline that ran it: the parent's, or a child's."""

    @property
    def url(self) -> str: ...


class ForgePipeline(Protocol):
    """One pipeline, with the jobs that are known of it."""

    @property
    def id(self) -> str: ...
    @property
    def sha(self) -> str: ...
    @property
    def ref(self) -> str: ...
    @property
    def tag(self) -> bool: ...
    @property
    def source(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def run(self) -> str:
        """What changes when the same id runs again (GitHub's run_attempt); may be empty."""

    @property
    def created_at(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def config_error(self) -> str:
        """What the forge says of a configuration that it could not run (yaml_errors)."""

    @property
    def jobs(self) -> Sequence[ForgeJob]: ...


class ForgeChange(Protocol):
    """A merge or pull request as the forge has it now."""

    @property
    def url(self) -> str: ...
    @property
    def project(self) -> str:
        """The project's path: group/name."""

    @property
    def project_id(self) -> str:
        """What stays when the project is renamed; the path where the forge has nothing else."""

    @property
    def iid(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def state(self) -> str:
        """opened, closed or merged."""

    @property
    def head(self) -> str: ...
    @property
    def branch(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def pusher(self) -> str:
        """Login of who pushed the head; empty where the forge does not tell."""

    @property
    def merge_sha(self) -> str:
        """What stands on the target branch after the merge; empty before."""


class Forge(Protocol):
    """One forge: reads changes, pipelines and logs, and writes one comment.

    Every method raises NotFound where the forge has no such thing, Unavailable otherwise.
    """

    def change(self, url: str) -> ForgeChange: ...
    def pipelines(self, change: ForgeChange) -> Sequence[ForgePipeline]: ...
    def after_merge(self, change: ForgeChange) -> Sequence[ForgePipeline]:
        """Give the pipelines of the merge commit: of the target branch, and of tags."""

    def target(self, change: ForgeChange) -> ForgePipeline | None:
        """Give the newest finished pipeline of the target branch; None where there is none."""

    def pipeline(self, change: ForgeChange, id: str) -> ForgePipeline | None:
        """Give a pipeline of the change by its id, as it is now; None where it is gone."""

    def tests(self, change: ForgeChange, pipeline: str) -> Mapping[str, tuple[int, int]]:
        """Give how many tests ran and were left out, by suite; empty where it has no report."""

    def log(self, change: ForgeChange, job: ForgeJob) -> AbstractContextManager[BinaryIO]:
        """Open a job's log; cut by the adapter's byte cap, with a line that says so."""

    def rerun(self, change: ForgeChange, job: ForgeJob) -> None:
        """Ask for one more run of a job."""

    def diff(self, change: ForgeChange, base: str, head: str) -> str:
        """Give what changed between two commits, as a unified diff.

        Of a file whose change the forge does not show, a line says that it was left out.
        """

    def comment(self, change: ForgeChange, marker: str, text: str) -> None:
        """Write the one comment that carries this marker, in place of what it said before."""
