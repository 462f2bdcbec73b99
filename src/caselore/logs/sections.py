"""Find the commands of a job and which of them failed, from the markers of CI systems.

Must not look at what a command printed beyond its markers.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caselore.logs.page import Page
from caselore.logs.signs import Marked

_ACTIONS_STEP: Final = re.compile(r"^##\[group\]Run |^##\[section\]Starting: ")
_GITLAB_SHELL: Final = re.compile(r"^\$ \S")
_STATUS: Final = re.compile(
    r"(?:code|status|with|code:|failed with exit code)[: ]+(?:exit status )?[\x27\"]?(-?[0-9]+)"
)
_FINAL: Final = re.compile(r"^Done\. Your build|^Finished: |^Return code|^\[taskcluster")
_AFTERWARDS: Final = re.compile(r"after_script|cleanup_|upload_artifacts|archive_cache")
_UNWELL: Final = re.compile(
    r"(?i)\b[1-9][0-9]* (?:\w+ )?(?:fail|error)|(?:fail\w*|errors?)[:=] ?[1-9]"
)
_HOWEVER: Final = ("##[section]", "Cleaning up")  # printed however a step or a job ended
_SET_UP: Final = 80  # lines
_NEAR_END: Final = 12  # lines that are not blank
_QUIET: Final = re.compile(r"^No output has been received|^The job exceeded|^The (?:job|build) ")


@dataclass(frozen=True, slots=True)
class Region:
    """The output of one failed command: lines first to last, its marker in the last one."""

    first: int
    last: int
    marker: int
    status: int | None

    @property
    def end(self) -> int:
        """The line after the command's output: its marker, or what the runner did in between."""
        return min(self.marker, self.last + 1)

    def __contains__(self, line: int) -> bool:
        """Say whether a line is part of the command's output."""
        return self.first <= line <= self.last


def regions(page: Page, marked: Marked) -> tuple[Region, ...]:
    """List the failed commands in order; empty where no marker says that one failed."""
    exits = marked.lines("exit")
    real = [i for i in exits if not _FINAL.match(page.lines[i])]
    begins = _begins(page, marked)
    found: list[Region] = []
    for marker in real:
        first = _below_set_up(page, _start_of(begins, marker), marker)
        if found and first <= found[-1].last:
            first = found[-1].last + 1
            if marker - first < 3:
                continue
        found.append(
            Region(first, _end_of(page, marker, first), marker, status(page.lines[marker]))
        )
    return tuple(found)


def passed_until(page: Page, marked: Marked) -> int:
    """Give the last line before which nothing failed, by what the log says itself; -1 for none.

    A log in which anything reports a failed command is left alone.
    """
    if marked.lines("exit"):
        return -1
    ends = marked.lines("success", "ok", "parting")
    if marked.lines("reported"):
        ends = [i for i in ends if not page.lines[i].startswith(_HOWEVER)]
    return max([*ends, *_all_tests_passed(page, marked)], default=-1)


def _all_tests_passed(page: Page, marked: Marked) -> list[int]:
    """Find a tally near the end by which every test passed, where none tells of a failed one."""
    tallies = marked.lines("passed")
    if not tallies or sum(1 for line in page.lines[tallies[-1] :] if line.strip()) > _NEAR_END:
        return []
    unwell = any(_UNWELL.search(page.lines[i][:400]) for i in marked.lines("summary", "heading"))
    near = [i for i in marked.lines("wrapper", "verdict") if i > tallies[-1] - _NEAR_END]
    after = [i for i in near if i > tallies[-1] or not marked.has(i, "strong")]
    return [] if unwell or after else tallies[-1:]


def status(line: str) -> int | None:
    """Read the exit status that a marker names; 124 where it says that time ran out."""
    if _QUIET.match(line):
        return 124
    named = _STATUS.search(line)
    return int(named.group(1)) if named else None


def _begins(page: Page, marked: Marked) -> list[int]:
    """List where commands start, by the one system of markers that this log uses."""
    timers = [m.line for m in page.marks if m.text.startswith("travis_time:start")]
    if timers:
        return timers
    steps = [i for i in marked.lines("command") if _ACTIONS_STEP.match(page.lines[i])]
    if steps:
        return steps
    sections = [m.line for m in page.marks if m.text.startswith("section_start")]
    commands = marked.lines("command")
    if sections:
        shell = [i for i in commands if _GITLAB_SHELL.match(page.lines[i])]
        over = _afterwards(page)
        return sorted(i for i in {*sections, *shell} if over is None or i < over)
    shell = [i for i in commands if _GITLAB_SHELL.match(page.lines[i])]
    return (
        commands
        if not shell
        else sorted({*shell, *(i for i in commands if page.lines[i].startswith(("[P", "##")))})
    )


def _below_set_up(page: Page, first: int, marker: int) -> int:
    """Step over what GitHub prints of a step before its output: script, shell and variables."""
    if not page.lines or not page.lines[first].startswith("##[group]Run "):
        return first
    last = min(marker - 1, first + _SET_UP)
    closed = (i for i in range(first, last) if page.lines[i].startswith("##[endgroup]"))
    return next((i + 1 for i in closed), first)


def _start_of(begins: Sequence[int], marker: int) -> int:
    """Find the last start before a marker."""
    place = bisect_left(begins, marker)
    return begins[place - 1] if place else 0


def _afterwards(page: Page) -> int | None:
    """Find where GitLab's own work after the script begins: nothing below it made the job fail."""
    return next(
        (
            m.line
            for m in page.marks
            if m.text.startswith("section_start") and _AFTERWARDS.search(m.text)
        ),
        None,
    )


def _end_of(page: Page, marker: int, first: int) -> int:
    """Leave out an after_script and an upload that stand between the failure and its marker."""
    over = _afterwards(page)
    return over - 1 if over is not None and first < over < marker else marker
