"""Writes what a worker must know before all else: that it was restored, or is new here.

Must not repeat the evidence; the prompt has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from caselore.errors import CaseloreError
from caselore.guards.fence import clean, fenced
from caselore.repair.state import Attempt, State

_DIFF = 8_000  # characters of what earlier repairs changed
_WORDS = 600  # characters of what a worker said of one repair
Changed = Callable[[str, str, str], str]


def notice(
    state: State, event: Mapping[str, Any], folder: str, there: bool, reason: str = ""
) -> str:
    """Give the first paragraph of a prompt; empty where there is nothing to say."""
    lines = [reason] if reason else []
    if folder and not there:
        lines.append(
            f"The folder {clean(folder, 300)} is gone: make a worktree of the change's branch "
            "first, never of the target branch."
        )
    tried = _before(state, event)
    if tried:
        heads = ", ".join(one.head[:12] for one in tried)
        lines.append(
            f"Repairs were tried before this one: {heads}. `git log` shows what they did."
        )
    if state.merged_at:
        lines.append("The change is merged: repair it by a new change, not on this branch.")
    return "\n".join(lines)


def told(state: State, event: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the events that workers had before this one, in this series of failures."""
    return tuple(one.event for one in _before(state, event))


def document(
    state: State, event: Mapping[str, Any], said: Mapping[str, str], changed: Changed
) -> str:
    """Write the handoff to a worker that was not there: what was tried, said and changed.

    `said`: by event, what the worker of each said of its repair. `changed` gives the diff of a
    change between two commits. Empty where nothing was tried.
    """
    tried = _before(state, event)
    if not tried:
        return ""
    lines = [
        f"You are new to {state.ref.label} ({state.change}). Repairs were tried before, "
        "the oldest first:",
    ]
    lines += [line for one in tried for line in _attempt(one, said.get(one.event, ""))]
    lines += _diff(state, tried[0].head, changed)
    return "\n".join(lines)


def _before(state: State, event: Mapping[str, Any]) -> list[Attempt]:
    return [one for one in state.series if one.delivered and one.event != event["id"]]


def _attempt(one: Attempt, said: str) -> list[str]:
    failures = ", ".join(clean(each, 80) for each in one.fingerprints[:5])
    head = f"- attempt {one.number}: red at {one.head[:12]} ({one.kind}: {failures})"
    lines = [f"{head}, {clean(one.url, 300)}"]
    if said:
        lines.append(fenced(said, id=one.event, origin="its worker", limit=_WORDS))
    return lines


def _diff(state: State, first: str, changed: Changed) -> list[str]:
    if first == state.head:
        return ["None of them changed a commit."]
    try:
        text = changed(state.change, first, state.head)
    except CaseloreError:
        return ["What they changed could not be read; `git log` shows it."]
    span = f"{first[:12]}..{state.head[:12]}"
    return [f"What they changed, {span}:", fenced(text, id=span, origin="the forge", limit=_DIFF)]
