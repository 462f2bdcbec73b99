"""Writes what a worker must know before all else: that it was restored, or is new here.

Must not repeat the evidence; the prompt has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caselore.guards.fence import clean
from caselore.repair.state import State


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
    tried = [one for one in state.series if one.delivered and one.event != event["id"]]
    if tried:
        heads = ", ".join(one.head[:12] for one in tried)
        lines.append(
            f"Repairs were tried before this one: {heads}. `git log` shows what they did."
        )
    if state.merged_at:
        lines.append("The change is merged: repair it by a new change, not on this branch.")
    return "\n".join(lines)
