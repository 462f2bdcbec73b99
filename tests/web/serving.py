"""A server of a test's own: the real one, on loopback, over a real store."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from caselore import settings, wiring
from caselore.faces import server
from caselore.memory import Actor, Role, TokenRole
from caselore.wiring.app import App

ROLES = ("human", "agent", "ci", "reader", "admin")
PYTEST = """$ pytest
tests/test_pay.py F                                              [100%]
=================================== FAILURES ===================================
____________________________ test_total_has_no_cents ___________________________

    def test_total_has_no_cents():
>       assert total([1.10, 2.20]) == 3.30
E       assert 3.3000000000000003 == 3.3

tests/test_pay.py:7: AssertionError
=========================== short test summary info ============================
FAILED tests/test_pay.py::test_total_has_no_cents - assert 3.3000000000000003 == 3.3
============================== 1 failed in 0.02s ===============================
"""
TIMEOUT = """applying migration 20261101_add_index
psycopg.errors.QueryCanceled: canceling statement due to statement timeout
CONTEXT:  while creating index "orders_by_customer"
ERROR: Job failed: exit code 1
"""


@dataclass
class Served:
    """A running server, and who may call it."""

    url: str
    app: App
    tokens: dict[str, str] = field(default_factory=dict)

    def client(self, role: str = "", **more) -> httpx.Client:
        """Give a client of a role; of nobody by default."""
        headers = {"Authorization": f"Bearer {self.tokens[role]}"} if role else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, **more)

    def submit(self, role: str = "ci", log: str = PYTEST, **facts) -> dict:
        """Submit a failed job."""
        with self.client(role) as client:
            answer = client.post("/api/v1/incidents", json={"log": log, **facts})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def confirm(self, incident: str, **more) -> dict:
        """Confirm an outcome, as a person."""
        body = {
            "cause": "floats were compared",
            "resolution": "compare with pytest.approx",
            "result": "succeeded",
            **more,
        }
        with self.client("human") as client:
            answer = client.post(f"/api/v1/incidents/{incident}/outcome", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()


def environment(home: Path, **more: str) -> dict[str, str]:
    """Give the environment of a home that nothing of the tester's leaks into."""
    return {"CASELORE_HOME": str(home), "USER": "tester", **more}


@contextmanager
def running(home: Path, host: str = "127.0.0.1", **more: str) -> Iterator[Served]:
    """Serve a home until the block ends."""
    chosen = settings.load(environment=environment(home, **more), folder=home.parent)
    with wiring.build(chosen) as app:
        tokens = {}
        for role in ROLES:
            actor = Actor("set-up", Role.HUMAN)
            tokens[role], _ = app.memory.create_token(TokenRole(role), f"{role}-one", None, actor)
        web = server.create(app, host)
        listening = server.bound(host, 0)
        runner = server.prepared(web)
        thread = threading.Thread(target=runner.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            deadline = time.monotonic() + 20
            while not runner.started and time.monotonic() < deadline:
                time.sleep(0.01)
            yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}", app, tokens)
        finally:
            runner.should_exit = True
            thread.join(20)
            listening.close()
            assert not thread.is_alive()
