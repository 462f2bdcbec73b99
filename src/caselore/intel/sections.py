"""Finds the days that stand over the parts of a page: of a list of news, a changelog, a history of incidents.

Must not date a part by a day that its own words only mention.
"""

from __future__ import annotations

from caselore.intel.days import lone_day, one_day
from caselore.intel.pages import Block, Page

BESIDE = 4  # further words that a line may hold that is there for its day: `Posted on`, `v4.2`


def section_days(page: Page) -> dict[int, str]:
    """Give the day of each block, by its number, that a line with a day alone stands over.

    Such a line may stand before its heading or behind it; a page does one or the other throughout.
    """
    lines = {
        number: day
        for number, block in enumerate(page.blocks)
        if (day := _day_of_line(page, block))
    }
    if len(lines) < 2:
        return {}
    heads = [number for number, one in enumerate(page.blocks) if one.kind in {"heading", "term"}]
    heads = [one for one in heads if one not in lines]
    before = sum(one - 1 in lines for one in heads)
    behind = sum(one + 1 in lines for one in heads)
    starts = dict(lines)
    if behind > before:
        starts = {(one - 1 if one - 1 in heads else one): day for one, day in lines.items()}
    found: dict[int, str] = {}
    current = ""
    for number in range(len(page.blocks)):
        current = starts.get(number, current)
        if current:
            found[number] = current
    return found


def _day_of_line(page: Page, block: Block) -> str:
    """Give the day of a line that holds little else."""
    text = page.part(block)
    if block.kind == "row" or len(text) > 60:
        return ""
    lone = lone_day(text, BESIDE, page.published)
    if lone is not None:
        return lone.day
    return "" if len(text) > 24 or one_day(text, page.published) else block.day
