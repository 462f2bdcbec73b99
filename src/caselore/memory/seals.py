"""Seals the rows of an export in a chain, and finds the row that is not as it was exported.

Must not hold a key: a seal shows what changed by accident, not who changed it on purpose.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from caselore.memory.encoding import canonical
from caselore.memory.ledger import GENESIS

ALTERED = (
    "the line is not as it was exported: its content does not give its seal; take the seal out of "
    "a line that you changed yourself"
)
BROKEN = (
    "the line does not follow the one before it: a line is missing, moved, added or unsealed; "
    "with `--part` the lines of a part of an export are taken each for itself"
)
CUT = "the export does not end with the seal that was given: its end is cut off, or it is another"


def seal_of(row: Mapping[str, Any]) -> str:
    """Give the seal of a row that names the seal before it; SHA-256, hex."""
    bare = {name: value for name, value in row.items() if name != "seal"}
    return hashlib.sha256(canonical(bare).encode()).hexdigest()


def sealed(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Give each row with the seal of the one before it and its own."""
    previous = GENESIS
    for row in rows:
        linked = {**row, "previous": previous}
        previous = seal_of(linked)
        yield {**linked, "seal": previous}


class Checked:
    """Follows the seals of a file's lines; lines of other kinds and unsealed files have none."""

    def __init__(self, *, part: bool = False, last: str = "") -> None:
        """Take the lines of a `part` each for itself; `last` is the seal that ends the file."""
        self._part, self._last = part, last
        self._before, self._lost = "", False

    def fault(self, row: Any) -> str:
        """Say what is wrong with the next line; empty where nothing is."""
        if not isinstance(row, dict):  # no line that is no row tells which seal it had
            self._lost = True
            return ""
        if "caselore" not in row:
            return ""
        seal = row.get("seal")
        if not isinstance(seal, str):
            return self._unsealed(row)
        before, self._before = self._before, seal
        lost, self._lost = self._lost, _given(row) != seal
        if self._lost:
            return ALTERED
        follows = lost or self._part or row.get("previous") in {before or GENESIS, GENESIS}
        return "" if follows else BROKEN

    def _unsealed(self, row: Mapping[str, Any]) -> str:
        if {"seal", "previous"} & set(row):
            self._lost = True
            return ALTERED
        return BROKEN if self._before and not self._part else ""

    def end(self) -> str:
        """Say what is wrong with the file's end; empty where nothing is."""
        return CUT if self._last and self._before != self._last else ""


def _given(row: Mapping[str, Any]) -> str:
    try:
        return seal_of(row)
    except (ValueError, TypeError, RecursionError):  # half a character, or no plain JSON value
        return ""
