"""Watches on a schedule: due once, missed ones caught up with once, by whichever process comes first."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from caselore.errors import WrongUse
from caselore.settings import load
from caselore.wiring import build, open_memory
from caselore.wiring.app import App

CASELORE = str(Path(sys.executable).parent / "caselore")
BEGIN = datetime(2026, 10, 5, 7, tzinfo=UTC)  # a Monday, an hour after the weekly run


class Clock:
    def __init__(self):
        self.now = BEGIN

    def __call__(self):
        return self.now


def opened(home, clock):
    return App(load(home, environment={}), clock, open_memory)


@pytest.fixture
def home(tmp_path):
    site = tmp_path / "pages"
    site.mkdir()
    (site / "a.txt").write_text(
        "Velora launches Beacon\n\n1 October 2026\n\nVelora has launched Beacon today.\n"
    )
    row = {"url": "https://news.example/a", "file": "a.txt", "fetched_at": "2026-10-02T08:00:00Z"}
    (site / "site.json").write_text(json.dumps({"pages": [row]}))
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "caselore.toml").write_text(
        f'[intel.watch.market]\ntopic = "viewers"\ncompetitors = ["Velora"]\nsources = ["{site}"]\n'
        'every = "1w"\noffset = "6h"\n'
    )
    return folder


def test_a_watch_is_run_each_week_and_once_for_all_the_weeks_that_were_missed(home):
    clock = Clock()
    with opened(home, clock) as app:
        told = []
        for days in (0, 3, 7, 8, 35, 36, 42):
            clock.now = BEGIN + timedelta(days=days)
            told.append(app.intel.due()["done"])
        assert told == [0, 0, 1, 0, 1, 0, 1]  # nothing is due before it was first registered
        assert app.intel.profile("Velora").total_events == 1


def test_a_run_that_could_read_no_source_is_tried_again_until_it_can(home):
    clock, site = Clock(), home.parent / "pages"
    with opened(home, clock) as app:
        app.intel.due()
        site.rename(home.parent / "away")
        clock.now = BEGIN + timedelta(days=7)
        failed = app.intel.due()
        (home.parent / "away").rename(site)
        clock.now += timedelta(hours=3)
        again = app.intel.due()

        assert (failed["done"], failed["again"]) == (0, 1)
        assert "there is no folder" in str(failed["errors"])
        assert again["done"] == 1
        assert app.intel.profile("Velora").total_events == 1


def test_another_process_does_not_run_it_again(home):
    clock = Clock()
    with opened(home, clock) as app, opened(home, clock) as other:
        app.intel.due()
        other.intel.due()
        clock.now = BEGIN + timedelta(days=7)
        assert app.intel.due()["done"] + other.intel.due()["done"] == 1


def test_the_command_runs_what_is_due_and_ends(home):
    env = {"CASELORE_HOME": str(home), "PATH": ""}
    done = subprocess.run(
        [CASELORE, "intel", "due", "--json"], env=env, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["watches"][0]["watch"] == "market"


@pytest.mark.parametrize(
    "line", ['every = "weekly"', 'evry = "1w"', "competitors = []", 'offset = "6"']
)
def test_a_wrong_watch_is_said_so(tmp_path, line):
    base = "" if line.startswith("comp") else 'competitors = ["Velora"]\n'
    (tmp_path / "caselore.toml").write_text(f"[intel.watch.market]\n{base}{line}\n")
    with build(load(tmp_path, environment={})) as app, pytest.raises(WrongUse):
        app.intel.due()
