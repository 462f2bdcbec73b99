"""Makes an answer fit for a model: cleaned of what could give it orders, and bounded.

Must not drop silently: what is left out is counted in the answer.
"""

from __future__ import annotations

import json
import re
from typing import Any

from caselore.guards import fence

MOST = 20_000  # characters of one answer; about 5,000 tokens
STEPS = ((4_000, 50), (1_500, 20), (600, 10), (300, 5), (120, 3), (60, 1))
_PLAIN = re.compile(r"[\w:.#/+-]{0,80}", re.ASCII)  # an id, a word, a time: nothing to clean


class Fenced(str):
    """A text that stands within its fence already."""

    __slots__ = ()


def bounded(document: dict[str, Any], most: int = MOST) -> dict[str, Any]:
    """Give a document with at most so many characters, shortening texts and lists step by step."""
    for text, items in STEPS:
        left: list[int] = []
        fit: dict[str, Any] = _fit(document, text, items, left)
        if left:
            fit["left_out"] = sum(left)
        if len(json.dumps(fit)) <= most:
            return fit
    return {"left_out": 1, "why": f"The answer is longer than {most} characters."}


def _fit(value: Any, text: int, items: int, left: list[int]) -> Any:
    if isinstance(value, Fenced):
        return value
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else fence.clean(value, text)
    if isinstance(value, dict):
        return {name: _fit(one, text, items, left) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        if len(value) > items:
            left.append(len(value) - items)
        return [_fit(one, text, items, left) for one in value[:items]]
    return value


def excerpt(parts: list[dict[str, Any]], origin: str, most: int = 6_000) -> Fenced:
    """Give the kept lines of a log with their numbers, within one data fence."""
    lines: list[str] = []
    for part in sorted(parts, key=lambda one: int(one["first"])):
        texts = str(part["text"]).split("\n")
        lines += [f"{part['first'] + at:>6}  {line}" for at, line in enumerate(texts)]
    return Fenced(fence.fenced("\n".join(lines), id=origin, origin="log", limit=most))
