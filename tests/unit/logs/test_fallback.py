"""Where no reader knows the tool: the line that a person would point at, under any CI system."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from caselore.logs import Reading, read
from caselore.logs.signs import book

_AFTER = """section_start:1773044094:after_script\r\x1b[0K\x1b[36;1mRunning after_script\x1b[0;m
\x1b[32;1m$ ./collect-logs\x1b[0;m
cat: /var/log/shop.log: No such file or directory
Error: nothing to collect
section_end:1773044095:after_script\r\x1b[0K
"""


def gitlab(body: str, after: str = "") -> str:
    return (
        'section_start:1773044092:step_script\r\x1b[0K\x1b[36;1mExecuting "step_script" stage of the job script\x1b[0;m\n'
        f"\x1b[32;1m$ ./deploy\x1b[0;m\n{body}\nsection_end:1773044093:step_script\r\x1b[0K\n{after}"
        "section_start:1773044096:cleanup_file_variables\r\x1b[0K\x1b[36;1mCleaning up project directory"
        " and file based variables\x1b[0;m\nsection_end:1773044097:cleanup_file_variables\r\x1b[0K\n"
        "\x1b[31;1mERROR: Job failed: exit code 1\x1b[0;m\n"
    )


def gitlab_with_an_after_script(body: str) -> str:
    return gitlab(body, _AFTER)


def travis(body: str) -> str:
    return (
        f"travis_fold:start:script\r\x1b[0Ktravis_time:start:1\r\x1b[0K$ ./deploy\n{body}\n"
        "travis_time:end:1:start=1,finish=2,duration=1\r\x1b[0K"
        '\x1b[31;1mThe command "./deploy" exited with 1.\x1b[0m\n\n\nDone. Your build exited with 1.\n'
    )


def actions(body: str) -> str:
    lines = f"##[group]Run ./deploy\n./deploy\nshell: /usr/bin/bash -e {{0}}\n##[endgroup]\n{body}"
    lines += "\n##[error]Process completed with exit code 1."
    return "".join(f"2026-03-01T10:00:00.0000000Z {line}\n" for line in lines.split("\n"))


FRAMES = [gitlab, gitlab_with_an_after_script, travis, actions]
BEFORE = [
    "loading config\nconnecting to database\n",
    "Loading configuration for production\nconnected to db-1\nApplying 3 changes\n",
]
LAST_WORDS = [
    "The deployment was cancelled because the database migration took longer than allowed",
    "django.core.exceptions.ImproperlyConfigured: Set the SECRET_KEY environment variable",
    "DeployTimeout: migrate did not end",
    "command terminated: deadline reached",
    "Terminated",
    "step refused by the policy office",
]


def pointed(log: str, reading: Reading) -> str:
    return "" if reading.failing_line is None else log.split("\n")[reading.failing_line - 1]


@pytest.mark.parametrize("tools", [True, False])
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("words", LAST_WORDS)
def test_of_lines_that_say_little_the_last_one_failed(
    words: str, before: str, frame: Callable[[str], str], tools: bool
) -> None:
    log = frame(before + words)

    assert pointed(log, read(log.encode(), name="x", using=book(tools))).endswith(words)


STACK = """loading config
Traceback (most recent call last):
  File "/srv/app/deploy.py", line 12, in run
    migrate(timeout)
  File "/srv/app/migrate.py", line 80, in migrate
    raise TimeoutError(f'migration exceeded {timeout}s')
TimeoutError: migration exceeded 30s"""
CHAIN = (
    STACK
    + """

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/app/deploy.py", line 14, in run
    raise Stopped() from None
app.errors.Stopped: the release was stopped"""
)
OWN_ERROR = """Traceback (most recent call last):
  File "a.py", line 3, in x
    run()
app.errors.Quota: the tenant has no room"""
NODE = """/srv/app/deploy.js:12
    throw new TimeoutError(`migration exceeded ${limit}s`);
    ^

TimeoutError: migration exceeded 30s
    at migrate (/srv/app/deploy.js:12:11)"""


@pytest.mark.parametrize("tools", [True, False])
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("output", "line"),
    [
        (STACK, "TimeoutError: migration exceeded 30s"),
        (CHAIN, "TimeoutError: migration exceeded 30s"),
        (OWN_ERROR, "app.errors.Quota: the tenant has no room"),
        (NODE, "TimeoutError: migration exceeded 30s"),
    ],
)
def test_a_stack_is_pointed_at_where_it_says_what_was_thrown(
    output: str, line: str, frame: Callable[[str], str], tools: bool
) -> None:
    log = frame(output)

    assert pointed(log, read(log.encode(), name="x", using=book(tools))).endswith(line)


JEST = """FAIL src/cart.test.js
  ● cart › adds

    expect(received).toBe(expected)

    Expected: 30
    Received: 31

      at Object.<anonymous> (src/cart.test.js:11:19)"""
SILENT = """FAIL src/cart.zorb
    adds up two prices
      at cart.zorb:11:19"""


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("output", [JEST, SILENT])
def test_a_header_is_not_pointed_at_where_a_body_follows(
    output: str, frame: Callable[[str], str]
) -> None:
    log = frame(output)
    line = pointed(log, read(log.encode(), name="x", using=book(tools=False)))

    assert line
    assert "FAIL src" not in line


def test_nothing_of_an_after_script_is_shown_as_the_failure() -> None:
    log = gitlab_with_an_after_script("loading config\nstep refused by the policy office")
    reading = read(log.encode(), name="x")

    assert "collect" not in reading.block
    assert "collect" not in reading.excerpt[0].text


def test_the_header_of_a_section_is_never_the_failing_line() -> None:
    log = gitlab("step refused by the policy office").replace("\x1b[32;1m$ ./deploy\x1b[0;m\n", "")

    assert pointed(log, read(log.encode(), name="x")) == "step refused by the policy office"
    silent = gitlab("").replace("\x1b[32;1m$ ./deploy\x1b[0;m\n", "")
    assert "Executing" not in pointed(silent, read(silent.encode(), name="x"))


def test_advice_beside_an_error_is_not_pointed_at() -> None:
    log = travis(
        "Task never declared: default\nTo list available tasks, try running: zorb --tasks"
    )

    assert "never declared" in pointed(log, read(log.encode(), name="x"))
