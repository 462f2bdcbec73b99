"""Makes of all that a page says the events that it reports, each once, with its best quote.

Must not join what is two events, and must not quote less than what the values stand in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from caselore.intel import attributes
from caselore.intel.candidates import DATE_RANK, Candidate
from caselore.intel.days import days
from caselore.intel.entities import Book
from caselore.intel.extract import extract
from caselore.intel.lexicon import pattern
from caselore.intel.modality import Mode, is_correction, is_denial, is_rumour, mode_of
from caselore.intel.origins import same_event
from caselore.intel.pages import Page
from caselore.intel.rules import topic_of
from caselore.intel.sentences import Sentence, sentences

AHEAD = 4  # sentences after a report in which its value may stand
LONGEST = 700  # characters of a quote
_WORTH = pattern("page_events", "worth", re.IGNORECASE)
_APPLIES = pattern("page_events", "applies", re.IGNORECASE)


def page_events(page: Page, book: Book) -> tuple[Candidate, ...]:
    """Give the events that a page asserts, and what it denies, doubts or plans beside them."""
    spoken = sentences(page)
    found = [_completed(page, one, spoken) for one in extract(page, book)]
    news = [one for one in found if one.mode is Mode.ASSERTED]
    kept = list(_joined(_to_the_point(news), page.title))
    return (*kept, *(one for one in found if one.mode is not Mode.ASSERTED))


def _completed(page: Page, one: Candidate, spoken: tuple[Sentence, ...]) -> Candidate:
    """Look for the amount or the day of a report in the next sentences, and quote as far as there."""
    if one.mode is not Mode.ASSERTED:
        return one
    at = next((n for n, each in enumerate(spoken) if each.first == one.first), None)
    if at is None:
        return one
    after = [
        each for each in spoken[at + 1 : at + 1 + AHEAD] if page.blocks[each.block].kind != "row"
    ]
    if one.event_type in {"acquisition", "funding"} and one.amount is None:
        return _with_amount(page, one, after)
    if one.event_type == "pricing_change" and one.date_from not in {"effective", "sentence"}:
        return _with_effect(page, one, after)
    return one


def _with_amount(page: Page, one: Candidate, after: list[Sentence]) -> Candidate:
    for each in after:
        if each.last - one.first > LONGEST or is_correction(each.text):
            break
        amount = attributes.main_amount(each.text, 0)
        if (
            amount
            and mode_of(each.text, amount.first, days(each.text, one.date), one.date)
            is Mode.ASSERTED
            and _WORTH.search(each.text)
            and not is_rumour(each.text)
            and not is_denial(each.text)
        ):
            quote = page.text[one.first : each.last]
            return one.having(
                amount=amount.value, currency=amount.currency, quote=quote, last=each.last
            )
    return one


def _with_effect(page: Page, one: Candidate, after: list[Sentence]) -> Candidate:
    for each in after[:2]:
        if each.last - one.first > LONGEST or (
            attributes.prices(each.text, one.entity) and "price" not in each.text.lower()
        ):
            break
        if not _APPLIES.search(each.text):
            continue
        for day in days(each.text, one.date):
            if day.kind == "absolute" and day.day >= one.date:
                quote = page.text[one.first : each.last]
                return one.having(date=day.day, date_from="effective", quote=quote, last=each.last)
    return one


def _to_the_point(news: list[Candidate]) -> Iterable[Candidate]:
    """Leave out asides: what a page about one thing mentions of another in passing."""
    leads = [one for one in news if one.lead and one.strength >= 2]
    for one in news:
        aside = (
            bool(leads)
            and not one.lead
            and not any(each.event_type == one.event_type for each in leads)
        )
        if aside and one.event_type in {
            "feature_launch",
            "market_signal",
            "hiring",
            "partnership",
        }:
            own_part = one.heading != leads[0].heading
            dated = one.date_from in {"sentence", "heading"}
            if not own_part and not dated:
                continue
        yield one


def _joined(news: Iterable[Candidate], title: str) -> Iterable[Candidate]:
    """Put together what one page says of one event; what names no price joins last, and alone says nothing."""
    told = [one for one in news if not (one.strength <= 1 and _says_no_price(one))]
    valued = sorted(told, key=_says_no_price)
    groups: list[list[Candidate]] = []
    for one in valued:
        for group in groups:
            if _of_another_part(one, group, title):
                continue
            if any(same_event(one, each, one_page=True) or _goes_on(one, each) for each in group):
                group.append(one)
                break
        else:
            groups.append([one])
    for group in groups:
        yield _best(group)


def _of_another_part(one: Candidate, group: list[Candidate], title: str) -> bool:
    """Say whether a group is of another part of a page, which one title only sums up."""
    return any(
        one.heading != each.heading
        and title not in {one.heading, each.heading}
        and not same_event(one, each, one_page=True)
        for each in group
    )


def _goes_on(one: Candidate, other: Candidate) -> bool:
    """Say whether a report under one heading only goes on with what another there began."""
    if (one.entity.name, one.event_type, one.heading, one.date) != (
        other.entity.name, other.event_type, other.heading, other.date
    ) or one.item or other.item:  # fmt: skip
        return False
    if one.event_type == "market_signal":
        topics = {topic_of(each.event_type, each.quote) for each in (one, other)}
        return len(topics - {""}) == 1
    apart_ = one.names and other.names and not one.names & other.names
    return one.event_type == "feature_launch" and not apart_


def _says_no_price(one: Candidate) -> bool:
    values = one.amount, one.before, one.change_percent
    return one.event_type == "pricing_change" and all(value is None for value in values)


def _best(group: list[Candidate]) -> Candidate:
    """Give the report that says most, with the best known day and the headline of the group."""

    def worth(one: Candidate) -> tuple[int, int]:
        values = 3 * (one.amount is not None) + 2 * bool(one.party) + 2 * (one.count is not None)
        values += 2 * (one.before is not None) + bool(one.plan) + bool(one.unit)
        return values + one.strength - len(one.quote) // 250, -one.first

    best = max(group, key=worth)
    dated = max(group, key=lambda one: (DATE_RANK.get(one.date_from, 0), one.strength, -one.first))
    headline = next((one for one in group if one.strength == 3), None)
    tokens = frozenset().union(*(one.tokens for one in group))
    names = frozenset().union(*(one.names for one in group))
    party = best.party or next((one.party for one in group if one.party), "")
    return best.having(
        date=dated.date, date_from=dated.date_from, tokens=tokens, names=names, party=party,
        title=headline.quote if headline else best.title, lead=any(one.lead for one in group),
    )  # fmt: skip
