"""Tells copies of one text from independent reports, and reports of one event from those of two.

Must not go by a title alone: two pieces of news may share one, and one may be retitled.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import NamedTuple

from caselore.intel.candidates import Candidate, telling
from caselore.intel.days import apart
from caselore.intel.rules import topic_of

SHINGLE = 4  # words of one shingle
PERMUTATIONS = 64
MOST = 0.5  # share of telling words from which on two reports are one in spite of their headlines
COPY = 0.45  # share of the smaller text's shingles from which on it is a copy
_WORD = re.compile(r"\w+")


class Sketch(NamedTuple):
    """A text's shingles, hashed, and the smallest of them."""

    shingles: frozenset[int]
    smallest: tuple[int, ...]


def sketch(text: str) -> Sketch:
    """Give a text's sketch: the same on every machine."""
    words = _WORD.findall(text.casefold())
    runs = [" ".join(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))]
    hashes = {
        int.from_bytes(hashlib.blake2b(run.encode(), digest_size=8).digest()) for run in runs
    }
    return Sketch(frozenset(hashes), tuple(sorted(hashes)[:PERMUTATIONS]))


def likeness(one: Sketch, other: Sketch) -> float:
    """Estimate the Jaccard likeness of two texts from their smallest hashes, 0 to 1."""
    both = sorted({*one.smallest, *other.smallest})[:PERMUTATIONS]
    shared = set(one.smallest) & set(other.smallest)
    return sum(value in shared for value in both) / len(both) if both else 0.0


def is_copy(one: Sketch, other: Sketch) -> bool:
    """Say whether one text holds much of the other word for word."""
    least = min(len(one.shingles), len(other.shingles))
    if not least:
        return False
    shared = len(one.shingles & other.shingles)
    return shared / least >= COPY


def same_event(one: Candidate, other: Candidate, *, one_page: bool = False) -> bool:
    """Say whether two reports of one type about one competitor report the same event."""
    if one.entity.name != other.entity.name or one.event_type != other.event_type:
        return False
    gap = 0 if one_page else apart(one.date, other.date)
    if gap > reach_of(one.event_type):
        return False
    if one.event_type == "market_signal":
        own = _topic(one.event_type, one.quote, one.title)
        theirs = own and _topic(other.event_type, other.quote, other.title)
        if theirs and theirs != own:
            told_alike = bool(one.names & other.names) and _shared(one, other) >= MOST
            attack = {own, theirs} <= (_ONE_ATTACK | {"closure"} if one_page else _ONE_ATTACK)
            return gap <= 2 and (attack or told_alike)
        if theirs and own in _ONCE and gap <= _ONCE[own]:
            return True
    rule = {
        "acquisition": _same_deal, "partnership": _same_deal, "funding": _same_round,
        "pricing_change": _same_price, "hiring": _same_hiring,
    }.get(one.event_type, _same_news)  # fmt: skip
    return rule(one, other, gap, one_page)


_REACH = {"acquisition": 120, "partnership": 60, "funding": 60, "pricing_change": 75, "hiring": 60}


def reach_of(event_type: str) -> int:
    """Give the days beyond which two reports of a type never report the same event."""
    return _REACH.get(event_type, 45)


_ONCE = {
    "outage": 3, "breach": 21, "layoffs": 14, "recall": 21, "strike": 7, "results": 7, "listing": 14,
    "name": 30, "leadership": 5, "legal": 7, "contract": 2,
}  # fmt: skip
"""Days within which a competitor has one event of a topic: what is told twice, not done twice."""


_ONE_ATTACK = {"outage", "breach", "data_loss"}
"""Topics under which one and the same failure is told on the same days."""


@lru_cache(maxsize=4_096)
def _topic(event_type: str, quote: str, title: str) -> str:
    """Give the topic of a report; kept, for each new report is held against the same known ones."""
    return topic_of(event_type, quote) or topic_of(event_type, title)


def _close(a: float | None, b: float | None) -> bool:
    return a is not None and b is not None and abs(a - b) <= 0.01 * max(abs(a), abs(b))


def party_words(name: str) -> frozenset[str]:
    """Give the words by which a company is known, without its legal form."""
    words = [one.casefold() for one in _WORD.findall(name)]
    return frozenset(words) - {
        "inc",
        "corp",
        "ltd",
        "gmbh",
        "ag",
        "llc",
        "the",
        "of",
        "and",
        "co",
        "sa",
    }


def _same_party(a: str, b: str) -> bool:
    one, other = party_words(a), party_words(b)
    return bool(one & other)


