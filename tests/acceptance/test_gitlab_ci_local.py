"""A pipeline of GitLab's own form really runs and fails, by gitlab-ci-local, under the whole loop.

Collected where CASELORE_TEST_GITLAB_CI_LOCAL names the command, or it is on the path; a run without
it says so at its end. It needs node.
"""

from __future__ import annotations

import os
import subprocess

import pytest

from fakes import means

PROGRAM = means.gitlab_ci_local()
PIPELINE = """
test:
  script:
    - echo "running the tests"
    - python3 -c "assert sum([1, 2]) == {total}, 'total lost a row'"
"""
# a copy of the commit is no clone: it gets what the program asks git for
JOB = """
[[job]]
name = "test"
run = '''git init -q -b main . && git add . && git -c user.name=a -c user.email=a@b.c commit -qm x &&
git remote add origin https://git.example/pay.git && git update-ref refs/remotes/origin/main HEAD &&
git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main &&
{program} --force-shell-executor --no-color test'''
"""


def git(folder, *arguments):
    named = ["-c", "user.name=bot", "-c", "user.email=bot@example.com"]
    subprocess.run(["git", "-C", folder, *named, *arguments], check=True, capture_output=True)


def commit(folder, total):
    (folder / ".gitlab-ci.yml").write_text(PIPELINE.format(total=total))
    (folder / "caselore-ci.toml").write_text(JOB.format(program=PROGRAM))
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", f"total {total}")


@pytest.mark.needs("gitlab-ci-local")
def test_a_pipeline_of_gitlab_fails_is_handed_over_and_goes_green(ana, tmp_path):
    pay = tmp_path / "pay"
    pay.mkdir()
    git(pay, "init", "-q", "-b", "main")
    git(pay, "commit", "-q", "--allow-empty", "-m", "begin")
    git(pay, "checkout", "-q", "-b", "change-7")
    commit(pay, 4)
    (ana.folder / "caselore.toml").write_text(
        '[repair.policy]\nsettle = 0\n[repair.workers.idle]\nstart = ["true"]\nlogins = ["bot"]\n'
    )
    ana.extra["PATH"] = os.environ["PATH"]
    change = f"{pay.as_uri()}/-/merge_requests/7"
    assert ana.run("repair", "track", change, "--worker", "idle").code == 0
    ana.run("repair", "watch", "--once")
    red = ana.run("repair", "status", change, "--json").json
    (incident,) = ana.run("incidents", "--json").lines
    commit(pay, 3)
    for _ in range(2):
        ana.run("repair", "watch", "--once")
    now = ana.run("repair", "status", change, "--json").json

    assert red["pipeline_fail_count"] == 1
    assert "total lost a row" in str(ana.run("show", incident["incident"], "--json").json)
    assert (now["last_attempt"]["verdict"], now["last_attempt"]["head"] != red["head"]) == (
        "green",
        True,
    )
