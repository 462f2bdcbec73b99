"""Gives an event its least impact from parsed facts, by an editable table.

Must not ask a model: what one adds is bounded and stored apart.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple


class Impact(NamedTuple):
    """The floor, and the rule that gave it."""

    floor: float
    why: str


@cache
def _table() -> dict[str, list[dict[str, Any]]]:
    text = resources.files("caselore.intel").joinpath("impact.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def impact_of(
    event_type: str, text: str, amount: float | None, percent: float | None, count: int | None
) -> Impact:
    """Give the floor of an event's impact, 0 to 10. `text`: its title and quote."""
    for row in _table()[event_type]:
        if _fits(row, text, amount, percent, count):
            return Impact(float(row["floor"]), str(row["why"]))
    return Impact(0.0, "no rule")


def _fits(
    row: dict[str, Any], text: str, amount: float | None, percent: float | None, count: int | None
) -> bool:
    if "words" in row and not re.search(row["words"], text, re.IGNORECASE):
        return False
    if "amount" in row and (amount is None or amount < row["amount"] * 1e6):
        return False
    if "count" in row and (count is None or count < row["count"]):
        return False
    if "percent" in row:
        wanted = row["percent"]
        if percent is None:
            return False
        return bool(percent <= wanted if wanted < 0 else abs(percent) >= wanted)
    return True
