"""Tells from the amounts of a text whether a price changed: which is new, which is old, which the difference.

Must not take for a change what only compares, forecasts, recalls or keeps a price.
"""

from __future__ import annotations

import re
from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from caselore.intel.days import Day, days, parse_iso
from caselore.intel.lexicon import pattern
from caselore.intel.money import Amount, amounts

MOST = 1e6  # from here on an amount is a deal's, not a price
WIDEST = 20  # times by which one price may be another's; beyond it they are prices of two things
REACH = 60  # characters before an amount in which its role is said


class Role(StrEnum):
    """What an amount is in a text that tells of a price."""

    NEW = "new"
    OLD = "old"
    DIFFERENCE = "difference"


class Move(NamedTuple):
    """Where a text says that a price changed: from the verb to the new price."""

    first: int
    last: int


_OLD_AHEAD = pattern("price_moves", "old_ahead", re.IGNORECASE)
_OLD_BEHIND = pattern("price_moves", "old_behind", re.IGNORECASE)
_DIFFERENCE_AHEAD = pattern("attributes", "by", re.IGNORECASE)
_DIFFERENCE_BEHIND = pattern("price_moves", "difference_behind", re.IGNORECASE)
_BILLED = pattern("price_moves", "billed", re.IGNORECASE)
_UNIT = pattern("price_moves", "unit", re.IGNORECASE)
_COSTS = pattern("price_moves", "costs", re.IGNORECASE)
_MOVES = pattern("price_moves", "moves", re.IGNORECASE)
_COMPARES = pattern("price_moves", "compares", re.IGNORECASE)
_FREE_ENDS = pattern("price_moves", "free_ends", re.IGNORECASE)
_BUNDLE = pattern("price_moves", "bundle", re.IGNORECASE)
_FROM_DAY = pattern("price_moves", "from_day", re.IGNORECASE)
_ENDS = pattern("price_moves", "ends", re.IGNORECASE)
_NOW = pattern("price_moves", "now", re.IGNORECASE)
_NEVER = pattern("price_moves", "never", re.IGNORECASE)
_NOT_LASTING = pattern("price_moves", "not_lasting", re.IGNORECASE)


def roles(text: str) -> list[tuple[Amount, Role]]:
    """Give a text's prices, each with what it is; one that is written twice comes once."""
    found: list[tuple[Amount, Role]] = []
    named = [one for one in amounts(text) if one.value < MOST]
    if ";" in text:  # `A is $49 now; the $6 for B is unchanged`
        named = [one for one in named if not _NEVER.search(_part(text, one))] or named
    for number, one in enumerate(named):
        begin = named[number - 1].last if number else 0
        end = named[number + 1].first if number + 1 < len(named) else len(text)
        role = _role(text[max(begin, one.first - REACH) : one.first], text[one.last : end])
        again = any((one.value, one.currency, role) == (was.value, was.currency, other) for was, other in found)  # fmt: skip
        if not again:
            found.append((one, role))
    return found


def _role(head: str, tail: str) -> Role:
    if _DIFFERENCE_AHEAD.search(head) or _DIFFERENCE_BEHIND.match(tail):
        return Role.DIFFERENCE
    behind = _OLD_BEHIND.match(tail)
    if _OLD_AHEAD.search(head) or (behind and tail[behind.end() :].strip()):
        return Role.OLD  # with nothing behind it, the word is the next amount's
    return Role.NEW


def starts(head: str) -> bool:
    """Say whether the words before a day make it the day from which a price holds."""
    return bool(_FROM_DAY.search(head))


def begins(text: str, named: tuple[Day, ...], anchor: str) -> str:
    """Give the day from which a price holds: the one named for it, else the one after the old price's last."""
    exact = [one for one in named if one.kind != "vague"]
    for one in exact:
        if starts(text[max(0, one.first - REACH) : one.first]) and one.day != anchor:
            return one.day
    last = [one for one in exact if _ENDS.search(text[max(0, one.first - REACH) : one.first])]
    ended = parse_iso(last[0].day) if len(last) == 1 else None
    return (ended + timedelta(days=1)).isoformat() if ended else ""


def moved(text: str, anchor: str = "") -> Move | None:
    """Give where a text says that a price changed, by its amounts; none where it says nothing of it."""
    known = roles(text)
    new = [one for one, role in known if role is Role.NEW]
    for one in new:
        if _NEVER.search(_part(text, one)):
            continue
        if _billed(text, one) and _changed(text, one, known, anchor):
            verb = next((m for m in _COSTS.finditer(text, 0, one.first) if one.first - m.end() < REACH), None)  # fmt: skip
            return Move(verb.start() if verb else one.first, one.last)
    return None


def _part(text: str, one: Amount) -> str:
    """Give the part of a text that an amount stands in: `A is $49 now; B is unchanged at $6`."""
    first = text.rfind(";", 0, one.first) + 1
    last = text.find(";", one.last)
    return text[first : last if last >= 0 else len(text)]


def _billed(text: str, one: Amount) -> bool:
    return bool(_BILLED.search(text) or _UNIT.match(text[one.last :]))


def _changed(text: str, one: Amount, known: list[tuple[Amount, Role]], anchor: str) -> bool:
    before = [was for was, role in known if role is Role.OLD and _alike(was, one)]
    apart = [by for by, role in known if role is Role.DIFFERENCE and by.currency == one.currency]
    begun = _begun(text, anchor)
    says = bool(_MOVES.search(text) or begun or _NOW.search(text))
    if (before or apart) and says and not _COMPARES.search(text):
        return True
    if _FREE_ENDS.search(text) or _BUNDLE.search(text[: one.first]):
        return True
    lasting = not _NOT_LASTING.search(text) and len(known) == 1
    return begun and lasting and bool(_COSTS.search(text[max(0, one.first - REACH) : one.first]))


def _alike(was: Amount, one: Amount) -> bool:
    low, high = sorted((was.value, one.value))
    return was.currency == one.currency and 0 < low < high <= WIDEST * low


def _begun(text: str, anchor: str) -> bool:
    """Say whether a text names the day from which something holds."""
    return any(_starts_at(text, day) for day in days(text, anchor))


def _starts_at(text: str, day: Day) -> bool:
    return day.kind != "vague" and starts(text[max(0, day.first - REACH) : day.first])
