"""A small world of cases and readings for the tests of incidents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from caselore import logs
from caselore.incidents import service
from caselore.incidents.diagnosis import Diagnosis
from caselore.logs import Range, Reading, Signature
from caselore.memory.api import Memory
from caselore.memory.ranking import Signal
from caselore.memory.recall import Hit, Recalled
from caselore.memory.records import (
    Actor,
    Case,
    Incident,
    Kind,
    Outcome,
    Quoted,
    Record,
    Role,
    Signed,
    Status,
)
from caselore.memory.stores.scan_index import ScanIndex
from caselore.memory.stores.sqlite import SqliteStore

NOW = datetime(2026, 11, 3, 10, 0, tzinfo=UTC)
ANA = Actor("ana", Role.HUMAN)
RUNNER = Actor("runner", Role.CI)
BOT = Actor("bot", Role.AGENT)
FAMILY = "migration"


def outcome(**changed: object) -> Outcome:
    """Give a confirmed outcome."""
    told: dict[str, object] = {
        "cause": "One transaction over 240000 rows ran past the statement timeout of 120 s",
        "resolution": "Ran the backfill in batches of 500 records with --batch-size=500",
        "result": "succeeded",
        "why_failed": "",
        "confirmed_by": "ana",
        "confirmed_at": NOW - timedelta(days=2),
    }
    return Outcome(**{**told, **changed})  # type: ignore[arg-type]


def case(
    id: str = "inc_1",
    deployment: str = "1017",
    told: Outcome | None = None,
    status: Status = Status.CONFIRMED,
    block: str = "psycopg.errors.QueryCanceled: canceling statement due to statement timeout",
    service_name: str = "payment-service",
) -> Case:
    """Give a stored case."""
    signed = Signed("sig1:" + id.ljust(12, "0"), FAMILY, "migration", "0042_fee", "QueryCanceled")
    body = Incident(
        service=service_name,
        environment="production",
        branch="main",
        commit="3f78685",
        deployment=deployment,
        stage="deploy",
        url="",
        signature=signed,
        block=block,
        excerpt=(Quoted(871, 871, block, "migration"),),
        failing_line=871,
        log_digest="d" + id,
        log_lines=900,
        log_bytes=40_000,
        title=block.split("\n", 1)[0][:200],
    )
    at = NOW - timedelta(days=3)
    record = Record(id, "default", Kind.INCIDENT, body, RUNNER, (), at, at)
    standing = told if status is Status.CONFIRMED else None
    return Case(record, status, standing, (), None, (), (), True)


def hit(one: Case, *, same: bool = False, why_not: str = "", score: float = 70) -> Hit:
    """Give a case as recall finds it."""
    signals = (
        Signal("same family", 15, FAMILY),
        Signal("same service", 20, one.record.body.service),
    )
    return Hit(one, score, same, signals, why_not, not same and not why_not, 1, ("ana",))


def recalled(*hits: Hit) -> Recalled:
    """Give a recall: what has a reason against it is merely near."""
    fits = tuple(one for one in hits if not one.why_not)
    return Recalled(fits, tuple(one for one in hits if one.why_not), len(hits))


def reading(text: str = "lock wait timeout exceeded after 30 s in 0057_refund") -> Reading:
    """Give a reading that fails at line 12."""
    signature = Signature("sig1:now", FAMILY, "migration", "0057_refund", "", text, "", 0.8, False)
    shown = (Range(11, 13, f"UPDATE refunds\n{text}\nexit code 1", "migration"),)
    return Reading(
        log="x.log",
        lines=40,
        bytes=2_000,
        truncated=False,
        failing_line=12,
        excerpt=shown,
        signature=signature,
        redactions=(),
        injection=(),
        digest="digest",
        block=text,
        notes=(),
        green=None,
    )


@contextmanager
def memory_in(folder: Path) -> Iterator[Memory]:
    """Give a memory on a real database, with a clock that ticks by the minute."""
    minutes, numbers = count(), count(1)
    store = SqliteStore(folder / "memory.sqlite3")
    memory = Memory(
        store,
        ScanIndex(store),
        lambda: NOW + timedelta(minutes=next(minutes)),
        lambda: f"{next(numbers):020x}",
    )
    yield memory
    memory.close()


def migration_log(table: str, message: str, rows: int) -> bytes:
    """Give the log of a deployment whose migration fails."""
    return f"""+ ./deploy.sh
Running migration 0042_add_fee_to_{table}
UPDATE {table} SET fee = 0 ({rows} rows)
Traceback (most recent call last):
  File "/srv/app/migrate.py", line 88, in run
    cursor.execute(sql)
psycopg.errors.QueryCanceled: {message}
ERROR: migration 0042_add_fee_to_{table} failed after 120 s
exit code 1
""".encode()


def diagnosed(
    memory: Memory,
    log: bytes,
    deployment: str,
    where: str = "payment-service",
    now: datetime = NOW,
) -> Diagnosis:
    """Read and diagnose a log as CI does."""
    read = logs.read(log, name=f"{deployment}.log")
    return service.diagnose(
        memory,
        read,
        actor=RUNNER,
        now=now,
        service=where,
        deployment=deployment,
        environment="production",
    )
