"""Wraps a command's output as the CI systems print it: sections, time stamps, colours, exit markers.

Must not hold lines copied from any real job: the framings are written by us after the systems' formats.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 9, 8, 14, 2, 117000, tzinfo=UTC)
ESC = "\x1b["


def _stamps(lines: list[str], form: str) -> list[str]:
    """Each line behind its time; a line every 40 ms."""
    out = []
    for n, line in enumerate(lines):
        at = START + timedelta(milliseconds=40 * n)
        text = at.strftime("%Y-%m-%dT%H:%M:%S.%f")
        out.append((text + "0Z " if form == "github" else text + "Z 01O ") + line)
    return out


def gitlab(command: str, lines: list[str], code: int) -> list[str]:
    def section(kind: str, name: str, at: int, title: str = "") -> str:
        head = f"section_{kind}:{at}:{name}\r{ESC}0K"
        return f"{head}{ESC}36;1m{title}{ESC}0;m" if title else head

    end = (
        [f"{ESC}32;1mJob succeeded{ESC}0;m"]
        if code == 0
        else [f"{ESC}31;1mERROR: Job failed: exit code {code}", f"{ESC}0;m"]
    )
    return [
        f"{ESC}0KRunning with gitlab-runner 17.9.1 (bbf75488)",
        f"{ESC}0K  on shared-2 t1_9xkZq, system ID: s_1f0a",
        section("start", "prepare_executor", 1773044042, 'Preparing the "docker" executor'),
        f"{ESC}0KUsing Docker executor with image debian:12 ...",
        section("end", "prepare_executor", 1773044049),
        section("start", "get_sources", 1773044050, "Getting source from Git repository"),
        f"{ESC}32;1mFetching changes with git depth set to 20...{ESC}0;m",
        "Initialized empty Git repository in /builds/shop/pay/.git/",
        f"{ESC}32;1mChecking out 4c1d9a2e as detached HEAD (ref is main)...{ESC}0;m",
        section("end", "get_sources", 1773044053),
        section(
            "start", "step_script", 1773044054, 'Executing "step_script" stage of the job script'
        ),
        f"{ESC}32;1m$ {command}{ESC}0;m",
        *lines,
        section("end", "step_script", 1773044091),
        section(
            "start",
            "cleanup_file_variables",
            1773044091,
            "Cleaning up project directory and file based variables",
        ),
        section("end", "cleanup_file_variables", 1773044092),
        *end,
    ]


def github(command: str, lines: list[str], code: int) -> list[str]:
    end = [] if code == 0 else [f"##[error]Process completed with exit code {code}."]
    return _stamps(
        [
            "Current runner version: '2.323.0'",
            "##[group]Runner Image",
            "Image: ubuntu-24.04",
            "Version: 20260302.1.0",
            "##[endgroup]",
            "Prepare all required actions",
            "##[group]Run actions/checkout@v4",
            "with:",
            "  repository: shop/pay",
            "  fetch-depth: 1",
            "##[endgroup]",
            "Syncing repository: shop/pay",
            "[command]/usr/bin/git log -1 --format=%H",
            "4c1d9a2e0b7f6d5c4a3b2c1d0e9f8a7b6c5d4e3f",
            f"##[group]Run {command}",
            f"{ESC}36;1m{command}{ESC}0m",
            "shell: /usr/bin/bash -e {0}",
            "env:",
            "  CI: true",
            "##[endgroup]",
            *lines,
            *end,
            "Post job cleanup.",
            "[command]/usr/bin/git version",
            "git version 2.49.0",
            "[command]/usr/bin/git config --local --name-only --get-regexp core\\.sshCommand",
            "Cleaning up orphan processes",
        ],
        "github",
    )


def travis(command: str, lines: list[str], code: int) -> list[str]:
    done = "0" if code == 0 else str(code)
    return [
        "travis_fold:start:worker_info",
        f"\r{ESC}0K{ESC}33;1mWorker information{ESC}0m",
        "hostname: w-14",
        "travis_fold:end:worker_info",
        f"\r{ESC}0Ktravis_fold:start:git.checkout",
        f"\r{ESC}0Ktravis_time:start:0a11f3c2",
        f"\r{ESC}0K$ git clone --depth=50 --branch=main shop/pay",
        "Cloning into 'shop/pay'...",
        f"travis_time:end:0a11f3c2:start=1773044050,finish=1773044052,duration=2\r{ESC}0K",
        "travis_fold:end:git.checkout",
        f"\r{ESC}0Ktravis_time:start:1b22e4d3",
        f"\r{ESC}0K$ {command}",
        *lines,
        "",
        f"travis_time:end:1b22e4d3:start=1773044053,finish=1773044091,duration=38\r{ESC}0K",
        f'{ESC}{"32" if code == 0 else "31"};1mThe command "{command}" exited with {done}.{ESC}0m',
        "",
        f"Done. Your build exited with {done}.",
    ]


def jenkins(command: str, lines: list[str], code: int) -> list[str]:
    end = (
        ["Finished: SUCCESS"]
        if code == 0
        else [f"ERROR: script returned exit code {code}", "Finished: FAILURE"]
    )
    return [
        "Started by user Ana",
        "[Pipeline] Start of Pipeline",
        "[Pipeline] node",
        "Running on agent-3 in /builds/shop/pay",
        "[Pipeline] {",
        "[Pipeline] stage",
        "[Pipeline] { (Verify)",
        "[Pipeline] sh",
        f"+ {command}",
        *lines,
        "[Pipeline] }",
        "[Pipeline] // stage",
        "[Pipeline] }",
        "[Pipeline] // node",
        "[Pipeline] End of Pipeline",
        *end,
    ]


def buildkite(command: str, lines: list[str], code: int) -> list[str]:
    end = (
        []
        if code == 0
        else [
            "^^^ +++",
            f"\U0001f6a8 Error: The command exited with status {code}",
            f"user command error: exit status {code}",
        ]
    )
    body = [
        "~~~ Running global environment hook",
        "$ /etc/buildkite-agent/hooks/environment",
        "~~~ Preparing working directory",
        "$ cd /builds/shop/pay",
        "$ git fetch -v --prune -- origin main",
        "~~~ Running commands",
        f"$ {command}",
        *lines,
        *end,
    ]
    return [f"\x1b_bk;t={1773044042000 + 40 * n}\x07{line}" for n, line in enumerate(body)]


def azure(command: str, lines: list[str], code: int) -> list[str]:
    end = [] if code == 0 else [f"##[error]Bash exited with code '{code}'."]
    return _stamps(
        [
            "##[section]Starting: Verify",
            "=" * 78,
            "Task         : Command line",
            "Version      : 2.250.1",
            "=" * 78,
            "Generating script.",
            "Script contents:",
            command,
            "========================== Starting Command Output ===========================",
            "[command]/usr/bin/bash --noprofile --norc /builds/_temp/3f1c.sh",
            *lines,
            *end,
            "##[section]Finishing: Verify",
        ],
        "github",
    )


def teamcity(command: str, lines: list[str], code: int) -> list[str]:
    head = f"##teamcity[blockOpened name='Verify' flowId='7'] {command}"
    end = [
        f"Process exited with code {code}",
        f"Step Verify (Command Line) failed with exit code {code}",
    ]
    body = [
        "Starting: /builds/agent/temp/agentTmp/custom_script71",
        "in directory: /builds/shop/pay",
        *lines,
        *(end if code else ["Process exited with code 0"]),
    ]
    return ["TeamCity server version is 2025.11", "Collecting changes in 1 VCS root", head] + [
        f"[08:14:{n // 60 % 60:02}] :\t [Step 1/1] {line}" for n, line in enumerate(body)
    ]


def zuul(command: str, lines: list[str], code: int) -> list[str]:
    at = "2026-03-09 08:14:"
    end = [
        f"{at}59.000101 | ubuntu-noble | ERROR",
        f"{at}59.000101 | ubuntu-noble | {{",
        f'{at}59.000101 | ubuntu-noble |   "rc": {code}',
    ]
    return [
        f"{at}02.117001 | Job console starting",
        f"{at}03.000100 | LOOP [build-tests : {command}]",
        *(
            f"{at}{3 + n // 1000 % 50:02}.{n % 1000:03}100 | ubuntu-noble | {line}"
            for n, line in enumerate(lines)
        ),
        *([] if code == 0 else [*end, f"{at}59.000101 | ubuntu-noble | }}"]),
        f"{at}59.100000 | RUN END RESULT_NORMAL: [untrusted : shop/pay/playbooks/run.yaml@main]",
    ]


def circle(command: str, lines: list[str], code: int) -> list[str]:
    end = [] if code == 0 else ["", f"Exited with code exit status {code}"]
    return ["#!/bin/bash -eo pipefail", command, *lines, *end]


FRAMES = {
    "gitlab": gitlab,
    "github": github,
    "travis": travis,
    "jenkins": jenkins,
    "buildkite": buildkite,
    "azure": azure,
    "teamcity": teamcity,
    "zuul": zuul,
    "circle": circle,
}


def frame(name: str, command: str, output: str, code: int) -> str:
    """The output inside the named system's framing; `none` leaves it alone, `+ts` is GitLab's stamped form."""
    lines = output.rstrip("\n").split("\n")
    command = command.strip().split("\n")[-1]
    if name == "none":
        return "\n".join(lines) + "\n"
    if name == "gitlab+ts":
        return "\n".join(_stamps(gitlab(command, lines, code), "gitlab")) + "\n"
    return "\n".join(FRAMES[name](command, lines, code)) + "\n"
