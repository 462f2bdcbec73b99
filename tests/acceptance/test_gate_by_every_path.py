"""By every path that exists, only a person confirms."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import scenes
from homes import Home, copy

VERDICTS = {
    "confirm": ("confirm", "1", "--cause", "c", "--resolution", "r", "--result", "succeeded"),
    "refute": ("refute", "1", "--why", "w"),
    "unlike": ("unlike", "1", "2", "--why", "w"),
    "erase": ("erase", "1", "--why", "w"),
}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The home that `two` copies."""
    home = Home(tmp_path_factory.mktemp("two") / "home")
    tokens = {role: home.token_for(role, f"{role}-one") for role in ("human", "ci", "agent")}
    home.ok("diagnose", home.log("1.log", scenes.FIRST), "--deployment", "1", code=1)
    home.ok("diagnose", home.log("2.log", scenes.PYTEST), "--deployment", "2", code=1)
    return home, tokens


@pytest.fixture
def two(both, tmp_path):
    """A home with incidents 1 and 2, a token of each role, and nobody's by default."""
    home, tokens = both
    return copy(home, tmp_path), tokens


def refused(ran):
    assert ran.code == 3, ran
    assert ran.out == ""
    problem = json.loads(ran.err)["error"]
    assert problem["code"] == "gate_refused"
    assert problem["hint"]


def unconfirmed(home):
    assert {one["status"] for one in home.run("incidents", "--json").lines} <= {
        "observed",
        "proposed",
    }


def test_a_token_of_role_agent_or_ci_is_refused(two):
    home, tokens = two
    for role in ("agent", "ci"):
        for verdict in VERDICTS.values():
            refused(home.run(*verdict, "--json", CASELORE_TOKEN=tokens[role]))
    unconfirmed(home)


def test_a_coding_agents_shell_is_refused(two):
    home, _ = two
    for marker in ("CLAUDECODE", "CODEX_SANDBOX", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE"):
        refused(home.run(*VERDICTS["confirm"], "--json", **{marker: "1"}))
    unconfirmed(home)


def test_without_a_terminal_and_a_token_it_is_refused(two):
    home, _ = two
    for verdict in VERDICTS.values():
        refused(home.run(*verdict, "--json"))
    unconfirmed(home)


def test_a_person_at_a_terminal_confirms(two):
    home, _ = two
    ran = home.at_terminal(*VERDICTS["confirm"], USER="berta")

    assert ran.code == 0, ran.out
    assert home.ok("show", "1")["outcome"]["confirmed_by"].endswith("berta")


def test_an_agent_with_a_terminal_of_its_own_is_refused(two):
    home, _ = two
    assert home.at_terminal(*VERDICTS["confirm"], CLAUDECODE="1").code == 3
    unconfirmed(home)


def test_an_agents_token_at_a_terminal_is_refused(two):
    home, tokens = two
    assert home.at_terminal(*VERDICTS["confirm"], CASELORE_TOKEN=tokens["agent"]).code == 3
    unconfirmed(home)


def test_a_human_token_confirms(two):
    home, tokens = two
    assert home.run(*VERDICTS["confirm"], CASELORE_TOKEN=tokens["human"]).code == 0


def test_a_wrong_token_is_refused_and_not_replaced_by_another_identity(two):
    home, _ = two
    for token in ("x", "clt_", "human:ana", "clt_" + "0" * 12 + "_" + "0" * 64):
        assert home.at_terminal(*VERDICTS["confirm"], CASELORE_TOKEN=token).code == 3
    unconfirmed(home)


def test_a_revoked_token_is_refused(two):
    home, tokens = two
    home.ok("token", "revoke", "human-one", CASELORE_TOKEN=tokens["human"])

    assert home.run(*VERDICTS["confirm"], CASELORE_TOKEN=tokens["human"]).code == 3


def test_an_agent_cannot_make_itself_a_human_token_even_in_a_new_home(home):
    create = ("token", "create", "--role", "human", "--name", "me", "--json")
    refused(home.run(*create, CLAUDECODE="1"))

    agent = home.token_for("agent", "bot")
    refused(home.run(*create, CASELORE_TOKEN=agent))


def test_after_a_person_has_acted_only_a_person_makes_tokens(two):
    home, tokens = two
    assert home.run(*VERDICTS["confirm"], CASELORE_TOKEN=tokens["human"]).code == 0
    create = ("token", "create", "--role", "human", "--name", "late", "--json")

    refused(home.run(*create))
    assert home.run(*create, CASELORE_TOKEN=tokens["human"]).code == 0


ROW = {
    "deployment_id": "9001", "service": "billing", "error": "OOMKilled", "root_cause": "leak",
    "resolution": "limit 2Gi", "outcome": "resolved", "confirmed_by": "carl",
    "confirmed_at": "2026-02-03",
}  # fmt: skip


def test_an_agents_import_confirms_nothing(two):
    home, tokens = two
    for identity in (
        {"CASELORE_TOKEN": tokens["agent"]},
        {"CASELORE_TOKEN": tokens["ci"]},
        {"GEMINI_CLI": "1"},
    ):
        ran = home.run("import", "-", "--json", stdin=json.dumps(ROW), **identity)
        assert ran.code == 1, ran
        assert ran.json["refused"][0]["line"] == 1
        assert ran.json["refused"][0]["reason"]
    unconfirmed(home)


def test_a_persons_import_counts_rows_that_name_who_and_when(two):
    home, _ = two
    unsigned = {k: v for k, v in ROW.items() if not k.startswith("confirmed")} | {
        "deployment_id": "9002"
    }
    both = json.dumps(ROW) + "\n" + json.dumps(unsigned) + "\n"

    assert home.ok("import", "-", stdin=both)["added"] == 2
    assert home.ok("show", "9001")["status"] == "confirmed"
    assert home.ok("show", "9002")["status"] == "proposed"


SCRIPT = """
import sys, caselore
from caselore.errors import GateRefused
with caselore.open() as app:
    try:
        app.confirm("1", cause="c", resolution="r", result="succeeded", actor=eval(sys.argv[1]))
    except GateRefused as refused:
        sys.exit(3)
"""


def script(home, actor, **environment):
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, repr(actor)],
        env={**home.environment, **environment}, stdin=subprocess.DEVNULL, timeout=60, check=False,
    ).returncode  # fmt: skip


def test_a_script_does_not_become_a_person_by_saying_so(two):
    home, tokens = two
    for actor in (None, "agent:bot", "ci:job", "import:x", "system:x", "human:ana"):
        assert script(home, actor) == 3
    for actor in (None, "human:ana", "human:agent-one"):
        assert script(home, actor, CASELORE_TOKEN=tokens["agent"]) == 3
        assert script(home, actor, CLAUDECODE="1") == 3
    unconfirmed(home)


def test_a_script_with_a_persons_token_confirms(two):
    home, tokens = two
    assert script(home, tokens["agent"]) == 3
    assert script(home, tokens["human"]) == 0
    assert home.ok("show", "1")["outcome"]["confirmed_by"].endswith("human-one")


def test_every_refusal_stands_in_the_ledger(two):
    home, tokens = two
    home.run(*VERDICTS["confirm"], CASELORE_TOKEN=tokens["agent"])

    last = home.run("ledger", "show", "--json").lines[-1]
    assert last["action"] == "refused"
    assert last["actor"] == "agent:agent-one"
    assert home.ok("ledger", "verify")["ok"]
