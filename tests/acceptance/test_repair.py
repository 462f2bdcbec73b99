"""The repair loop as a person and an agent meet it: the real program, a throw-away home."""

from __future__ import annotations

import json

from homes import Home

CHANGE = "https://git.example/pay/-/merge_requests/42"


def test_a_change_is_tracked_shown_and_explained(ana):
    tracked = ana.run("repair", "track", CHANGE + "/diffs?tab=2", "--worker", "codex", "--json")

    assert tracked.json["state"] == "tracking"
    assert tracked.json["change"] == CHANGE
    assert (tracked.json["pipeline_fail_count"], tracked.json["max_attempts"]) == (0, 5)
    assert tracked.json["worker"]["name"] == "codex"
    assert ana.run("repair", "status", CHANGE, "--json").json == tracked.json
    assert [one["change"] for one in ana.run("repair", "status", "--json").lines] == [CHANGE]
    (line,) = ana.run("repair", "explain", CHANGE, "--json").lines
    assert line["notes"] == ["tracked for the worker codex"]
    assert ana.run("ledger", "verify").code == 0


def test_what_is_not_tracked_or_no_change_is_said_with_a_way_out(ana):
    assert ana.run("repair", "status", CHANGE).code == 4
    assert ana.run("repair", "rearm", CHANGE, "--why", "x").code == 4
    assert ana.run("repair", "track", "https://git.example/pay", "--worker", "codex").code == 2
    wrong = ana.run("repair", "track", CHANGE, "--worker", "claude")
    assert wrong.code == 2
    assert "claude-code" in wrong.err


def test_only_a_person_rearms_or_takes_a_change_out(ana):
    ana.run("repair", "track", CHANGE, "--worker", "codex")
    agent = Home(ana.folder, ana.token_for("agent", "coder"))

    for command in (["rearm", CHANGE, "--why", "I am sure"], ["untrack", CHANGE]):
        refused = agent.run("repair", *command, "--json")
        assert refused.code == 3, refused.err
        assert json.loads(refused.err)["error"]["code"] == "gate_refused"
    assert ana.run("repair", "rearm", CHANGE, "--why", "by hand").code == 0
    assert ana.run("repair", "untrack", CHANGE, "--json").json["state"] == "done"
    actions = [one["action"] for one in ana.run("ledger", "show", "--json").lines]
    assert actions.count("refused") == 2


def test_a_forge_that_is_not_set_up_changes_nothing_and_is_said(ana):
    ana.run("repair", "track", CHANGE, "--worker", "codex")
    watched = ana.run("repair", "watch", "--once", "--json")

    assert ana.run("repair", "status", CHANGE, "--json").json["state"] == "tracking"
    assert (watched.code, watched.json["looked"], watched.json["news"]) == (5, 1, 0)
    assert "git.example" in watched.err


def test_ready_workers_and_ones_own_are_listed(ana):
    (ana.folder / "caselore.toml").write_text(
        '[repair.workers.mine]\nprofile = "codex"\ntimeout = 60\n'
    )
    named = {one["worker"]: one for one in ana.run("repair", "workers", "--json").lines}

    assert {"claude-code", "codex", "gemini", "opencode", "aider", "openhands"} < set(named)
    assert named["mine"]["timeout"] == 60
    assert ana.run("repair", "track", CHANGE, "--worker", "mine").code == 0
