"""Hindsight from the command line and from Python: mirror, withdraw, take a bank in, two old verbs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from homes import copy

import caselore
from caselore.errors import BadInput
from fakes.hindsight_server import serving

FACTS = {
    "deployment_id": "1017",
    "service": "payment-service",
    "branch": "main",
    "environment": "production",
    "commit": "",
    "status": "failed",
    "error": "psycopg.errors.QueryCanceled: canceling statement due to statement timeout",
    "root_cause": "one transaction updates all rows",
    "infrastructure_change": "",
    "resolution": "run the migration in batches of 500",
    "outcome": "resolved",
    "related_historical_incident": "",
}
SAID = {"confirmed_by": "ana", "confirmed_at": "2026-03-03T10:00:00Z"}


@pytest.fixture
def server():
    with serving() as running:
        yield running


@pytest.fixture
def ana(anas_home, tmp_path, server):
    home = copy(anas_home, tmp_path)
    home.extra = {"CASELORE_HINDSIGHT_URL": server.url, "CASELORE_HINDSIGHT_BANK": "team"}
    return home


def test_a_confirmed_record_is_delivered_and_an_erasure_withdraws_it(ana, server):
    with caselore.IncidentMemory(ana.folder) as memory:
        memory.retain_incident(FACTS, **SAID)
    late = ana.run("doctor").out
    done = ana.ok("hindsight", "sync")
    again = ana.ok("hindsight", "sync")

    assert "`caselore hindsight sync` delivers" in late.replace("\n          ", " ")
    assert (done["kept"], again["kept"], again["removed"]) == (1, 0, 0)
    assert len(server.banks["team"]) == 1
    assert ana.ok("hindsight", "status")["entries"] == again["head"]
    assert "mirror" not in ana.ok("erase", "1017", "--why", "a name stood in it")
    assert server.banks["team"] == {}


RULE = """[retention.old]
older = "0h"
status = "confirmed"
"""


def by_rule(ana, tmp_path):
    (ana.folder / "caselore.toml").write_text(RULE)
    return ana.ok("retention", "apply")


def by_import(ana, tmp_path):
    other = copy(ana, tmp_path / "other")
    other.extra = {}
    other.ok("erase", "1017", "--why", "a name stood in it")
    file = tmp_path / "stones.jsonl"
    file.write_text(other.run("export").out)
    return ana.ok("import", str(file))


@pytest.mark.parametrize("way", [by_rule, by_import])
def test_whatever_way_a_record_is_erased_it_is_withdrawn_at_once(ana, server, tmp_path, way):
    with caselore.IncidentMemory(ana.folder) as memory:
        memory.retain_incident(FACTS, **SAID)
    ana.ok("hindsight", "sync")
    assert len(server.banks["team"]) == 1

    assert "mirror" not in way(ana, tmp_path)
    assert server.banks["team"] == {}


def test_an_erasure_while_the_server_is_gone_says_what_is_left(ana, server):
    with caselore.IncidentMemory(ana.folder) as memory:
        memory.retain_incident(FACTS, **SAID)
    ana.ok("hindsight", "sync")
    server.fault = "fails"
    erased = ana.ok("erase", "1017", "--why", "a name stood in it")
    server.fault = ""

    assert "caselore hindsight sync" in erased["mirror"]
    assert len(server.banks["team"]) == 1
    ana.ok("hindsight", "sync")
    assert server.banks["team"] == {}


def test_a_bank_that_is_taken_in_is_seen_and_never_a_fix(ana, server):
    """Whatever an agent concluded there, here nobody confirmed it."""
    server.banks["agents"] = {
        "a": {"id": "a1", "document_id": "a", "content": "web: deploy failed, no route to host\nFix: reboot"},
        "b": {"id": "b2", "document_id": "b", "content": "cache is cold", "metadata": {"service": "cart"}},
        "caselore:default:inc_1": {"id": "c3", "document_id": "caselore:default:inc_1", "content": "ours"},
    }  # fmt: skip
    first = ana.ok("import", "hindsight", "agents")
    again = ana.ok("import", "hindsight", "agents")

    assert (first["added"], again["added"]) == (2, 0)
    listed = ana.run("incidents", "--json").lines
    assert {one["status"] for one in listed} == {"observed"}
    assert {one["service"] for one in listed} == {"agents", "cart"}
    found = ana.run("recall", "deploy failed, no route to host", "--json")
    assert found.code == 1
    assert found.json["precedents"] == []
    assert found.json["nearest"][0]["why_not"] == "seen before, not resolved yet"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("import", "hindsight", "nobody"), 4, "no bank 'nobody'"),
        (("hindsight", "sync"), 5, "HTTP 500"),
    ],
)
def test_what_cannot_be_done_is_said(ana, server, words, code, said):
    server.fault = "fails" if code == 5 else ""
    with caselore.IncidentMemory(ana.folder) as memory:
        memory.retain_incident(FACTS, **SAID)
    ran = ana.run(*words)

    assert ran.code == code
    assert said in ran.err.replace("\n", " ")


def test_without_an_address_nothing_is_mirrored(ana):
    ana.extra = {}
    ran = ana.run("hindsight", "sync")

    assert ran.code == 2
    assert "CASELORE_HINDSIGHT_URL" in ran.err


def test_it_may_be_asked_as_one_more_arm(ana, server):
    with caselore.IncidentMemory(ana.folder) as memory:
        memory.retain_incident(FACTS, **SAID)
    ana.ok("hindsight", "sync")
    ana.extra["CASELORE_HINDSIGHT_RECALL"] = "yes"
    found = ana.ok("recall", "statement timeout in a migration")

    reasons = [one["reason"] for one in found["precedents"][0]["signals"]]
    assert "place 1 by Hindsight's bank team" in reasons
    assert server.asked == ["statement timeout in a migration"]


# The two verbs


@pytest.fixture
def memory(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith("CASELORE_"):
            monkeypatch.delenv(name)
    with caselore.IncidentMemory(tmp_path / "home") as opened:
        yield opened


def test_code_written_to_the_two_verbs_runs_as_it_is(memory):
    kept = memory.retain_incident({**FACTS, **SAID})
    (found,) = memory.recall("canceling statement due to statement timeout", limit=3)

    assert kept["incident"] == found["incident"]
    assert found["resolution"] == FACTS["resolution"]
    assert set(FACTS) <= set(found)
    assert found["confirmed_by"] == "ana"
    assert found["reasons"]


def test_the_example_runs_and_shows_what_confirming_changes(tmp_path):
    example = Path(__file__).parents[2] / "examples" / "agents" / "incident_memory.py"
    ran = subprocess.run(
        [sys.executable, example], env={"CASELORE_HOME": str(tmp_path / "home"), "PATH": ""},
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip

    first, second = ran.stdout.splitlines()
    assert first == "before anybody confirmed: 0"
    assert second.startswith("1018 run the migration in batches of 500 records ana")


def test_what_nobody_confirmed_is_kept_and_not_recalled(memory):
    kept = memory.retain_incident(**FACTS)

    assert kept["status"] == "proposed"
    assert memory.recall("canceling statement due to statement timeout") == []
    assert memory.retain_incident(**FACTS)["incident"] == kept["incident"]


def test_what_cannot_be_kept_is_an_error_with_its_reason(memory):
    with pytest.raises(BadInput):
        memory.retain_incident(service="web; rm -rf /", error="x", deployment_id="1")
    with pytest.raises(AttributeError):
        _ = caselore.Memory
