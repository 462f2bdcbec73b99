"""Tells on which day happened what a sentence reports, and from what that is known.

Must not take the day of a deadline, a founding or another's doing for the event's.
"""

from __future__ import annotations

import re

from caselore.intel.cues import RECENT
from caselore.intel.days import Day, apart, day_of
from caselore.intel.lexicon import pattern
from caselore.intel.modality import clause_of
from caselore.intel.pages import Page
from caselore.intel.places import Place
from caselore.intel.price_moves import begins

OPENING = 60  # characters at the head of a sentence in which a dateline stands
OLD = 60  # days by which a sentence's own day may lie before the page's, to be news

_EFFECTIVE = pattern("extract", "effective", re.IGNORECASE)
_NOT_ITS_DAY = pattern("extract", "not_its_day", re.IGNORECASE)
_DATELINE = re.compile(r"^[^\w]{0,3}(?:/[\w ]+/|\([\w ]+\))?\W{0,3}(?:--|—|–|:| - )")


def event_day(
    page: Page, place: Place, named: tuple[Day, ...], event_type: str, trigger: int
) -> tuple[str, str]:
    """Give the day of what a sentence reports, and from what that is known."""
    text, anchor = place.sentence.text, page.day
    priced = event_type == "pricing_change"
    begun = begins(text, named, anchor) if priced else ""
    if begun:
        return begun, "effective"
    own = [one for one in named if _may_be(one, text, trigger, anchor, event_type)]
    since = next((one for one in own if priced and _holds_from(one, text, anchor)), None)
    if since:
        return since.day, "effective"
    if own:
        best = min(own, key=lambda one: (_opens(text, one, own), abs(one.first - trigger)))
        return best.day, "dateline" if _opens(text, best) else "sentence"
    if place.heading_day:
        return place.heading_day, "heading"
    if page.published:
        return page.published, "dateline" if page.published_from == "byline" else "page"
    return day_of(page.fetched_at), "fetched"


def _may_be(one: Day, text: str, trigger: int, anchor: str, event_type: str) -> bool:
    """Say whether a day that a sentence names can be the event's."""
    first, last = clause_of(text, trigger)
    if one.kind == "vague" or not first <= one.first < last:
        return False  # `B fell on 1 June, while A, sold to C, said`: the day is B's
    head = _before(one, text)
    if _NOT_ITS_DAY.search(head) and not _since_now(one, head, anchor):
        return False
    ahead = bool(anchor) and one.day > anchor
    if event_type == "pricing_change":
        return True
    return not ahead or (event_type == "feature_launch" and not _holds_from(one, text, anchor))


def _holds_from(one: Day, text: str, anchor: str) -> bool:
    """Say whether a day is that from which something holds."""
    return bool(_EFFECTIVE.search(_before(one, text))) and one.day != anchor


def _before(one: Day, text: str) -> str:
    return text[max(0, one.first - 40) : one.first]


def _since_now(one: Day, head: str, anchor: str) -> bool:
    """Say whether a day is that since which something new is so: `since Monday`."""
    since = re.search(r"\bsince\s*(?:the |on )?$", head, re.IGNORECASE)
    return bool(since) and one.day <= anchor and apart(one.day, anchor) <= RECENT


def _opens(text: str, one: Day, own: list[Day] | None = None) -> bool:
    """Say whether a day is that of a report, `LONDON, 3 May (Wire) –`: it yields to a day of late in `own`."""
    if one.first >= OPENING or not _DATELINE.match(text[one.last :]):
        return False
    rest = [each for each in own or () if each is not one]
    return own is None or any(apart(each.day, one.day) <= OLD for each in rest)