def _same_deal(one: Candidate, other: Candidate, gap: int, one_page: bool) -> bool:
    if one_page and _close(one.amount, other.amount):
        return True
    if one.party and other.party:
        named = _same_party(one.party, other.party) or bool(
            party_words(one.party) & other.tokens or party_words(other.party) & one.tokens
        )
        return named and gap <= (120 if one.event_type == "acquisition" else 60)
    if one_page or (
        one.event_type == "partnership" and gap <= 1 and not (one.party and other.party)
    ):
        return True
    if one.party or other.party:
        words = party_words(one.party or other.party)
        if words & (other.tokens if one.party else one.tokens):
            return gap <= 60
    if _close(one.amount, other.amount):
        return gap <= (45 if bool(one.party) != bool(other.party) else 10)
    return gap <= 10 and _shared(one, other) >= 0.3


def _same_round(one: Candidate, other: Candidate, gap: int, one_page: bool) -> bool:
    if _close(one.amount, other.amount):
        return gap <= 60
    if one.amount is None or other.amount is None:
        return one_page or gap <= 21
    series = [
        re.search(r"\b(?:series [a-h]|pre-seed|seed)\b", each.quote, re.IGNORECASE)
        for each in (one, other)
    ]
    if series[0] and series[1] and series[0].group().lower() != series[1].group().lower():
        return False
    return one_page or gap <= 10


def _same_price(one: Candidate, other: Candidate, gap: int, one_page: bool) -> bool:
    plans = [
        re.sub(r"\s*(?:plan|tier|edition)$", "", each.plan.casefold()) for each in (one, other)
    ]
    if (
        plans[0]
        and plans[1]
        and plans[0] != plans[1]
        and not set(plans[0].split()) & set(plans[1].split())
    ):
        return False
    periods = [_period(each.unit) for each in (one, other)]
    if all(periods) and periods[0] != periods[1]:
        return False
    if _close(one.amount, other.amount):
        return gap <= 75
    if one.amount is None or other.amount is None:
        percents = one.change_percent, other.change_percent
        if None not in percents and abs(percents[0] - percents[1]) > 1.5:  # type: ignore[operator]
            return False
        return one_page or gap <= 35
    return bool(plans[0] and plans[0] == plans[1]) and gap <= 7 and not one_page


def _period(unit: str) -> str:
    return "year" if "year" in unit else "month" if "month" in unit else ""


def _same_hiring(one: Candidate, other: Candidate, gap: int, one_page: bool) -> bool:
    if one.party and other.party:
        return bool(party_words(one.party) & party_words(other.party)) and gap <= 60
    if bool(one.party) != bool(other.party):
        named, plain = (one, other) if one.party else (other, one)
        bare = (
            plain.count is None and plain.strength == 3
        )  # `Acme hires a ferry man as finance head`
        return (
            bool(party_words(named.party) & plain.tokens)
            or (plain.count is None and one_page)
            or (bare and gap <= 4)
        )
    if one.count and other.count:
        return one.count == other.count and gap <= 60
    return one_page or (gap <= 14 and _shared(one, other) >= 0.25)


def _same_news(one: Candidate, other: Candidate, gap: int, one_page: bool) -> bool:
    share = _shared(one, other)
    named = bool(one.names & other.names)
    heads = [telling(each.title, each.entity) for each in (one, other)]
    few = share < MOST or len(one.tokens & other.tokens) < 2  # one word of two is no "most"
    if all(heads) and not heads[0] & heads[1] and not named and few:
        return False
    if not one_page and gap > 4:
        least = min(map(len, heads)) or 1
        share = min(share, len(heads[0] & heads[1]) / least if all(heads) else share)
    if one_page:
        apart_ = one.heading != other.heading and not (one.lead and other.lead)
        if one.heading != other.heading and one.date != other.date:
            return share >= 0.75
        return share >= (0.5 if apart_ else 0.2) or (named and not apart_)
    if gap <= 4:
        common = len(one.names & other.names)
        most = named and 2 * common >= min(len(one.names), len(other.names))
        return share >= 0.34 or most or (named and share >= 0.2)
    return gap <= 45 and (share >= 0.55 or (named and share >= 0.34))


def _shared(one: Candidate, other: Candidate) -> float:
    """Give the share of the telling words of the one with fewer that the other has, too."""
    least = min(len(one.tokens), len(other.tokens))
    if not least:
        return 0.0
    shared = len(one.tokens & other.tokens)
    return shared / least if shared > 1 or least <= 2 else shared / (least + 2)
