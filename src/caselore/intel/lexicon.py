"""Loads the patterns and word lists by which sentences are read: lexicon.toml.

Must not hold a word itself.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources


@cache
def _table() -> dict[str, dict[str, str]]:
    text = resources.files("caselore.intel").joinpath("lexicon.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def pattern(table: str, name: str, flags: int = 0) -> re.Pattern[str]:
    """Give one pattern; a line break in the file is no part of it."""
    return re.compile(_table()[table][name].replace("\n", ""), flags)


def words(table: str, name: str) -> frozenset[str]:
    """Give one list of words."""
    return frozenset(_table()[table][name].split())
