"""The official inspector, from npm, against both transports; part of `make soak`, as it needs a net.

Where node is missing, or the package cannot be had, the test fails and says which.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from serving import environment
from test_mcp import READ_ONLY, WRITING

INSPECTOR = "@modelcontextprotocol/inspector@0.15.0"  # the last that runs on Node 20


@pytest.fixture(scope="module")
def inspector(tmp_path_factory):
    """Give the command line of the inspector, installed into a folder of the test's own."""
    if shutil.which("npm") is None:
        pytest.fail("npm is not installed: the official inspector of MCP was not tried.")
    folder = tmp_path_factory.mktemp("inspector")
    got = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--silent", INSPECTOR],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if got.returncode:
        pytest.fail(f"npm could not install {INSPECTOR}: it was not tried.\n{got.stderr[-500:]}")
    command = str(folder / "node_modules" / ".bin" / "mcp-inspector")

    def ask(*arguments):
        run = subprocess.run(
            [command, "--cli", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        return json.loads(run.stdout)

    return ask


@pytest.mark.soak
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_official_inspector_lists_and_calls(inspector, transport, served, tmp_path):
    served.submit(deployment="1017")
    if transport == "http":
        where = [f"{served.url}/mcp", "--transport", "http"]
    else:
        given = environment(served.app.settings.home).items()
        named = [part for name, value in given for part in ("-e", f"{name}={value}")]
        where = [*named, sys.executable, "-m", "caselore", "mcp"]
    tools = inspector(*where, "--method", "tools/list")["tools"]
    call = ["--method", "tools/call", "--tool-name", "get_incident", "--tool-arg", "incident=1017"]
    found = inspector(*where, *call)
    prompts = inspector(*where, "--method", "prompts/list")["prompts"]
    templates = inspector(*where, "--method", "resources/templates/list")["resourceTemplates"]

    assert {one["name"] for one in tools} == READ_ONLY | WRITING
    assert all("\n        " not in one["description"] for one in tools)
    assert not found.get("isError")
    assert found["structuredContent"]["deployment"] == "1017"
    assert len(prompts) == 3
    assert len(templates) == 4
