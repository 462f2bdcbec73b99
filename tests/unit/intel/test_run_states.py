"""A run says how it ended: whole, in part, at a limit or not at all; and what was read is kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from caselore.errors import Unavailable, WrongUse
from caselore.intel.stages import (
    COMPLETED,
    FAILED,
    LIMIT,
    NAMES,
    PARTIAL,
    Audit,
    LimitReached,
    NothingRead,
)
from caselore.settings import load
from caselore.wiring import build

CASELORE = str(Path(sys.executable).parent / "caselore")
AS_OF = "2026-10-08"


@pytest.fixture
def site(tmp_path):
    """Give a folder with five pages, each with news of its own."""
    folder = tmp_path / "site"
    folder.mkdir()
    for number, thing in enumerate(("scanner", "viewer", "planner", "gateway", "ledger")):
        day = f"2026-09-{10 + number}"
        (folder / f"{number}.html").write_text(
            f"<html><head><title>Velora launches a {thing}</title>"
            f'<meta property="article:published_time" content="{day}"></head>'
            f"<body><h1>Velora launches a {thing}</h1><p>Velora today launched the {thing.title()} "
            f"{number + 2}00, a new {thing} for large teams.</p></body></html>"
        )
    pages = [{"url": f"https://n{n}.example/{n}", "file": f"{n}.html", "fetched_at": f"2026-09-{10 + n}T08:00:00Z"} for n in range(5)]  # fmt: skip
    (folder / "site.json").write_text(json.dumps({"pages": pages}))
    return folder


def opened(home, settings=""):
    home.mkdir(exist_ok=True)
    (home / "caselore.toml").write_text(settings)
    return build(load(home, environment={}))


def states(ran):
    return {one["stage"]: one["state"] for one in ran.audit}


def test_a_whole_run_leaves_a_line_of_each_of_the_seven_stages(tmp_path, site):
    with opened(tmp_path / "home") as app:
        ran = app.intel.run("tools", ["Velora"], [str(site)], as_of=AS_OF)

    assert ran.status == COMPLETED
    assert states(ran) == dict.fromkeys(NAMES, COMPLETED)
    assert len(ran.events) == 5


def test_one_source_of_two_that_fails_is_a_partial_failure(tmp_path, site):
    with opened(tmp_path / "home") as app:
        ran = app.intel.run("t", ["Velora"], [str(site), str(tmp_path / "none")], as_of=AS_OF)

    assert ran.status == PARTIAL
    assert len(ran.events) == 5
    assert any("none" in one for one in ran.brief.notes)


def test_one_page_that_cannot_be_kept_costs_no_other(tmp_path, site):
    rows = json.loads((site / "site.json").read_text())
    rows["pages"][0]["url"] = "https://n0.example/" + "a" * 9_000
    (site / "site.json").write_text(json.dumps(rows))
    with opened(tmp_path / "home") as app:
        ran = app.intel.run("t", ["Velora"], [str(site)], as_of=AS_OF)

    assert ran.status == COMPLETED
    assert len(ran.events) == 4
    assert any("the limit is" in why for _, why in ran.brief.left_out)


def test_a_page_made_to_take_hours_is_read_in_part_and_that_is_said(tmp_path, site):
    (site / "1.html").write_text(f"<h1>Velora launches Beacon</h1><p>Velora today launched Beacon, a viewer.</p><p>{'Velora hires. ' * 1_700}</p>")  # fmt: skip
    (site / "2.html").write_text(
        "<p>A line.</p>"
        + f"<p>{'no news ' * 2_000}</p>" * 20
        + "<p>Velora hires 15 engineers.</p>"
    )
    with opened(tmp_path / "home") as app:
        ran = app.intel.run("t", ["Velora"], [str(site)], as_of=AS_OF)

    assert ran.status == COMPLETED
    assert sum("were looked at" in why for _, why in ran.brief.left_out) == 2
    assert any("Beacon" in one.event.title for one in ran.events)
    assert not any("15 engineers" in one.best.quote for one in ran.events)


@pytest.mark.parametrize("number", [1, 3])
def test_a_run_that_could_read_no_source_failed_and_tells_nothing_of_anybody(tmp_path, number):
    gone = [str(tmp_path / f"none{n}") for n in range(number)]
    with opened(tmp_path / "home") as app:
        ran = app.intel.run("t", ["Velora"], gone, as_of=AS_OF)
        written = app.intel.competitors()

    assert ran.status == FAILED
    assert states(ran)["Discovery"] == FAILED
    assert ran.briefing == ""
    assert all(one in ran.audit[0]["why"] for one in gone)
    assert written == []


def test_the_week_after_a_failed_run_is_told_as_if_that_had_not_been(tmp_path, site):
    with opened(tmp_path / "home") as app:
        app.intel.run("t", ["Velora"], [str(tmp_path / "none")], as_of="2026-09-12")
        ran = app.intel.run("t", ["Velora"], [str(site)], as_of=AS_OF, since="last")

    assert len({one.event for one in ran.brief.claims}) == 5
    assert {one.section for one in ran.brief.claims} == {"new"}


def test_at_a_limit_what_was_read_by_then_is_kept_and_told(tmp_path, site):
    with opened(tmp_path / "home", "[intel.budget]\npages = 3\n") as app:
        ran = app.intel.run("t", ["Velora"], [str(site)], as_of=AS_OF)
    assert ran.status == LIMIT
    assert states(ran)["Discovery"] == LIMIT
    assert "[intel.budget] pages" in ran.audit[0]["why"]
    assert len(ran.events) == 3

    with opened(tmp_path / "home", "[intel.budget]\nsteps = 4\n") as app:
        ran = app.intel.run("t", ["Velora"], [str(site)], as_of=AS_OF)
    assert ran.status == LIMIT
    assert states(ran)["Analyst"] == LIMIT
    assert len(ran.events) == 4

    with opened(tmp_path / "home") as app:
        ran = app.intel.run("t", ["Velora"], [str(site)], as_of=AS_OF)
    assert ran.status == COMPLETED
    assert len(ran.events) == 5


@pytest.mark.parametrize("line", ["pages = 0", "pages = true", 'steps = "9"', "page = 9"])
def test_a_budget_that_is_none_is_refused(tmp_path, site, line):
    with opened(tmp_path / "home", f"[intel.budget]\n{line}\n") as app, pytest.raises(WrongUse):
        app.intel.run("t", ["Velora"], [str(site)], as_of=AS_OF)


def test_a_run_without_a_source_is_a_week_without_news_and_no_failure(tmp_path):
    with opened(tmp_path / "home") as app:
        ran = app.intel.run("t", ["Velora"], as_of=AS_OF)

    assert ran.status == COMPLETED
    assert ran.brief.empty


def test_the_command_says_what_failed_and_not_that_nothing_happened(tmp_path):
    words = [CASELORE, "intel", "run", "t", "--competitor", "Velora", "--source", str(tmp_path / "none")]  # fmt: skip
    environment = {"CASELORE_HOME": str(tmp_path / "home"), "PATH": "", "COLUMNS": "400"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "there is no folder" in " ".join(done.stdout.split())
    assert "Nothing material" not in done.stdout


def stage(made, error=None):
    def run(given):
        if error is not None:
            raise error
        return made + given

    return run


def test_the_state_of_a_run_follows_from_its_stages():
    def told(*failing, limit=False):
        audit = Audit()
        for name in NAMES:
            error = Unavailable("down") if name in failing else None
            assert audit.run(name, stage(1, error), 2, 0, int) == (0 if error else 3)
        if limit:
            audit.stopped(LimitReached("enough"))
        return audit.status()

    assert told() == COMPLETED
    assert told("Analyst") == PARTIAL
    assert told("Analyst", limit=True) == LIMIT
    assert told("Discovery") == told("Writer", limit=True) == told(*NAMES) == FAILED
    assert NothingRead("x").exit_code == Unavailable("x").exit_code
