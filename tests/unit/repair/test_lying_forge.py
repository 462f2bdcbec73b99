"""A forge that lies, sleeps or floods: it changes nothing but the counters of its own errors.

Every adapter over real HTTP, under the whole loop: red, handed over, lied about, green at last.
"""

from __future__ import annotations

import gzip
import json
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from caselore import logs
from caselore.errors import Unavailable
from caselore.forges import transport
from caselore.forges.buildbot import Buildbot
from caselore.forges.gitea import Gitea
from caselore.forges.github import GitHub
from caselore.forges.gitlab import GitLab
from caselore.forges.transport import Transport
from caselore.memory.stores.sqlite import SqliteStore
from caselore.repair.account import PEOPLE, WORKER, Account, Owner, id_of
from caselore.repair.change import parse
from caselore.repair.examination import Examiner
from caselore.repair.watcher import Watcher
from fakes import forge_server
from fakes.failures import START, memory_over
from fakes.forge_server import OLD, Said, World
from fakes.recordings import AT_ONCE
from fakes.repair_world import WATCHER

KINDS = {
    "gitlab": (GitLab, forge_server.gitlab, "/api/v4", "https://git.example/pay/-/merge_requests/42"),
    "github": (GitHub, forge_server.github, "", "https://hub.example/o/pay/pull/42"),
    "gitea": (Gitea, forge_server.gitea, "/api/v1", "https://tea.example/o/pay/pulls/42"),
    "buildbot": (Buildbot, forge_server.buildbot, "/api/v2", "https://bot.example/pay/pulls/42"),
}  # fmt: skip
MANY = 400  # lies in a row: more than any number of tries
HTML = {"Content-Type": "text/html"}


def bomb(size=8 * 1024 * 1024):
    packed = gzip.compress(b'{"a": "' + b" " * size + b'"}')
    return Said(raw=packed, headers={"Content-Encoding": "gzip"})


LIES = {
    "500": Said({}, 500),
    "503 with a page": Said(raw=b"<html>sorry</html>", status=503, headers=HTML),
    "429 without headers": Said({}, 429),
    "429 in prose": Said(raw=b"Retry later\n", status=429, headers={"Content-Type": "text/plain"}),
    "429 for a week": Said({}, 429, {"Retry-After": "604800"}),
    "403": Said({}, 403),
    "401": Said({"message": "bad credentials"}, 401),
    "a page instead of JSON": Said(raw=b"<html>Sign in</html>", headers=HTML),
    "nothing": Said(raw=b""),
    "half an answer": Said(raw=b'{"sha": "' + b"a" * 30, cut=400),
    "half a JSON": Said(raw=b'{"builds": [{"sha": "aa'),
    "null": Said(None),
    "a number": Said(7),
    "a text": Said("ok"),
    "a list of numbers": Said([1, 2, 3]),
    "deep": Said(raw=b"[" * 200_000),
    "no text at all": Said(raw=bytes(range(256)) * 40),
    "fields of other kinds": Said(
        {"iid": [], "number": {}, "sha": 3.5, "head": [], "builds": {"a": 1}, "workflow_runs": "x"}
    ),
    "another host": Said({}, 302, {"Location": "https://evil.example/api"}),
    "another scheme": Said({}, 302, {"Location": "file:///etc/passwd"}),
    "a circle": Said({}, 302, {"Location": "/loop"}),
    "a bomb": bomb(),
    "packed otherwise": Said(raw=b"\x8b\x01", headers={"Content-Encoding": "br"}),
    "packed twice": Said(raw=gzip.compress(b"{}"), headers={"Content-Encoding": "gzip, gzip"}),
    "no gzip in it": Said(raw=b"{}", headers={"Content-Encoding": "gzip"}),
    "drops": Said({"a": "b" * 60}, drip=0.01),
    "another change": Said({
        "iid": 43, "number": 43, "sha": OLD, "state": "merged", "merged": True, "project_id": 9,
        "target_project_id": 9, "merge_commit_sha": OLD, "source_branch": "x", "target_branch": "y",
        "head": {"sha": OLD, "ref": "x"}, "base": {"ref": "y", "repo": {"id": 9}},
    }),
}  # fmt: skip


class Told(World):
    def goes_green(self):
        self.status, self.attempt = "success", 2
        self.jobs = [{**one, "status": "success", "id": one["id"] + 10} for one in self.jobs]


