"""Many webhooks at once, over real HTTP: each that is acknowledged is kept, once."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from serving import running

from caselore.errors import StoreBusy
from caselore.wiring.hooks import Intake

SECRET = "a secret of the hook"


@pytest.fixture
def served(tmp_path):
    with running(tmp_path / "home", CASELORE_HOOK_SECRET=SECRET) as found:
        yield found


def delivery(number):
    page = f"https://hub.example/o/pay/pull/{number % 7}"
    body = json.dumps({"pull_request": {"html_url": page}}).encode()
    mac = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    heads = {"X-Hub-Signature-256": f"sha256={mac}", "X-GitHub-Delivery": f"d-{number}"}
    return body, heads


def keys(app):
    return [row.key.partition(" ")[0] for row in app.memory.heard(10_000)]


def test_of_many_at_once_none_is_lost_and_none_kept_twice(served):
    def send(numbers):
        with served.client() as client:
            return [
                client.post("/hooks/github", content=body, headers=heads).status_code
                for body, heads in map(delivery, numbers)
            ]

    shares = [range(start, 400, 8) for start in range(8)]
    with ThreadPoolExecutor(12) as pool:
        # four of the eight shares are delivered twice, at the same time
        answers = [code for one in pool.map(send, [*shares, *shares[:4]]) for code in one]

    assert set(answers) == {202}
    assert len(answers) == 600
    assert sorted(keys(served.app)) == sorted(f"d-{number}" for number in range(400))


def test_those_that_arrive_together_share_a_transaction(served):
    app, wrote, gate = served.app, [], threading.Event()
    inner = app.memory.hear

    def slow(hints):
        wrote.append(len(hints))
        gate.wait(20)
        inner(hints)

    class Slow:
        now, settings = staticmethod(app.now), app.settings

        class memory:
            hear, loop_changes = staticmethod(slow), staticmethod(app.memory.loop_changes)

    intake = Intake(Slow())
    with ThreadPoolExecutor(10) as pool:
        first = pool.submit(intake.hear, "github", *reversed(delivery(0)))
        while not wrote:
            pass
        rest = [pool.submit(intake.hear, "github", *reversed(delivery(n))) for n in range(1, 9)]
        while len(intake._batch.hints) < 8:
            pass
        gate.set()
        assert [one.result(20) for one in (first, *rest)] == [1] * 9

    assert wrote == [1, 8]
    assert len(keys(app)) == 9


def test_what_could_not_be_kept_is_not_acknowledged(served):
    class Broken:
        now, settings = staticmethod(served.app.now), served.app.settings

        class memory:
            @staticmethod
            def hear(hints):
                raise StoreBusy()

    intake = Intake(Broken())
    for number in range(2):  # and the next one is tried again
        body, heads = delivery(number)
        with pytest.raises(StoreBusy):
            intake.hear("github", heads, body)


@pytest.mark.parametrize("path", ["/hooks/github", "/api/v1/hooks/github"])
def test_a_body_without_end_and_one_that_breaks_off_are_refused(served, path):
    def endless():
        for _ in range(80):
            yield b"x" * 1024 * 1024

    with served.client() as client:
        try:
            code = client.post(path, content=endless()).status_code
        except httpx.TransportError:  # the server hung up, which is as good
            code = 413
        assert code == 413
        assert client.post(path, content=b"").status_code == 401
        assert client.get(path).status_code == 405
    assert keys(served.app) == []
