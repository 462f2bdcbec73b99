"""Logs as real jobs write them: one cause in two tools' words, a repeat of the first, an unrelated one."""

from __future__ import annotations


def flyway(rows: int, seconds: int, runner: str, when: str) -> str:
    """A Flyway migration of the order service that the database cancels."""
    return f"""\
Running with gitlab-runner 16.9.1 (782c6ecb)
  on {runner}
$ ./mvnw -q -pl db flyway:migrate
{when} INFO  Flyway Community Edition 9.22.3 by Redgate
{when} INFO  Database: jdbc:postgresql://orders-db:5432/orders (PostgreSQL 15.4)
{when} INFO  Successfully validated 87 migrations (execution time 00:00.214s)
{when} INFO  Current version of schema "public": 86
{when} INFO  Migrating schema "public" to version "87 - fill carrier code"
{when} INFO  filling carrier_code for {rows} shipments
{when} ERROR Migration of schema "public" to version "87 - fill carrier code" failed! Changes rolled back.
{when} ERROR Migration V87__fill_carrier_code.sql failed
-------------------------------------------
SQL State  : 57014
Error Code : 0
Message    : ERROR: canceling statement due to statement timeout
Location   : db/migration/V87__fill_carrier_code.sql
Line       : 3
Statement  : UPDATE shipments SET carrier_code = lookup_carrier(route_id)
duration   : {seconds} s
ERROR: Job failed: exit code 1
"""


ALEMBIC = """\
$ alembic upgrade head
INFO  [alembic.runtime.migration] Context impl PostgresqlImpl.
INFO  [alembic.runtime.migration] Will assume transactional DDL.
INFO  [alembic.runtime.migration] Running upgrade 4f2a91c -> 9c1b07e, mark returned parcels
Traceback (most recent call last):
  File "/srv/orders/migrations/env.py", line 71, in run_migrations_online
    context.run_migrations()
  File "/srv/orders/migrations/versions/9c1b07e_returned.py", line 24, in upgrade
    op.execute("UPDATE parcels SET returned = false WHERE returned IS NULL")
sqlalchemy.exc.OperationalError: (psycopg2.errors.QueryCanceled) migration 9c1b07e exceeded the \
deployment deadline: the lock on parcels was held for 912 s and the transaction was rolled back
[SQL: UPDATE parcels SET returned = false WHERE returned IS NULL]
ERROR: Job failed: exit code 1
"""

MISSING_VARIABLE = """\
$ node dist/server.js
> profile-service@4.2.0 start
Error: Missing required environment variable: PROFILE_CACHE_URL
    at required (/app/dist/config.js:14:11)
    at Object.<anonymous> (/app/dist/config.js:31:16)
    at Module._compile (node:internal/modules/cjs/loader:1376:14)
Node.js v20.11.1
ERROR: Job failed: exit code 1
"""

PASSED = """\
$ pytest -q
..........................................
42 passed in 3.10s
"""

PYTEST = """\
$ pytest -q
..........F...............................
=================================== FAILURES ===================================
_____________________________ test_discount_rounds _____________________________

    def test_discount_rounds():
>       assert discount(1999, 15) == 1699
E       assert 1700 == 1699
E        +  where 1700 = discount(1999, 15)

tests/test_discount.py:12: AssertionError
=========================== short test summary info ============================
FAILED tests/test_discount.py::test_discount_rounds - assert 1700 == 1699
1 failed, 41 passed in 3.22s
"""

FIRST = flyway(2_400_000, 600, "runner-eu-3", "2026-03-02 10:11:12")
REPEAT = flyway(2_610_744, 601, "runner-us-9", "2026-05-21 02:40:59")
