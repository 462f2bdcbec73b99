"""Failure output of tools that no reader knows, in short pieces written after their formats.

A piece begins with `-- name --`; a line that may be called the failing one begins with `»`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caselore.logs import read
from caselore.logs.signs import book

PIECES = Path(__file__).resolve().parents[2] / "cases" / "unknown_tools.txt"
FRAMES = {
    "github": (
        "##[group]Run make check\nmake check\n##[endgroup]\n",
        "##[error]Process completed with exit code 1.\nPost job cleanup.\n",
    ),
    "gitlab": (
        "\x1b[32;1m$ make check\x1b[0;m\n",
        "\x1b[31;1mERROR: Job failed: exit code 1\x1b[0;m\n",
    ),
    "a piece of a log": ("", ""),
}


# Their words name the tool's parts or count, where a person would point at a line without any sign.
KNOWN_WRONG = frozenset({"audit", "buildpacks", "locust", "trufflehog"})


def pieces() -> dict[str, list[str]]:
    """Give the lines of each piece, marks included."""
    parts = re.split(r"(?m)^-- (\S+) --\n", PIECES.read_text(encoding="utf-8"))[1:]
    return {
        name: text.split("\n")[:-1] for name, text in zip(parts[::2], parts[1::2], strict=True)
    }


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("tools", [True, False], ids=["readers on", "readers off"])
@pytest.mark.parametrize("name", pieces())
def test_the_failing_line_of_an_unknown_tool_is_found(name: str, tools: bool, frame: str) -> None:
    lines = pieces()[name]
    above, below = FRAMES[frame]
    log = above + "".join(f"{line[1:]}\n" for line in lines) + below
    right = {n for n, line in enumerate(lines, above.count("\n") + 1) if line.startswith("»")}
    found = read(log.encode(), name=name, using=book(tools)).failing_line

    assert (found in right) == (name not in KNOWN_WRONG)
