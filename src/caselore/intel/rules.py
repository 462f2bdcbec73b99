"""Loads what a sentence says when it reports an event: rules.toml, by type and topic.

Must not hold a pattern itself.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any, NamedTuple

from caselore.intel.cues import told_topic

_KINDS = ("strong", "soft", "weak", "changelog")


class Rules(NamedTuple):
    """The patterns of one type of event, or of one topic of it."""

    event_type: str
    topic: str
    strong: tuple[re.Pattern[str], ...]
    soft: tuple[re.Pattern[str], ...]
    weak: tuple[re.Pattern[str], ...]
    changelog: tuple[re.Pattern[str], ...]


@cache
def rules() -> tuple[Rules, ...]:
    """Read the patterns; their order is their precedence."""
    text = resources.files("caselore.intel").joinpath("rules.toml").read_text(encoding="utf-8")
    return tuple(_read(tomllib.loads(text)))


def _read(tables: Mapping[str, Any]) -> Iterator[Rules]:
    for name, table in tables.items():
        parts = {"": table} if _KINDS[0] in table or _KINDS[1] in table else table
        for topic, part in parts.items():
            yield Rules(name, topic, *(tuple(_compiled(part.get(kind, ()))) for kind in _KINDS))


def _compiled(patterns: list[str]) -> Iterator[re.Pattern[str]]:
    return (re.compile(one, re.IGNORECASE) for one in patterns)


@lru_cache(maxsize=8_192)
def topic_of(event_type: str, text: str) -> str:
    """Give the topic of what a text reports; empty where its type has none or none fits."""
    for table in rules():
        own = (
            (*table.strong, *table.soft) if table.event_type == event_type and table.topic else ()
        )
        if any(one.search(text) for one in own):
            return table.topic
    return told_topic(event_type, text)
