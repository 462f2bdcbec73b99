"""Puts the parts of the query for near cases together: one question, however many ways are asked.

Must not hold SQL: the parts are named queries, the values are parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from caselore.memory.ports import Alike
from caselore.memory.stores.named_sql import queries

Value = str | int | tuple[str, ...] | tuple[int, ...]
Way = tuple[tuple[bool, ...], tuple[tuple[str, int], ...]]
"""Which facts are equal, and of which statuses how many cases are asked for."""

FACTS = Alike._fields[1:]
PARTS = {
    ("signature", "service"): "near_signature_service",
    ("signature",): "near_signature",
    ("unit",): "near_unit",
    ("family", "service"): "near_family_service",
}
SHAPES = 200  # questions that are kept without their values; a recall has one of a few shapes


class Question(NamedTuple):
    """A query's text, which parameters the facts are, in order, and what else it is given."""

    text: str
    names: tuple[str, ...]
    given: dict[str, Value]


def asking(
    dialect: str, asked: Sequence[tuple[Alike, int]], narrowed: bool
) -> tuple[str, dict[str, Value]]:
    """Give the text of a question, and its parameters but the bank; `narrowed` adds filters."""
    ways: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for (statuses, *facts), most in asked:
        ways.setdefault(tuple(facts), []).extend((status, most) for status in statuses)
    shape = tuple((tuple(map(bool, facts)), tuple(some)) for facts, some in ways.items())
    question = composed(dialect, shape, narrowed)
    values = (value for facts in ways for value in facts if value)
    return question.text, {**question.given, **dict(zip(question.names, values, strict=True))}


@lru_cache(maxsize=SHAPES)
def composed(dialect: str, shape: tuple[Way, ...], narrowed: bool) -> Question:
    """Put a question's text together.

    Postgres plans each text anew, so there a way is one part for all of its statuses.
    """
    known, names, fixed = queries(dialect), list[str](), dict[Value, str]()
    only = f"\n  {known['near_only']}" if narrowed else ""
    texts = list[str]()
    for place, (facts, some) in enumerate(shape):
        equal = {name: f"{name}{place}" for name, there in zip(FACTS, facts, strict=True) if there}
        names += equal.values()
        for more in _limits(dialect, some):
            own = {name: fixed.setdefault(value, f"v{len(fixed)}") for name, value in more.items()}
            marks = {name: _parameter(dialect, one) for name, one in (equal | own).items()}
            texts.append(known[PARTS[tuple(equal)]].format(only=only, **marks))
    text = known["near"].format(parts="\nUNION ALL\n".join(texts))
    return Question(text, tuple(names), {name: value for value, name in fixed.items()})


def _limits(dialect: str, some: tuple[tuple[str, int], ...]) -> Iterator[dict[str, Value]]:
    if dialect == "sqlite":
        for status, most in some:
            yield {"status": status, "limit": most}
    else:
        statuses, limits = zip(*some, strict=True)
        yield {"statuses": statuses, "limits": limits}


def _parameter(dialect: str, name: str) -> str:
    return f":{name}" if dialect == "sqlite" else f"%({name})s"
