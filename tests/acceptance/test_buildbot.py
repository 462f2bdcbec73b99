"""A real Buildbot really builds and fails; caselore reads it, and takes its history in."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from caselore.forges.buildbot import Buildbot
from caselore.forges.transport import Transport

BIN = Path(sys.executable).parent
MASTER = """
from buildbot.plugins import schedulers, steps, util, worker
c = BuildmasterConfig = {{}}
c["workers"] = [worker.LocalWorker("local")]
c["protocols"] = {{"pb": {{"port": "tcp:0:interface=127.0.0.1"}}}}
factory = util.BuildFactory([
    steps.ShellCommand(name="prepare", command=["echo", "prepared"]),
    steps.ShellCommand(name="test", haltOnFailure=True, command=[{python!r}, "-c", {script!r}]),
])
c["builders"] = [util.BuilderConfig(name="deploy", workernames=["local"], factory=factory)]
c["schedulers"] = [schedulers.ForceScheduler(name="force", builderNames=["deploy"],
    codebases=[util.CodebaseParameter("", name="")])]
c["buildbotURL"] = "http://127.0.0.1:{port}/"
c["www"] = {{"port": "tcp:{port}:interface=127.0.0.1", "plugins": {{}}}}
c["db_url"] = "sqlite:///state.sqlite"
c["buildbotNetUsageData"] = None
"""
SCRIPT = """
import sys
print("token = ghp_9fK2mQ8vT4zW7x" + "B1nC5dG3hJ6kL0pR2sU4yE")
print("ERROR: ResolutionImpossible: numpy<2 and numpy>=2 cannot both be installed")
sys.exit(1)
"""


@pytest.fixture(scope="module")
def buildbot(tmp_path_factory):
    """Start a master with a worker of its own, and stop it."""
    folder = tmp_path_factory.mktemp("buildbot")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    config = MASTER.format(python=sys.executable, script=SCRIPT, port=port)
    (folder / "master.cfg").write_text(config)
    run = [str(BIN / "buildbot")]
    subprocess.run(
        [*run, "create-master", "-q", str(folder)], check=True, capture_output=True, timeout=120
    )
    process = subprocess.Popen(
        [*run, "start", "--nodaemon", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _answers(address, process, folder)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def _answers(address, process, folder):
    for _ in range(240):
        assert process.poll() is None, (folder / "twistd.log").read_text()[-2_000:]
        try:
            if httpx.get(f"{address}/api/v2/builders", timeout=2).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.25)
    pytest.fail((folder / "twistd.log").read_text()[-2_000:])


def build(address, branch, revision):
    """Force a build and wait for its end."""
    asked = {"branch": branch, "revision": revision, "builderNames": ["deploy"]}
    body = {"jsonrpc": "2.0", "id": 1, "method": "force", "params": asked}
    httpx.post(f"{address}/api/v2/forceschedulers/force", json=body, timeout=10).raise_for_status()
    for _ in range(240):
        found = httpx.get(f"{address}/api/v2/builds?order=-buildid&limit=1", timeout=5).json()
        if found["builds"] and found["builds"][0]["complete"]:
            return
        time.sleep(0.25)
    pytest.fail("the build did not end")


@pytest.fixture(scope="module")
def built(buildbot):
    build(buildbot, "change-7", "a" * 40)
    return buildbot


def test_a_really_failing_build_is_read_as_a_red_pipeline(built):
    transport = Transport(f"{built}/api/v2", {})
    forge = Buildbot(transport)

    change = forge.change(f"{built}/shop/pulls/7")
    (pipeline,) = forge.pipelines(change)
    with forge.log(change, pipeline.jobs[0]) as log:
        text = log.read()
    transport.close()

    assert (change.head, change.branch) == ("a" * 40, "change-7")
    assert pipeline.status == "failed"
    assert [(job.name, job.status) for job in pipeline.jobs] == [("deploy", "failed")]
    assert b"ResolutionImpossible" in text


def test_its_history_becomes_an_incident_without_the_token_in_its_log(built, home):
    home.folder.mkdir()
    host = built.partition("//")[2]
    (home.folder / "caselore.toml").write_text(f'[forge."{host}"]\nkind = "buildbot"\n')

    taken = home.ok("import", "buildbot", "deploy", "--url", built, "--since", "1d")
    shown = home.ok("show", taken["incidents"][0])

    assert (taken["errors"], len(taken["incidents"])) == ([], 1)
    assert "ResolutionImpossible" in str(shown)
    assert "ghp_9fK2mQ8v" in SCRIPT
    for path in home.folder.rglob("*"):
        assert not path.is_file() or b"ghp_9fK2mQ8vT4zW7xB1nC5" not in path.read_bytes(), path
