"""Pipes, packed and wide logs, full and closed streams: answered in bounded time, never in silence."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import subprocess
import time

import pytest
import scenes
from homes import PROGRAM

PACKED = {
    "gzip": gzip.compress(scenes.PYTEST.encode()),
    "bzip2": bz2.compress(scenes.PYTEST.encode()),
    "xz": lzma.compress(scenes.PYTEST.encode()),
    "UTF-16": scenes.PYTEST.encode("utf-16"),
    "UTF-32": scenes.PYTEST.encode("utf-32"),
}


@pytest.mark.parametrize("form", PACKED)
def test_a_packed_or_wide_log_is_read_as_the_plain_one(home, form):
    plain = home.ok("read", home.log("x.log", scenes.PYTEST))
    found = home.ok("read", home.log("y.log", PACKED[form]))

    for part in ("lines", "failing_line", "excerpt", "signature"):
        assert found[part] == plain[part]
    assert found["bytes"] == len(PACKED[form])
    assert any(form in note for note in found["notes"])


@pytest.mark.parametrize("form", PACKED)
def test_an_incident_keeps_the_digest_and_size_of_the_file_that_was_given(home, form):
    found = home.ok("diagnose", home.log("y.log", PACKED[form]), "--service", "pay", code=1)

    kept = home.ok("show", found["incident"])["log"]
    assert kept["digest"] == hashlib.sha256(PACKED[form]).hexdigest()
    assert kept["bytes"] == len(PACKED[form])


def test_a_cut_or_foreign_archive_is_said_to_be_one(home):
    cut = home.ok("read", home.log("x.gz", PACKED["gzip"][:-20]))
    assert any("damaged or cut" in note for note in cut["notes"])

    archive = home.ok("read", home.log("x.zip", b"PK\x03\x04" + bytes(60)))
    assert any("zip archive" in note for note in archive["notes"])


def test_a_pipe_that_nobody_writes_to_is_not_waited_for_for_ever(home):
    fifo = home.folder.parent / "fifo"
    os.mkfifo(fifo)
    began = time.monotonic()
    ran = home.run("read", str(fifo))

    assert ran.code == 5
    assert "Nobody writes" in ran.err
    assert time.monotonic() - began < 15


def test_a_pipe_whose_writer_comes_late_and_a_process_substitution_are_read(home):
    log = home.log("x.log", scenes.PYTEST)
    fifo = home.folder.parent / "fifo"
    os.mkfifo(fifo)
    with subprocess.Popen(["sh", "-c", f"sleep 1; (sleep 1; cat {log}) > {fifo}"]):
        late = home.ok("read", str(fifo))
    given = subprocess.run(
        ["bash", "-c", f"{' '.join(PROGRAM)} read --json <(sleep 1; cat {log})"],
        env=home.environment,
        capture_output=True,
        check=True,
    )

    assert late["failing_line"] == 8
    assert b'"failing_line": 8' in given.stdout


@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&-", ">&- 2>&- <&-", "2> /dev/full"])
def test_closed_and_full_streams_change_no_exit_code(ana, redirection):
    log = ana.log("x.log", scenes.PYTEST)
    ana.ok("diagnose", log, "--deployment", "5", code=1)
    for command, code in (
        ("show 5", 0), ("incidents", 0), ("doctor", 0), ("show 77", 4), ("frob", 2),
    ):  # fmt: skip
        ended = subprocess.run(
            ["sh", "-c", f"{' '.join(PROGRAM)} {command} {redirection}"],
            env=ana.environment,
            capture_output=True,
            check=False,
        )
        assert ended.returncode == code, (command, ended)
        assert b"Traceback" not in ended.stderr
        assert b"fault of caselore" not in ended.stderr


def test_a_full_disk_under_the_output_is_named(ana):
    ended = subprocess.run(
        ["sh", "-c", f"{' '.join(PROGRAM)} incidents > /dev/full"],
        env=ana.environment,
        capture_output=True,
        check=False,
    )

    assert ended.returncode == 5
    assert b"output could not be written" in ended.stderr


def test_a_failed_log_is_no_passing_run_unless_one_insists(ana):
    job = ("--service", "s", "--stage", "t")
    for failed in (scenes.PYTEST, scenes.FIRST, scenes.MISSING_VARIABLE):
        ran = ana.run("green", ana.log("x.log", failed), *job)
        assert ran.code == 3, ran
        assert "reads as a failure" in ran.err
        assert "--anyway" in ran.err
    assert ana.ok("ledger", "verify")["entries"] == 1

    complaint = "$ make\nERROR: no optional plugin, going on\nall done\nJob succeeded\n"
    for passed in (scenes.PASSED, complaint, ""):
        ana.ok("green", ana.log("x.log", passed), *job)
    ana.ok("green", ana.log("x.log", scenes.PYTEST), *job, "--anyway")


def test_bad_weights_and_families_are_a_trouble_of_the_settings(ana):
    for text in (
        '[[family]]\nname = "x"\n',
        "[weights]\nsame_servce = 3\n",
        '[weights]\nsame_service = "x"\n',
    ):
        (ana.folder / "caselore.toml").write_text(text)
        found = {one["name"]: one["ok"] for one in ana.ok("doctor", code=5)["checks"]}

        assert not found.pop("settings"), text
        assert all(found.values()), (text, found)
