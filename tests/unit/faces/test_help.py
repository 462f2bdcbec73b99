"""Every command says what it does, with an example, within the width; completion works."""

from __future__ import annotations

import pytest

from caselore.faces.cli.app import main

COMMANDS = (
    "read", "diagnose", "confirm", "refute", "unlike", "supersede", "propose", "recall", "incidents", "show",
    "green", "import", "export", "ledger verify", "ledger show", "erase", "backup", "restore", "quarantine list",
    "quarantine show", "quarantine release", "quarantine drop", "token create", "token list",
    "token revoke", "doctor", "demo", "guard", "redact", "signature explain", "signature merge", "signature split",
    "repair simulate", "repair track", "repair untrack", "repair status", "repair explain",
    "repair rearm", "repair workers", "repair watch",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_an_example_json_and_bank(capsys, command):
    assert main([*command.split(), "--help"]) == 0

    shown = capsys.readouterr().out
    assert f"caselore {command}" in shown
    assert "Example:" in shown
    assert "--json" in shown
    assert "--bank" in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_the_help_names_every_command_within_eighty_columns(capsys, arguments):
    assert main(arguments) == 0

    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    for command in COMMANDS:
        assert f"  {command.split()[0]} " in shown


@pytest.mark.parametrize("group", ["ledger", "token", "quarantine", "signature"])
def test_a_group_alone_shows_its_commands(capsys, group):
    assert main([group]) in (0, 2)

    shown = capsys.readouterr()
    assert "Commands" in shown.out + shown.err
    words = " ".join((shown.out + shown.err).split())
    assert f"Example: caselore {group} " in words


def test_a_mistyped_command_is_answered_with_the_nearest(capsys):
    assert main(["diagnoze"]) == 2

    assert "diagnose" in capsys.readouterr().err


def test_the_version_is_printed(capsys):
    assert main(["--version"]) == 0

    assert capsys.readouterr().out.startswith("caselore 0.")
