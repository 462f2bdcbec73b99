"""Workers are real programs: started detached, heard, stopped, and continued after a kill."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from caselore.errors import BadInput, WrongUse
from caselore.memory.records import ModelCall
from caselore.repair.delivery import Dispatched
from caselore.repair.observations import Rearm
from caselore.repair.workers import runs
from caselore.repair.workers.profiles import PLACEHOLDERS, configured, filled, ready
from caselore.repair.workers.runner import born
from fakes.failures import ANA
from fakes.recordings import CHANGE
from fakes.repair_world import ID, WATCHER
from fakes.shop import Shop, until
from fakes.workers import CRASHES, LATER, SHOWS, SLEEPS, python, says


@pytest.fixture
def shop(tmp_path):
    made = []

    def build(script, **more):
        made.append(Shop(tmp_path / "lore.db", python(script, **more)))
        return made[0]

    yield build
    for one in made:
        one.close()


def test_a_worker_gets_the_event_and_its_word_is_heard(shop):
    one = shop(says("pushed", "aaa1"))
    one.red("aaa0")

    assert one.round().started == 1
    assert one.account.tracked(ID).state.count == 1
    until(lambda: one.run.ended)
    one.forge.push(CHANGE, "aaa1")
    assert one.round().collected == 1
    found = one.account.tracked(ID)
    assert found.owner.session == "s-1"
    assert found.state.spent == 250_000
    assert found.state.pushed == ("aaa1",)
    assert list(one.runs.open()) == []


def test_pushed_without_a_new_head_is_no_change_and_asks_a_person(shop):
    one = shop(says("pushed", "aaa1"))
    one.red("aaa0")
    one.round()
    until(lambda: one.run.ended)
    one.round()

    assert one.told == ["pipeline_failed", "needs_human"]
    assert "no_change" in one.status["why"]


def test_only_named_variables_reach_a_worker(shop):
    one = shop(SHOWS, env=("KEY",))
    one.red("aaa0")
    one.round()
    until(lambda: one.run.ended)

    seen = json.loads(one.run.said(one.profile).summary.replace("…", "") or "{}")
    assert seen["KEY"] == "k"
    assert "TOKEN" not in seen
    assert seen["CASELORE_ATTEMPT"] == "1"
    assert seen["AI_AGENT"] == "coder"


def test_a_watcher_that_was_killed_starts_nothing_twice(shop):
    one = shop(SLEEPS)
    one.red("aaa0")
    assert one.round().started == 1
    one.restart()

    assert [one.round().started for _ in range(3)] == [0, 0, 0]
    assert one.account.tracked(ID).state.count == 1


def test_a_watcher_that_was_killed_before_it_wrote_the_delivery_down_writes_it_then(shop):
    one = shop(says("no_change"))
    one.red("aaa0")
    (waiting,) = one.account.waiting("worker")
    tracked = one.account.tracked(ID)
    one.dispatcher._start(Dispatched(), tracked, waiting.event, "")
    assert one.account.tracked(ID).state.count == 0

    assert one.round().started == 0
    assert one.account.tracked(ID).state.count == 1


def test_a_runner_that_was_killed_is_started_again_with_a_word_about_it(shop):
    one = shop(SLEEPS)
    one.red("aaa0")
    one.round()
    until((one.run.folder / "result.json.child").exists)
    _kill_runner(one.run)

    assert one.round().started == 1
    assert one.run.spec["tries"] == 2
    assert "You were interrupted" in (one.run.folder / "prompt.md").read_text()
    assert one.account.tracked(ID).state.count == 1


def _kill_runner(run):
    about = json.loads((run.folder / "running.json").read_text())
    os.kill(about["pid"], signal.SIGKILL)
    until(lambda: not run.alive)


def test_it_is_started_again_a_bounded_number_of_times(shop):
    one = shop(SLEEPS)
    one.red("aaa0")
    one.round()
    started = 1
    for _ in range(6):
        if one.run is None:
            break
        _kill_runner(one.run)
        started += one.round().started

    assert started == 1 + one.account.policy.restores
    assert one.status["state"] == "paused"
    assert one.told == ["pipeline_failed", "needs_human"]


def test_a_worker_out_of_time_is_ended_with_all_it_started(shop):
    one = shop(SLEEPS, timeout=1)
    one.red("aaa0")
    one.round()
    child = int(until(lambda: _text(one.run.folder / "result.json.child")))
    until(lambda: one.run.ended)

    assert "out of time" in one.run.ended["why"]
    until(lambda: not _lives(child))


def _text(path):
    return path.read_text() if path.exists() else ""


def _lives(pid):
    state = Path(f"/proc/{pid}/stat")
    return born(pid) != "" and state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_an_open_breaker_stops_a_worker_that_is_at_it(shop):
    one = shop(SLEEPS)
    for number in range(6):
        one.red(f"aaa{number}")
        one.take() if number < 5 else None
        if number == 4:
            tracked = one.account.tracked(ID)
            (last,) = [o for o in one.account.events(ID) if o.event["attempt"] == 5][:1]
            one.dispatcher._start(Dispatched(), tracked, last.event, "")

    assert one.status["state"] == "open"
    assert one.round().stopped == 1
    until(lambda: one.run.ended)
    assert one.run.ended["why"] == "stopped"
    assert one.round().started == 0


def test_no_worker_is_started_while_the_breaker_is_open(shop):
    one = shop(SLEEPS)
    for number in range(6):
        one.red(f"aaa{number}")
        one.take()

    assert one.round().started == 0
    assert list(one.runs.open()) == []


def test_a_person_who_rearms_wakes_the_worker_without_a_count(shop):
    one = shop(SLEEPS)
    for number in range(6):
        one.red(f"aaa{number}")
        one.take()
    one.account.step(ID, Rearm(one.now, "human:ana", "the runner was broken"), ANA, "rearm")

    assert one.round().started == 1
    assert one.round().started == 0
    assert "the runner was broken" in (one.run.folder / "prompt.md").read_text()
    assert one.account.tracked(ID).state.count == 0


def test_a_worker_that_asks_for_patience_is_started_again(shop):
    one = shop(LATER)
    one.red("aaa0")
    one.round()
    started = 1
    for _ in range(8):
        if one.run is None:
            break
        until(lambda: one.run.ended)
        started += one.round().started

    assert started == 1 + one.account.policy.restores


def test_a_worker_that_crashes_asks_a_person(shop):
    one = shop(CRASHES)
    one.red("aaa0")
    one.round()
    until(lambda: one.run.ended)
    one.round()

    assert one.told == ["pipeline_failed", "needs_human"]
    assert "failed" in one.status["why"]


def test_a_program_that_is_not_there_is_a_failed_run(shop):
    one = shop(CRASHES)
    one.profile = replace(one.profile, start=("no-such-program-at-all",))
    one.red("aaa0")
    one.round()
    until(lambda: one.run.ended)
    one.round()

    assert one.told == ["pipeline_failed", "needs_human"]


def test_a_day_has_a_bound_that_nothing_gives_back(shop):
    one = shop(says("no_change"))
    spent = ModelCall("worker:coder", "evt_x", "", "pushed", 0, 0, 200.0, 1.0, ID)
    one.account.memory.keep_call(spent, WATCHER)
    one.red("aaa0")

    done = one.round()
    assert done.started == 0
    assert "in a day" in done.errors[0]
    assert one.account.tracked(ID).state.count == 0
    one.now += timedelta(days=1)
    assert one.round().started == 1


@pytest.mark.parametrize("name", sorted(ready()))
def test_a_ready_profile_fills_every_argument(name):
    profile = ready()[name]
    values = dict.fromkeys(PLACEHOLDERS, "x; rm -rf / {session} $(id)")

    for template in (profile.start, profile.resume, profile.after):
        done = filled(template, values)
        assert len(done) == len(template)
        assert all("{" not in one.replace(values["prompt"], "") for one in done)
    holes = " ".join(profile.start)
    assert profile.prompt == "stdin" or "{prompt" in holes
    assert profile.session != "chosen" or "{session}" in holes


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({"start": "claude -p"}, "list of texts"),
        ({"start": ["x", "{shell}"]}, "no placeholder"),
        ({"start": []}, "needs `start`"),
        ({"profile": "claud"}, "no profile"),
        ({"profile": "codex", "timeout": 0}, "whole number"),
        ({"profile": "codex", "shell": True}, "no 'shell'"),
        ("codex", "a table"),
    ],
)
def test_a_worker_that_cannot_be_one_is_refused(table, reason):
    with pytest.raises((BadInput, WrongUse), match=reason):
        configured({"mine": table})


def test_a_worker_of_ones_own_stands_on_a_ready_profile():
    mine = configured({"mine": {"profile": "codex", "timeout": 60, "logins": ["bot"]}})["mine"]

    assert (mine.name, mine.timeout, mine.logins) == ("mine", 60, ("bot",))
    assert mine.start == ready()["codex"].start


def test_folders_of_ended_runs_go_with_what_was_erased(tmp_path):
    for name, text in (("evt_1", "lines of inc_1"), ("evt_2", "lines of inc_2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "prompt.md").write_text(text)

    runs.forget(tmp_path, ["inc_1"])
    runs.forget(tmp_path / "none", ["inc_1"])

    assert [one.name for one in tmp_path.iterdir()] == ["evt_2"]
