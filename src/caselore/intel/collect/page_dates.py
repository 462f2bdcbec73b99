"""Finds on which day a page was published, and from what that is known.

In this order: structured data, meta elements, a time element, a byline or dateline, the address,
the feed that links it, the server's Last-Modified.
Must not take a day of fetching for a day of publishing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime

from caselore.intel.days import days, lone_day, one_day, parse_iso, without
from caselore.intel.lexicon import pattern

BESIDE = 10  # words that a byline may hold beside its day
_METAS = (
    "article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "dcterms.created",
    "dcterms.date", "dcterms.issued", "pubdate", "publishdate", "publish-date", "publication_date",
    "sailthru.date", "parsely-pub-date", "og:published_time", "og:article:published_time",
    "citation_publication_date", "article.published", "published", "release_date",
)  # fmt: skip
_IN_URL = re.compile(r"/(20\d\d)[/-](0[1-9]|1[0-2])[/-](0[1-9]|[12]\d|3[01])(?:/|-|\b)")
_BYLINE = pattern("page_dates", "byline", re.IGNORECASE)
_DATELINE = re.compile(
    r"^[^.\n]{0,80}?(?:\(|\b)[^.\n]{0,60}?\s*(?:--|—|–|/PRNewswire/|:|\u2014)\s"
)
_TELLS = re.compile(
    r"\b(?:ended|ending|until|effective|valid|from|since|expires?|deadline|join us|webinar|copyright|©)\b|\d%",
    re.IGNORECASE,
)
_PLACE_AND_DAY = re.compile(r"^[^\W\d][\w .’'-]{1,30},(?: [\w ]{1,20},)? [^.;:]{6,28}\.(?=\s)")
_FIRST_SAID = re.compile(r"\b(?:published|posted|released|issued)\b", re.IGNORECASE)
_SAID_IN = re.compile(
    r"\b(?:released|published|posted|recorded|aired|filed|submitted|sent|issued|dated)(?: on)?:?\s+(?:\w+day,?\s+)?(?=\d{1,2}\.? \w|[A-Z]\w+ \d)",
    re.IGNORECASE,
)
_UPDATED = re.compile(r"\b(?:updated|modified|stand)\b", re.IGNORECASE)


def day_in_markup(value: str) -> str:
    """Read the day of a date in markup; empty where it is none."""
    value = value.strip()
    if not value:
        return ""
    found = parse_iso(value)
    if found:
        return found.isoformat()
    named = one_day(value)
    if named:
        return named
    try:
        return parsedate_to_datetime(value).date().isoformat()
    except (ValueError, TypeError, IndexError):
        return ""


def published(
    structured: str,
    metas: Mapping[str, str],
    times: Sequence[str],
    lines: Sequence[str],
    url: str,
    modified: str,
    seen: str = "",
) -> tuple[str, str]:
    """Give a page's day and what told it; both empty where nothing did.

    `lines` are the first lines of its text, `seen` the day on which it was fetched.
    """
    day = day_in_markup(structured)
    if day:
        return day, "json-ld"
    for name in _METAS:
        day = day_in_markup(metas.get(name, ""))
        if day:
            return day, "meta"
    for value in times[:1]:
        day = day_in_markup(value)
        if day:
            return day, "time"
    day = _from_lines(lines, seen)
    if day:
        return day, "byline"
    found = _IN_URL.search(url)
    if found:
        return "-".join(found.groups()), "url"
    day = day_in_markup(modified)
    return (day, "last-modified") if day else ("", "")


def _from_lines(lines: Sequence[str], seen: str) -> str:
    """Find the day of a byline or dateline near the top."""
    updated = ""
    for line in lines[:8]:
        if not _is_byline(line):
            continue
        first = _FIRST_SAID.search(line)
        day = one_day(line[first.end() :] if first else line, seen)
        if day and _UPDATED.search(line) and not re.search(r"publish|posted", line, re.I):
            updated = updated or day
        elif day:
            return day
    for line in lines[:5]:
        cut = _DATELINE.match(line[:140]) or _PLACE_AND_DAY.match(line)
        if cut:
            named = [one for one in days(cut.group(), seen) if one.kind == "absolute"]
            if named:
                return named[0].day
    for line in lines[:4]:
        cut = _SAID_IN.search(line)
        told = one_day(line[cut.end() : cut.end() + 24], seen) if cut else ""
        if told:
            return told
    return updated


def _is_byline(line: str) -> bool:
    """Say whether a line is there for its day: it says so, or holds little else and is no sentence."""
    if len(line) > 160:
        return False
    if _BYLINE.search(line):
        return True
    day = lone_day(line, BESIDE) if len(line) <= 110 else None
    return day is not None and not _TELLS.search(without(line, day))
