"""What every engine for jobs must do: the embedded one over both stores, the queue, the fake."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from caselore.jobs.ports import Every, Order, Retry
from fakes.jobs import LEASE, Engine

SOON = timedelta(milliseconds=100)
QUICK = Retry(tries=3, pause=SOON)
WEEK = timedelta(weeks=1)


@pytest.fixture(params=["fake", "sqlite", "postgres", "queue"])
def engine(request, tmp_path):
    where = tmp_path / "lore.db"
    if request.param in ("postgres", "queue"):
        where = request.getfixturevalue("postgres_url")
    made = Engine(request.param, where)
    made.folder = tmp_path
    yield made
    made.close()


def until(jobs, reached, seconds=30):
    """Run rounds until something is so."""
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline
        jobs.round()
        time.sleep(0.02)


class Diary:
    """What handlers did, in order."""

    def __init__(self):
        self.seen, self.lock = [], threading.Lock()

    def __call__(self, job):
        with self.lock:
            self.seen.append(job.about.get("n"))


def test_a_deferred_job_is_run_once_by_another_process(engine):
    diary, (first, second) = Diary(), (engine.open(), engine.open())
    for one in (first, second):
        one.handle("write", diary)

    assert first.defer([Order("write", {"n": "é ☃"}), Order("write", {"n": 2})]) == 2
    ran = second.round()
    assert (ran.done, ran.again, ran.errors) == (2, 0, [])
    assert sorted(map(str, diary.seen)) == ["2", "é ☃"]
    assert (first.round().done, second.round().done) == (0, 0)


def test_what_a_job_defers_is_run_in_the_same_round(engine):
    diary, jobs = Diary(), engine.open()
    jobs.handle("write", diary)
    jobs.handle("more", lambda job: jobs.defer([Order("write", {"n": 7})]) and None)

    jobs.defer([Order("more")])
    assert jobs.round().done == 2
    assert diary.seen == [7]


def test_each_job_is_run_once_however_many_processes_there_are(engine):
    diary, several = Diary(), [engine.open() for _ in range(3)]
    for one in several:
        one.handle("write", diary)
    several[0].defer([Order("write", {"n": n}) for n in range(60)])

    with ThreadPoolExecutor(1 if engine.kind == "fake" else 3) as pool:
        list(pool.map(lambda one: one.round(), several))
    until(several[0], lambda: len(diary.seen) >= 60)
    assert sorted(diary.seen) == list(range(60))


def test_jobs_of_one_lock_run_one_at_a_time_and_in_order(engine):
    several, running, diary, most = [engine.open(), engine.open()], Counter(), Diary(), Counter()

    def act(job):
        name = job.about["of"]
        running[name] += 1
        most[name] = max(most[name], running[name])
        time.sleep(0.01)
        diary(job)
        running[name] -= 1

    for one in several:
        one.handle("act", act)
    several[0].defer(
        [Order("act", {"of": name, "n": (name, n)}, lock=name) for n in range(6) for name in "ab"]
    )
    with ThreadPoolExecutor(1 if engine.kind == "fake" else 2) as pool:
        list(pool.map(lambda one: one.round(), several))
    until(several[0], lambda: len(diary.seen) >= 12)

    assert most == {"a": 1, "b": 1}
    for name in "ab":
        assert [n for of, n in diary.seen if of == name] == list(range(6))


def test_of_one_once_only_one_waits_and_a_running_one_does_not_wait(engine):
    diary, jobs = Diary(), engine.open()

    def act(job):
        diary(job)
        if len(diary.seen) == 1:
            assert jobs.defer([Order("act", {"n": 2}, once="look")]) == 1

    jobs.handle("act", act)
    assert (
        jobs.defer([Order("act", {"n": 1}, once="look"), Order("act", {"n": 9}, once="look")]) == 1
    )
    assert jobs.defer([Order("act", {"n": 8}, once="look")]) == 0
    jobs.round()
    assert diary.seen == [1, 2]


def test_what_raises_is_tried_again_and_then_kept_as_failed(engine):
    jobs, tries, mended = engine.open(), [], []

    def act(job):
        tries.append(job.tries)
        if not mended:
            raise ValueError("no room")

    jobs.handle("act", act, QUICK)
    jobs.defer([Order("act", {"n": 1})])
    assert jobs.round().again >= 1
    until(jobs, jobs.failed)

    assert tries == [1, 2, 3]
    (failed,) = jobs.failed()
    assert (failed.kind, dict(failed.about)) == ("act", {"n": 1})
    mended.append(True)
    jobs.again(failed.id)
    until(jobs, lambda: len(tries) == 4)
    assert tries[-1] == 1
    assert jobs.failed() == []


def test_one_that_fails_hinders_no_other(engine):
    diary, jobs = Diary(), engine.open()
    jobs.handle("bad", lambda job: 1 / 0, Retry(tries=1))
    jobs.handle("write", diary)
    jobs.defer([Order("bad"), Order("write", {"n": 1}), Order("bad"), Order("write", {"n": 2})])

    ran = jobs.round()
    assert ran.done == 2
    assert sorted(diary.seen) == [1, 2]
    assert len(jobs.failed()) == 2


def test_looking_again_later_uses_up_no_try(engine):
    jobs, tries = engine.open(), []

    def act(job):
        tries.append(job.tries)
        return SOON if len(tries) < 6 else None

    jobs.handle("act", act, QUICK)
    jobs.defer([Order("act")])
    assert jobs.round().again >= 1
    until(jobs, lambda: len(tries) == 6)
    assert tries == [1] * 6
    assert jobs.failed() == []


def test_a_job_is_run_where_it_belongs_and_by_whom_knows_it(engine):
    long = "there:" + "/home" * 60
    diary, (here, there) = Diary(), (engine.open("here"), engine.open(long))
    here.handle("write", diary)
    there.handle("write", diary)
    there.handle("other" * 20, diary)
    here.defer([Order("write", {"n": 1}, place=long), Order("other" * 20, {"n": 2})])

    assert here.round().done == 0
    assert there.round().done == 2
    assert sorted(diary.seen) == [1, 2]


def test_a_job_waits_for_its_time(engine):
    diary, jobs = Diary(), engine.open()
    jobs.handle("write", diary)
    jobs.defer([Order("write", {"n": 1}, after=timedelta(seconds=4)), Order("write", {"n": 0})])

    jobs.round()
    assert diary.seen == [0]
    until(jobs, lambda: len(diary.seen) == 2)


def test_what_cannot_be_kept_is_not_kept_in_part(engine):
    diary, jobs = Diary(), engine.open()
    jobs.handle("write", diary)
    with pytest.raises(TypeError):
        jobs.defer([Order("write", {"n": 1}), Order("write", {"n": object()})])

    jobs.round()
    assert diary.seen == []


def test_the_jobs_of_a_killed_process_are_anothers(engine):
    diary, jobs = Diary(), engine.open()
    jobs.defer([Order("write", {"n": 1}, lock="x"), Order("write", {"n": 2}, lock="x")])
    engine.abandon("write")
    jobs.handle("write", diary)
    jobs.round()
    assert diary.seen == []
    until(jobs, lambda: len(diary.seen) >= 2, seconds=30 * LEASE)

    assert diary.seen == [1, 2]


def test_each_time_of_a_schedule_is_run_once_and_missed_ones_as_told(engine):
    engine.clock.shift = -5 * WEEK
    due, several = [], [engine.open(), engine.open()]
    for one in several:
        one.handle("report", lambda job: due.append(job.due))
        one.every("weekly", "report", Every(WEEK, timedelta(hours=6)), {"n": 1}, catch_up=2)
    for one in several:
        one.round()
    assert due == []

    engine.clock.shift = timedelta(0)
    for one in (*several, *several):
        one.round()
    last = Every(WEEK, timedelta(hours=6)).last(engine.clock())
    assert due == [last - WEEK, last]
    assert (last.weekday(), last.hour) == (0, 6)


def test_a_schedule_survives_a_restart_and_keeps_its_time_over_tries(engine):
    engine.clock.shift = -3 * WEEK
    engine.open().every("weekly", "report", Every(WEEK), catch_up=1)
    engine.clock.shift = timedelta(0)
    due, jobs = [], engine.open()

    def report(job):
        due.append(job.due)
        if len(due) < 3:
            raise ValueError("not yet")

    jobs.handle("report", report, QUICK)
    jobs.every("weekly", "report", Every(WEEK), catch_up=1)
    until(jobs, lambda: len(due) >= 3)

    assert due == [Every(WEEK).last(engine.clock())] * 3


def test_a_working_process_hears_of_what_another_defers_and_stops_when_told(engine):
    diary, stop, told = Diary(), threading.Event(), []
    jobs, other = engine.open(), engine.open()
    jobs.handle("write", diary)
    thread = threading.Thread(target=jobs.work, args=(stop, told.append, 0.05))
    thread.start()
    try:
        other.defer([Order("write", {"n": 1})])
        deadline = time.monotonic() + 20
        while not diary.seen and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
    finally:
        stop.set()
        thread.join(20)

    assert not thread.is_alive()
    assert diary.seen == [1]
    assert sum(one.done for one in told) == 1


def test_due_times_do_not_pile_up_while_nobody_runs_them(engine):
    engine.clock.shift = -3 * WEEK
    due, idle, busy = [], engine.open(), engine.open()
    idle.every("hourly", "report", Every(timedelta(hours=1)))
    for hours in range(1, 40):
        engine.clock.shift = -3 * WEEK + timedelta(hours=hours)
        idle.round()
    busy.handle("report", lambda job: due.append(job.due))
    busy.round()

    assert len(due) == 1
