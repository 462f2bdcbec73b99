"""`repair simulate`: recorded observations in, events and states out, one JSON object a line."""

from __future__ import annotations

import io
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from caselore import settings
from caselore.errors import BadInput, WrongUse
from caselore.faces.cli.app import main
from caselore.repair.policy import CEILINGS, MAY_BE_ZERO, Policy
from caselore.wiring.repair import policy_of
from fakes.recordings import CHANGE, at, green, job, lines, of, red, reds

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def simulated(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CASELORE_HOME", str(tmp_path / "home"))

    def run(*rows, options=(), code=0, text=None):
        file = tmp_path / "history.jsonl"
        file.write_text("\n".join(lines(*rows)) if text is None else text)
        assert main(["repair", "simulate", str(file), "--json", *options]) == code
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def test_each_event_is_a_line_and_then_each_change_is_one(simulated):
    *events, last = simulated(*reds(6))

    assert [one["event"]["type"] for one in events] == ["pipeline_failed"] * 5 + [
        "circuit_breaker"
    ]
    first = events[0]["event"]
    assert set(first) == {
        "id", "type", "at", "change", "project", "attempt", "max", "pipeline_fail_count", "url",
        "message", "evidence",
    }  # fmt: skip
    assert (first["at"], first["project"], first["url"]) == (
        "2026-11-01T10:00:00Z",
        "pay",
        "https://git.example/pay/-/pipelines/1",
    )
    state = last["state"]
    assert (state["change"], state["state"]) == (CHANGE, "open")
    assert (state["pipeline_fail_count"], state["max_attempts"]) == (5, 5)
    assert state["last_attempt"]["head"] == "c6"
    assert state["worker"]["alive"] is True


def test_another_bound_trips_earlier(simulated):
    *events, last = simulated(*reds(6), options=["--attempts", "2"])

    assert [one["event"]["type"] for one in events] == ["pipeline_failed"] * 2 + [
        "circuit_breaker"
    ]
    assert last["state"]["max_attempts"] == 2


def compared(found):
    lines = [one["difference"] for one in found if "difference" in one]
    return lines, [one["comparison"] for one in found if "comparison" in one]


def test_another_policy_is_held_against_the_one_in_force_line_by_line(simulated):
    story = [*reds(4), green("c5", 5), *reds(2, start=6), green("c8", 8), *reds(7, start=9)]
    found = simulated(*story, options=["--attempts", "3", "--compare"])
    plain = simulated(*story, options=["--attempts", "3"])

    assert found[: len(plain)] == plain
    lines, sums = compared(found)
    assert [(one["head"], one["recorded"], one["given"], one["effect"]) for one in lines] == [
        ("c4", "attempt 4/5", "circuit_breaker", "run saved"),
        ("c5", "green after 4", "stopped after 3", "repair lost"),
        ("c6", "attempt 1/5", "not handed over", "run saved"),
        ("c7", "attempt 2/5", "not handed over", "run saved"),
        ("c8", "green after 2", "stopped after 0", "repair lost"),
        *((f"c{n}", f"attempt {n - 8}/5", "not handed over", "run saved") for n in range(9, 14)),
    ]
    assert lines[0]["pipeline"] == "4"
    assert lines[0]["url"] == "https://git.example/pay/-/pipelines/4"
    total = sums[-1]
    assert (total["runs_saved"], total["runs_added"]) == (8, 0)
    assert (total["repairs_kept"], total["repairs_lost"]) == (0, 2)
    assert total["breakers"] == {"recorded": 1, "given": 1}
    assert total["policy"] == {"attempts": {"recorded": 5, "given": 3}}
    assert (total["change"], sums[0]["change"]) == (None, CHANGE)


def test_more_attempts_add_runs_and_lose_nothing(simulated):
    story = [*reds(2), green("c3", 3), *reds(7, start=4)]
    lines, sums = compared(simulated(*story, options=["--set", "attempts=7", "--compare"]))

    assert [(one["recorded"], one["given"], one["effect"]) for one in lines] == [
        ("green after 2", "green after 2", "repair kept"),
        ("circuit_breaker", "attempt 6/7", "run added"),
        ("not handed over", "attempt 7/7", "run added"),
    ]
    assert sums[-1]["breakers"] == {"recorded": 1, "given": 0}


def test_the_policy_in_force_differs_from_itself_in_nothing(simulated):
    lines, sums = compared(simulated(*reds(9), options=["--compare"]))

    assert lines == []
    assert (sums[-1]["runs_saved"], sums[-1]["runs_added"], sums[-1]["policy"]) == (0, 0, {})


def test_any_bound_can_be_set_and_no_other_name(simulated):
    alike = [red(f"c{n}", n, "sig1:same") for n in range(1, 6)]
    *events, _ = simulated(*alike, options=["--set", "same_failure=5"])
    assert [one["event"]["type"] for one in events][-1] == "circuit_breaker"
    assert len(events) == 5

    for given in ("same_failures=5", "same_failure", "same_failure=x", "same_failure=0"):
        assert simulated(*alike, options=["--set", given], code=2) == []


@pytest.mark.parametrize("given", ["0", "-1", "21", "1000000"])
def test_no_bound_means_unlimited(simulated, given):
    assert simulated(*reds(1), options=["--attempts", given], code=2) == []


def test_two_changes_with_one_number_in_two_projects_do_not_meet(simulated):
    other = "https://git.example/shop/-/merge_requests/42"
    text = "\n".join([*lines(*reds(3)), *lines(*reds(3), change=other)])
    found = simulated(text=text)

    assert [one["event"]["attempt"] for one in found[:-2]] == [1, 2, 3, 1, 2, 3]
    assert [one["state"]["project"] for one in found[-2:]] == ["pay", "shop"]
    assert len({one["event"]["id"] for one in found[:-2]}) == 6


def test_a_verdict_must_stand_where_settling_is_asked_for(simulated):
    flapping = [at(0, red("a", 7)), at(1, green("a", 7)), at(4, green("a", 7))]

    assert [one["event"]["type"] for one in simulated(*flapping)[:-1]][:1] == ["pipeline_failed"]
    settled = simulated(*flapping, options=["--settle", "120"])
    assert [one["event"]["type"] for one in settled[:-1]] == ["pipeline_passed"]


def test_a_stale_cancellation_during_a_retry_is_never_told_when_verdicts_settle(simulated):
    rows = [at(0, of("a", 7, "canceled", [])), at(1, of("a", 7, "running", [])), at(3, red("a", 7)),
            at(6, red("a", 7))]  # fmt: skip
    found = simulated(*rows, options=["--settle", "60"])

    assert [one["event"]["type"] for one in found[:-1]] == ["pipeline_failed"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("no json", "Line 1"),
        ("[]", "no JSON object"),
        ('{"at": "2026-11-01T10:00:00Z", "head": "a"}', "names no change"),
        ('{"change": "https://git.example/x", "at": "2026-11-01T10:00:00Z"}', "no address"),
        (f'{{"change": "{CHANGE}", "head": "a"}}', "no time"),
        (f'{{"change": "{CHANGE}", "at": "yesterday", "head": "a"}}', "Line 1"),
        (f'{{"change": "{CHANGE}", "at": "2026-11-01T10:00:00Z"}}', "says nothing"),
        (f'{{"change": "{CHANGE}", "at": "2026-11-01T10:00:00Z", "worker": "ill"}}', "alive or"),
        (f'{{"change": "{CHANGE}", "at": "2026-11-01T10:00:00Z", "state": "eaten"}}', "no state"),
        (f'{{"change": "{CHANGE}", "at": "2026-11-01T10:00:00Z", "head": {{}}}}', "belongs"),
        (f'{{"change": "{CHANGE}", "at": {"[" * 200_000}', "Line 1"),
        (f'{{"change": "{CHANGE}", "at": "0001-01-01T00:00:00+14:00", "head": "a"}}', "Line 1"),
        (f'{{"change": "{CHANGE}", "at": "9999-12-31T23:59:59-14:00", "head": "a"}}', "Line 1"),
        (
            f'{{"change": "{CHANGE}", "at": "2026-11-01T10:00:00Z", '
            '"receipt": {"event": "e", "outcome": "pushed", "cost": Infinity}}',
            "Line 1",
        ),
    ],
)
def test_a_line_that_is_no_observation_is_refused_with_its_number(
    simulated, capsys, tmp_path, line, reason
):
    file = tmp_path / "wrong.jsonl"
    file.write_text(line)

    assert main(["repair", "simulate", str(file), "--json"]) == 2
    error = json.loads(capsys.readouterr().err)["error"]
    assert reason in error["message"]


