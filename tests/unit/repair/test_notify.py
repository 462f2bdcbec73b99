"""Events reach people through a signed webhook: at least once, and never unsigned."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from caselore.errors import Unavailable, WrongUse
from caselore.jobs.embedded import EmbeddedJobs
from caselore.repair.account import PEOPLE, Account
from caselore.repair.notify import Apprise, Notifier, channels
from caselore.repair.rounds import Parts, Rounds
from fakes.forge import failing_log
from fakes.recordings import AT_ONCE, CHANGE
from fakes.repair_world import WATCHER, World

SECRET = "a secret of people"
SKIPPED = """diff --git a/tests/test_totals.py b/tests/test_totals.py
--- a/tests/test_totals.py
+++ b/tests/test_totals.py
@@ -9,2 +9,3 @@
+@pytest.mark.skip(reason="flaky")
 def test_total():
"""


@pytest.fixture
def hook():
    """A server on loopback that keeps what it is told, and fails as often as it is asked to."""
    heard, failures = [], []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            code = failures.pop(0) if failures else 204
            if code == 204:
                heard.append((dict(self.headers), body))
            self.send_response(code)
            self.send_header("Location", "http://127.0.0.1:1/")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/caselore", heard, failures
    server.shutdown()
    server.server_close()


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "lore.db")
    made.account = Account(made.account.memory, AT_ONCE, told=True)
    made.watcher._account = made.rounds._account = made.account
    yield made
    assert made.account.memory.ledger_verify().ok
    made.store.close()


class Telling:
    """What a process does to tell people: its jobs, with the pauses between two tries."""

    def __init__(self, world, told):
        self.jobs = EmbeddedJobs(
            world.account.memory, lambda: world.now, "telling", threads=1, lease=30
        )
        parts = Parts(notifier=Notifier(world.account, told, WATCHER, lambda: world.now))
        self.rounds = Rounds(self.jobs, world.account, parts, place="here", interval=30)

    def round(self):
        return self.jobs.round().errors


def notifier(world, url, **more):
    told = channels([{"url": url, "secret_env": "HOOK", **more}], lambda names: {"HOOK": SECRET})
    return Telling(world, told)


def test_an_event_is_told_once_and_signed(world, hook):
    url, heard, _ = hook
    world.forge.run(CHANGE)
    world.look()
    telling = notifier(world, url)

    assert telling.round() == []
    assert telling.round() == []
    ((headers, body),) = heard
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()
    assert headers["webhook-signature"] == "v1," + base64.b64encode(expected).decode()
    event = json.loads(body)
    assert (event["type"], event["id"]) == ("pipeline_failed", headers["webhook-id"])
    assert world.account.waiting(PEOPLE) == []


@pytest.mark.parametrize("code", [500, 429, 302, 404])
def test_what_was_not_taken_is_told_again_later(world, hook, code):
    url, heard, failures = hook
    failures.append(code)
    world.forge.run(CHANGE)
    world.look()
    telling = notifier(world, url)

    assert len(telling.round()) == 1
    assert telling.round() == []
    assert heard == []
    world.now += timedelta(minutes=1)
    assert telling.round() == []
    assert len(heard) == 1


def test_a_restart_in_between_loses_nothing(world, hook):
    url, heard, failures = hook
    failures.append(500)
    world.forge.run(CHANGE)
    world.look()
    notifier(world, url).round()
    world.now += timedelta(minutes=1)

    assert notifier(world, url).round() == []
    assert len(heard) == 1


def test_a_channel_gets_only_what_it_wants(world, hook):
    url, heard, _ = hook
    world.forge.run(CHANGE)
    world.look()

    assert notifier(world, url, events=["circuit_breaker"]).round() == []
    assert heard == []
    assert world.account.waiting(PEOPLE) == []


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({"url": "http://hook.example/", "secret_env": "HOOK"}, "https"),
        ({"url": "https://hook.example/"}, "signed"),
        ({"url": "https://hook.example/", "secret_env": "NONE"}, "not set"),
        ({"url": "https://hook.example/", "secret_env": "HOOK", "events": ["red"]}, "no event"),
        ({"uri": "https://hook.example/"}, "no 'uri'"),
        ({}, "https"),
    ],
)
def test_a_channel_that_is_none_is_refused(table, reason):
    with pytest.raises(WrongUse, match=reason):
        channels([table], lambda names: {"HOOK": SECRET} if "HOOK" in names else {})


def fail(world, number):
    world.forge.push(CHANGE, f"c{number}")
    world.forge.run(CHANGE)
    world.look()
    world.take()


def trip(world):
    for number in range(6):
        fail(world, number)


def doubtful(world):
    fail(world, 1)
    world.forge.push(CHANGE, "c2")
    world.forge.diffs["c1", "c2"] = SKIPPED
    world.forge.run(CHANGE, "success")
    world.look()


def cancel(world):
    world.forge.run(CHANGE, "canceled")
    world.look()


def foreign(world):
    fail(world, 1)
    world.forge.push(CHANGE, "bbb1", pusher="bob")
    world.forge.run(CHANGE)
    world.look()


def merged(world, **more):
    world.forge.merge(CHANGE)
    world.forge.run_after_merge(CHANGE, "failed", **more)
    world.look()


def closed(world):
    world.forge.close(CHANGE)
    world.look()


def runner(world):
    world.forge.run(CHANGE, reason="runner_system_failure")
    world.look()


def passed(world):
    world.forge.run(CHANGE, "success")
    world.look()


def on_target(world):
    world.forge.fail_on_target(failing_log("main"))
    world.forge.run(CHANGE, log=failing_log("main"))
    world.look()


# (what happens, the event that people get at last, what its message must say)
TOLD = {
    "the breaker trips": (trip, "circuit_breaker", "MR !42"),
    "a green that proves little": (doubtful, "needs_human", "proves little"),
    "paused by a cancelled pipeline": (cancel, "needs_human", "cancelled"),
    "paused by a person's push": (foreign, "needs_human", "bob"),
    "red on main after the merge": (merged, "main_pipeline_failed", "after MR !42 was merged"),
    "red on a tag after the merge": (
        lambda world: merged(world, ref="v1.4.0", tag=True), "tag_pipeline_failed", "tag v1.4.0"
    ),
    "red on the target branch alike": (on_target, "baseline_red", "target branch"),
    "red by its runner": (runner, "infra_suspected", "infrastructure"),
    "closed": (closed, "change_gone", "no longer tracked"),
    "green": (passed, "pipeline_passed", "passed"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Apprise's own imports
@pytest.mark.parametrize("kind", TOLD)
def test_each_kind_of_news_reaches_people_by_both_channels(world, hook, kind):
    """The signed webhook has the event, Apprise's own JSON service has its message; each once."""
    act, type, words = TOLD[kind]
    url, heard, _ = hook
    given = {"HOOK": SECRET, "SERVICE": url.replace("http://", "json://")}
    act(world)
    telling = Telling(
        world,
        channels(
            [{"url": url, "secret_env": "HOOK"}, {"apprise_env": "SERVICE"}], lambda _: given
        ),
    )
    assert telling.round() == telling.round() == []

    signed = [json.loads(body) for heads, body in heard if "webhook-id" in heads]
    phrased = [json.loads(body) for heads, body in heard if "webhook-id" not in heads]
    assert [one["type"] for one in signed] == world.told
    assert (signed[-1]["type"], words in signed[-1]["message"]) == (type, True)
    assert [one["title"] for one in phrased] == [f"caselore: {one['type']}" for one in signed]
    assert [one["message"] for one in phrased] == [one["message"] for one in signed]
    assert world.account.waiting(PEOPLE) == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Apprise's own imports
def test_apprise_delivers_to_a_service_of_its_own(world, hook):
    url, heard, failures = hook
    address = url.replace("http://", "json://")
    event = {"type": "circuit_breaker", "message": "Circuit breaker open on MR !42"}

    Apprise(address, frozenset()).send(event, world.now)
    assert "Circuit breaker open" in heard[0][1].decode()
    failures.append(500)
    with pytest.raises(Unavailable):
        Apprise(address, frozenset()).send(event, world.now)
