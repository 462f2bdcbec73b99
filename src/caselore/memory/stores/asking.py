"""How the parts of a view ask their database: by the name of a query.

Must not know a query, nor a database.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator
from typing import Any


class Asking(ABC):
    """What every part of a view asks through."""

    @abstractmethod
    def _ask(self, query: str, /, **values: Any) -> Iterator[tuple[Any, ...]]:
        """Run a named query and give its rows; one that has none is run at once."""

    @abstractmethod
    def _put(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Run a named query for each row."""

    @abstractmethod
    def _keys(self, keys: Collection[str | int]) -> Any:
        """Write a list of keys as the dialect takes it."""
