"""Remembers in a file up to which ledger entry something outside the store was brought.

Must not be more than a hint: without it, or with another ledger's, the work is done again.
"""

from __future__ import annotations

import json
from pathlib import Path

from caselore.memory.ledger import Head
from caselore.memory.ports import Reads


class LedgerMark:
    """One bank's mark in a file of its own."""

    def __init__(self, path: Path, bank: str) -> None:
        """Name the file, made by the first move."""
        self._path, self._bank = path, bank

    def reached(self, view: Reads, otherwise: int = 0) -> int:
        """Give the entry; 0 for a mark of another ledger, `otherwise` where there is none."""
        try:
            mark = json.loads(self._path.read_text("utf-8"))
            seq, hash = int(mark["seq"]), str(mark["hash"])
        except FileNotFoundError:
            return otherwise
        except (OSError, ValueError, KeyError, TypeError):
            return 0
        return seq if view.hash_at(self._bank, seq) == hash else 0

    def move(self, to: Head) -> None:
        """Say that all up to an entry is done. Raises: OSError."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps({"seq": to.seq, "hash": to.hash}), "utf-8")
        new.replace(self._path)
