"""From a forge's webhook to the worker, over real HTTP, with nothing that polls in time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from serving import environment, running

from caselore.repair.account import WORKER
from caselore.settings import without_agent_markers
from fakes import forge_server

SECRET = "a secret of the hook"
SCRIPT = """
import json, os, pathlib
text = pathlib.Path(os.environ["CASELORE_EVENT_FILE"]).read_text()
event = json.loads(text)
(pathlib.Path({folder!r}) / (event["id"] + ".json")).write_text(text)
print(json.dumps({{"event_id": event["id"], "status": "pushed", "head_sha": {head!r}}}))
"""
REPAIRED = "d" * 40


@pytest.fixture
def forge():
    world = forge_server.World(
        status="running", jobs=[{"id": 70, "name": "test", "status": "running"}]
    )
    with forge_server.serving(forge_server.gitlab(world)) as server:
        yield world, server


def until(found, patience=60.0):
    """Wait for what must become true; an interval of an hour does not make it so."""
    deadline = time.monotonic() + patience
    while not (value := found()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return value


def settings(server, taken):
    host = server.base.removeprefix("http://")
    start = [sys.executable, "-c", SCRIPT.format(folder=str(taken), head=REPAIRED)]
    return (
        f'[forge."{host}"]\nkind = "gitlab"\n'
        "[repair]\nwebhooks = true\n[repair.policy]\nsettle = 0\n"
        f'[repair.workers.coder]\nstart = {json.dumps(start)}\nlogins = ["bot"]\n'
    )


@contextmanager
def watching(home):
    """Run a watcher whose rounds are an hour apart."""
    process = subprocess.Popen(
        [sys.executable, "-m", "caselore", "repair", "watch", "--interval", "3600"],
        env=without_agent_markers() | environment(home),
        cwd=home.parent,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


def hear(served, change, key):
    body = {"object_kind": "pipeline", "merge_request": {"iid": 42, "url": change}}
    heads = {"X-Gitlab-Token": SECRET, "Idempotency-Key": key}
    with served.client() as client:
        assert client.post("/hooks/gitlab", json=body, headers=heads).status_code == 202


def quiet(server, seconds):
    """Tell whether nothing is asked of the forge for a while."""
    before = len(server.asked)
    time.sleep(seconds)
    return before and len(server.asked) == before


def turn(world, status, job, head):
    """Let another pipeline end; whoever looks in between sees one that still runs."""
    world.status = "running"
    world.jobs = [{"id": job, "name": "test", "status": status}]
    world.head = head
    world.status = status


def test_a_hook_alone_brings_the_failure_to_the_worker_and_the_repair_back(forge, tmp_path):
    world, server = forge
    change = f"{server.base}/pay/-/merge_requests/42"
    home, taken = tmp_path / "home", tmp_path / "taken"
    home.mkdir()
    taken.mkdir()
    (home / "caselore.toml").write_text(settings(server, taken))

    with running(home, CASELORE_HOOK_SECRET=SECRET) as served:
        repair = served.app.repair
        repair.track(change, "coder")
        with watching(home):
            until(lambda: quiet(server, 1.5))  # a watcher that starts looks once
            turn(world, "failed", 71, world.head)
            assert quiet(server, 2.5)  # nothing but a hook makes it look again
            assert not any(taken.iterdir())

            hear(served, change, "red")
            until(lambda: repair.status(change)["pipeline_fail_count"] == 1)
            until(lambda: list(taken.glob("*.json")))
            turn(world, "success", 72, REPAIRED)
            hear(served, change, "red")  # the same delivery again
            hear(served, change, "green")
            until(lambda: repair.status(change)["state"] == "green")

        assert repair.status(change)["pipeline_fail_count"] == 0
        (event,) = [json.loads(one.read_text()) for one in taken.iterdir()]
        told = (event["type"], event["attempt"], event["change"])
        assert told == ("pipeline_failed", 1, change)
        sent = repair.account.events(repair.find(change).id)
        assert [one.id for one in sent if one.target == WORKER] == [event["id"]]
        assert [row for row in served.app.memory.heard() if row.change] == []
        assert served.app.memory.ledger_verify().ok
