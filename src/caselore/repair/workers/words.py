"""Reads what a worker wrote: the JSON objects at the end of its output, and the one that counts.

Must not believe any of it: whoever asks holds it against the forge.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CUT = 256 * 1024  # bytes at the end of an output in which a result is looked for


STATUSES = ("pushed", "no_change", "needs_human", "gave_up", "failed", "flake", "infra")
DEEPEST = 6  # levels of an event in which a result is looked for


def read(path: Path) -> dict[str, Any] | None:
    """Read a file that holds one JSON object; None for one that is not there, or is none."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def output(path: Path) -> list[dict[str, Any]]:
    """Give the JSON objects of an output's end, in order; other lines are no word to us."""
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - CUT))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    return objects(text)


def heard(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Give what a run's worker said of how it went, and the JSON objects of its output.

    The result file goes before the output.
    """
    told = output(folder / "stdout.log")
    return read(folder / "result.json") or result(told), told


def objects(text: str) -> list[dict[str, Any]]:
    """Give the JSON objects that stand in a text."""
    found: list[dict[str, Any]] = []
    decoder, at = json.JSONDecoder(), 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def result(told: list[dict[str, Any]]) -> dict[str, Any]:
    """Find the last object that says how it went: it may stand in an event, or in a text of one.

    An object whose `status` is no word of ours tells of something else: of a tool, of an event.
    """
    for one in reversed(told):
        found = list(_statements(one, DEEPEST))
        if found:
            return dict(found[-1])
    return {}


def _statements(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict) and value.get("status") in STATUSES:
        yield value
    elif depth and isinstance(value, str) and "status" in value:
        for one in objects(value):
            yield from _statements(one, depth - 1)
    elif depth and isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _statements(one, depth - 1)


def field(told: list[dict[str, Any]], name: str) -> Any:
    """Give the last value of a field; empty where no object has it."""
    return next((one[name] for one in reversed(told) if name and one.get(name)), "")


def number(value: Any) -> float:
    """Read a cost; what is none costs nothing."""
    try:
        found = float(value or 0)
    except (TypeError, ValueError):
        return 0.0
    return found if 0 <= found < 1e9 else 0.0
