"""Puts the parts of the query for near cases together: one question, however many ways are asked.

Must not hold SQL: the parts are named queries, the values are parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from caselore.memory.ports import Alike
from caselore.memory.stores.named_sql import queries

Part = tuple[str, tuple[tuple[str, str], ...]]
"""The name of a query, and which parameter stands for each of its names."""

Value = str | int | tuple[str, ...] | tuple[int, ...]

PARTS = {
    ("signature", "service"): "near_signature_service",
    ("signature",): "near_signature",
    ("unit",): "near_unit",
    ("family", "service"): "near_family_service",
}
SHAPES = 200  # texts that are kept; a recall has one of a few shapes


def asking(
    dialect: str, asked: Sequence[tuple[Alike, int]]
) -> tuple[tuple[Part, ...], dict[str, Value]]:
    """Give the parts that are asked for, and the parameters; an equal value is given once.

    Postgres plans each text anew, so there a way is one part for all of its statuses.
    """
    names: dict[Value, str] = {}
    given = _each(asked) if dialect == "sqlite" else _at_once(asked)
    parts = tuple(
        (query, tuple((name, _name(names, value)) for name, value in values.items()))
        for query, values in given
    )
    return parts, {name: value for value, name in names.items()}


def _each(asked: Sequence[tuple[Alike, int]]) -> Iterator[tuple[str, dict[str, Value]]]:
    for alike, limit in asked:
        equal = _equal(alike)
        for status in alike.statuses:
            yield PARTS[tuple(equal)], {**equal, "status": status, "limit": limit}


def _at_once(asked: Sequence[tuple[Alike, int]]) -> Iterator[tuple[str, dict[str, Value]]]:
    ways: dict[Alike, list[tuple[str, int]]] = {}
    for alike, limit in asked:
        ways.setdefault(alike._replace(statuses=()), []).extend(
            (status, limit) for status in alike.statuses
        )
    for alike, some in ways.items():
        statuses, limits = zip(*some, strict=True)
        equal = _equal(alike)
        yield PARTS[tuple(equal)], {**equal, "statuses": statuses, "limits": limits}


def _equal(alike: Alike) -> dict[str, Value]:
    facts = zip(alike._fields[1:], alike[1:], strict=True)
    return {name: value for name, value in facts if value}


def _name(names: dict[Value, str], value: Value) -> str:
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
