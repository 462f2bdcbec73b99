"""A claim passes where its quote says it, and not where a number, a name, a day or a denial differs."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest

from caselore.intel.claims import Evidence, check, locate

sys.path.insert(0, str(Path(__file__).parent))
from intel_prose import REPORTS

QUOTES = [text for text, _, _ in REPORTS]

PAGE = "Velora said on Monday that it bought Pinewood Analytics for $28 million in cash. Pinewood has 40 staff."
QUOTE = PAGE.split(". ", maxsplit=1)[0] + "."


def evidence(quote=QUOTE, text=PAGE, **more):
    return Evidence(
        quote,
        text,
        text.find(quote),
        text.find(quote) + len(quote),
        "Velora buys Pinewood",
        "2026-10-05",
        ("Velora",),
        **more,
    )


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Velora bought Pinewood Analytics for $28M", "verified"),
        ("Velora bought Pinewood Analytics for $28,000,000 in cash", "verified"),
        ("Velora bought Pinewood on 5 October 2026", "verified"),
        ("Velora bought Pinewood Analytics for $82M", "contradicted"),
        ("Velora bought Pinewood Analytics for €28M", "contradicted"),
        ("Velora bought Pinewood on 9 October 2026", "contradicted"),
        ("Velora did not buy Pinewood Analytics", "contradicted"),
        ("Velora bought Globex for $28M", "unverified"),
        ("Velora bought Pinewood Analytics with 40 staff for $28M", "unverified"),
        ("The weather was fine on the coast", "unverified"),
    ],
)  # fmt: skip
def test_the_ladder_gives_its_verdict(text, verdict):
    assert check(text, evidence()).verdict == verdict


def test_a_quote_that_denies_supports_no_claim():
    quote = "Velora denied that it bought Pinewood Analytics for $28 million."
    assert (
        check("Velora bought Pinewood Analytics for $28 million", evidence(quote, quote)).verdict
        == "contradicted"
    )


def test_a_quote_that_only_plans_supports_half():
    quote = "Velora plans to buy Pinewood Analytics for $28 million."
    assert (
        check("Velora buys Pinewood Analytics for $28 million", evidence(quote, quote)).verdict
        == "partial"
    )


def test_a_page_that_a_guard_holds_supports_nothing():
    assert (
        check("Velora bought Pinewood Analytics for $28M", evidence(held=True)).verdict
        == "unverified"
    )


def test_a_quote_is_found_again_after_blanks_and_quotation_marks_changed():
    text = "He said:  “It’s done” –\nand left. " + PAGE
    assert text[slice(*locate("“It's done\" - and left.", text, 0))] == "“It’s done” –\nand left."
    assert locate("Velora bought Oakline for nothing at all, nobody said", PAGE, 0) is None


def test_a_quote_with_another_number_is_not_found_by_its_likeness():
    assert locate(QUOTE.replace("28", "29"), PAGE, 0) is None


def mutated(text, rng):
    """Change one digit of one number; None where there is none."""
    spots = [one.start() for one in re.finditer(r"\d", text)]
    if not spots:
        return None
    at = rng.choice(spots)
    other = rng.choice([digit for digit in "123456789" if digit != text[at]])
    return text[:at] + other + text[at + 1 :]


def test_a_changed_number_is_caught_and_a_true_one_passes():
    rng = random.Random(7)
    caught = total = alarms = 0
    for quote in QUOTES:
        own = Evidence(quote, quote, 0, len(quote), "", "2026-10-08", ("Velora",))
        alarms += check(quote, own).verdict in {"contradicted", "unverified"}
        for _ in range(5):
            wrong = mutated(quote, rng)
            if wrong and wrong != quote:
                total += 1
                caught += check(wrong, own).verdict in {"contradicted", "unverified"}
    assert total >= 150
    assert caught >= 0.95 * total, (caught, total)
    assert alarms <= 0.05 * len(QUOTES), (alarms, len(QUOTES))
