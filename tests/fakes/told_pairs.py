"""Pairs of a claim and its evidence with a label: passages written for it, faithful ones, and those with one thing changed."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

CASES = Path(__file__).resolve().parent.parent / "cases" / "claims"
LABELS = {"+": "supported", "-": "refuted", "?": "not enough"}
NAMES = ("Velora", "Quarrystone", "Ardent & Pike", "L'Orme Cloud", "Brindle", "Northgate Systems", "Osprey Labs", "Talus", "Kettleworth", "Mirador AI")  # fmt: skip
PEOPLE = ("Mara Lindholm", "Tomas Okafor", "Ines Duarte", "Will Hargreave", "Yuna Seo", "Peter Nagy")  # fmt: skip
TOWNS = ("Leeds", "Rotterdam", "Lyon", "Osaka", "Munich", "Toronto", "Porto")
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")  # fmt: skip
SIGNS = {"USD": ("$", "dollars"), "EUR": ("€", "euros"), "GBP": ("£", "pounds")}
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


class Pair(NamedTuple):
    """A claim with the passage that it is held against, and how the two stand."""

    claim: str
    evidence: str
    label: str
    kind: str = ""
    """What was changed, where something was."""
    title: str = ""


def written(half: str = "") -> list[Pair]:
    """Give the labelled pairs over general passages: all, those to learn from, or those held out."""
    found, passage, number = [], "", -1
    for line in (CASES / "general.txt").read_text("utf-8").splitlines():
        if line.startswith("@ "):
            passage, number = line[2:], number + 1
        elif line[:2] in {"+ ", "- ", "? "} and half in {"", ("open", "held out")[number % 2]}:
            found.append(Pair(line[2:], passage, LABELS[line[0]]))
    return found


def styled(name: str) -> list[Pair]:
    """Give the labelled pairs in the manner of public sets: `styles` or `fresh`."""
    found, title, passage = [], "", ""
    for line in (CASES / f"{name}.txt").read_text("utf-8").splitlines():
        if line.startswith("@ "):
            title, bar, passage = line[2:].partition(" | ")
            title, passage = (title, passage) if bar else ("", title)
        elif line[:2] in {"+ ", "- ", "? "}:
            found.append(Pair(line[2:], passage, LABELS[line[0]], title=title))
    return found


class Slot(NamedTuple):
    """One value of a pair: how the page may word it, how a claim may, and other values."""

    forms: tuple[str, ...]
    wrong: tuple[tuple[str, str], ...]
    """Kinds of change with what stands then."""


def faithful(rounds: int, seed: int = 1) -> Iterator[tuple[str, str, dict[str, Slot]]]:
    """Give quotes and claims with their slots still open, each template as often as is asked."""
    rng = random.Random(seed)
    lines = (CASES / "market.txt").read_text("utf-8").splitlines()
    for line in (one for one in lines if "=>" in one and not one.startswith("#")):
        quote, claim = (one.strip() for one in line.split("=>"))
        for _ in range(rounds):
            names = rng.sample(NAMES, 5)
            slots = {
                slot: _slot(slot, rng, names)
                for slot in sorted(set(re.findall(r"\{(\w+)\}", line)))
            }
            yield quote, claim, slots


def _slot(slot: str, rng: random.Random, names: list[str]) -> Slot:
    if slot[0] == "m":
        return _money(rng)
    if slot == "p":
        value = rng.choice([3, 8, 12, 15, 24, 40])
        wrong = ("percent", f"{value + rng.choice([1, 3, 10])}%")
        return Slot((f"{value}%", f"{value} percent", f"{value} per cent"), (wrong,))
    if slot == "n":
        value = rng.choice([25, 60, 140, 1_200, 4_500, 25_000])
        digit = str(value)
        other = digit[:-1] + str((int(digit[-1]) + rng.randint(1, 9)) % 10)
        return Slot((f"{value:,}", digit), (("digits", other), ("digits", f"{value * 10:,}")))
    if slot == "b":
        value = rng.randint(2, 12)
        other = value % 11 + 2 if value % 11 + 2 != value else 3
        return Slot((str(value), WORDS[value]), (("words", WORDS[other]), ("digits", str(other))))
    if slot in {"y", "d"}:
        return _day(rng) if slot == "d" else _year(rng)
    if slot == "r":
        low = rng.choice([20, 35, 400, 12_000])
        high = low + rng.choice([15, 50, 300])
        told = (f"{low:,} to {high:,}", f"{low:,}–{high:,}", f"{low:,} and {high:,}")
        return Slot(told, (("range", f"{low:,} to {high + 5:,}"), ("range", f"{low + 5:,} to {high:,}")))  # fmt: skip
    if slot in {"A", "B", "C"}:
        return Slot((names["ABC".index(slot)],), (("name", names[3]),))
    pool = PEOPLE if slot == "P" else TOWNS
    one, other = rng.sample(pool, 2)
    return Slot((one,), (("person" if slot == "P" else "place", other),))


def _year(rng: random.Random) -> Slot:
    value = rng.randint(2019, 2029)
    return Slot((str(value),), (("year", str(value + rng.choice([-1, 1, 2]))),))


def _money(rng: random.Random) -> Slot:
    currency = rng.choice(list(SIGNS))
    sign, word = SIGNS[currency]
    if rng.random() < 0.5:
        value = rng.choice([9, 19, 29, 45, 99, 120])
        forms = (f"{sign}{value}", f"{value} {word}", f"{currency} {value}")
        other = f"{sign}{value + rng.choice([1, 6, 10])}"
    else:
        value = rng.choice([1.2, 7, 12.5, 28, 95, 310])
        forms = (f"{sign}{value:g} million", f"{sign}{value:g}M", f"{value:g} million {word}", f"{sign}{value * 1e6:,.0f}")  # fmt: skip
        other = f"{sign}{value + rng.choice([0.5, 1, 20]):g} million"
    elsewhere = SIGNS[rng.choice([one for one in SIGNS if one != currency])][0]
    wrong = [("money", other), ("currency", forms[0].replace(sign, elsewhere))]
    if "million" in forms[0]:
        wrong.append(("scale", forms[0].replace("million", "billion")))
    return Slot(forms, tuple(wrong))


def _day(rng: random.Random) -> Slot:
    day = date(rng.randint(2024, 2026), rng.randint(1, 12), rng.randint(1, 28))
    other = day + timedelta(days=rng.choice([1, 30, 365]))
    return Slot(_days(day), (("day", rng.choice(_days(other))),))


def _days(day: date) -> tuple[str, ...]:
    name = MONTHS[day.month - 1]
    return (
        f"{day.day} {name} {day.year}",
        f"{name} {day.day}, {day.year}",
        f"{day.day} {name[:3]} {day.year}",
    )


def filled(
    text: str, slots: dict[str, Slot], rng: random.Random, wrong: dict[str, str] | None = None
) -> str:
    """Give a text with each slot in one of its forms; those that are to be wrong, so."""
    return re.sub(
        r"\{(\w+)\}",
        lambda match: (wrong or {}).get(match[1]) or rng.choice(slots[match[1]].forms),
        text,
    )


def true_pairs(rounds: int, seed: int = 1) -> Iterator[Pair]:
    """Give the faithful pairs."""
    rng = random.Random(seed)
    for quote, claim, slots in faithful(rounds, seed):
        yield Pair(filled(claim, slots, rng), filled(quote, slots, rng), "supported")


TURNED = (
    ("raises", "cuts"), ("raised", "cut"), ("rise", "fall"), ("grew", "fell"), ("cut ", "raised "),
    ("opened", "shut"), ("shut", "opened"), ("launched", "discontinued"), ("joins", "leaves"),
    ("bought", "sold"), ("hires", "lays off"), ("laying off", "hiring"), ("lost", "earned"), ("denied", "confirmed"),
)  # fmt: skip
SOFTENED = (
    (" bought ", " is reportedly in talks to buy "), (" launched ", " plans to launch "), (" hires ", " may hire "),
    (" raised ", " hopes to raise "), (" has agreed to acquire ", " is considering a bid for "),
    (" opened ", " intends to open "), (" cut the ", " could cut the "), (" released ", " is expected to release "),
    (" raises ", " might raise "), (" today launched ", " is rumoured to launch "), (" grew ", " is expected to grow "),
)  # fmt: skip


def changed_pairs(rounds: int, seed: int = 1) -> Iterator[Pair]:
    """Give pairs in which one thing of a faithful one was changed, with its kind."""
    rng = random.Random(seed)
    for quote, claim, slots in faithful(rounds, seed):
        page = filled(quote, slots, rng)
        for slot in sorted(set(re.findall(r"\{(\w+)\}", claim))):
            for kind, other in slots[slot].wrong:
                if other not in page:
                    yield Pair(filled(claim, slots, rng, {slot: other}), page, "refuted", kind)
        said = filled(claim, slots, rng)
        yield from _worded_otherwise(said, page, rng)
        yield from _turned(claim, slots, page, rng)


def _worded_otherwise(said: str, page: str, rng: random.Random) -> Iterator[Pair]:
    for old, new in TURNED:
        if old in said and " not " not in said:
            yield Pair(said.replace(old, new, 1), page, "refuted", "direction")
            break
    if " not " in said:
        yield Pair(said.replace("does not plan", "plans"), page, "refuted", "polarity")
    for verb in (" bought ", " raised ", " launched ", " opened ", " joins ", " grew "):
        if verb in said:
            yield Pair(
                said.replace(verb, f" did not {verb.strip()} "), page, "refuted", "polarity"
            )
    for old, new in SOFTENED:
        if old in page and old.split()[0] in said and "denied" not in page:
            yield Pair(said, page.replace(old, new, 1), "not enough", "modality")


def _turned(claim: str, slots: dict[str, Slot], page: str, rng: random.Random) -> Iterator[Pair]:
    """Let the one do what the other did."""
    roles = re.search(r"\{A\} (?:has agreed to acquire|bought|is paying|kauft|adquiere)", claim)
    if roles and "{B}" in claim:
        swapped = {"A": slots["B"].forms[0], "B": slots["A"].forms[0]}
        yield Pair(filled(claim, slots, rng, swapped), page, "refuted", "roles")
