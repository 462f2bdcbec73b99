"""Puts the parts of the query for near cases together: one question, however many ways are asked.

Must not hold SQL: the parts are named queries, the values are parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from caselore.memory.ports import Alike
from caselore.memory.stores.named_sql import queries

Part = tuple[str, tuple[tuple[str, str], ...]]
"""The name of a query, and which parameter stands for each of its names."""

PARTS = {
    ("signature", "service"): "near_signature_service",
    ("signature",): "near_signature",
    ("unit",): "near_unit",
    ("family", "service"): "near_family_service",
}
SHAPES = 200  # texts that are kept; a recall has one of a few shapes


def asking(asked: Sequence[tuple[Alike, int]]) -> tuple[tuple[Part, ...], dict[str, str | int]]:
    """Give the parts that are asked for, and the parameters; an equal value is given once."""
    names: dict[str | int, str] = {}
    parts: list[Part] = []
    for alike, limit in asked:
        equal = {name: value for name, value in alike._asdict().items() if value}
        statuses = equal.pop("statuses")
        query = PARTS[tuple(equal)]
        for status in statuses:
            given = {**equal, "status": status, "limit": limit}
            places = ((name, _name(names, value)) for name, value in given.items())
            parts.append((query, tuple(places)))
    return tuple(parts), {name: value for value, name in names.items()}


def _name(names: dict[str | int, str], value: str | int) -> str:
    return names.setdefault(value, f"v{len(names)}")


@lru_cache(maxsize=SHAPES)
def composed(dialect: str, parts: tuple[Part, ...], narrowed: bool) -> str:
    """Give the text of a question; `narrowed` adds the filters to each of its parts."""
    known = queries(dialect)
    only = f"\n  {known['near_only']}" if narrowed else ""
    texts = (
        known[query].format(
            only=only, **{name: _parameter(dialect, place) for name, place in places}
        )
        for query, places in parts
    )
    return known["near"].format(parts="\nUNION ALL\n".join(texts))


def _parameter(dialect: str, name: str) -> str:
    return f":{name}" if dialect == "sqlite" else f"%({name})s"
