"""Runs the named queries over one SQLite connection.

Must not judge or derive: rows in, rows out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from caselore.memory.stores.named_sql import queries
from caselore.memory.stores.sql_view import LONG, SqlView
from caselore.memory.stores.sqlite_file import expected_schema, schema


class SqliteView(SqlView):
    """Reads and appends inside the transaction that its store opened."""

    dialect = "sqlite"

    def __init__(self, link: sqlite3.Connection, removing: Callable[[], None]) -> None:
        """Work on an open connection; `removing` is called before content is removed."""
        super().__init__(removing)
        self._link, self._sql = link, queries("sqlite")
        self._unread = set[sqlite3.Cursor]()

    def _run(self, query: str, /, **values: Any) -> Iterator[tuple[Any, ...]]:
        cursor = self._link.execute(self._sql.get(query, query), values)
        if query not in LONG:
            return iter(cursor.fetchall())
        self._unread.add(cursor)
        return self._long(cursor)

    def _long(self, cursor: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
        try:
            yield from map(tuple, cursor)  # of the bare cursor, leaving would close it always
        finally:
            if cursor in self._unread:  # else the transaction is over, its connection perhaps shut
                self._unread.discard(cursor)
                cursor.close()

    def let_go(self) -> None:
        """End what was not read to its end: it would hold the connection to this moment.

        Without this a later view on the same connection could show an older state.
        """
        while self._unread:
            self._unread.pop().close()

    def _put(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._link.executemany(self._sql[query], rows)

    def _keys(self, keys: Collection[str | int]) -> str:
        return json.dumps(list(keys))

    def _odd(self) -> Iterator[str]:
        for (words,) in self._link.execute("PRAGMA integrity_check(3)").fetchall():
            if words != "ok":
                yield f"the file: {words}"
        odd = schema(self._link) ^ expected_schema()
        for kind, name, _ in sorted(odd, key=repr):  # a changed byte can make a text a blob
            yield f"{kind} {name} is not as this version makes it"
