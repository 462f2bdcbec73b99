"""Cuts a page's text into sentences, each with its place; none crosses a block.

Must not change a character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caselore.intel.days import MONTHS
from caselore.intel.lexicon import words
from caselore.intel.pages import Block, Page

_ABBREVIATIONS = words("sentences", "abbreviations")
_END = re.compile(r"[.!?。！？…]+[\"'”’»)\]]*(?=\s|$)|[。！？]")
ASIDE = re.compile(
    r",\s+(?:which|who|whose|that|the|a|an|its|one of|formerly|known for|founded|based|headquartered|backed|owned|led)\b"
    r"[^,;.]{3,140},"
)
"""What stands between commas about a name: `, which competes with X,`."""
LONGEST = 600  # characters of a sentence; a longer one is cut at a semicolon if it has one


class Sentence(NamedTuple):
    """One sentence of a page."""

    first: int
    last: int
    text: str
    block: int
    """The number of its block."""
    place: int
    """Its number within the block."""


def sentences(page: Page) -> tuple[Sentence, ...]:
    """Give a page's sentences in order."""
    return tuple(
        one for number, block in enumerate(page.blocks) for one in _of_block(page, block, number)
    )


def _of_block(page: Page, block: Block, number: int) -> Iterator[Sentence]:
    text = page.part(block)
    if block.kind in {"heading", "row", "term", "caption"}:
        yield Sentence(block.first, block.last, text, number, 0)
        return
    for place, (first, last) in enumerate(cut(text)):
        yield Sentence(block.first + first, block.first + last, text[first:last], number, place)


def cut(text: str) -> Iterator[tuple[int, int]]:
    """Give the first and last offset of each sentence of a text."""
    begin = 0
    for match in _END.finditer(text):
        if not _ends(text, begin, match):
            continue
        yield from _trimmed(text, begin, match.end())
        begin = match.end()
    yield from _trimmed(text, begin, len(text))


def _ends(text: str, begin: int, match: re.Match[str]) -> bool:
    mark = match.group()
    if mark[0] != ".":
        after = text[match.end() : match.end() + 3].lstrip()
        return not (mark[0] in "!?" and after[:1].islower())  # `Captn! sold`, `"Why?" he asked`
    before = text[begin : match.start()]
    word = re.split(r"[\s(\[)\]“\"'/–—-]", before)[-1] if before else ""
    after = text[match.end() : match.end() + 3].lstrip()
    if after and after[0].islower():
        return False
    if word.lower() in MONTHS and after[:1].isdigit():
        return False  # Feb. 17
    if word.lower() in _ABBREVIATIONS and after:
        # "Inc." may end a sentence, too: it does not where the next word continues in small letters
        return word.lower() in {"inc", "corp", "ltd", "co", "llc", "plc"} and _new_start(
            after, text, match.end()
        )
    if len(word) == 1 and word.isupper() and after:  # J. Smith; but Model X. It
        return _new_start(after, text, match.end())
    return not (word.isdigit() and len(word) <= 2 and _month_next(text[match.end() :]))


def _new_start(after: str, text: str, at: int) -> bool:
    words = text[at:].split(maxsplit=2)[:2]
    return bool(words) and words[0] in {"The", "It", "In", "A", "This", "We", "On", "Its", "They"}


def _month_next(rest: str) -> bool:

    words = rest.split(maxsplit=1)
    return bool(words) and words[0].lower().rstrip(".,") in MONTHS


def _trimmed(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    while first < last and text[first].isspace():
        first += 1
    while last > first and text[last - 1].isspace():
        last -= 1
    if first >= last:
        return
    if last - first > LONGEST:
        middle = text.find("; ", first, last)
        if middle > 0:
            yield first, middle + 1
            yield from _trimmed(text, middle + 2, last)
            return
    yield first, last
