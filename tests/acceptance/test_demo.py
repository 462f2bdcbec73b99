"""The demonstration holds on this machine, under a minute, and leaves nothing behind."""

from __future__ import annotations

import tempfile
from pathlib import Path


def test_the_demonstration_holds_and_cleans_up(home, tmp_path):
    place = tmp_path / "tmp"
    place.mkdir()

    found = home.ok("demo", TMPDIR=str(place), CLAUDECODE="1")

    assert found["ok"]
    assert len(found["steps"]) == 7
    assert found["seconds"] < 60
    assert list(place.iterdir()) == []
    assert not home.folder.exists()
    assert Path(tempfile.gettempdir()).exists()


def test_the_repair_loop_holds_over_a_ci_that_really_fails_and_a_killed_watcher(home, tmp_path):
    place = tmp_path / "tmp"
    place.mkdir()

    found = home.ok("demo", "--repair", TMPDIR=str(place), CLAUDECODE="1")

    assert found["kills"] == 2
    assert found["steady"] == ["pipeline_failed"] * 3 + ["pipeline_passed"]
    assert found["hopeless"] == ["pipeline_failed"] * 5 + ["circuit_breaker"]
    assert list(place.iterdir()) == []
    assert not home.folder.exists()
