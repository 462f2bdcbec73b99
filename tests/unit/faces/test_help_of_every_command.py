"""Every command explains itself as a manual's page does: found by enumeration, none forgotten."""

from __future__ import annotations

import re
import shlex

import click
import pytest
import typer

from caselore.faces.cli.app import EPILOG, app

ROOT = typer.main.get_command(app)


def commands(command, words=("caselore",)):
    """Give every command and group with the words that call it."""
    yield words, command
    for name, inner in getattr(command, "commands", {}).items():
        if not inner.hidden:
            yield from commands(inner, (*words, name))


EVERY = {" ".join(words): command for words, command in commands(ROOT)}


def help_of(name):
    words = name.split()
    context = None
    command = ROOT
    for word in words:
        command = ROOT if context is None else command.commands[word]
        context = click.Context(command, info_name=word, parent=context, terminal_width=100)
    return command.get_help(context)


def test_there_are_commands_to_look_at():
    assert len(EVERY) >= 60


@pytest.mark.parametrize("name", EVERY)
def test_a_help_has_synopsis_description_options_example_and_exit_codes(name):
    text, flat = help_of(name), " ".join(help_of(name).split())
    described = text.split("\n\n")[1].strip()

    assert text.startswith(f"Usage: {name} ")
    assert described.endswith((".", "?")), described
    assert "Options:" in text
    assert " ".join(EPILOG.split()) in flat
    assert name == "caselore" or re.search(r"(?m)^ +Examples?:", text), "no example"


@pytest.mark.parametrize("name", EVERY)
def test_an_option_says_what_it_is_for_and_what_it_is_by_default(name):
    text = " ".join(help_of(name).split())
    for option in EVERY[name].params:
        if getattr(option, "hidden", False) or option.name == "help":
            continue
        assert getattr(option, "help", None), option.name
        default = option.default
        if isinstance(option, click.Option) and default not in (None, False, "", (), []):
            shown = str(getattr(default, "value", default))
            assert shown in text, (option.name, shown)


@pytest.mark.parametrize("name", [one for one in EVERY if one != "caselore"])
def test_an_example_calls_the_command_that_it_explains(name):
    text = re.split(r"(?m)^ +Examples?:", help_of(name))[1]
    shown = re.split(r"(?m)^\w", text)[0].replace("\\\n", " ")
    calls = [line.strip() for line in shown.splitlines() if "caselore" in line]

    assert calls, name
    assert any(call[call.index("caselore") :].startswith(name) for call in calls), calls
    for call in calls:
        assert shlex.split(call.split("#")[0], comments=True)
