"""Engines for jobs as several processes would open them, and one that lives in memory.

Must not decide when anything runs: a test says so.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from caselore.jobs.distributed import QueueJobs
from caselore.jobs.embedded import EmbeddedJobs
from caselore.jobs.ports import Failed, Job, Ran, Retry, due, scheduled, timed
from caselore.memory import Memory
from caselore.memory.stores.postgres import PostgresStore
from caselore.memory.stores.scan_index import ScanIndex
from caselore.memory.stores.sqlite import SqliteStore

LEASE = 1.0
NUMBERS = itertools.count(1)


class Shifted:
    """The real time, moved by as much as a test says."""

    def __init__(self):
        self.shift = timedelta(0)

    def __call__(self):
        return datetime.now(UTC) + self.shift


class FakeJobs:
    """Jobs of one process in a list: what the port promises, without a store or a thread."""

    def __init__(self, rows, clock, place=""):
        self.rows, self.clock, self.place = rows, clock, place
        self.kinds, self.schedules = {}, {}

    def handle(self, kind, act, retry=None):
        self.kinds[kind] = (act, retry or Retry())

    def every(self, name, kind, schedule, about=None, *, catch_up=1, place=""):
        self.schedules[name] = (
            schedule,
            scheduled(kind, about or {}, name, place, catch_up),
            catch_up,
        )
        self._tick()

    def _tick(self):
        for name, (schedule, order, most) in self.schedules.items():
            last, known = schedule.last(self.clock()), self.rows.setdefault("slots", {}).get(name)
            self.rows["slots"][name] = last
            for at in schedule.missed(self.clock(), most) if known else ():
                if at > known:
                    self._put(timed(order, at), at)

    def _put(self, order, at):
        waiting = self.rows.setdefault("jobs", [])
        if order.once and any(
            one["order"].once == order.once and one["state"] == "waiting" for one in waiting
        ):
            return 0
        about = dict(order.about)
        waiting.append(
            {
                "id": f"job_{next(NUMBERS)}",
                "order": order,
                "about": about,
                "due": at,
                "tries": 0,
                "state": "waiting",
                "until": at,
                "error": "",
            }
        )
        return 1

    def defer(self, orders):
        import json

        json.dumps([dict(one.about) for one in orders])
        return sum(self._put(one, self.clock() + one.after) for one in orders)

    def _take(self):
        now, rows = self.clock(), self.rows.setdefault("jobs", [])
        for one in rows:
            if one["state"] == "running" and one["until"] < now:
                one["state"] = "waiting"
        for place, one in enumerate(rows):
            order = one["order"]
            held = any(
                order.lock
                and other["order"].lock == order.lock
                and (other["state"] == "running" or (other["state"] == "waiting" and at < place))
                for at, other in enumerate(rows)
            )
            fits = order.kind in self.kinds and order.place in ("", self.place)
            if one["state"] == "waiting" and one["due"] <= now and fits and not held:
                one.update(state="running", tries=one["tries"] + 1)
                one["until"] = now + timedelta(seconds=LEASE)
                return one
        return None

    def round(self):
        ran = Ran()
        self._tick()
        while (one := self._take()) is not None:
            act, retry = self.kinds[one["order"].kind]
            job = Job(
                one["id"],
                one["order"].kind,
                one["about"],
                one["tries"],
                due(one["about"]) or one["due"],
            )
            try:
                later = act(job)
            except Exception as error:  # noqa: BLE001
                pause = retry.after(one["tries"])
                one.update(
                    state="waiting" if pause else "failed",
                    error=f"{type(error).__name__}: {error}",
                )
                one["due"] = self.clock() + (pause or timedelta(0))
                ran.again += pause is not None
                ran.errors.append(f"{job.kind}: {one['error']}")
                continue
            if later is None:
                self.rows["jobs"].remove(one)
                ran.done += 1
            else:
                one.update(state="waiting", due=self.clock() + later, tries=one["tries"] - 1)
                ran.again += 1
        return ran

    def work(self, stop, tell=lambda ran: None, idle=1.0):
        while not stop.is_set():
            tell(self.round())
            stop.wait(idle)

    def failed(self, limit=1_000):
        found = [one for one in self.rows.get("jobs", []) if one["state"] == "failed"]
        return [Failed(one["id"], one["order"].kind, one["about"], one["error"]) for one in found]

    def again(self, id):
        for one in self.rows["jobs"]:
            if one["id"] == id and one["state"] == "failed":
                one.update(state="waiting", tries=0, due=self.clock())

    def close(self):
        pass


class Engine:
    """One place where jobs are kept, opened as often as there are processes."""

    def __init__(self, kind, where):
        self.kind, self.where = kind, where
        self.clock, self.opened, self.rows = Shifted(), [], {}
        self.stores = []

    def open(self, place="", threads=4):
        jobs = open_jobs(self, place, threads)
        self.opened.append(jobs)
        return jobs

    def abandon(self, kind):
        """Let a process take a job of a kind, and be killed while it is at it."""
        if self.kind == "fake":
            dead = FakeJobs(self.rows, self.clock)
            dead.kinds[kind] = (None, Retry())
            assert dead._take()
            return
        sign = Path(os.fspath(self.folder)) / f"taken-{next(NUMBERS)}"
        own = [sys.executable, "-m", "fakes.jobs", self.kind, str(self.where), kind, str(sign)]
        path = str(Path(__file__).resolve().parents[1])
        process = subprocess.Popen(own, env={**os.environ, "PYTHONPATH": path})
        try:
            deadline = time.monotonic() + 60
            while not sign.exists():
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.02)
        finally:
            process.kill()
            process.wait()

    def close(self):
        for one in (*self.opened, *self.stores):
            one.close()


def open_jobs(engine, place="", threads=4):
    if engine.kind == "fake":
        return FakeJobs(engine.rows, engine.clock, place)
    if engine.kind == "queue":
        return QueueJobs(
            engine.where, "default", engine.clock, place=place, threads=threads, lease=LEASE
        )
    store = PostgresStore(engine.where) if engine.kind == "postgres" else SqliteStore(engine.where)
    engine.stores.append(store)
    memory = Memory(store, ScanIndex(store), engine.clock, lambda: "")
    return EmbeddedJobs(
        memory, engine.clock, f"process-{os.getpid()}-{next(NUMBERS)}",
        place=place, threads=threads, lease=LEASE,
    )  # fmt: skip


def _hold(kind, where, name, sign):
    """Take a job and stay at it until killed."""
    jobs = open_jobs(Engine(kind, where))

    def stay(job):
        Path(sign).touch()
        time.sleep(60)

    jobs.handle(name, stay)
    jobs.round()


if __name__ == "__main__":
    _hold(*sys.argv[1:])
