"""Finds the one JSON object in what a model wrote, and says whether it has a schema's shape.

Must not let through a secret that a model repeats, or guess at a broken object: cut or doubled
JSON is garbled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from caselore.errors import ModelGarbled
from caselore.guards import secrets

LONGEST = 200_000  # characters of an answer that are looked at
_FENCE = re.compile(r"\A```[a-zA-Z]*\s*\n(.*?)\n?```\s*\Z", re.S)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.S)


def object_in(text: str, keys: Iterable[str] = ()) -> dict[str, Any]:
    """Give the JSON object of an answer, its secrets and these keys masked.

    Raises: ModelGarbled.
    """
    if len(text) > LONGEST:
        raise ModelGarbled(f"The model wrote {len(text)} characters; that is no answer.")
    bare = _THOUGHT.sub("", text).strip()
    fenced = _FENCE.match(bare)
    try:
        found = _masked(json.loads(fenced.group(1) if fenced else bare), tuple(keys))
    except (ValueError, RecursionError):
        raise ModelGarbled("What the model wrote is not one JSON object.") from None
    if not isinstance(found, dict):
        raise ModelGarbled("What the model wrote is JSON, but no object.")
    return found


def _masked(value: Any, keys: tuple[str, ...]) -> Any:
    """Mask the secrets of every text: a server may repeat the key that it was asked with."""
    if isinstance(value, str):
        return secrets.redact(value, keys).text
    if isinstance(value, list):
        return [_masked(one, keys) for one in value]
    if isinstance(value, dict):
        return {name: _masked(one, keys) for name, one in value.items()}
    return value


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Say whether a value has the shape of a schema, bounds included.

    Knows what our schemas use: type, properties, required, items, enum, and bounds.
    """
    if "enum" in schema and value not in schema["enum"]:
        return False
    match schema.get("type"):
        case "object":
            return _object_fits(value, schema)
        case "array":
            return (
                isinstance(value, list)
                and len(value) <= schema.get("maxItems", len(value))
                and all(fits(one, schema.get("items", {})) for one in value)
            )
        case "string":
            return isinstance(value, str) and len(value) <= schema.get("maxLength", len(value))
        case "integer":
            return type(value) is int and _within(value, schema)
        case "number":
            return type(value) in (int, float) and _within(value, schema)
        case "boolean":
            return isinstance(value, bool)
    return True


def _object_fits(value: Any, schema: Mapping[str, Any]) -> bool:
    own = schema.get("properties", {})
    return (
        isinstance(value, dict)
        and all(name in value for name in schema.get("required", ()))
        and all(name in own and fits(one, own[name]) for name, one in value.items())
    )


def _within(value: float, schema: Mapping[str, Any]) -> bool:
    least, most = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    return bool(least <= value <= most)  # no comparison with NaN holds


def free_texts(value: Any, schema: Mapping[str, Any]) -> Iterator[str]:
    """Give the texts of a value that no enumeration bounds."""
    if isinstance(value, str):
        if "enum" not in schema:
            yield value
    elif isinstance(value, list):
        for one in value:
            yield from free_texts(one, schema.get("items", {}))
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from free_texts(one, schema.get("properties", {}).get(name, {}))
