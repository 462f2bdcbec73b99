"""Walks a page's sentences and says of each where it stands: under which heading and day, of whom the text speaks.

Must not judge what a sentence says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from caselore.intel.days import Day, days, without
from caselore.intel.entities import Book
from caselore.intel.lexicon import pattern
from caselore.intel.pages import Page
from caselore.intel.price_pages import is_price_page, prices_of
from caselore.intel.sections import section_days
from caselore.intel.sentences import Sentence, sentences
from caselore.intel.subjects import Context, foreign, speaks_of

LEAD = 3  # first sentences of a page that say what it is about

CHANGELOG = re.compile(
    r"change-?log|release[- ]?notes|what['’]?s[- ]new|/releases|product[- ]updates|\bupdates\b",
    re.IGNORECASE,
)
_NOT_ITS_DAY = pattern("extract", "not_its_day", re.IGNORECASE)
_POINTS = re.compile(
    r"\W*(?:read (?:next|more|also|on)|see also|related|more (?:from|on)|also on|trending|recommended|don['’]t miss"
    r"|you may also like|latest news|previous|next)\s*[:|–—-]",
    re.IGNORECASE,
)


_CAUTION = re.compile(r"\bforward[- ]looking statements?\b|^\W*safe harbou?r\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a page a sentence stands."""

    sentence: Sentence
    kind: str
    number: int
    """Which piece of the running text it is."""
    said: int
    """Which whole sentence of it: `Skip to content` is none."""
    heading: str
    heading_day: str
    context: Context
    changelog: bool
    price_list: bool = False
    """On a page that lists plans and what each holds."""
    elsewhere: bool = False
    """It only points to another page."""


def places(page: Page, book: Book) -> Iterator[Place]:
    """Give a page's sentences, each with what is known before it is read."""
    owner = book.owner_of(page)
    aside = foreign(page.title, book)
    topic = speaks_of(page.title, book, None, heading=True)
    current = topic or owner
    first_speaker, heading, heading_day, number, said = current, page.title, "", 0, 0
    changelog = bool(CHANGELOG.search(f"{page.url} {page.title}"))
    dated = section_days(page)
    price_list = is_price_page(page) and len({one.plan for one in prices_of(page)}) >= 2
    for one in sentences(page):
        block = page.blocks[one.block]
        is_heading = block.kind in {"heading", "term"}
        if is_heading:
            current = speaks_of(one.text, book, first_speaker, heading=True)
            named = _own_day(one.text, page.published)
            heading = one.text
            heading_day = block.day or (
                named[0].day if named else "" if block.level <= 2 else heading_day
            )
        context = Context(owner, current, is_heading, block.kind == "item", topic)
        day = block.day or dated.get(one.block, "") or heading_day
        elsewhere = _POINTS.match(one.text) or (
            block.link and not block.day and one.block not in dated
        )
        elsewhere = (bool(elsewhere) and one.text != page.title) or _no_news(page, one, heading)
        yield Place(
            one, block.kind, number, said, heading, day, context, changelog, price_list, elsewhere
        )
        if not is_heading and block.kind != "row":
            number += 1
            said += bool(_SAYS.search(one.text))
            current = speaks_of(one.text, book, current, aside=aside)


_YEAR = re.compile(r"\W{0,2}((?:19|20)\d\d)\W{0,2}[.:–—|-]\s\W*(?=\w)")
_BYLINE = re.compile(
    r"\W*(?:rolled out (?:on )?(?=\w+day)|posted|published|filed|updated|last updated|written|tags?\b|categor(?:y|ies)\b)",
    re.IGNORECASE,
)
_BARE_YEAR = re.compile(r"((?:19|20)\d\d)")
_SAYS = re.compile(r"[.!?…][\"'”’»)\]]*$|^.{80}")
MOST_OF_BYLINE = 100  # characters


def _no_news(page: Page, one: Sentence, heading: str) -> bool:
    """Say whether a sentence is a caution, a byline or a line of a history: `2011. Acquired a chain of schools.`"""
    if _CAUTION.search(one.text) or (len(one.text) < MOST_OF_BYLINE and _BYLINE.match(one.text)):
        return True
    year = _YEAR.match(page.part(page.blocks[one.block])) or _BARE_YEAR.fullmatch(heading.strip())
    return year is not None and year[1] < page.day[:4]


def _own_day(text: str, anchor: str) -> list[Day]:
    """Give the day of a heading that is there for its day: `4.2, 3 May 2026`, not `results to 3 May 2026`."""
    named = [day for day in days(text, anchor) if day.kind == "absolute"]
    if not named:
        return []
    beside = len(without(text, named[0]).split())
    return named if beside <= 6 and not _NOT_ITS_DAY.search(text[: named[0].first]) else []