def test_half_a_character_and_ids_of_any_length_pass(simulated):
    odd = of("a\ud800", 1, jobs=[job("\ud8001", name="\ud800", fingerprint="sig1:\ud800")])
    long = [of("b", 1, jobs=[job(digits)]) for digits in ("8" * 5_000, "9" * 5_000)]
    for row, id in zip(long, ("7" * 5_000, "8" * 5_000), strict=True):
        row["pipeline"]["id"] = id

    *events, last = simulated(odd, *long)

    assert [one["event"]["attempt"] for one in events] == [1, 2, 3]
    assert last["state"]["last_attempt"]["pipeline"] == "8" * 5_000


@pytest.mark.parametrize(
    ("change", "page"),
    [
        ("https://pay.example/pay/-/merge_requests/42", "https://pay.example/pay/-/pipelines/1"),
        ("https://git.example/git/-/merge_requests/42", "https://git.example/git/-/pipelines/1"),
        ("https://h.example:8443/h/t/-/merge_requests/42",
         "https://h.example:8443/h/t/-/pipelines/1"),
        ("https://github.com/github/hub/pull/42", "https://github.com/github/hub/actions/runs/1"),
    ],
)  # fmt: skip
def test_a_project_that_is_named_as_its_host_keeps_its_own_pipeline_page(simulated, change, page):
    event = simulated({**red("a", 1), "change": change})[0]["event"]

    assert event["url"] == page
    assert f"(attempt 1/5). See: {page}. Fix the failing job and push." in event["message"]