@dataclass
class Scene:
    world: Told
    server: Any
    transport: Transport
    account: Account
    watcher: Watcher
    clock: list[Any]
    id: str

    def look(self):
        """Look once; give what the forge's fault was, nothing where it had none."""
        self.clock[0] += timedelta(minutes=10)
        try:
            self.watcher.look(self.id)
        except Unavailable as error:
            return error
        return None

    @property
    def stands(self):
        """Give all that must stay as it is: state, events, and the number of entries."""
        status = self.account.tracked(self.id).status(5)
        events = [(one.id, one.target, one.status) for one in self.account.events(self.id)]
        return status, events, self.account.memory.ledger_verify().entries

    @property
    def told(self):
        return [one.type for one in self.account.events(self.id) if one.target == PEOPLE]


@contextmanager
def scene(kind, path):
    adapter, route, base, url = KINDS[kind]
    world, clock = Told(), [START]
    store = SqliteStore(path)
    with forge_server.serving(route(world)) as server:
        ask = Transport(f"{server.base}{base}", {"Authorization": "Bearer t"}, wait=lambda _: None)
        memory = memory_over(store, clock=lambda: clock[0])
        account = Account(memory, AT_ONCE)
        examiner = Examiner(
            memory, lambda file, name, passed: logs.read(file, name=name, green=passed), WATCHER
        )
        forge = adapter(ask)
        watcher = Watcher(account, lambda _: forge, examiner, WATCHER, lambda: clock[0])
        account.track(parse(url), Owner("coder", logins=("bot",)), WATCHER)
        try:
            yield Scene(world, server, ask, account, watcher, clock, id_of(parse(url)))
            assert memory.ledger_verify().ok
        finally:
            ask.close()
            store.close()


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_lie_changes_nothing_and_the_truth_after_it_is_seen(kind, lie, tmp_path, monkeypatch):
    monkeypatch.setattr(transport, "MOST_JSON", 1024 * 1024)
    with scene(kind, tmp_path / "lore.db") as one:
        one.look()
        for outgoing in one.account.waiting(WORKER):
            one.account.taken(outgoing, WATCHER, one.clock[0])
        assert one.told == ["pipeline_failed"]
        before, failed = one.stands, one.transport.counters.failed

        one.transport._etags.clear()
        for _ in range(2):
            one.server.faults = [LIES[lie]] * MANY
            with monkeypatch.context() as patience:
                patience.setattr(transport, "WHOLE", 0.1 if lie == "drops" else 120.0)
                assert one.look() is not None
            assert one.stands == before
        one.server.faults = []
        assert one.transport.counters.asked > 0
        assert one.transport.counters.failed >= failed
        assert not [asked for asked in one.server.asked if "evil" in str(asked)]

        one.world.goes_green()
        one.transport._rest_until = 0.0
        one.look()
        assert "pipeline_passed" in one.told
        assert one.account.tracked(one.id).state.count == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_log_that_is_cut_or_a_page_is_a_failure_all_the_same(kind, tmp_path):
    for place, log in enumerate(
        (Said(raw=b"error: it fa", cut=900), Said(raw=b"<html>", headers=HTML))
    ):
        with scene(kind, tmp_path / f"{place}.db") as one:
            route = one.server.route

            def lying(method, path, query, body, route=route, log=log):
                is_log = path.endswith(("/trace", "/logs", "/raw")) and "steps" not in path
                return log if is_log else route(method, path, query, body)

            one.server.route = lying
            one.look()

            assert one.told == ["pipeline_failed"]


@pytest.mark.parametrize("kind", KINDS)
def test_older_answers_that_come_late_count_nothing_again(kind, tmp_path):
    with scene(kind, tmp_path / "lore.db") as one:
        one.look()
        for outgoing in one.account.waiting(WORKER):
            one.account.taken(outgoing, WATCHER, one.clock[0])
        red = json.dumps(one.world.jobs), one.world.status, one.world.attempt
        one.world.head = "e" * 40
        one.world.goes_green()
        one.look()
        # Buildbot keeps no commits: a person is asked what the repair changed
        passed = "needs_human" if kind == "buildbot" else "pipeline_passed"
        assert one.told[-1] == passed
        before, count = one.told, one.account.tracked(one.id).state.count

        one.world.head = forge_server.HEAD  # a replica that lags behind
        one.world.jobs, one.world.status, one.world.attempt = json.loads(red[0]), *red[1:]
        one.look()
        assert one.told == before
        assert one.account.tracked(one.id).state.count == count
