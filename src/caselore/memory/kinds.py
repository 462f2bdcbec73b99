"""Tells in which way something failed, from its words: out of time, forbidden, not found, …

Two failures of one family and service may still have nothing in common: a migration that ran out
of time is not helped by what helped one that lacked a permission. The words stand in kinds.toml.
Must not decide what is similar: `ranking` does.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib import resources

_READ = 2_000  # characters of a text that are looked at


@cache
def _table() -> dict[str, re.Pattern[str]]:
    text = resources.files("caselore.memory").joinpath("kinds.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return {name: re.compile("|".join(words), re.IGNORECASE) for name, words in table.items()}


@lru_cache(maxsize=4096)
def kinds(*texts: str) -> frozenset[str]:
    """Give the ways in which the first of the texts that tells any speaks of failing."""
    told = (_told(text[:_READ]) for text in texts)
    return next((found for found in told if found), frozenset())


def _told(text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _table().items() if pattern.search(text))
