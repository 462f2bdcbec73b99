"""Fifty who read and five who write at once: no error, and no acknowledged write is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack, contextmanager

import pytest
from load import put
from serving import environment, running

from caselore import settings, wiring
from caselore.memory import Actor, Role


@contextmanager
def process(home, **more):
    """Give the address of a server in a process of its own."""
    run = subprocess.Popen(
        [sys.executable, "-m", "caselore", "serve", "--json", "--port", "0"],
        env=environment(home, **more),
        cwd=home.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield json.loads(run.stdout.readline())["url"]
    finally:
        run.terminate()
        run.wait(30)
        run.stdout.close()


def proven(app, load):
    """Every acknowledged incident is there, and the account is whole."""
    assert load.wrong == []
    assert load.incidents
    assert load.incidents <= {case.id for case in app.memory.list()}
    assert app.memory.ledger_verify().ok


def test_a_short_while_of_many_clients_loses_nothing(tmp_path):
    with running(tmp_path / "home") as served:
        load = put([served.url], served.tokens["ci"], seconds=2, readers=12, writers=3)
        proven(served.app, load)


@pytest.mark.soak
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_a_minute_of_many_clients_loses_nothing(store, tmp_path, request):
    more, servers = {}, 1
    if store == "postgres":
        more, servers = {"CASELORE_DATABASE_URL": request.getfixturevalue("postgres_url")}, 2
    home = tmp_path / "home"
    home.mkdir()
    chosen = settings.load(environment=environment(home, **more), folder=tmp_path)
    with wiring.build(chosen) as app:
        token, _ = app.memory.create_token(Role.CI, "load", None, Actor("ana", Role.HUMAN))
        with ExitStack() as stack:
            urls = [stack.enter_context(process(home, **more)) for _ in range(servers)]
            load = put(urls, token, seconds=60)
        proven(app, load)
