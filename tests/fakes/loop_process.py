"""Watchers and workers as real processes on one store, with a forge in files between them.

One process loads everything and forks the others, so that a killed one is quickly replaced.
Must not judge: the test reads what is left.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from caselore import logs
from caselore.jobs.distributed import QueueJobs
from caselore.jobs.embedded import EmbeddedJobs
from caselore.memory import Actor, Memory, Role
from caselore.memory.stores.postgres import PostgresStore
from caselore.memory.stores.scan_index import ScanIndex
from caselore.memory.stores.sqlite import SqliteStore
from caselore.repair.account import Account, Owner
from caselore.repair.change import parse
from caselore.repair.delivery import Dispatched
from caselore.repair.examination import Examiner
from caselore.repair.notify import Notifier
from caselore.repair.proposing import Proposer
from caselore.repair.rounds import Parts, Rounds
from caselore.repair.watcher import Watcher
from fakes.forge import FakeForge, failing_log
from fakes.recordings import AT_ONCE

ACTOR = Actor("watcher", Role.SYSTEM)
LEASE, INTERVAL, IDLE = 1.5, 0.3, 0.05
CHANGE = "https://git.example/pay/-/merge_requests/{}"


def now():
    return datetime.now(UTC)


class FileForge:
    """A forge whose changes are files, read and written by many processes."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def open(self, number, green_after):
        """Open a change that is red, and green after so many pushes; 0 is never."""
        url, forge = CHANGE.format(number), FakeForge()
        forge.open(url, iid=str(number), head=f"{number}h0")
        forge.numbers, forge.plan, forge.pushed = number * 1_000, green_after, []
        forge.run(url, log=_failure(number, 0))
        self._file(url).write_bytes(pickle.dumps(forge))
        return url

    def _file(self, url):
        return self.folder / f"{url.rpartition('/')[2]}.forge"

    @contextmanager
    def held(self, url):
        with open(self._file(url), "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file

    def read(self, url):
        with self.held(url) as file:
            return pickle.load(file)

    def repair(self, event):
        """Push for an event, once, as its worker: the last push of the plan is green."""
        url = event["change"]
        with self.held(url) as file:
            forge = pickle.load(file)
            if event["id"] in forge.pushed:
                return
            forge.pushed.append(event["id"])
            turn = len(forge.pushed)
            number = url.rpartition("/")[2]
            forge.push(url, f"{number}h{turn}")
            status = "success" if turn == forge.plan else "failed"
            log = _failure(number, turn) if status == "failed" else b""
            forge.run(url, status, log)
            file.seek(0)
            file.write(pickle.dumps(forge))
            file.truncate()

    def __getattr__(self, name):
        """Answer as the forge of a change would."""

        def answer(change, *more):
            url = change if isinstance(change, str) else change.url
            return getattr(self.read(url), name)(change, *more)

        return answer


def _failure(number, turn):
    """Give a log of a failure of its own: in letters, since figures are no part of a signature."""
    return failing_log("".join(chr(97 + int(digit)) for digit in f"{number:>03}{turn}"))


class Hands:
    """Stands for the dispatcher: what it begins is begun once, and pushes at once."""

    def __init__(self, account, forge, folder):
        self.account, self.forge, self.folder = account, forge, folder

    def runs(self):
        return []

    def dismiss(self):
        pass

    def bring(self, done, outgoing):
        assert isinstance(done, Dispatched)
        begun = self.folder / f"begun-{outgoing.id}"
        if outgoing.status == "withdrawn" and not begun.exists():
            return True
        try:
            os.close(os.open(begun, os.O_CREAT | os.O_EXCL))
            done.started += 1
        except FileExistsError:
            pass
        self.forge.repair(outgoing.event)
        self.account.taken(outgoing, ACTOR, now())
        return True


class Paper:
    """A channel to people: a file with a line an event."""

    events = frozenset({"pipeline_failed", "pipeline_passed", "circuit_breaker"})

    def __init__(self, folder):
        self.file = folder / "told"

    def send(self, event, at):
        with open(self.file, "ab", buffering=0) as file:
            file.write(f"{event['id']}\n".encode())


class Place:
    """A store, an engine for jobs, and a folder: what several processes share."""

    def __init__(self, folder, store, engine):
        self.folder, self.where, self.engine = Path(folder), store, engine
        self.forge = FileForge(self.folder)

    def account(self):
        opened = PostgresStore(self.where) if "://" in self.where else SqliteStore(self.where)
        memory = Memory(opened, ScanIndex(opened), now, lambda: f"inc_{os.urandom(10).hex()}")
        return Account(memory, AT_ONCE, told=True)

    def jobs(self, account):
        if self.engine == "queue":
            return QueueJobs(self.where, "default", now, place="here", lease=LEASE)
        name = f"{os.getpid()}-{os.urandom(4).hex()}"
        return EmbeddedJobs(account.memory, now, name, place="here", lease=LEASE)

    def track(self, plans):
        account = self.account()
        for number, plan in enumerate(plans, 1):
            url = self.forge.open(number, plan)
            account.track(parse(url), Owner("coder", logins=("coder-bot",)), ACTOR)
        return account

    def work(self, role):
        """Be one process until killed."""
        account = self.account()
        examiner = Examiner(
            account.memory,
            lambda file, name, green: logs.read(file, name=name, green=green),
            ACTOR,
        )
        watcher = Watcher(
            account, lambda url: self.forge, examiner, ACTOR, now, pace=INTERVAL / 30
        )
        watches = Parts(
            watcher=watcher,
            notifier=Notifier(account, (Paper(self.folder),), ACTOR, now),
            proposer=Proposer(account, ACTOR, now),
        )
        works = Parts(dispatcher=Hands(account, self.forge, self.folder))
        parts = watches if role == "watch" else works
        rounds = Rounds(self.jobs(account), account, parts, place="here", interval=INTERVAL)
        rounds.work(threading.Event(), self._say, IDLE)

    def _say(self, tally):
        if tally.errors:
            with open(self.folder / "errors", "a") as file:
                file.write("\n".join(tally.errors) + "\n")


class Nursery:
    """The process that forks the others."""

    def __init__(self, place):
        path = str(Path(__file__).resolve().parents[1])
        told = [str(place.folder), place.where, place.engine]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fakes.loop_process", *told], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
        self.alive = {}

    def start(self, role):
        self.process.stdin.write(role + "\n")
        self.process.stdin.flush()
        pid = int(self.process.stdout.readline())
        self.alive[pid] = role
        return pid

    def kill(self, pid):
        """Kill one process without a word, and give its role."""
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return self.alive.pop(pid)

    def replace_dead(self):
        for pid in list(self.alive):
            try:
                os.kill(pid, 0)  # the nursery's children leave nothing behind
            except ProcessLookupError:
                self.start(self.alive.pop(pid))

    def close(self):
        for pid in list(self.alive):
            self.kill(pid)
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()


def _nursery(folder, store, engine):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    place = Place(folder, store, engine)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            sys.stdout = sys.stderr = open(place.folder / "output", "a")  # noqa: SIM115
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            try:
                place.work(line.strip())
            except BaseException:  # noqa: BLE001 - this process ends here, and says why
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(1)
        print(pid, flush=True)


def wait_until(true, nursery, seconds):
    """Wait until something is so, with every process that ended begun anew."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "the processes did not get there"
        nursery.replace_dead()
        time.sleep(0.1)


def told(place):
    """Give the events that people were told, each perhaps more than once."""
    file = place.folder / "told"
    return set(file.read_text().split()) if file.exists() else set()


if __name__ == "__main__":
    _nursery(*sys.argv[1:])
