"""Reads the plain SQL that lies beside the stores: numbered migrations and named queries.

Must not build or change SQL.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def queries(dialect: str) -> dict[str, str]:
    """Give a dialect's queries by name."""
    files = (one for one in _folder(dialect).iterdir() if not re.match(r"\d{4}_", one.name))
    _, *parts = _NAME.split("\n".join(one.read_text("utf-8") for one in files))
    return {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}


@cache
def migrations(dialect: str) -> tuple[str, ...]:
    """Give a dialect's migrations in order; the first makes version 1."""
    found = (one for one in _folder(dialect).iterdir() if re.match(r"\d{4}_", one.name))
    return tuple(one.read_text("utf-8") for one in sorted(found, key=lambda one: one.name))


def _folder(dialect: str) -> Traversable:
    return files(__package__) / "sql" / dialect
