"""Answers what an agent asks leave for: an allowed kind of deed, inside its folder, once.

Must not ask anybody, nor grant anything for longer than the one deed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

KINDS = (
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode",
    "other",
)  # fmt: skip
"""What the protocol calls the kinds of a tool."""
USUAL = ("read", "edit", "delete", "move", "search", "execute", "think")
_WRITES = frozenset({"edit", "delete", "move"})
_PATHS = ("path", "file_path", "filePath", "abs_path", "filename")
# a push that rewrites the branch would take away what a person may have pushed meanwhile
_FORCED = re.compile(r"\bgit\b.*\bpush\b.*(\s-f\b|--force|--mirror|--delete|\s\+\S)", re.S)


class Answer(NamedTuple):
    """Which of the agent's options was taken, and why."""

    option: str
    """Empty where it offers none that fits: then it is told that nothing was chosen."""
    allowed: bool
    why: str


def answer(asked: dict[str, Any], allowed: tuple[str, ...], folder: str) -> Answer:
    """Choose among the options of a `session/request_permission`."""
    told = asked.get("toolCall")
    deed = told if isinstance(told, dict) else {}
    why = _against(deed, allowed, folder)
    wanted = "reject_once" if why else "allow_once"
    for one in _options(asked):
        if one.get("kind") == wanted and isinstance(one.get("optionId"), str):
            return Answer(one["optionId"], not why, why or "allowed")
    return Answer("", False, why or "it offers no leave for once")


def _options(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    listed = asked.get("options")
    return (one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict))


def _against(deed: dict[str, Any], allowed: tuple[str, ...], folder: str) -> str:
    kind = deed.get("kind") or "other"
    if kind not in allowed:
        return f"{str(kind)[:40]} is not among what it may do"
    if kind in _WRITES and not all(_within(one, folder) for one in _paths(deed)):
        return "it would write outside of its folder"
    if _FORCED.search(_command(deed)):
        return "a push that rewrites the branch"
    return ""


def _command(deed: dict[str, Any]) -> str:
    given = deed.get("rawInput")
    command = given.get("command") if isinstance(given, dict) else None
    parts = command if isinstance(command, list) else [command]
    return " ".join(str(one) for one in (*parts, deed.get("title")) if isinstance(one, str))


def _paths(deed: dict[str, Any]) -> Iterator[str]:
    places = deed.get("locations")
    for one in places if isinstance(places, list) else ():
        if isinstance(one, dict) and isinstance(one.get("path"), str):
            yield one["path"]
    told = deed.get("rawInput")
    given = told if isinstance(told, dict) else {}
    yield from (given[name] for name in _PATHS if isinstance(given.get(name), str))


def _within(path: str, folder: str) -> bool:
    """Tell whether a path leads into the folder, whatever links stand on the way."""
    base = os.path.realpath(folder)
    try:
        found = os.path.realpath(os.path.join(base, path))
    except ValueError:
        return False
    return found == base or found.startswith(base + os.sep)
