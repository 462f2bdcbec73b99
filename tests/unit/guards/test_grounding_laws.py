"""Thousands of generated fixes: a changed value never passes, a faithful wording hardly ever fails."""

from __future__ import annotations

import random

import pytest

from caselore.guards.grounding import ungrounded

NAMES = [
    "pay",
    "orders",
    "ledger",
    "mail",
    "stock",
    "cart",
    "search",
    "billing",
    "user",
    "index",
    "batch",
    "queue",
]
UNITS = ["ms", "s", " seconds", " minutes", "MB", " GiB", "%", " records", " rows", " retries"]
OTHER = {
    "ms": "s", "s": "ms", " seconds": " minutes", " minutes": " seconds", "MB": "GB",
    " GiB": " MiB", "%": " percent", " records": " rows", " rows": " records", " retries": " seconds",
}  # fmt: skip
ALIKE = {"a": "а", "e": "е", "o": "о", "p": "р", "c": "с", "i": "і", "x": "х", "s": "ѕ", "u": "υ"}


def value(kind: str, pick: random.Random) -> str:
    """Give a value of a kind as it stands in real fixes."""
    one, two = pick.sample(NAMES, 2)
    number = pick.randrange(2, 9_999)
    return {
        "number": f"{number}{pick.choice(UNITS)}",
        "version": f"v{pick.randrange(9)}.{pick.randrange(30)}.{pick.randrange(30)}",
        "flag": f"--{one}-{two}={number}",
        "path": f"src/{one}/{two}_{number % 90}.py",
        "variable": f"{one}_{two}_URL".upper(),
        "identifier": f"{one.title()}{two.title()}Job",
        "url": f"https://{one}.example/{two}/{number}",
        "command": f"`make {one}-{two}`",
        "quoted": f'"{one} is {two}"',
    }[kind]


KINDS = ["number", "version", "flag", "path", "variable", "identifier", "url", "command", "quoted"]
SAID = ["Set it to {0} and use {1}.", "Ran {1} with {0}", "{0} was too small; {1} helped, too.", "Pinned {0} in {1} first."]  # fmt: skip
SAID_AGAIN = ["Use {1} and set it to {0}", "With {0}, run {1}.", "{1} helped; so did {0}.", "First {0}, then {1}"]  # fmt: skip


def fix(pick: random.Random) -> tuple[list[str], list[str], str]:
    """Give two kinds of values, the values, and a sentence with both."""
    kinds = pick.sample(KINDS, 2)
    values = [value(kind, pick) for kind in kinds]
    return kinds, values, pick.choice(SAID).format(*values)


def changed(kind: str, text: str, pick: random.Random) -> str:
    """Change a value in one of the ways in which values go wrong."""
    ways = [way for way in (_digit, _unit, _part, _case, _alike, _unseen) if way(kind, text, pick)]
    return pick.choice(ways)(kind, text, pick)


def _digit(kind: str, text: str, pick: random.Random) -> str:
    places = [at for at, char in enumerate(text) if char.isdigit()]
    if not places:
        return ""
    at = pick.choice(places)
    return text[:at] + str((int(text[at]) + pick.randint(1, 9)) % 10) + text[at + 1 :]


def _unit(kind: str, text: str, pick: random.Random) -> str:
    number = text.rstrip("".join(set("".join(UNITS))))
    return number + OTHER[text[len(number) :]] if kind == "number" else ""


def _part(kind: str, text: str, pick: random.Random) -> str:
    """Change a part of a version, flag, path, address, name or quotation."""
    found = [name for name in NAMES if name in text.lower()]
    if not found:
        return ""
    one = pick.choice(found)
    other = pick.choice([name for name in NAMES if name not in text.lower()])
    for form in (str.lower, str.upper, str.title):
        if form(one) in text:
            return text.replace(form(one), form(other), 1)
    return ""


def _case(kind: str, text: str, pick: random.Random) -> str:
    places = [at for at, char in enumerate(text) if char.isalpha()]
    if not places:
        return ""
    at = pick.choice(places)
    return text[:at] + text[at].swapcase() + text[at + 1 :]


def _alike(kind: str, text: str, pick: random.Random) -> str:
    places = [at for at, char in enumerate(text) if char in ALIKE]
    if not places:
        return ""
    at = pick.choice(places)
    return text[:at] + ALIKE[text[at]] + text[at + 1 :]


def _unseen(kind: str, text: str, pick: random.Random) -> str:
    at = pick.randrange(1, len(text))
    return text[:at] + pick.choice("\u200b\u200d\u2060\u00ad") + text[at:]


@pytest.mark.parametrize("tries", [400, pytest.param(5_000, marks=pytest.mark.soak)])
def test_no_fix_with_a_changed_value_passes(tries: int) -> None:
    pick = random.Random(500)
    for _ in range(tries):
        kinds, values, source = fix(pick)
        at = pick.randrange(2)
        wrong = changed(kinds[at], values[at], pick)
        said = pick.choice([source, pick.choice(SAID_AGAIN).format(*values)])
        told = said.replace(values[at], wrong, 1)
        assert ungrounded(told, [source]), (told, source)


@pytest.mark.parametrize("tries", [300, pytest.param(5_000, marks=pytest.mark.soak)])
def test_a_faithful_fix_in_other_words_is_rejected_less_than_once_in_a_hundred(tries: int) -> None:
    pick = random.Random(501)
    rejected = 0
    for _ in range(tries):
        _, values, source = fix(pick)
        rejected += bool(ungrounded(pick.choice(SAID_AGAIN).format(*values), [source]))
    assert rejected <= tries / 100
