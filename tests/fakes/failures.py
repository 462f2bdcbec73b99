"""Small worlds of failures: an authored clock, ids in order, incidents and people by name."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from caselore.memory import Actor, Incident, Memory, Quoted, Role, Signed
from caselore.memory.stores.postgres import PostgresStore
from caselore.memory.stores.scan_index import ScanIndex
from caselore.memory.stores.sqlite import SqliteStore
from caselore.memory.stores.tantivy_index import TantivyIndex

CI = Actor("gitlab", Role.CI)
AGENT = Actor("coder", Role.AGENT)
IMPORT = Actor("cron", Role.IMPORT)
ANA = Actor("ana", Role.HUMAN)
BO = Actor("bo", Role.HUMAN)
CY = Actor("cy", Role.HUMAN)
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass
class Clock:
    """Moves on by a second whenever it is read."""

    at: datetime = START

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


@dataclass
class Ids:
    """Gives ids in order, so that a failing test reads well."""

    numbers: itertools.count = field(default_factory=lambda: itertools.count(1))

    def __call__(self) -> str:
        return "inc_" + hashlib.sha256(str(next(self.numbers)).encode()).hexdigest()[:20]


def memory_over(store, **more) -> Memory:
    index = more.pop("index", None) or ScanIndex(store)
    return Memory(store, index, more.pop("clock", Clock()), more.pop("new_id", Ids()), **more)


def memory_at(place, folder=None, **more) -> Memory:
    """Open a file, or a Postgres address with its index in `folder`."""
    if "://" in str(place):
        store, beside = PostgresStore(str(place)), folder
    else:
        store, beside = SqliteStore(place), place
    return memory_over(store, index=index_beside(store, beside) if beside else None, **more)


def index_beside(store, path) -> TantivyIndex:
    return TantivyIndex(store, Path(path).with_name(f"{Path(path).name}-index"))


def signed(
    name="lock", *, family="migration", unit="0042_totals", generic=False, tool="alembic"
) -> Signed:
    id = "sig1:" + hashlib.sha256(name.encode()).hexdigest()[:24]
    return Signed(id, family, tool, unit, "QueryCanceled", f"{name} <n>", "db/env.py:run", generic)


LOCK = """alembic.runtime.migration: Running upgrade 0041 -> 0042, fill the totals of payments
psycopg.errors.QueryCanceled: canceling statement due to statement timeout
CONTEXT: while updating tuple (5123,7) in relation "payments"
deployment of payment-service stopped after 900 s"""
VARIABLE = """KeyError: 'AUTH_ISSUER_URL'
config/settings.py line 31: issuer = os.environ['AUTH_ISSUER_URL']
user-service failed to start: required variable is missing"""


def failure(
    deployment="1017",
    *,
    service="payment-service",
    environment="production",
    branch="main",
    commit="",
    url="",
    signature: Signed | None = None,
    block=LOCK,
    stage="deploy",
    title="",
) -> Incident:
    lines = block.count("\n") + 1
    return Incident(
        service=service,
        environment=environment,
        branch=branch,
        commit=commit,
        deployment=deployment,
        stage=stage,
        url=url,
        signature=signature or signed(),
        block=block,
        excerpt=(Quoted(871, 870 + lines, block, "migration failed"),),
        failing_line=872,
        log_digest=hashlib.sha256(f"{deployment}{url}{block}".encode()).hexdigest(),
        log_lines=914,
        log_bytes=48_211,
        title=title or block.partition("\n")[0][:120],
    )


def missing_variable(deployment="2001", **more) -> Incident:
    more.setdefault("service", "user-service")
    name = signed("variable", family="missing-variable", unit="config.settings", tool="python")
    return failure(deployment, signature=name, block=VARIABLE, **more)


BATCHES = {
    "cause": "One transaction updates all rows of payments and outlives the statement timeout.",
    "resolution": "Run the migration in batches of 500 records.",
    "result": "succeeded",
}
LONGER = {
    "cause": "The statement timeout is too short.",
    "resolution": "Raise the statement timeout to 3600 s.",
    "result": "failed",
    "why_failed": "The lock blocked every payment for 20 minutes.",
}
