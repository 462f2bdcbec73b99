"""Migrates one table of the payment service: adds a column and fills it for every row.

Without --batch all rows are filled in one transaction; with it, each batch is committed.
Must not import anything but the standard library: it runs outside of caselore.
"""

from __future__ import annotations

import argparse
import sqlite3
import time
from collections.abc import Iterator

MIGRATIONS = {
    "0042_settlement_fee": ("payments", "settlement_fee_cents"),
    "0057_refund_country": ("refunds", "country_code"),
    "0063_dispute_window": ("chargebacks", "window_days"),
}
PAGE = 500  # rows that the settlement service answers about at once
LATENCY = 0.006  # seconds a page: stands for the network between the two services


class MigrationTimeout(Exception):
    """The database cancelled a transaction that was open for too long."""


def main() -> None:
    """Run one migration to its end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    parser.add_argument("migration", choices=MIGRATIONS)
    parser.add_argument("--batch", type=int, default=0, help="rows a transaction; 0 is all in one")
    parser.add_argument("--statement-timeout", type=float, default=0.0, help="seconds; 0 is none")
    options = parser.parse_args()
    table, column = MIGRATIONS[options.migration]
    with sqlite3.connect(options.database, isolation_level=None) as database:
        add_column(database, table, column)
        backfill(database, table, column, options.batch, options.statement_timeout)
    print(f"[migrate] {options.migration} done", flush=True)


def add_column(database: sqlite3.Connection, table: str, column: str) -> None:
    """Add the new column, which is quick however large the table is, unless an earlier try did."""
    if column in {row[1] for row in database.execute(f"PRAGMA table_info({table})")}:
        return
    print(f"[migrate] ALTER TABLE {table} ADD COLUMN {column} INTEGER", flush=True)
    database.execute(f"ALTER TABLE {table} ADD COLUMN {column} INTEGER")


def backfill(
    database: sqlite3.Connection, table: str, column: str, batch: int, limit: float
) -> None:
    """Fill the column for all rows, in one transaction or in several."""
    total = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    size = batch or total
    how = f"in batches of {batch} records" if batch else "in one transaction"
    print(f"[migrate] backfill of {total} rows of {table} {how}", flush=True)
    for first in range(1, total + 1, size):
        opened = time.monotonic()
        database.execute("BEGIN IMMEDIATE")
        for done in fill(database, table, column, first, min(first + size - 1, total)):
            refuse_if_late(table, opened, limit)
            if done % 20_000 == 0:
                print(f"[migrate] {table}: {done} of {total} rows checked", flush=True)
        database.execute("COMMIT")
        print("[migrate] commit", flush=True)


def fill(
    database: sqlite3.Connection, table: str, column: str, first: int, last: int
) -> Iterator[int]:
    """Ask the settlement service page by page and write its answers."""
    for start in range(first, last + 1, PAGE):
        end = min(start + PAGE - 1, last)
        rows = database.execute(
            f"SELECT id, amount_cents FROM {table} WHERE id BETWEEN ? AND ?", (start, end)
        ).fetchall()
        answers = ask_settlement(rows)
        database.executemany(f"UPDATE {table} SET {column} = ? WHERE id = ?", answers)
        yield end


def ask_settlement(rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Work out the value of each row as the settlement service does."""
    time.sleep(LATENCY)
    return [(amount * 29 // 1000 + 30, row) for row, amount in rows]


def refuse_if_late(table: str, opened: float, limit: float) -> None:
    """Cancel as a database with a statement timeout does."""
    held = time.monotonic() - opened
    if limit and held > limit:
        raise MigrationTimeout(
            f"canceling migration of {table} due to statement timeout: "
            f"write lock held for {held * 1000:.0f} ms, statement_timeout is {limit * 1000:.0f} ms"
        )


if __name__ == "__main__":
    main()
