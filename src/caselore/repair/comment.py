"""Writes the one comment on a change that says where its repair stands.

Must not be repeated: the forge replaces the comment that carries the marker.
"""

from __future__ import annotations

import re

from caselore.guards.fence import clean
from caselore.repair.state import Attempt, Phase, State

MARKER = "<!-- caselore: repair loop -->"
_SHOWN = 12

_WORDS = {
    Phase.TRACKING: "watched",
    Phase.REPAIRING: "red; the worker is at it",
    Phase.WAITING: "waiting for CI",
    Phase.GREEN: "green",
    Phase.PAUSED: "paused for a person",
    Phase.OPEN: "stopped: the circuit breaker is open",
    Phase.POST_MERGE: "merged; the target branch is watched",
    Phase.DONE: "no longer watched",
}


def comment(state: State, maximum: int) -> str:
    """Give the comment's text in Markdown; the marker comes first."""
    lines = [
        MARKER,
        f"**caselore**: {_WORDS[state.phase]}. Failures in a row: {state.count}/{maximum}.",
    ]
    if state.why:
        lines.append(f"Why: {_plain(state.why)}.")
    if state.phase is Phase.OPEN:
        lines.append("The change is left as it is. A person lets the loop begin again with ")
        lines[-1] += f"`caselore repair rearm {state.change} --why TEXT`."
    if state.attempts:
        lines += ["", "| commit | pipeline | verdict | what was decided |", "|---|---|---|---|"]
        lines += [_row(one) for one in state.attempts[-_SHOWN:]]
    return "\n".join(lines)


def _row(one: Attempt) -> str:
    number = f" (attempt {one.number})" if one.number else ""
    cells = (f"`{_SHA.sub('', one.head)[:12]}`", _link(one.url), f"{one.colour}{number}")
    return f"| {' | '.join((*cells, _plain(one.decision)))} |"


_SHA = re.compile(r"[^0-9A-Za-z._-]")
_ADDRESS = re.compile(r"https?://[^\s<>\"'|\\`()\[\]]+")


def _link(url: str) -> str:
    return f"<{url}>" if _ADDRESS.fullmatch(url) else _plain(url)


def _plain(text: str) -> str:
    """Give text that cannot leave its cell, name anybody or become markup."""
    held = " ".join(clean(text, 300).split())
    for mark in "\\|`*_<>[]":
        held = held.replace(mark, f"\\{mark}")
    return held.replace("@", "@\u200b").replace("#", "#\u200b")
