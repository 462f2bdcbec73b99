"""A secret that is given as a name or with a reason reaches neither the disk nor the screen."""

from __future__ import annotations

import pytest
import scenes

SECRET = "ghp" + "_" + "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0aB3dE5"


def on_disk(home) -> bytes:
    return b"".join(path.read_bytes() for path in home.folder.rglob("*") if path.is_file())


def test_names_of_a_run_that_hold_a_secret_are_refused_and_not_repeated(ana):
    log = ana.log("x.log", scenes.PYTEST)
    for option in ("service", "branch", "commit", "environment", "stage", "deployment"):
        for value in (SECRET, "https://bot:S3cr3tPw9@git.example/x"):
            ran = ana.run("diagnose", log, f"--{option}", value)
            assert ran.code == 2, ran
            assert SECRET not in ran.out + ran.err
            assert "S3cr3tPw9" not in ran.out + ran.err
    assert SECRET.encode() not in on_disk(ana)


@pytest.mark.parametrize(
    "arguments",
    [
        ("token", "create", "--role", "ci", "--name", SECRET),
        ("show", SECRET),
        ("incidents", "--bank", SECRET),
        ("incidents", "--status", SECRET),
        ("incidents", "--since", SECRET),
        ("token", "revoke", SECRET),
        ("read", f"/nowhere/{SECRET}.log"),
        ("green", "x.log", "--service", SECRET, "--stage", "t"),
        ("erase", SECRET, "--why", "w"),
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_no_message_repeats_a_secret(ana, arguments, form):
    ana.log("x.log", scenes.PASSED)
    ran = ana.run(*arguments, *form)

    assert ran.code in (2, 4), ran
    assert SECRET not in ran.out + ran.err
    assert SECRET.encode() not in on_disk(ana)


def test_a_reason_is_kept_without_its_secret(ana):
    ana.ok("diagnose", ana.log("x.log", scenes.PYTEST), "--deployment", "1", code=1)
    ana.ok("erase", "1", "--why", f"it held {SECRET}")

    assert SECRET.encode() not in on_disk(ana)
