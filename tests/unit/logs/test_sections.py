"""Which command failed, by the markers of each CI system."""

from __future__ import annotations

import pytest

from caselore.logs.page import Segment, build
from caselore.logs.sections import regions, status
from caselore.logs.signs import book, mark

TRAVIS = """travis_fold:start:install\r\x1b[0Ktravis_time:start:aa\r\x1b[0K$ pip install .
fine
travis_time:end:aa:start=1\r\x1b[0K
travis_time:start:bb\r\x1b[0K$ make test
$ inner echo
broken here
travis_time:end:bb:start=2\r\x1b[0K
The command "make test" exited with 2.
travis_time:start:cc\r\x1b[0K$ make lint
also broken
The command "make lint" exited with 1.

Done. Your build exited with 1.
"""
ACTIONS = """##[group]Run npm ci
npm ci
##[endgroup]
added 3 packages
##[group]Run npm test
npm test
##[endgroup]
broken here
##[error]Process completed with exit code 1.
Post job cleanup.
"""
GITLAB = """section_start:1:prepare_script\r\x1b[0KPreparing
section_end:1:prepare_script\r\x1b[0K
section_start:2:step_script\r\x1b[0KExecuting
$ make build
built
$ make test
broken here
section_end:3:step_script\r\x1b[0K
section_start:4:after_script\r\x1b[0KRunning after_script
$ make clean
rm: cannot remove x
section_end:5:after_script\r\x1b[0K
ERROR: Job failed: exit code 1
"""
BUILDKITE = """~~~ Preparing working directory
$ git fetch
~~~ Running commands
$ make test
broken here
🚨 Error: The command exited with status 2
"""
AZURE = """##[section]Starting: Build
fine
##[section]Finishing: Build
##[section]Starting: Test
broken here
##[error]Bash exited with code '1'.
##[section]Finishing: Test
"""
JENKINS = """[Pipeline] sh
+ make build
fine
[Pipeline] sh
+ make test
broken here
ERROR: script returned exit code 2
Finished: FAILURE
"""
CIRCLE = """#!/bin/bash -eo pipefail
make test
broken here
Exited with code exit status 2
"""
LOGS = {
    "travis": (TRAVIS, 2),
    "actions": (ACTIONS, 1),
    "gitlab": (GITLAB, 1),
    "buildkite": (BUILDKITE, 2),
    "azure": (AZURE, 1),
    "jenkins": (JENKINS, 2),
    "circle": (CIRCLE, 2),
}


@pytest.mark.parametrize("name", LOGS)
def test_the_first_failed_command_holds_the_failure_and_little_else(name: str) -> None:
    text, code = LOGS[name]
    page = build([Segment(1, text.encode())])
    broken = page.lines.index("broken here")

    first = regions(page, mark(page, book()))[0]

    assert broken in first
    assert first.status == code
    assert first.marker - first.first < 8


def test_a_job_without_any_marker_has_no_failed_command() -> None:
    page = build([Segment(1, b"$ make\nfine\n")])

    assert regions(page, mark(page, book())) == ()


def test_each_failed_command_is_kept_apart() -> None:
    page = build([Segment(1, TRAVIS.encode())])

    assert [r.status for r in regions(page, mark(page, book()))] == [2, 1]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('The command "make" exited with 2.', 2),
        ("ERROR: Job failed: exit code 137", 137),
        ("##[error]Process completed with exit code 1.", 1),
        ("No output has been received in the last 10m0s, this potentially indicates a stall", 124),
        ("ERROR: Job failed (system failure): pod lost", None),
    ],
)
def test_the_status_is_read_from_the_marker(line: str, code: int | None) -> None:
    assert status(line) == code
