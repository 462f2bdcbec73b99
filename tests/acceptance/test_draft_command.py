"""From a mending change to an outcome that a person takes in one step."""

from __future__ import annotations

import subprocess

import pytest
import scenes
from homes import PROGRAM, copy
from test_story import diagnose

from fakes.model_server import serving

DIFF = """--- a/app/backfill.py
+++ b/app/backfill.py
@@ -10,2 +10,2 @@ def fill():
-    batch_size = 310000
+    batch_size = 500
"""
TOLD = "In app/backfill.py, `batch_size = 500` replaced `batch_size = 310000`."


@pytest.fixture
def failed(anas_home, tmp_path):
    ana = copy(anas_home, tmp_path)
    diagnose(ana, ana.log("204.log", scenes.FIRST), "204", 1)
    (ana.folder / "fix.patch").write_text(DIFF)
    return ana


def with_model(home, reply, *args, code=0):
    with serving(reply) as server:
        home.extra = {"CASELORE_MODEL": "openai:x", "CASELORE_MODEL_URL": server.url}
        found = home.ok(*args, code=code)
    home.extra = {}
    return found, server


def drafting(text, cause=""):
    def reply(_):
        rows = [{"text": text, "cites": ["d1"]}]
        causes = [{"text": cause, "cites": ["d1"]}] if cause else []
        return {"cause": causes, "resolution": rows}

    return reply


def test_a_draft_waits_for_a_person_who_takes_it_in_one_step(failed):
    patch = str(failed.folder / "fix.patch")
    found = failed.ok("draft", "204", "--diff", patch)

    assert (found["status"], found["proposed"], found["model"]) == ("proposed", True, None)
    assert found["resolution"] == TOLD
    assert failed.ok("show", "204")["outcome"] is None
    assert failed.ok("recall", "chunks of the backfill", code=1)["precedents"] == []

    failed.ok("confirm", "204", "--as-proposed", "--cause", "one batch", "--result", "succeeded")
    shown = failed.ok("show", "204")
    assert shown["outcome"]["resolution"] == TOLD
    assert shown["outcome"]["cause"] == "one batch"


def test_a_model_drafts_both_and_what_it_invents_is_withheld(failed):
    patch = str(failed.folder / "fix.patch")
    good = drafting("Set batch_size from 310000 to 500.", "The batch_size was 310000.")
    found, _ = with_model(failed, good, "draft", "204", "--diff", patch)

    assert found["model"] == "openai:x"
    assert found["resolution"] == "Set batch_size from 310000 to 500."
    assert found["next"] == [
        f"caselore confirm {found['incident']} --as-proposed --result succeeded"
    ]

    bad, server = with_model(
        failed, drafting("Set batch_size to 200–1000."), "draft", "204", "--diff", patch
    )
    assert (bad["resolution"], bad["model"]) == (TOLD, None)
    assert "200–1000" in bad["withheld"][0]["reason"]
    assert len(server.asked) == 2


def test_two_revisions_are_a_change_too(failed, tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()

    def git(*args):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        subprocess.run(["git", *who, *args], cwd=folder, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for size in (310000, 500):
        (folder / "backfill.py").write_text(f"batch_size = {size}\n")
        git("add", ".")
        git("commit", "-qm", f"size {size}")
    ran = subprocess.run(
        [*PROGRAM, "draft", "204", "--diff", "HEAD~1..HEAD", "--json"],
        cwd=folder, env=failed.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert "`batch_size = 500` replaced `batch_size = 310000`" in ran.stdout


@pytest.mark.parametrize(
    ("diff", "code"), [("nowhere..nothing", 4), ("--output=x..y", 2), ("missing.patch", 4)]
)
def test_what_is_no_change_is_said(failed, diff, code):
    ran = failed.run("draft", "204", f"--diff={diff}")

    assert ran.code in (code, 2, 4)
    assert "Traceback" not in ran.err
    assert failed.ok("show", "204")["proposed"] is None


def test_nothing_is_confirmed_that_nobody_proposed(failed):
    ran = failed.run("confirm", "204", "--as-proposed", "--result", "succeeded")

    assert ran.code == 2
    assert "proposed" in ran.err
    assert failed.run("confirm", "204", "--result", "succeeded").code == 2
