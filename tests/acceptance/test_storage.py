"""What comes in stays whole, what is erased is gone, and a changed byte is found."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess

import pytest
import scenes
from homes import PROGRAM, Home

from fakes import means

MARK = "zanzibar-quokka-4711"


def row(number: int, **more: object) -> str:
    fields = {
        "deployment_id": str(number), "service": f"service-{number % 7}", "branch": "main",
        "environment": "production", "commit": f"{number:040x}", "status": "failed",
        "error": f"ERROR: step {number % 50} failed: relation \"t{number % 50}\" does not exist",
        "root_cause": f"cause {number % 50}", "infrastructure_change": "none",
        "resolution": f"apply change {number % 50}", "outcome": "resolved",
        "related_historical_incident": None, "confirmed_by": "carl",
        "confirmed_at": "2026-02-03T10:00:00Z", "occurred_at": "2026-02-03T09:00:00Z",
    }  # fmt: skip
    return json.dumps({**fields, **more})


BAD = {
    17: "this is no JSON",
    2_500: '["a", "list"]',
    4_000: row(4_000, service=""),
    5_001: row(5_001, outcome="perhaps"),
    6_000: row(6_000, confirmed_at="the other day"),
    7_777: row(7_777, confirmed_by="agent:bot"),
    8_888: '{"deployment_id": "8888", "service": "s", "error": NaN}',
}


def test_ten_thousand_closed_incidents_come_in_and_each_bad_line_is_named(ana):
    lines = [BAD.get(number, row(number)) for number in range(1, 10_001)]
    data = "\n".join(lines).encode()
    file = ana.log("closed.jsonl", data[:100].replace(b"\n", b"\n") + data[100:] + b"\n\xff\xfe\n")

    first = ana.run("import", file, "--json")
    again = ana.run("import", file, "--json")

    assert first.code == 1
    assert first.json["added"] == 10_000 - len(BAD)
    assert [one["line"] for one in first.json["refused"]] == [*BAD, 10_001]
    assert all(one["reason"] for one in first.json["refused"])
    assert first.err.count("rows/s") >= 3
    assert again.json["added"] == 0
    assert again.json["known"] == 10_000 - len(BAD)
    assert ana.ok("ledger", "verify")["ok"]


def test_an_export_is_taken_by_another_home_and_adds_nothing_twice(ana, tmp_path):
    ana.ok("import", "-", stdin="\n".join(row(n) for n in range(1, 21)))
    exported = ana.run("export", "--json").out
    other = Home(tmp_path / "other")

    assert other.ok("import", "-", stdin=exported)["added"] == 20
    assert other.ok("import", "-", stdin=exported)["added"] == 0
    assert other.ok("show", "3")["outcome"] == ana.ok("show", "3")["outcome"]


def test_an_import_from_a_pipe_with_windows_line_ends_and_a_byte_order_mark_works(ana):
    data = b"\xef\xbb\xbf" + "\r\n".join(row(n) for n in range(1, 4)).encode()

    assert ana.ok("import", "-", stdin=data)["added"] == 3


def test_erase_leaves_no_copy_in_any_file(ana):
    log = ana.log("secret.log", scenes.FIRST.replace("fill carrier code", MARK))
    ana.ok("diagnose", log, "--deployment", "9", "--service", "s", code=1)
    ana.ok(
        "confirm",
        "9",
        "--cause",
        f"{MARK} cause",
        "--resolution",
        f"{MARK} fix",
        "--result",
        "succeeded",
    )
    assert holding(ana, MARK)

    ana.ok("erase", "9", "--why", "holds a name")

    assert holding(ana, MARK) == []
    assert ana.ok("ledger", "verify")["ok"]
    assert ana.run("show", "9").code == 4
    assert MARK not in ana.run("export").out + ana.run("ledger", "show", "--json").out


def holding(home: Home, text: str) -> list[str]:
    """Name the files of a home that hold a text in any usual encoding."""
    forms = [text.encode(), text.encode("utf-16-le"), text.encode("utf-16-be")]
    return [
        path.name
        for path in home.folder.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    ]


def test_a_changed_byte_in_a_row_is_found(ana):
    ana.ok("import", "-", stdin="\n".join(row(n) for n in range(1, 6)))
    file = ana.folder / "caselore.db"
    link = sqlite3.connect(file)
    tables = [
        name for (name,) in link.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    ]
    link.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    link.close()
    copy = ana.folder.parent / "whole.db"
    shutil.copy(file, copy)
    changed = 0
    for table in tables:
        shutil.copy(copy, file)
        if change(file, table):
            changed += 1
            ran = ana.run("ledger", "verify", "--json", CASELORE_TOKEN="")
            assert ran.code in (1, 5), (table, ran)
    assert changed >= 4


def change(file, table: str) -> bool:
    """Change one character of one text in the last row of a table."""
    link = sqlite3.connect(file)
    try:
        columns = [one[1] for one in link.execute(f"PRAGMA table_info({table})")]
        for column in columns:
            found = link.execute(
                f"SELECT {column} FROM {table} WHERE typeof({column}) = 'text' AND {column} != '' LIMIT 1"
            ).fetchone()
            if found:
                new = ("y" if found[0][0] != "y" else "z") + found[0][1:]
                link.execute("PRAGMA foreign_keys = OFF")
                link.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, found[0])
                )
                link.commit()
                return True
        return False
    except sqlite3.IntegrityError:
        return False
    finally:
        link.close()


@pytest.mark.parametrize("content", [b"not a database " * 200, b"\x00" * 5000])
def test_another_programs_file_is_left_as_it_is(home, content):
    home.folder.mkdir()
    file = home.folder / "caselore.db"
    file.write_bytes(content)

    ran = home.run("incidents", "--json")

    assert ran.code == 5
    assert json.loads(ran.err)["error"]["hint"]
    assert file.read_bytes() == content


def test_a_home_that_is_a_file_is_a_clear_error(home):
    home.folder.write_text("x")

    ran = home.run("incidents", "--json")

    assert ran.code == 5
    assert json.loads(ran.err)["error"]["message"]
    assert home.folder.read_text() == "x"


@pytest.mark.needs("mounts")
def test_a_home_that_cannot_be_written_is_still_read(ana):
    ana.ok("import", "-", stdin="\n".join(row(n) for n in range(1, 4)))

    def run(*arguments):
        command = " ".join([*PROGRAM, *(f"'{one}'" for one in arguments)])
        return subprocess.run(
            [*means.IN_A_NAMESPACE, f"{means.frozen(ana.folder)} && {command}"],
            capture_output=True, text=True, check=False, env=ana.environment, timeout=120,
        )  # fmt: skip

    assert json.loads(run("show", "2", "--json").stdout)["deployment"] == "2"
    assert json.loads(run("recall", "relation t3 does not exist", "--json").stdout)["precedents"]
    assert json.loads(run("ledger", "verify", "--json").stdout)["ok"]
    (ana.folder.parent / "more.jsonl").write_text(row(9))
    written = run("import", str(ana.folder.parent / "more.jsonl"))
    assert written.returncode == 5
    assert "cannot be written" in written.stderr
    rebuilt = run("index", "rebuild")
    assert rebuilt.returncode == 5
    assert "Give this user the folder" in " ".join(rebuilt.stderr.split())
