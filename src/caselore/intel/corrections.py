"""Reads which amounts a page takes back.

Must not take back an amount that no sentence calls wrong.
"""

from __future__ import annotations

import re

from caselore.intel.modality import is_correction
from caselore.intel.money import amounts
from caselore.intel.pages import Page
from caselore.intel.sentences import sentences


def corrected_amounts(page: Page) -> frozenset[float]:
    """Give the amounts that a page says were wrong."""
    wrong: set[float] = set()
    for one in sentences(page):
        if is_correction(one.text):
            values = [amount.value for amount in amounts(one.text)]
            wrong |= set(_wrong_of(one.text, values))
    return frozenset(wrong)


def _wrong_of(text: str, values: list[float]) -> list[float]:
    """Tell the wrong values of a correction from the right one."""
    if len(values) < 2:
        said = re.search(
            r"earlier|previous|originally|incorrectly|wrongly|mistakenly|misstated",
            text,
            re.IGNORECASE,
        )
        return (
            values
            if said
            and not re.search(
                r"correct(?:ed)? (?:figure|amount|price|number) (?:is|was)|should (?:be|read)|corrected to",
                text,
                re.IGNORECASE,
            )
            else []
        )
    right_first = re.search(r",?\s+not\s+(?:the\s+)?[$€£\d]", text)
    return values[1:] if right_first else values[:-1]
