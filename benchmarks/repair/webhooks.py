"""Measures how many webhooks a server takes in: each verified, kept in the inbox, answered by 202.

One server process, `--clients` connections that send the next delivery as soon as the last one is
answered. Printed: deliveries a second, CPU seconds of the server for 1,000 of them, and whether
each acknowledged delivery is in the inbox. Yardsticks in the same run: as many requests to
`/healthz`, which read and write nothing, and synced commits of one row, one after the other.

    webhooks.py [--count 3000] [--clients 16] [--postgres postgresql://…]
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from caselore import settings, wiring
from caselore.repair.change import parse

SECRET = "a secret of the bench"
LIMIT = 120.0  # seconds of one load
CHANGE = "https://hub.example/o/pay/pull/{}"


@contextmanager
def server(home: Path, **more: str) -> Iterator[tuple[str, int]]:
    """Give the address and the process of a server."""
    environment = {
        **os.environ,
        "CASELORE_HOME": str(home),
        "CASELORE_HOOK_SECRET": SECRET,
        **more,
    }
    run = subprocess.Popen(
        [sys.executable, "-m", "caselore", "serve", "--json", "--port", "0"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert run.stdout is not None
        yield json.loads(run.stdout.readline())["url"], run.pid
    finally:
        run.terminate()
        run.wait(30)


def delivery(number: int, host: str) -> bytes:
    """Write one signed delivery of GitHub, as it goes over the wire."""
    about = {"html_url": CHANGE.format(number % 50), "number": number % 50, "title": "x" * 2_000}
    body = json.dumps({"action": "completed", "pull_request": about}).encode()
    mac = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    head = (
        f"POST /hooks/github HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nX-GitHub-Event: workflow_run\r\n"
        f"X-GitHub-Delivery: d-{number}\r\nX-Hub-Signature-256: sha256={mac}\r\n\r\n"
    )
    return head.encode() + body


def healthy(number: int, host: str) -> bytes:
    """Write one request that costs nothing but itself."""
    return f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


class Load:
    """Clients that send one request after the other, each over its own connection."""

    def __init__(self, url: str, clients: int, request: Callable[[int, str], bytes]) -> None:
        """Send what `request` writes."""
        self._place = urlsplit(url)
        self._requests = request
        self._clients = clients
        self.statuses: list[int] = []

    def put(self, count: int) -> float:
        """Send so many; gives the seconds that it took."""
        sent = [
            [
                self._requests(number, self._place.netloc)
                for number in range(n, count, self._clients)
            ]
            for n in range(self._clients)
        ]
        began = time.monotonic()
        threads = [threading.Thread(target=self._one, args=(one,)) for one in sent]
        for one in threads:
            one.start()
        for one in threads:
            one.join(LIMIT)
        return time.monotonic() - began

    def _one(self, requests: list[bytes]) -> None:
        address = (self._place.hostname or "", self._place.port or 80)
        with socket.create_connection(address, timeout=LIMIT) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            file = line.makefile("rb")
            for data in requests:
                line.sendall(data)
                self.statuses.append(answered(file))


def answered(file: object) -> int:
    """Read one answer whole; gives its status."""
    status, length = int(file.readline().split()[1]), 0  # type: ignore[attr-defined]
    while line := file.readline().strip():  # type: ignore[attr-defined]
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    file.read(length)  # type: ignore[attr-defined]
    return status


def cpu(pid: int) -> float:
    """Give the CPU seconds of a process, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def commits(folder: Path, count: int = 200) -> tuple[float, float]:
    """Give commits a second, and CPU seconds of 1,000, of one synced row each."""
    db = sqlite3.connect(folder / "yard.db", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE one (id INTEGER PRIMARY KEY, text TEXT)")
    began, spent = time.monotonic(), time.process_time()
    for _ in range(count):
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT INTO one (text) VALUES ('x')")
        db.execute("COMMIT")
    took, spent = time.monotonic() - began, time.process_time() - spent
    db.close()
    return count / took, spent / count * 1_000


def told(name: str, count: int, seconds: float, spent: float) -> None:
    """Print one line."""
    per = spent / count * 1_000
    print(f"{name:28s} {count / seconds:9.0f} a second {per:8.2f} CPU seconds per 1,000")


def main() -> int:
    """Run it; the exit code is 1 where a delivery was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3_000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--postgres", default="")
    given = parser.parse_args()
    more = {"CASELORE_DATABASE_URL": given.postgres} if given.postgres else {}
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        home.mkdir()
        rate, spent = commits(home)
        print(
            f"{'yardstick: synced commits':28s} {rate:9.0f} a second {spent:8.2f} CPU seconds per 1,000"
        )
        with server(home, **more) as (url, pid):
            for name, request in (("yardstick: /healthz", healthy), ("webhooks", delivery)):
                load = Load(url, given.clients, request)
                load.put(min(200, given.count))  # warm
                load.statuses.clear()
                before = cpu(pid)
                seconds = load.put(given.count)
                told(name, given.count, seconds, cpu(pid) - before)
        return lost(home, given.count, load.statuses, more)


def lost(home: Path, count: int, statuses: list[int], more: dict[str, str]) -> int:
    """Say whether each acknowledged delivery is kept."""
    chosen = settings.load(environment={"CASELORE_HOME": str(home), **more}, folder=home.parent)
    with wiring.build(chosen) as app:
        kept = {row.key.partition(" ")[0] for row in app.memory.heard(10 * count)}
    missing = {f"d-{number}" for number in range(count)} - kept
    good = statuses.count(202)
    print(
        f"{good} of {count} answered by 202, {len(missing)} of them lost; {parse(CHANGE.format(1)).label}"
    )
    return 1 if missing or good != count else 0


if __name__ == "__main__":
    sys.exit(main())
