"""Runs the named queries over one Postgres connection.

Must not judge or derive: rows in, rows out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import count
from typing import Any

import psycopg

from caselore.memory.later_ports import JobRow
from caselore.memory.ledger import Entry
from caselore.memory.loop_ports import InboxRow, LeaseRow
from caselore.memory.rows import TABLES
from caselore.memory.stores.named_sql import migrations, queries
from caselore.memory.stores.sql_view import LONG, SqlView

PIECE = 1_000  # rows of a long answer that are fetched at once
SILENT = ("forget_", "clear_")  # queries that give no rows
Link = psycopg.Connection[tuple[Any, ...]]


class PostgresView(SqlView):
    """Reads and appends inside the transaction that its store opened."""

    dialect = "postgres"

    def __init__(self, link: Link, removing: Callable[[Link], None]) -> None:
        """Work on an open connection; `removing` is called before content is removed."""
        super().__init__(lambda: removing(link))
        self._link, self._sql, self._names = link, queries("postgres"), count()
        self._unread = set[psycopg.ServerCursor[tuple[Any, ...]]]()

    def _run(self, query: str, /, **values: Any) -> Iterator[tuple[Any, ...]]:
        sql = self._sql.get(query, query).encode()
        given = {name: _storable(value) for name, value in values.items()}
        if query in LONG:
            return self._long(sql, given)
        found = self._link.execute(sql, given)
        return iter(() if query.startswith(SILENT) else found.fetchall())

    def _long(self, sql: bytes, values: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        cursor = self._link.cursor(name=f"caselore{next(self._names)}")
        cursor.itersize = PIECE
        self._unread.add(cursor)
        try:
            cursor.execute(sql, values)
            yield from map(tuple, cursor)  # of the bare cursor, leaving would close it always
        finally:
            if cursor in self._unread:  # else the transaction is over, and its name another's
                self._unread.discard(cursor)
                cursor.close()

    def let_go(self) -> None:
        """End what was not read to its end, while its transaction still stands."""
        while self._unread:
            self._unread.pop().close()

    def _put(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        given = [tuple(row) for row in rows]
        if len(given) == 1:  # several go in one pipeline, one is quicker without
            self._link.execute(self._sql[query].encode(), given[0])
        elif given:
            with self._link.cursor() as cursor:
                cursor.executemany(self._sql[query].encode(), given)

    def _keys(self, keys: Collection[str | int]) -> str:
        """Write the array as its text, which a query casts; the driver takes twice as long."""
        texts = [one if isinstance(one, str) else str(one) for one in keys]
        plain = "".join(texts)
        if texts and '"' not in plain and "\\" not in plain:
            return '{"' + '","'.join(texts) + '"}'
        return "{" + ",".join([_element(one) for one in keys]) + "}"

    def _odd(self) -> Iterator[str]:
        for name, expected in parts().items():
            found = {row[0] for row in self._link.execute(_FOUND[name])}
            for one in sorted(found ^ expected):
                yield f"{name} {one} is not as this version makes it"


def _element(value: str | int) -> str:
    if isinstance(value, int):
        return str(value)
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _storable(value: Any) -> Any:
    """Give a name as Postgres can take it; one with a NUL is stored nowhere."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def parts() -> dict[str, set[str]]:
    """Give the columns, indexes and triggers that this version makes."""
    tables: dict[str, tuple[str, ...]] = {name: row._fields for name, row in TABLES.items()}
    tables |= {"ledger": Entry._fields, "payloads": ("bank", "seq", "salt", "body")}
    tables |= {"inbox": InboxRow._fields, "leases": LeaseRow._fields}
    tables |= {"jobs": JobRow._fields, "schedules": ("bank", "name", "last_at")}
    tables |= {"looks": ("bank", "change", "due_at")}
    tables |= {"unscrubbed": ("name",), "migrations": ("version",)}
    script = "".join(migrations("postgres"))
    indexes = set(re.findall(r"CREATE (?:UNIQUE )?INDEX (\w+)", script))
    indexes |= {f"{name}_pkey" for name in tables if name not in {"tallies", "facets"}}
    columns = {f"{table}.{column}" for table, some in tables.items() for column in some}
    return {"column": columns, "index": indexes, "trigger": set()}


_FOUND: dict[str, bytes] = {
    "column": b"""SELECT table_name || '.' || column_name FROM information_schema.columns
        WHERE table_schema = 'caselore'""",
    "index": b"SELECT indexname::text FROM pg_indexes WHERE schemaname = 'caselore'",
    "trigger": b"""SELECT t.tgname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'caselore'
        UNION SELECT rulename::text FROM pg_rules WHERE schemaname = 'caselore'""",
}
