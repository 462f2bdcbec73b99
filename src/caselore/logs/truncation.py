"""Notice that a log is not whole: cut by a limit of its runner, in the middle, or at its end.

Must not guess: a note says what the log itself shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from caselore.logs.page import Page
from caselore.logs.signs import Marked

_ENDED: Final = re.compile(
    r"^(?:Done\. Your build|The command \"|ERROR: Job failed|Job succeeded|Finished: "
    r"|Process exited|##\[error\]|Cleaning up)"
)


def notes_on_cuts(page: Page, marked: Marked, tail: bytes) -> Iterable[str]:
    """Say where the log shows that something of it is missing."""
    for i in marked.lines("cut"):
        if "Full output" not in page.lines[i]:  # a test tool shortens its own differences
            yield f"the log says at line {page.numbers[i]} that a part of it is missing"
            break
    if tail and not tail.endswith((b"\n", b"\r")) and not _at_end(page, marked):
        yield "the log is cut at its end: its last line has no end and no command reports its exit"
    elif _cut_sections(page):
        yield "the log is cut at its end: a section was opened and never closed"


def _at_end(page: Page, marked: Marked) -> bool:
    """Say whether the last lines report an end."""
    count = len(page.lines)
    return any(
        marked.has(i, "exit", "ok", "summary", "wrapper") or _ENDED.match(page.lines[i])
        for i in range(max(0, count - 12), count)
    )


def _cut_sections(page: Page) -> bool:
    """Say whether the last section of a CI system is open although the log ends."""
    opened = [m for m in page.marks if m.text.startswith(("section_start", "travis_time:start"))]
    closed = [m for m in page.marks if m.text.startswith(("section_end", "travis_time:end"))]
    return (
        bool(opened)
        and (not closed or closed[-1].line < opened[-1].line)
        and len(closed) < len(opened) - 1
    )
