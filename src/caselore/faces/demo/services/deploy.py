"""Deploys one release of the payment service: opens its database, migrates it, reports.

The deployment limits how long a transaction may stay open, because payments wait meanwhile.
Must not import anything but the standard library: it runs outside of caselore.
"""

from __future__ import annotations

import argparse
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLES = {
    "0042_settlement_fee": "payments",
    "0057_refund_country": "refunds",
    "0063_dispute_window": "chargebacks",
}


def main() -> int:
    """Run the deployment and give the job's exit code."""
    options = arguments()
    table = TABLES[options.migration]
    say(f"payment-service deployment {options.deployment} to production")
    say(f"step 1/3 open {options.database.name}")
    rows = prepare(options.database, table, options.rows)
    say(f"table {table} holds {rows} rows")
    say(f"step 2/3 run migration {options.migration}")
    code = migrate(options, table)
    if code:
        say(f"rolled back: 0 of {rows} rows migrated, release {options.deployment} not activated")
        print(f"ERROR: Job failed: exit code {code}", flush=True)
        return 1
    say(f"step 3/3 activate release {options.deployment}")
    say(f"deployment {options.deployment} succeeded")
    return 0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("migration", choices=TABLES)
    parser.add_argument("--deployment", required=True)
    parser.add_argument("--rows", type=int, default=240_000)
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--limit", type=float, default=2.0, help="seconds a transaction may take")
    parser.add_argument("--guard", choices=("deployment", "database"), default="deployment")
    return parser.parse_args()


def say(line: str) -> None:
    """Print one line of the job's log."""
    print(f"[deploy] {line}", flush=True)


def prepare(path: Path, table: str, rows: int) -> int:
    """Make the table of a busy shop, unless it is there."""
    with sqlite3.connect(path) as database:
        database.execute(
            f"CREATE TABLE IF NOT EXISTS {table} (id INTEGER PRIMARY KEY, amount_cents INTEGER)"
        )
        there: int = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        missing = ((row, row * 37 % 90_000 + 100) for row in range(there + 1, rows + 1))
        database.executemany(f"INSERT INTO {table} (id, amount_cents) VALUES (?, ?)", missing)
    return max(there, rows)


def migrate(options: argparse.Namespace, table: str) -> int:
    """Run the migration as a process of its own, and kill it when a transaction takes too long."""
    command = [sys.executable, "-u", str(HERE / "migrate.py"), str(options.database)]
    command += [options.migration, "--batch", str(options.batch)]
    if options.guard == "database":
        command += ["--statement-timeout", str(options.limit)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    late = threading.Event()
    watch(process, options, late)
    code = process.wait()
    if late.is_set():
        print(
            f"deploy.DeploymentTimeout: migration {options.migration} timed out: the transaction "
            f"on table {table} was still open after {options.limit:.1f} s, "
            f"deployment timeout is {options.limit:.1f} s",
            flush=True,
        )
        say(f"migration process killed, exit code {code}")
    return 1 if late.is_set() else code


def watch(
    process: subprocess.Popen[str], options: argparse.Namespace, late: threading.Event
) -> None:
    """Pass the migration's lines on, and kill it if no commit comes within the limit."""
    last_commit = time.monotonic()
    finished = threading.Event()

    def guard() -> None:
        while not finished.wait(0.05):
            if options.guard == "deployment" and time.monotonic() - last_commit > options.limit:
                late.set()
                process.kill()
                return

    threading.Thread(target=guard, daemon=True).start()
    commits = 0
    for line in process.stdout or ():
        if line.startswith("[migrate] commit"):
            last_commit = time.monotonic()
            commits += 1
            continue
        print(line, end="", flush=True)
    finished.set()
    if commits:
        say(f"{commits} transactions committed")


if __name__ == "__main__":
    sys.exit(main())
