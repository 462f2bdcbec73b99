"""Restoring a worker: its conversation from where it began, else a new one with a handoff.

Each ready profile against a program of the same name and manners.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from caselore.repair.workers.profiles import ready
from caselore.repair.workers.words import objects, result
from fakes import cli_agents
from fakes.recordings import CHANGE
from fakes.repair_world import ID, WATCHER
from fakes.shop import Shop, until

COMMANDS = sorted(name for name, one in ready().items() if one.protocol == "command")
CONVERSE = [name for name in COMMANDS if ready()[name].resumes]


@pytest.fixture
def shop(tmp_path):
    made = []

    def build(name):
        cli = tmp_path / "cli"
        bin = cli_agents.install(cli)
        one = Shop(tmp_path / "lore.db", replace(ready()[name], name="coder"))
        one.secrets = {"PATH": f"{bin}:{os.environ['PATH']}", "HOME": str(cli)}
        one.cli = cli
        found = one.account.tracked(ID)
        work = tmp_path / "work"
        work.mkdir()
        one.account.track(found.state.ref, replace(found.owner, folder=str(work)), WATCHER)
        made.append(one)
        return one

    yield build
    for one in made:
        one.close()


def seen(one):
    return [json.loads(line) for line in (one.cli / "seen.jsonl").read_text().splitlines()]


def attempt(one, number):
    """Let attempt `number` begin and end, and its worker push."""
    one.red(f"aaa{number - 1}")
    one.round()
    run = one.run
    until(lambda: run.ended)
    one.forge.push(CHANGE, f"aaa{number}")
    one.round()
    return run


@pytest.mark.parametrize("name", CONVERSE)
def test_the_second_event_goes_on_in_the_conversation_of_the_first(shop, name):
    one = shop(name)
    first, second = attempt(one, 1), attempt(one, 2)

    began, again = seen(one)
    assert began["again"] == ""
    assert again["again"] == one.account.tracked(ID).owner.session
    assert again["cwd"] == began["cwd"]
    assert (first.ended["rung"], second.ended["rung"]) == ("fresh", "resumed")
    assert "attempt 2/5" in again["prompt"]
    assert "You are new" not in again["prompt"]
    for run in (first, second):
        assert run.said(one.profile).status == "pushed"
        assert run.said(one.profile).summary.startswith("mended by")


@pytest.mark.parametrize("name", CONVERSE)
def test_a_conversation_that_is_lost_begins_anew_with_what_was_tried(shop, name):
    one = shop(name)
    attempt(one, 1)
    (one.cli / "known.json").unlink()
    one.forge.diffs["aaa0", "aaa1"] = "diff --git a/pay.py b/pay.py\n+total = 2\n"
    before = one.account.tracked(ID).owner.session
    second = attempt(one, 2)

    _, lost, new = seen(one)
    assert lost["again"] == before
    assert new["again"] == ""
    assert second.ended["rung"] == "fresh"
    assert second.said(one.profile).status == "pushed"
    assert "You are new to MR !42" in new["prompt"]
    assert "+total = 2" in new["prompt"]
    assert "mended by" in new["prompt"]
    # and from now on the new one is taken up
    attempt(one, 3)
    assert seen(one)[-1]["again"] == one.account.tracked(ID).owner.session
    assert one.account.tracked(ID).state.count == 3


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_is_gone_means_a_new_conversation_and_a_worktree_first(shop, name):
    one = shop(name)
    attempt(one, 1)
    os.rmdir(one.account.tracked(ID).owner.folder)
    attempt(one, 2)

    _, new = seen(one)
    assert new["again"] == ""
    assert "is gone: make a worktree" in new["prompt"]
    assert "You are new" in new["prompt"]


def test_a_worker_without_conversations_always_gets_the_handoff(shop):
    one = shop("aider")
    first, second = attempt(one, 1), attempt(one, 2)

    assert "You are new" not in seen(one)[0]["prompt"]
    assert "You are new" in seen(one)[1]["prompt"]
    assert (first.ended["rung"], second.ended["rung"]) == ("fresh", "fresh")
    assert (one.cli / "pushed").read_text() == "push\npush\n"


def test_where_no_folder_was_named_the_one_it_began_in_is_kept(shop, monkeypatch, tmp_path):
    one = shop("claude-code")
    found = one.account.tracked(ID)
    one.account.track(found.state.ref, replace(found.owner, folder=""), WATCHER)
    attempt(one, 1)
    (tmp_path / "elsewhere").mkdir()
    began = os.getcwd()
    monkeypatch.chdir(tmp_path / "elsewhere")
    attempt(one, 2)

    assert [row["cwd"] for row in seen(one)] == [began, began]
    assert one.account.tracked(ID).owner.folder == began


def test_a_worker_that_worked_and_failed_is_not_begun_anew(shop):
    one = shop("claude-code")
    attempt(one, 1)
    (one.cli / "bin" / "claude").write_text(
        f"#!/bin/sh\necho again >> {one.cli}/tries\n"
        'echo \'{"result": "{\\"status\\": \\"gave_up\\", \\"summary\\": \\"too hard\\"}"}\'\nexit 1\n'
    )
    second = attempt(one, 2)

    assert (one.cli / "tries").read_text() == "again\n"
    assert (second.ended["rung"], second.said(one.profile).status) == ("resumed", "gave_up")


def test_a_worker_that_writes_without_end_is_ended(shop):
    one = shop("claude-code")
    one.profile = replace(one.profile, output=65_536, grace=1)
    (one.cli / "bin" / "claude").write_text(
        "#!/bin/sh\nwhile true; do echo yyyyyyyyyyyyyyy; done\n"
    )
    one.red("aaa0")
    one.round()

    assert one.ended()["why"] == "it wrote more than 65536 bytes"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"status": "pushed"}', "pushed"),
        ('done {"status": "pushed"} and {"status": "ok"}', "pushed"),
        ('{"type": "tool", "status": "completed"}', None),
        ('{"a": {"b": [{"c": "x {\\"status\\": \\"gave_up\\"}"}]}}', "gave_up"),
        ('{"status": {"status": "pushed"}}', "pushed"),
        ('{"status": ["pushed"]}', None),
        ('{"a":' * 300 + '{"status": "pushed"}' + "}" * 300, None),
        ('{"status": "no_change"}{"status": "needs_human"}', "needs_human"),
    ],
)
def test_the_last_word_of_ours_is_found_wherever_it_stands(text, status):
    assert result(objects(text)).get("status") == status
