"""Which engine is chosen, what schedules and pauses come to, and the queue's own tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from procrastinate.schema import SchemaManager

from caselore import settings
from caselore.errors import Unavailable, WrongUse
from caselore.jobs import queue_tables
from caselore.jobs.distributed import QueueJobs
from caselore.jobs.embedded import EmbeddedJobs
from caselore.jobs.ports import Every, Order, Retry
from caselore.memory.stores import named_sql
from caselore.wiring import jobs as wiring
from fakes.failures import START, memory_over
from fakes.memory_store import MemoryStore

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)  # a Monday
HOUR, WEEK = timedelta(hours=1), timedelta(weeks=1)
STEPS = sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))


def chosen(folder, text="", url=""):
    (folder / "caselore.toml").write_text(text)
    environment = {"CASELORE_HOME": str(folder), "CASELORE_DATABASE_URL": url}
    told = settings.load(environment=environment, folder=folder)
    return wiring.engine(told, memory_over(MemoryStore()), lambda: START)


def test_jobs_run_inside_unless_told_otherwise(tmp_path):
    assert isinstance(chosen(tmp_path), EmbeddedJobs)
    assert isinstance(chosen(tmp_path, '[jobs]\nengine = "embedded"\nthreads = 2'), EmbeddedJobs)


def test_the_queue_is_used_where_it_is_named(tmp_path, postgres_url):
    jobs = chosen(tmp_path, '[jobs]\nengine = "procrastinate"', postgres_url)

    assert isinstance(jobs, QueueJobs)
    assert jobs.defer([Order("act")]) == 1
    jobs.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('engine = "procrastinate"', "needs a Postgres store"),
        ('engine = "celery"', "engine is 'celery'"),
        ('engin = "embedded"', "has no 'engin'"),
        ("threads = 0", "whole number"),
        ("threads = true", "whole number"),
    ],
)
def test_a_wrong_choice_is_refused_with_what_to_do(tmp_path, text, words):
    with pytest.raises(WrongUse, match=words):
        chosen(tmp_path, f"[jobs]\n{text}")


def test_a_server_that_does_not_run_is_told_as_such(tmp_path):
    with pytest.raises(Unavailable, match="What was deferred is kept"):
        chosen(tmp_path, '[jobs]\nengine = "procrastinate"', "postgresql://u@127.0.0.1:9/x")


@pytest.mark.parametrize(
    ("schedule", "last"),
    [
        (Every(WEEK), datetime(2026, 11, 30, tzinfo=UTC)),
        (Every(WEEK, timedelta(hours=13)), datetime(2026, 11, 23, 13, tzinfo=UTC)),
        (Every(timedelta(days=1), 12 * HOUR), NOON),
        (Every(HOUR), NOON),
    ],
)
def test_weeks_begin_on_monday_and_days_at_midnight(schedule, last):
    assert schedule.last(NOON) == last
    assert schedule.missed(NOON, 2) == [last - schedule.period, last]


def test_each_pause_is_twice_the_one_before_up_to_a_bound():
    retry = Retry(tries=6, pause=timedelta(minutes=10), most=HOUR)

    assert [retry.after(n) for n in range(1, 7)] == [
        timedelta(minutes=10), timedelta(minutes=20), timedelta(minutes=40), HOUR, HOUR, None,
    ]  # fmt: skip
    assert Retry(tries=10_000).after(5_000) == HOUR


def test_nothing_crosses_banks_on_one_queue(postgres_url):
    seen = []
    banks = [QueueJobs(postgres_url, name, lambda: NOON) for name in ("a", "b")]
    for one, name in zip(banks, "ab", strict=True):
        one.handle("act", lambda job, name=name: seen.append((name, job.about["of"])))
        one.defer([Order("act", {"of": name}, lock="x", once="y")])

    assert banks[0].round().done == 1
    assert seen == [("a", "a")]
    assert banks[1].round().done == 1
    for one in banks:
        one.close()


def columns(url):
    query = """SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'caselore_jobs' UNION SELECT 'function', p.proname::text
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = 'caselore_jobs' ORDER BY 1, 2"""
    with psycopg.connect(url) as link:
        return link.execute(query).fetchall()


def test_tables_of_an_older_library_are_brought_to_its_version_with_their_jobs(postgres_url):
    queue_tables.prepare(postgres_url)
    expected, old = columns(postgres_url), "03.02.00_50_post_batch_defer_jobs"
    with psycopg.connect(postgres_url, **queue_tables.OPTIONS) as link:
        link.execute("DROP SCHEMA caselore_jobs CASCADE; CREATE SCHEMA caselore_jobs")
        for step in STEPS:
            if step.stem <= old:
                link.execute(step.read_bytes())
        link.execute(f"COMMENT ON SCHEMA caselore_jobs IS '{old}'")
    assert columns(postgres_url) != expected
    seen, jobs = [], QueueJobs(postgres_url, "a", lambda: NOON)

    assert columns(postgres_url) == expected
    jobs.handle("act", lambda job: seen.append(job.about["n"]))
    jobs.defer([Order("act", {"n": 1})])
    jobs.round()
    assert seen == [1]
    jobs.close()


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_steps_of_the_schema_are_numbered_without_a_gap_or_a_double(dialect):
    folder = Path(named_sql.__file__).parent / "sql" / dialect
    numbers = sorted(int(one.name[:4]) for one in folder.glob("[0-9]*.sql"))

    assert numbers == list(range(1, len(numbers) + 1))
