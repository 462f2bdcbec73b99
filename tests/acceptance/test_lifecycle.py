"""How a memory lives on: what was known when, what replaced what, what is kept and what goes."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import scenes
from homes import Home, copy


def failed(home, deployment, log=scenes.FIRST, *, code=1):
    """Diagnose one failed deployment and give its document."""
    path = home.log(f"{deployment}.log", log)
    ran = home.run("diagnose", path, "--service", "orders", "--deployment", deployment, "--json")
    assert ran.code in ((0, 1) if code is None else (code,)), ran
    return ran.json


def confirmed(home, deployment, resolution="batches of 500 rows", result="succeeded"):
    home.ok(
        "confirm", deployment, "--cause", "one long lock", "--resolution", resolution,
        "--result", result,
    )  # fmt: skip


def test_a_recall_as_of_a_time_answers_from_what_was_known_then(ana):
    failed(ana, "1017")
    failed(ana, "1057", scenes.REPEAT)
    before = datetime.now(UTC).isoformat()
    confirmed(ana, "1017")

    then = ana.ok("recall", "--incident", "1057", "--as-of", before, code=1)
    now = ana.ok("recall", "--incident", "1057")
    elsewhere = ana.ok("recall", "--incident", "1057", "--environment", "staging", code=1)

    assert (then["precedents"], len(then["nearest"])) == ([], 1)
    assert [one["deployment"] for one in now["precedents"]] == ["1017"]
    assert elsewhere["considered"] == 0
    assert ana.run("recall", "lock", "--as-of", "yesterday").code == 2


def test_an_outcome_that_another_one_replaces_is_no_fix_any_more_and_says_so(ana):
    failed(ana, "1017")
    confirmed(ana, "1017", "a longer statement timeout")
    failed(ana, "1057", scenes.REPEAT, code=0)
    confirmed(ana, "1057", "batches of 500 rows")
    new = failed(ana, "1063", code=0)
    assert {one["text"] for one in new["fix"]} == {
        "a longer statement timeout", "batches of 500 rows",
    }  # fmt: skip

    said = ana.ok("supersede", "1017", "--by", "1057", "--why", "batches do it")
    found = ana.ok("recall", "--incident", "1063")
    shown = ana.run("show", "1017").out

    assert said["status"] == "superseded"
    assert [one["deployment"] for one in found["precedents"]] == ["1057"]
    (old,) = [one for one in found["nearest"] if one["deployment"] == "1017"]
    assert old["superseded_by"] == found["precedents"][0]["incident"]
    assert old["superseded_by"] in old["why_not"]
    assert old["outcome"] is None
    assert "superseded by" in shown
    assert failed(ana, "1064", code=0)["fix"][0]["text"] == "batches of 500 rows"


def test_only_a_person_says_that_an_outcome_is_replaced(ana):
    for number in ("1017", "1057"):
        failed(ana, number, scenes.FIRST if number == "1017" else scenes.REPEAT, code=None)
        confirmed(ana, number)
    agent = ana.token_for("agent", "coder")

    ran = ana.run(
        "supersede", "1017", "--by", "1057", "--why", "mine is better", CASELORE_TOKEN=agent
    )
    alone = ana.run("supersede", "1017", "--by", "1017", "--why", "x")

    assert (ran.code, alone.code) == (3, 2)
    assert ana.ok("show", "1017")["status"] == "confirmed"


def test_a_person_says_that_two_signatures_are_one_failure_and_takes_it_back(ana):
    failed(ana, "1017", scenes.FIRST)
    confirmed(ana, "1017")
    path = ana.log("other.log", scenes.ALEMBIC)
    other = ana.ok("diagnose", path, "--service", "parcels", "--deployment", "88", code=1)
    agent = ana.token_for("agent", "coder")
    why = ("--why", "both lock the table")

    refused = ana.run("signature", "merge", "88", "1017", *why, CASELORE_TOKEN=agent)
    joined = ana.ok("signature", "merge", "88", "1017", *why)
    found = ana.ok("recall", "--incident", "88")
    parted = ana.ok("signature", "split", other["reading"]["signature"]["id"], *why)

    assert refused.code == 3
    assert (len(joined["signatures"]), joined["incidents"]) == (2, 2)
    assert [one["same_failure"] for one in found["precedents"]] == [True]
    assert parted == {"signatures": [other["reading"]["signature"]["id"]], "incidents": 1}
    assert ana.ok("recall", "--incident", "88", code=1)["precedents"] == []
    assert ana.run("signature", "split", "sig1:0000", *why).code == 4
    assert ana.ok("ledger", "verify")["ok"]


def test_a_backup_comes_back_elsewhere_and_an_erasure_reaches_it(ana, tmp_path):
    erased = failed(ana, "1017")["incident"]
    confirmed(ana, "1017")
    failed(ana, "1057", scenes.REPEAT, code=0)
    file, moved = str(tmp_path / "monday.db"), str(tmp_path / "moved.db")

    made = ana.ok("backup", file)
    ana.ok("backup", moved)
    (tmp_path / "moved.db").rename(tmp_path / "elsewhere.db")
    new = Home(tmp_path / "new" / "home", token=ana.token)
    (tmp_path / "new").mkdir()
    refused = ana.run("backup", file, CASELORE_TOKEN=ana.token_for("agent", "coder"))
    back = Home(new.folder).ok("restore", file)
    gone = ana.ok("erase", erased, "--why", "a customer asked")

    assert made["banks"][0]["entries"] == back["banks"][0]["entries"]
    assert [one["deployment"] for one in new.run("incidents", "--json").lines] == ["1057", "1017"]
    assert new.ok("ledger", "verify")["ok"]
    assert refused.code == 3
    assert [(one["path"], one["rewritten"]) for one in gone["backups"]] == [
        (file, True), (moved, False),
    ]  # fmt: skip
    assert "no such file" in gone["backups"][1]["reason"]
    assert Home(new.folder).run("restore", str(tmp_path / "none.db")).code == 4


def test_a_token_of_one_bank_opens_no_other(ana):
    mine = ana.token_for("human", "bo")
    theirs = ana.run(
        "token", "create", "--role", "human", "--name", "cy", "--bank", "team", "--json",
        CASELORE_TOKEN="",
    ).json["token"]  # fmt: skip
    log = ana.log("a.log", scenes.FIRST)
    words = ("diagnose", log, "--service", "orders", "--deployment", "1")

    assert ana.run(*words, "--bank", "team", CASELORE_TOKEN=mine).code == 3
    assert ana.run(*words, CASELORE_TOKEN=theirs).code == 3
    assert ana.run("token", "list", "--bank", "team", CASELORE_TOKEN=mine).code in (0, 3)
    assert ana.run("erase", "1", "--why", "x", "--bank", "team", CASELORE_TOKEN=mine).code == 3
    assert ana.run(*words, "--bank", "team", CASELORE_TOKEN=theirs).code == 1
    assert ana.run("show", "1", CASELORE_TOKEN=mine).code == 4


def test_an_older_export_brings_back_nothing_that_was_erased_since(ana, anas_home, tmp_path):
    failed(ana, "1017")
    confirmed(ana, "1017")
    old = ana.run("export").out
    ana.ok("erase", "1017", "--why", "a customer asked")
    new = ana.run("export").out
    other = copy(anas_home, tmp_path / "other")

    other.ok("import", "-", stdin=old)
    kept = other.ok("import", "-", stdin=new, code=1, CASELORE_TOKEN="")
    assert other.ok("show", "1017")["status"] == "confirmed"
    gone = other.ok("import", "-", stdin=new)
    again = other.ok("import", "-", stdin=old, code=1)

    assert "only a person erases" in kept["refused"][0]["reason"]
    assert (gone["erased"], gone["refused"]) == (1, [])
    assert "was erased" in again["refused"][0]["reason"]
    assert other.run("show", "1017").code == 4
    assert other.run("export").out.splitlines()[-1:] == new.splitlines()[-1:]
    other.ok("ledger", "verify")


def test_a_changed_or_cut_export_is_told_by_its_line(ana, anas_home, tmp_path):
    for number in ("1017", "1057", "1063"):
        failed(ana, number, scenes.FIRST.replace("600", number))
    lines = ana.run("export").out.splitlines(keepends=True)
    seal = json.loads(lines[-1])["seal"]
    other = copy(anas_home, tmp_path / "other")

    changed = "".join([lines[0], lines[1].replace("1057", "1058"), lines[2]])
    told = other.ok("import", "-", stdin=changed, code=1)
    cut = other.ok("import", "-", "--seal", seal, stdin="".join(lines[:2]), code=1)

    assert [one["line"] for one in told["refused"]] == [2]
    assert told["added"] == 2
    assert [one["line"] for one in cut["refused"]] == [3]
    assert other.ok("import", "-", "--part", stdin=lines[1])["known"] == 1


RULES = """
[retention.noise]
older = "0h"
status = ["observed", "confirmed"]
"""


def test_rules_of_retention_are_told_first_and_applied_by_a_person(ana, tmp_path):
    failed(ana, "1017")
    confirmed(ana, "1017")
    failed(ana, "1057", scenes.REPEAT, code=0)
    ana.ok(
        "confirm", "1057", "--cause", "one long lock", "--resolution", "batches of 500 rows",
        "--result", "succeeded", "--precedent", "1017",
    )  # fmt: skip
    failed(ana, "9", "Traceback:\nKeyError: 'zebravariable'\n", code=None)
    copy_file = tmp_path / "monday.db"
    ana.ok("backup", str(copy_file))
    assert "No rule is set" in ana.run("retention", "apply").out
    (ana.folder / "caselore.toml").write_text('[retention.noise]\nolder = "0h"\n')
    ci = ana.token_for("ci", "gitlab")

    told = ana.ok("retention", "apply", "--dry-run")
    refused = ana.run("retention", "apply", CASELORE_TOKEN=ci)
    assert ana.run("show", "9").code == 0
    done = ana.ok("retention", "apply")
    again = ana.ok("retention", "apply")

    assert (told["dry_run"], told["due"], told["removed"]) == (True, 1, 0)
    assert "older than 0d" in told["rules"][0]["going"][0]["why"]
    assert refused.code == 3
    assert (done["removed"], done["verified"], again["removed"]) == (1, True, 0)
    assert [one["rewritten"] for one in done["backups"]] == [True]
    assert ana.run("show", "9").code == 4
    for path in (*ana.folder.rglob("*"), copy_file):
        assert not path.is_file() or b"zebravariable" not in path.read_bytes(), path
    (ana.folder / "caselore.toml").write_text(
        '[retention.all]\nolder = "0h"\nstatus = ["confirmed"]\nservice = "orders"\n'
    )
    assert "2 removed" in ana.run("retention", "apply").out


def test_a_repository_cannot_say_what_is_removed(ana):
    (ana.folder.parent / "caselore.toml").write_text(RULES)

    ran = ana.run("retention", "apply")

    assert ran.code == 2
    assert "home's caselore.toml only" in ran.err
