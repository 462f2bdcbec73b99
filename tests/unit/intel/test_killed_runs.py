"""A run that dies at any moment is finished by the next one: nothing twice, nothing lost, and the briefing says it."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from caselore.faces.demo import intel_site
from caselore.intel.stages import NAMES
from caselore.memory.exhibit_ports import Sought
from caselore.memory.records import Kind
from caselore.settings import load
from caselore.wiring import build

ANALYST = Path(__file__).resolve().parents[2] / "fakes" / "killed_analyst.py"
STAGES = list(NAMES)


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    """Give the pages, and what an undisturbed run knows of them."""
    place = tmp_path_factory.mktemp("market")
    intel_site.render(place / "site")
    return place / "site", finished(place, "", place / "site")


def started(place, database, moment):
    """Begin a run."""
    words = [sys.executable, str(ANALYST), str(place), database, moment]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(place, database, site):
    """Run to the end."""
    here = place / "site"
    if not here.exists():
        here.symlink_to(site)
    run = started(place, database, "none")
    out, err = run.communicate(timeout=300)
    assert run.returncode == 0, err
    return json.loads(out)


def killed(place, database, site, moment):
    """Run until it kills itself; say whether it came to that."""
    here = place / "site"
    if not here.exists():
        here.symlink_to(site)
    run = started(place, database, moment)
    run.communicate(timeout=300)
    assert run.returncode in {-signal.SIGKILL, 0}
    return run.returncode != 0


def same_but_the_news(one, other):
    """Compare all but what a briefing tells as new."""
    assert {**one, "new": 0} == {**other, "new": 0}
    assert one["intact"]


@pytest.mark.parametrize("moments", [STAGES[:3], STAGES[3:]], ids=["early", "late"])
def test_a_run_that_dies_at_each_edge_of_a_stage_is_finished_by_the_next(
    tmp_path, market, moments
):
    site, whole = market
    for name in moments:
        assert killed(tmp_path, "", site, f"after:{name}")
    found = finished(tmp_path, "", site)

    same_but_the_news(found, whole)
    assert found["new"] == whole["new"]  # none was told before, so all of it is
    assert found["status"] == "completed"


def test_a_run_that_dies_after_any_write_is_finished_by_the_next(tmp_path, market):
    site, whole = market
    for number in (1, 2, 9, 23):
        assert killed(tmp_path, "", site, f"write:{number}")
    same_but_the_news(finished(tmp_path, "", site), whole)


def test_so_it_is_on_postgres(tmp_path, market, postgres_url):
    site, whole = market
    for moment in ("write:6", "after:Analyst", "write:31", "before:Prediction"):
        assert killed(tmp_path, postgres_url, site, moment)
    found = finished(tmp_path, postgres_url, site)

    same_but_the_news(found, whole)
    assert found["new"] == whole["new"]


def test_a_killed_run_leaves_no_briefing_that_says_it_was_complete(tmp_path, market):
    site, _ = market
    assert killed(tmp_path, "", site, "after:Memory")
    with build(load(tmp_path / "home", environment={})) as app:
        assert next(app.memory.exhibits(Sought(Kind.BRIEFING.value)), None) is None
        assert app.intel.competitors()  # what was taken in is there


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_hundred_deaths_at_any_moment(tmp_path, market, kind, request):
    database = request.getfixturevalue("postgres_url") if kind == "postgres" else ""
    site, whole = market
    rng = random.Random(11)
    begin, deaths = time.monotonic(), 0
    for number in range(100):
        place = tmp_path / str(number // 5)
        place.mkdir(exist_ok=True)
        if number % 2:
            run = started_at(place, database, site)
            time.sleep(rng.uniform(0.3, 2.5))
            run.send_signal(signal.SIGKILL)
            run.communicate()
            deaths += run.returncode != 0
        else:
            deaths += killed(place, database, site, f"write:{rng.randint(1, 60)}")
        if number % 5 == 4:
            same_but_the_news(finished(place, database, site), whole)
            if kind == "postgres":
                from fakes import postgres

                postgres.emptied(database)
        if time.monotonic() - begin > 420:
            break
    assert deaths > 40


def started_at(place, database, site):
    """Begin a run that somebody else kills."""
    here = place / "site"
    if not here.exists():
        here.symlink_to(site)
    return started(place, database, "none")
