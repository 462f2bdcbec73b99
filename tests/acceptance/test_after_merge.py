"""After the merge, over a real repository whose CI really runs: people are told by a signed webhook."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import subprocess
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from fakes.recordings import CHANGE
from fakes.repair_world import World

SECRET = "a secret of people"
CI = '[[job]]\nname = "test"\nrun = "echo error: the total lost a row; exit {}"\n'


@pytest.fixture
def hook():
    """A server on loopback that keeps what it is told."""
    heard = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            heard.append(
                (dict(self.headers), self.rfile.read(int(self.headers["content-length"])))
            )
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", heard
    server.shutdown()
    server.server_close()


def git(folder, *arguments):
    named = ["-c", "user.name=bot", "-c", "user.email=bot@example.com"]
    subprocess.run(["git", "-C", folder, *named, *arguments], check=True, capture_output=True)


def commit(folder, code):
    (folder / "caselore-ci.toml").write_text(CI.format(code))
    git(folder, "add", ".")
    git(folder, "commit", "-q", "--allow-empty", "-m", f"exit {code}")


def test_what_fails_on_main_after_the_merge_is_told_and_never_counted(ana, tmp_path, hook):
    url, heard = hook
    pay = tmp_path / "pay"
    pay.mkdir()
    git(pay, "init", "-q", "-b", "main")
    commit(pay, 0)
    git(pay, "checkout", "-q", "-b", "change-7")
    commit(pay, 0)
    (ana.folder / "caselore.toml").write_text(
        "[repair.policy]\nsettle = 0\n"
        '[repair.workers.idle]\nstart = ["true"]\nlogins = ["bot"]\n'
        f'[[repair.notify]]\nurl = "{url}"\nsecret_env = "PEOPLE"\n'
    )
    ana.extra["PEOPLE"] = SECRET
    change = f"{pay.as_uri()}/-/merge_requests/7"
    assert ana.run("repair", "track", change, "--worker", "idle").code == 0
    ana.run("repair", "watch", "--once")
    git(pay, "checkout", "-q", "main")
    git(pay, "merge", "-q", "--no-ff", "-m", "Merge", "change-7")
    commit(pay, 1)
    git(pay, "reset", "-q", "--soft", "HEAD~1")
    git(pay, "commit", "-q", "--amend", "-m", "Merge that breaks")
    for _ in range(2):
        ana.run("repair", "watch", "--once")

    found = ana.run("repair", "status", change, "--json").json
    assert (found["state"], found["pipeline_fail_count"]) == ("post_merge", 0)
    told = [json.loads(body) for _, body in heard]
    assert [one["type"] for one in told] == ["pipeline_passed", "main_pipeline_failed"]
    for headers, body in heard:
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        mac = hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()
        assert headers["webhook-signature"] == "v1," + base64.b64encode(mac).decode()


@pytest.mark.parametrize("pipelines", [0, 1])
def test_the_watch_ends_at_its_deadline_whether_a_pipeline_ran_or_not(tmp_path, pipelines):
    world = World(tmp_path / "lore.db")
    world.look()
    world.forge.merge(CHANGE)
    if pipelines:
        world.forge.run_after_merge(CHANGE, "running")
    world.look()
    assert world.status["state"] == "post_merge"
    world.now += timedelta(seconds=world.account.policy.post_merge + 60)
    world.look()

    assert world.status["state"] == "done"
    assert world.told == []
    world.store.close()
