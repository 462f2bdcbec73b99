"""Puts a failing command into a longer job: steps before it, work of the runner after it, any CI system.

Must not change a line of the failing command's own output.
"""

from __future__ import annotations

import re
import sys
from functools import cache, partial
from pathlib import Path

from reading_cases import Case, cases

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cases" / "make"))
import framings

NOISE = (
    "pip-passing",
    "docker-passing",
    "make-ignored-passing",
    "eslint-warnings-passing",
    "cmake-warnings-passing",
    "shell-retry-passing",
)
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\].*?\x07")
_STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\S+Z (?:01O )?")
_STEP = "2026-03-09T08:14:01.0000000Z "
_AFTER = """section_start:1773044092:after_script\r\x1b[0K\x1b[36;1mRunning after_script\x1b[0;m
\x1b[32;1mRunning after script...\x1b[0;m
\x1b[32;1m$ ./collect-logs\x1b[0;m
cat: /var/log/pay.log: No such file or directory
Error: nothing to collect
\x1b[0;33mWARNING: after_script failed, but job will continue unaffected: exit code 1\x1b[0;m
section_end:1773044093:after_script\r\x1b[0K
section_start:1773044094:upload_artifacts_on_failure\r\x1b[0K\x1b[36;1mUploading artifacts for failed job\x1b[0;m
\x1b[0;33mWARNING: out/*.xml: no matching files. Ensure that the artifact path is relative to the working directory\x1b[0;m
\x1b[31;1mERROR: No files to upload                           \x1b[0;m
section_end:1773044095:upload_artifacts_on_failure\r\x1b[0K"""


@cache
def _output(name: str) -> tuple[str, ...]:
    """What the command of a passing log printed, without the framing."""
    case = next(c for c in cases() if c.name == name)
    out: list[str] = []
    inside = False
    for line in case.data.decode("utf-8").split("\n"):
        bare = _STAMP.sub("", line)
        plain = _ANSI.sub("", bare)
        if plain.startswith(("$ ", "##[endgroup]")):
            inside, out = True, []
        elif "section_" in bare or plain.startswith(("Post job", "##[error]Process")):
            inside = inside and not out
        elif inside:
            out.append(bare)
    return tuple(out)


def _gitlab(step: str, output: tuple[str, ...]) -> list[str]:
    return [f"\x1b[32;1m$ ./{step}\x1b[0;m", *output]


def _github(step: str, output: tuple[str, ...]) -> list[str]:
    head = (
        f"##[group]Run ./{step}",
        f"\x1b[36;1m./{step}\x1b[0m",
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
    )
    return [_STEP + line for line in (*head, *output)]


def _travis(step: str, output: tuple[str, ...]) -> list[str]:
    return [
        f"\r\x1b[0Ktravis_time:start:{step}",
        f"\r\x1b[0K$ ./{step}",
        *output,
        f"travis_time:end:{step}:start=1,finish=2,duration=1\r\x1b[0K",
        f'\x1b[32;1mThe command "./{step}" exited with 0.\x1b[0m',
        "",
    ]


def with_earlier_steps(case: Case) -> tuple[bytes, int] | None:
    """The job with six passing steps before the failing one, and how many lines they are."""
    lines = case.data.decode("utf-8", "replace").split("\n")
    for at, line in enumerate(lines):
        plain = _ANSI.sub("", _STAMP.sub("", line))
        if line.startswith("\x1b[32;1m$ "):
            write = _gitlab
        elif plain.startswith("##[group]Run ") and "checkout" not in plain:
            write = _github
        elif "travis_time:start:1b22e4d3" in line:
            write = _travis
        else:
            continue
        steps = [text for n, name in enumerate(NOISE) for text in write(f"step{n}", _output(name))]
        return "\n".join([*lines[:at], *steps, *lines[at:]]).encode(), len(steps)
    return None


def with_an_after_script(case: Case) -> tuple[bytes, int] | None:
    """The GitLab job with an after_script and an upload that fail, too."""
    mark = re.search(rb"(?m)^(?:\S+Z 01O )?section_end:\d+:step_script.*$", case.data)
    if mark is None or mark.group().startswith(b"2"):
        return None
    if max(case.failing_lines) > case.data.count(b"\n", 0, mark.start()):
        return None  # the runner's own last word is the failing line
    return case.data[: mark.end()] + b"\n" + _AFTER.encode() + case.data[mark.end() :], 0


_FRAMED = re.compile(rb"section_start|##\[|travis_time|_bk;|\[Pipeline\]|^~~~ ", re.M)


def under(system: str, case: Case) -> tuple[bytes, int] | None:
    """A log without any framing as this CI system would print it."""
    if _FRAMED.search(case.data):
        return None
    text = case.data.decode("utf-8", "replace")
    empty = framings.frame(system, "make verify", "@@", 1).split("\n")
    above = next(n for n, line in enumerate(empty) if "@@" in line)
    return framings.frame(system, "make verify", text, 1).encode(), above


LONGER = {
    "earlier steps": with_earlier_steps,
    "an after_script": with_an_after_script,
    **{f"under {system}": partial(under, system) for system in framings.FRAMES},
}
