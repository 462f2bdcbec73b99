"""The story that the product is for, told by commands alone: fail, confirm, recall, tell apart."""

from __future__ import annotations

import pytest
import scenes
from homes import copy

CHUNKS = "chunks of 2,000 rows"
CAUSE = "one statement rewrote all shipments and was cancelled"
OTHER = "raise PROFILE_CACHE_TTL to 3600"


def diagnose(home, log, number, code, service="order-service", **options):
    more = [part for name, value in options.items() for part in (f"--{name}", value)]
    return home.ok(
        "diagnose", log, "--service", service, "--deployment", number, "--environment", "production",
        "--branch", "main", "--stage", "migrate", *more, code=code,
    )  # fmt: skip


def confirm(home, number, cause, resolution, *more, result="succeeded"):
    return home.ok(
        "confirm", number, "--cause", cause, "--resolution", resolution, "--result", result, *more
    )


@pytest.fixture(scope="module")
def closed(anas_home, tmp_path_factory):
    """Two closed failures: a migration at 204, and another service's cache at 205."""
    ana = copy(anas_home, tmp_path_factory.mktemp("closed"))
    first = diagnose(ana, ana.log("204.log", scenes.FIRST), "204", 1)
    assert first["fix"] == []
    assert first["precedents"] == []
    assert not first["sufficient"]
    confirm(ana, "204", CAUSE, f"Filled the column in {CHUNKS}, committing after each")
    diagnose(ana, ana.log("205.log", scenes.MISSING_VARIABLE), "205", 1, "profile-service")
    confirm(ana, "205", "the cache was too short", OTHER)
    return ana


@pytest.fixture
def history(closed, tmp_path):
    """Give the two closed failures in a home of the test's own."""
    return copy(closed, tmp_path)


def test_the_same_cause_in_other_words_gets_the_confirmed_fix_cited(history):
    found = diagnose(history, history.log("311.log", scenes.ALEMBIC), "311", 0)
    known = history.ok("show", "204")["incident"]

    assert found["sufficient"]
    assert CHUNKS in " ".join(one["text"] for one in found["fix"])
    assert all(known in one["cites"] for one in found["fix"] if CHUNKS in one["text"])
    assert [one["deployment"] for one in found["precedents"]] == ["204"]
    assert found["precedents"][0]["same_failure"] is False
    assert "3600" not in str(found["fix"])


def test_each_sentence_of_diagnosis_and_fix_cites_something(history):
    found = diagnose(history, history.log("311.log", scenes.ALEMBIC), "311", 0)

    for sentence in found["diagnosis"]:
        assert sentence["cites"] or sentence["lines"]
    for sentence in found["fix"]:
        assert sentence["cites"]
    for quote in found["evidence"]:
        assert quote["cites"]
        assert quote["quote"]


def test_a_repeat_with_other_values_is_the_same_failure(history):
    found = diagnose(history, history.log("320.log", scenes.REPEAT), "320", 0)

    assert found["precedents"][0]["deployment"] == "204"
    assert found["precedents"][0]["same_failure"] is True
    assert found["occurrences"]["count"] == 2


def test_an_unrelated_family_does_not_get_the_fix(history):
    """In another service, in the same one, and where that family has a fix of its own."""
    other = diagnose(history, history.log("206.log", scenes.PYTEST), "206", 1, "profile-service")
    same = diagnose(history, history.log("207.log", scenes.PYTEST), "207", 1)
    known = diagnose(history, history.log("208.log", scenes.MISSING_VARIABLE), "208", 0)

    for found in (other, same, known):
        assert CHUNKS not in str(found["fix"])
        assert "204" not in [one["deployment"] for one in found["precedents"]]
    assert OTHER in str(known["fix"])


def test_the_chain_is_shown_after_a_link_and_a_third_failure_has_two_precedents(history):
    diagnose(history, history.log("311.log", scenes.ALEMBIC), "311", 0)
    linked = confirm(history, "311", CAUSE, f"parcels in {CHUNKS}", "--precedent", "204")
    shown = history.ok("show", "311")
    third = diagnose(history, history.log("400.log", scenes.REPEAT), "400", 0)

    assert linked["precedents"] == [history.ok("show", "204")["incident"]]
    assert {one["deployment"] for one in shown["chain"]} >= {"204", "311"}
    assert "#311" in history.run("show", "311").out
    assert {one["deployment"] for one in third["precedents"]} == {"204", "311"}


def test_not_the_same_is_permanent(history):
    diagnose(history, history.log("320.log", scenes.REPEAT), "320", 0)
    history.ok("unlike", "320", "204", "--why", "that was a lock, this is a slow disk")

    again = diagnose(history, history.log("320.log", scenes.REPEAT), "320", 1)

    assert again["precedents"] == []
    assert CHUNKS not in str(again["fix"])


def test_a_fix_that_failed_is_shown_as_what_not_to_do(ana):
    diagnose(ana, ana.log("1.log", scenes.FIRST), "1", 1)
    confirm(
        ana, "1", CAUSE, "raised statement_timeout to 45 min", "--why-failed", "payments waited",
        result="failed",
    )  # fmt: skip

    found = diagnose(ana, ana.log("2.log", scenes.REPEAT), "2", 1)

    assert not found["sufficient"]
    assert found["precedents"][0]["outcome"]["result"] == "failed"
    assert "raised statement_timeout" not in " ".join(
        one["text"] for one in found["fix"] if "not" not in one["text"].lower()
    )


def test_a_proposal_is_never_recalled(ana):
    diagnose(ana, ana.log("1.log", scenes.FIRST), "1", 1)
    ana.ok("propose", "1", "--cause", "a guess", "--resolution", "delete the table zebra_9")

    found = diagnose(ana, ana.log("2.log", scenes.REPEAT), "2", 1)

    assert "zebra_9" not in str(found)


def test_a_deployment_is_never_its_own_precedent(history):
    again = diagnose(history, history.log("204.log", scenes.FIRST), "204", 1)

    assert "204" not in [one["deployment"] for one in again["precedents"]]


def test_a_green_run_takes_out_what_it_also_says(ana):
    green = ana.log("green.log", "starting\nERROR: cache is cold, going on\ndone\n")
    red = ana.log(
        "red.log", "starting\nERROR: cache is cold, going on\nERROR: disk sda1 is gone\n"
    )
    ana.ok("green", green, "--service", "s", "--stage", "t")

    read = ana.ok("read", red, "--green", green)
    found = ana.ok("diagnose", red, "--service", "s", "--stage", "t", code=1)

    assert read["failing_line"] == 3
    assert found["reading"]["failing_line"] == 3


def test_recall_answers_in_words_and_for_an_incident(history):
    words = history.ok("recall", "canceling statement due to statement timeout")
    diagnose(history, history.log("311.log", scenes.ALEMBIC), "311", 0)
    incident = history.ok("recall", "--incident", "311", "--limit", "1")

    assert words["precedents"][0]["deployment"] == "204"
    assert len(incident["precedents"]) == 1
    assert incident["precedents"][0]["signals"]
    assert sum(one["points"] for one in incident["precedents"][0]["signals"]) == pytest.approx(
        incident["precedents"][0]["score"]
    )


def test_fix_statistics_say_worked_by_whom_and_when(history):
    shown = history.ok("show", "204")

    assert shown["fixes"][0]["worked"] == 1
    assert shown["fixes"][0]["tried"] == 1
    assert "ana" in str(shown["fixes"][0]["by"])
    assert "worked 1 of 1" in history.run("show", "204").out
