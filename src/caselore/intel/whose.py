"""Gives the competitor whose event a cue tells, by the part that it plays there: doer, party, object, topic and so on.

Must not name one of whom a sentence only says whose rival, customer or past employee somebody is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from caselore.intel.entities import Book, Entity, Mention
from caselore.intel.lexicon import pattern
from caselore.intel.subjects import Context, affected, bystander, subject


class Told(NamedTuple):
    """What a cue fits, and the names beside it."""

    text: str
    span: tuple[int, int]
    book: Book
    context: Context
    event_type: str
    every: list[Mention]
    named: list[Mention]
    """Without those that are only named as somebody else's."""


def whom(
    text: str, span: tuple[int, int], book: Book, context: Context, event_type: str, who: str
) -> Entity | None:
    """Give the competitor whose event a cue tells, by the part it plays."""
    every = list(book.mentions(text))
    named = [one for one in every if not bystander(text, one)]
    told = Told(text, span, book, context, event_type, every, named)
    if event_type == "hiring" and _JOINS.match(text[span[0] :]):
        who = "gains"
    return _PARTS[who](told)


def _own(told: Told) -> Entity | None:
    owner = told.context.owner
    said = {one.entity.name for one in told.named}
    return owner if owner and (not said or owner.name in said) else None


def _doer(told: Told) -> Entity | None:
    return subject(told.text, told.span, told.book, told.context, told.event_type)


def _object(told: Told) -> Entity | None:
    return next((one.entity for one in told.named if 0 <= one.first - told.span[1] <= 1), None)


def _any(told: Told) -> Entity | None:
    return told.named[0].entity if told.named else _meant(told)


def _gains(told: Told) -> Entity | None:
    came = _gaining(told)
    nobody = not told.every and not _ELSEWHERE.search(told.text[told.span[0] :])
    return came or (told.context.topic if nobody else None)


def _party(told: Told) -> Entity | None:
    every = told.every
    if not told.named and len({one.entity.name for one in every}) == 1:
        # `a partnership with B, announced today, lets customers of A`
        told = told._replace(named=[one for one in every if _SERVED.match(told.text[one.last :])])
    beside = [
        one
        for one in told.named
        if one.first < told.span[1] or _AS_PARTY.search(told.text[: one.first])
    ]
    return beside[0].entity if beside else _meant(told) or told.context.topic


def _named(told: Told) -> Entity | None:
    named = told.named
    if told.event_type == "market_signal":
        named = [one for one in named if affected(told.text, told.span, one)]
    if len({one.entity.name for one in named}) > 1:
        return _doer(told)
    return named[0].entity if named else _meant(told)


def _about(told: Told) -> Entity | None:
    return _named(told) or (told.context.topic if not told.named else None)


def _backed(told: Told) -> Entity | None:
    """Give whom money comes to: who stands behind `in` or `to`, who acts, or whom its page is about."""
    text, named, context = told.text, told.named, told.context
    into = [one for one in named if _INTO.search(text[: one.first])]
    lends = [
        one
        for one in named
        if _GIVES.match(text[one.last :]) or _GIVEN_BY.search(text[: one.first])
    ]
    rest = into or [one for one in named if one not in lends]
    if len({one.entity.name for one in rest}) == 1:
        return rest[0].entity
    meant = context.owner or context.topic
    return None if named else meant or (context.current if _ANAPHOR.search(text) else None)


_INTO = pattern("cues", "into", re.IGNORECASE)
_GIVES = pattern("cues", "gives", re.IGNORECASE)
_GIVEN_BY = pattern("cues", "given_by", re.IGNORECASE)
_SERVED = pattern("cues", "served", re.IGNORECASE)
_AS_PARTY = pattern("cues", "as_party", re.IGNORECASE)
_JOINS = pattern("cues", "joins", re.IGNORECASE)
_LEAVES = pattern("cues", "leaves", re.IGNORECASE)
_COMES_TO = pattern("cues", "comes_to", re.IGNORECASE)
_ELSEWHERE = pattern("cues", "elsewhere")
_ANAPHOR = pattern("cues", "anaphor", re.IGNORECASE)


def _gaining(told: Told) -> Entity | None:
    """Give whom a person comes to, not whom it leaves."""
    text, first = told.text, told.span[0]
    stay = [one for one in told.named if not _LEAVES.search(text[: one.first])]
    coming = [one for one in stay if _COMES_TO.search(text[: one.first])]
    best = [one for one in coming if one.first >= first] or coming or stay
    if best:
        return best[0].entity
    if told.every or _ELSEWHERE.search(text[first:]):
        return told.context.owner if _ANAPHOR.search(text) and not told.named else None
    return _meant(told)


def _meant(told: Told) -> Entity | None:
    """Give whom a sentence speaks of that names nobody."""
    if told.every:
        return None
    if told.context.owner is not None:
        return told.context.owner
    return told.context.current if _ANAPHOR.search(told.text) else None


_PARTS = {
    "own": _own, "doer": _doer, "topic": _backed, "object": _object, "any": _any, "gains": _gains,
    "party": _party, "named": _named, "about": _about,
}  # fmt: skip