def test_a_person_reads_sentences_from_standard_input(simulated, capsys, monkeypatch):
    text = "\n".join(lines(*reds(6))).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))

    assert main(["repair", "simulate", "-"]) == 0
    shown = capsys.readouterr().out
    assert "attempt\n  1/5" in shown or "attempt 1/5" in " ".join(shown.split())
    assert "open  5/5" in shown


def test_a_person_reads_what_another_policy_saves_and_loses(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("CASELORE_HOME", str(tmp_path / "home"))
    file = tmp_path / "history.jsonl"
    file.write_text("\n".join(lines(*reds(4), green("c5", 5))))

    assert main(["repair", "simulate", str(file), "--attempts", "3", "--compare"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "run saved: attempt 4/5, with the other policy circuit_breaker." in shown
    assert "repair lost: green after 4, with the other policy stopped after 3." in shown
    assert shown.endswith(
        "Runs of workers: 1 saved, 0 added. Repairs: 0 kept, 1 lost. Breakers: 1 instead of 0."
    )


@pytest.mark.parametrize("name", CEILINGS)
@pytest.mark.parametrize("value", [-1, 0, None, True, 1.5, float("inf"), 10**18, "5"])
def test_a_policy_has_no_value_for_unlimited(name, value):
    if value == 0 and value is not True and name in MAY_BE_ZERO:
        assert getattr(Policy(**{name: value}), name) == 0
        return
    with pytest.raises(BadInput, match="no value for unlimited"):
        Policy(**{name: value})


def test_a_bound_that_does_not_exist_is_named_with_the_nearest():
    with pytest.raises(WrongUse) as refused:
        policy_of({"atempts": 3})

    assert "'attempts'" in refused.value.hint


def test_the_policy_on_the_settings_page_is_the_default():
    text = (ROOT / "docs" / "SETTINGS.md").read_text()
    shown = tomllib.loads(re.findall(r"```toml\n(.*?)```", text, re.S)[0])["repair"]["policy"]

    assert shown == Policy().to_json()


def test_a_file_that_a_repository_can_carry_bounds_nothing(tmp_path):
    (tmp_path / "caselore.toml").write_text("[repair.policy]\nattempts = 20\n")
    home = tmp_path / "home"

    with pytest.raises(WrongUse, match="repository can carry"):
        settings.load(home, environment={}, folder=tmp_path)
    home.mkdir()
    (tmp_path / "caselore.toml").rename(home / "caselore.toml")
    assert policy_of(
        settings.load(home, environment={}, folder=tmp_path).repair["policy"]
    ).attempts
