"""Finds the one JSON object in what a model wrote.

Must not guess at a broken one: cut or doubled JSON is garbled.
"""

from __future__ import annotations

import json
import re
from typing import Any

from caselore.errors import ModelGarbled

LONGEST = 200_000  # characters of an answer that are looked at
_FENCE = re.compile(r"\A```[a-zA-Z]*\s*\n(.*?)\n?```\s*\Z", re.S)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.S)


def object_in(text: str) -> dict[str, Any]:
    """Give the JSON object of an answer. Raises: ModelGarbled."""
    if len(text) > LONGEST:
        raise ModelGarbled(f"The model wrote {len(text)} characters; that is no answer.")
    bare = _THOUGHT.sub("", text).strip()
    fenced = _FENCE.match(bare)
    try:
        found = json.loads(fenced.group(1) if fenced else bare)
    except (ValueError, RecursionError):
        raise ModelGarbled("What the model wrote is not one JSON object.") from None
    if not isinstance(found, dict):
        raise ModelGarbled("What the model wrote is JSON, but no object.")
    return found
