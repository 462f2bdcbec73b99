"""Agents that speak the Agent Client Protocol: real processes, good ones and bad ones."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace

import pytest

from caselore.repair.workers.permission import USUAL, answer
from caselore.repair.workers.process import born
from fakes.acp_agents import good, odd
from fakes.recordings import CHANGE
from fakes.repair_world import ID, WATCHER
from fakes.shop import Shop, until


@pytest.fixture
def shop(tmp_path):
    made = []

    def build(profile):
        made.append(Shop(tmp_path / "lore.db", profile))
        return made[0]

    yield build
    for one in made:
        one.close()


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "agent"
    folder.mkdir()
    return folder


def seen(home, what=""):
    file = home / "seen.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [one for one in rows if what in ("", one["what"])]


def attempt(one, head):
    """Let a red pipeline reach the worker, and its run end; give how it ended."""
    one.red(head)
    one.round()
    run = one.run
    until(lambda: run.ended)
    return run


# -- a turn


def test_an_agent_gets_the_event_and_its_last_words_are_heard(shop, home):
    one = shop(good(home))
    run = attempt(one, "aaa0")
    one.forge.push(CHANGE, "aaa1")
    one.round()

    (given,) = seen(home, "prompt")
    assert "attempt 1/5" in given["text"]
    assert "<data " in given["text"]
    assert run.ended["rung"] == "fresh"
    assert (run.ended["code"], run.ended["reason"], run.ended["steps"]) == (0, "end_turn", 0)
    found = one.account.tracked(ID)
    assert found.owner.session == seen(home, "new")[0]["session"]
    assert (found.state.spent, found.state.pushed) == (250_000, ("aaa1",))


def test_pushed_without_a_push_is_no_change(shop, home):
    one = shop(good(home))
    attempt(one, "aaa0")
    one.round()

    assert one.told == ["pipeline_failed", "needs_human"]
    assert "no_change" in one.status["why"]


def test_leave_is_given_by_kind_place_and_only_for_once(shop, home, tmp_path):
    inside = str(tmp_path / "src" / "pay.py")
    deeds = {
        "edit inside": ({"kind": "edit", "paths": [inside]}, True),
        "edit outside": ({"kind": "edit", "paths": [inside, "/etc/passwd"]}, False),
        "edit outside, said elsewhere": ({"kind": "edit", "input": {"file_path": "../x"}}, False),
        "run the tests": ({"kind": "execute", "input": {"command": "pytest -q"}}, True),
        "push": ({"kind": "execute", "input": {"command": ["git", "push"]}}, True),
        "force a push": ({"kind": "execute", "input": {"command": "git push -f origin"}}, False),
        "fetch a page": ({"kind": "fetch"}, False),
        "what has no kind": ({"kind": None}, False),
    }
    one = shop(good(home, deeds=json.dumps([deed for deed, _ in deeds.values()])))
    found = one.account.tracked(ID)
    one.account.track(found.state.ref, replace(found.owner, folder=str(tmp_path)), WATCHER)
    run = attempt(one, "aaa0")

    got = [answer["got"].get("optionId") for answer in seen(home, "answer")]
    assert dict(zip(deeds, got, strict=True)) == {
        name: "once" if may else "no" for name, (_, may) in deeds.items()
    }
    assert [asked["allowed"] for asked in run.ended["asked"]] == [may for _, may in deeds.values()]
    assert run.ended["steps"] == len(deeds)


# -- the order in which a conversation is found


def test_an_agent_that_stays_gets_the_next_event_in_the_same_process(shop, home):
    one = shop(good(home, linger=60))
    first = attempt(one, "aaa0")
    one.forge.push(CHANGE, "aaa1")
    one.round()
    second = attempt(one, "aaa1")

    assert (first.ended["rung"], second.ended["rung"]) == ("fresh", "live")
    assert len({row["pid"] for row in seen(home)}) == 1
    assert [row["what"] for row in seen(home)] == ["initialize", "new", "prompt", "prompt"]
    assert "attempt 2/5" in seen(home, "prompt")[1]["text"]
    assert second.ended["cost"] == 0.25


@pytest.mark.parametrize(("can", "asked"), [("resume", "resume"), ("load", "load")])
def test_an_agent_that_is_gone_takes_its_conversation_up_again(shop, home, can, asked):
    one = shop(good(home, can))
    attempt(one, "aaa0")
    one.forge.push(CHANGE, "aaa1")
    one.round()
    second = attempt(one, "aaa1")

    name = seen(home, "new")[0]["session"]
    again = seen(home, asked)
    assert [row["session"] for row in again] == [name]
    assert again[0]["cwd"] == seen(home, "new")[0]["cwd"]
    assert len(seen(home, "new")) == 1
    assert second.ended["rung"] == {"resume": "resumed", "load": "loaded"}[can]
    assert "You are new" not in seen(home, "prompt")[1]["text"]
    # a load tells the conversation anew; only what is said in this turn is this turn's word
    assert second.said(one.profile).status == "pushed"


@pytest.mark.parametrize("can", ["", "resume", "load"])
def test_a_lost_conversation_begins_anew_with_a_handoff(shop, home, can):
    one = shop(good(home, can))
    attempt(one, "aaa0")
    one.forge.push(CHANGE, "aaa1")
    one.round()
    (home / seen(home, "new")[0]["session"]).unlink()
    one.forge.diffs["aaa0", "aaa1"] = "diff --git a/pay.py b/pay.py\n+total = 2\n"
    second = attempt(one, "aaa1")

    assert second.ended["rung"] == "fresh"
    text = seen(home, "prompt")[1]["text"]
    assert "You are new to MR !42" in text
    assert "attempt 1: red at aaa0" in text
    assert "mended it" in text
    assert "+total = 2" in text
    assert text.index("You are new") < text.index("attempt 2/5")
    one.forge.push(CHANGE, "aaa2")
    one.round()
    assert one.account.tracked(ID).owner.session == seen(home, "new")[1]["session"]


def test_an_agent_that_died_while_it_stayed_is_started_again(shop, home):
    one = shop(good(home, "resume", linger=60))
    attempt(one, "aaa0")
    one.forge.push(CHANGE, "aaa1")
    one.round()
    os.kill(seen(home, "new")[0]["pid"], signal.SIGKILL)
    until(lambda: not list(one.runs.staying()))
    second = attempt(one, "aaa1")

    assert second.ended["rung"] == "resumed"
    assert len({row["pid"] for row in seen(home)}) == 2


def test_what_a_conversation_cost_before_is_not_paid_again(shop, home):
    one = shop(good(home, "resume"))
    for head, after in (("aaa0", "aaa1"), ("aaa1", "aaa2")):
        attempt(one, head)
        one.forge.push(CHANGE, after)
        one.round()

    # the agent says what the conversation cost in all: 0.25, then 0.5
    assert one.account.tracked(ID).state.spent == 500_000


def test_an_agent_that_stays_leaves_when_the_breaker_opens(shop, home):
    one = shop(good(home, linger=60))
    attempt(one, "aaa0")
    one.forge.push(CHANGE, "aaa1")
    one.round()
    (box,) = one.runs.staying()
    pid = seen(home, "new")[0]["pid"]
    for number in range(1, 7):
        one.red(f"aaa{number}")
        one.take()
    assert one.status["state"] == "open"
    one.round()

    until(lambda: not box.there())
    until(lambda: not born(pid))
    assert len(seen(home, "prompt")) == 1


def test_an_agent_leaves_when_nothing_came(shop, home):
    one = shop(good(home, linger=1))
    attempt(one, "aaa0")
    pid = seen(home, "new")[0]["pid"]

    until(lambda: not born(pid))
    assert list(one.runs.staying()) == []


# -- misbehaving

ENDS = {
    "never greets": "out of time",
    "another version": "another version: 2",
    "wants a login": "Authentication required",
    "names no conversation": "without a name",
    "hangs": "out of time",
    "obeys a cancel": "out of time",
    "floods": "more than 1048576 bytes",
    "one endless line": "more than 1048576 bytes",
    "talks to itself": "out of time",
    "dies": "ended without a word",
    "garbage": "does not speak the protocol",
    "uses too many tools": "more than 300 steps",
    "costs too much": "it cost more than 5",
    "refuses": "refusal",
    "fails its turn": "the model is overloaded",
    "ends without a reason": "without a reason",
}


@pytest.mark.parametrize("how", ENDS)
def test_an_agent_that_misbehaves_is_ended_with_a_reason_and_a_person_is_asked(shop, home, how):
    slow = ENDS[how] == "out of time"
    one = shop(odd(home, how, timeout=2 if slow else 30, output=1024 * 1024))
    run = attempt(one, "aaa0")
    one.round()

    assert ENDS[how] in run.ended["why"], run.ended
    assert run.ended["code"] == 1
    assert one.told == ["pipeline_failed", "needs_human"]
    assert one.account.tracked(ID).state.count == 1
    child = home / "child"
    until(lambda: not child.exists() or not born(int(child.read_text())))
    size = sum(file.stat().st_size for file in run.folder.iterdir())
    assert size < 4 * 1024 * 1024


def test_an_agent_is_asked_to_stop_before_it_is_ended(shop, home):
    one = shop(odd(home, "obeys a cancel", timeout=2, grace=20))
    run = attempt(one, "aaa0")

    assert run.ended["reason"] == "cancelled"
    assert run.ended["seconds"] < 15
    assert run.said(one.profile).summary == "was cancelled"


def test_a_stopped_run_is_cancelled_first(shop, home):
    one = shop(odd(home, "obeys a cancel", timeout=60, grace=20))
    one.red("aaa0")
    one.round()
    until((home / "child").exists)
    one.run.stop()

    assert one.ended()["why"] == "stopped"
    assert one.ended()["reason"] == "cancelled"
    heard = [json.loads(line) for line in (home / "heard.jsonl").read_text().splitlines()]
    assert heard[-1]["method"] == "session/cancel"


@pytest.mark.parametrize("how", ["prose between", "wants files"])
def test_what_is_no_part_of_the_turn_is_passed_over(shop, home, how):
    one = shop(odd(home, how))
    run = attempt(one, "aaa0")

    assert run.ended["code"] == 0
    assert run.said(one.profile).status == {"prose between": "needs_human", "wants files": ""}[how]
    heard = [json.loads(line) for line in (home / "heard.jsonl").read_text().splitlines()]
    refused = [one for one in heard if "error" in one]
    assert [one["error"]["code"] for one in refused] == [-32601] * (
        4 if how == "wants files" else 0
    )


def test_a_program_that_is_not_there_is_a_failed_run(shop, home):
    one = shop(replace(odd(home, "x"), start=("no-such-agent-at-all",)))
    run = attempt(one, "aaa0")

    assert run.ended["code"] == 127
    assert "no-such-agent" in run.ended["why"]


def test_a_link_out_of_the_folder_is_outside_of_it(tmp_path):
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "out").symlink_to("/etc")
    options = [{"optionId": "y", "kind": "allow_once"}, {"optionId": "n", "kind": "reject_once"}]

    def may(path):
        deed = {"kind": "edit", "locations": [{"path": path}]}
        asked = {"toolCall": deed, "options": options}
        return answer(asked, USUAL, str(tmp_path / "repo")).option == "y"

    assert may("a.py")
    assert may(str(tmp_path / "repo" / "a.py"))
    assert not may("out/passwd")
    assert not may(str(tmp_path / "repository" / "a.py"))
    assert not may("../repo-two/a.py")


@pytest.mark.parametrize(
    "asked",
    [{}, {"options": None}, {"options": [1, {}], "toolCall": 3}, {"toolCall": {"kind": []}},
     {"toolCall": {"kind": "edit", "locations": [{"path": "\x00"}], "rawInput": []},
      "options": [{"kind": "allow_always", "optionId": "a"}]}],
)  # fmt: skip
def test_what_is_no_request_gets_no_leave(asked):
    found = answer(asked, USUAL, "/tmp")

    assert (found.option, found.allowed) == ("", False)
