"""The optional part: a small real model on loopback drives the whole path once.

`make local-model` makes its place and runs this. What the model says is reported, never judged:
what is judged is that the path holds whatever it says.
"""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path

import pytest
import scenes
from homes import copy
from test_story import CAUSE, CHUNKS, confirm, diagnose

from caselore.guards import grounding

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(3_600)]
ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / ".local-model" / "bin" / "python"
FIX = f"Filled the column in {CHUNKS}, committing after each"
LIMITS = "[model_limits.call]\nseconds = 880\n[model_limits.incident]\nseconds = 1700\n"
DIFF = "--- a/fill.py\n+++ b/fill.py\n@@ -1 +1 @@\n-batch_size = 310000\n+batch_size = 500\n"


@pytest.fixture(scope="module")
def served():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = ROOT / "tests" / "fakes" / "local_model.py"
    with subprocess.Popen(
        [PYTHON, program, str(port), "3600"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().decode().strip()
        process.kill()


def test_a_real_small_model_drives_the_whole_path_and_nothing_ungrounded_is_shown(
    anas_home, served, tmp_path
):
    ana = copy(anas_home, tmp_path)
    diagnose(ana, ana.log("204.log", scenes.FIRST), "204", 1)
    confirm(ana, "204", CAUSE, FIX)
    (ana.folder / "caselore.toml").write_text(LIMITS)
    ana.patience = 1_800
    ana.extra = {"CASELORE_MODEL": "openai:smollm2-135m", "CASELORE_MODEL_URL": served}
    found = diagnose(ana, ana.log("311.log", scenes.ALEMBIC), "311", 0)
    (ana.folder / "fix.patch").write_text(DIFF)
    drafted = ana.ok("draft", "311", "--diff", str(ana.folder / "fix.patch"))
    ana.extra = {}
    calls = [
        row for row in map(json.loads, ana.run("ledger", "show", "--json").out.splitlines())
        if row["action"] == "ask"
    ]  # fmt: skip
    print(json.dumps({name: found[name] for name in
                      ("model", "model_note", "diagnosis", "fix", "withheld")}, indent=1))  # fmt: skip
    print(json.dumps({name: drafted[name] for name in
                      ("model", "model_note", "cause", "resolution", "withheld")}, indent=1))  # fmt: skip
    print(ana.run("model", "usage", "--json").out)

    known = [FIX, CAUSE, scenes.FIRST, scenes.ALEMBIC, json.dumps(found["precedents"])]
    known += ["#204 204 311", json.dumps(found["reading"]), json.dumps(found["occurrences"])]
    assert [one["cites"] for one in found["fix"]] == [[ana.ok("show", "204")["incident"]]]
    assert CHUNKS in found["fix"][0]["text"]
    for one in found["fix"]:
        assert not grounding.ungrounded(one["text"], known), one
    assert "`batch_size = 500`" in drafted["resolution"] or drafted["model"]
    assert drafted["status"] == "proposed"
    assert 2 <= len(calls) <= 4
    assert ana.ok("ledger", "verify")["ok"]
