"""Makes of all that a page says the events that it reports, each once, with its best quote.

Must not join what is two events, and must not quote less than what the values stand in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from caselore.intel import attributes
from caselore.intel.candidates import DATE_RANK, Candidate
from caselore.intel.days import apart, days
from caselore.intel.entities import Book
from caselore.intel.extract import HEADLINE, extract
from caselore.intel.lexicon import pattern
from caselore.intel.modality import Mode, is_correction, is_denial, is_rumour, mode_of
from caselore.intel.origins import same_event
from caselore.intel.pages import Page
from caselore.intel.rules import topic_of
from caselore.intel.sentences import Sentence, sentences

AHEAD = 4  # sentences after a report in which its value may stand
LONGEST = 700  # characters of a quote
NEXT = 400  # characters behind a report within which `it` or `the tool` is what it told of
_IT = re.compile(
    r"(?:it|they|this|the (?:\w+ )?(?:feature|service|product|tool|app|module|release|update|function|system|device|unit))\b",
    re.IGNORECASE,
)
LATE = 14  # days by which the day of a deal may lie before the page that reports it
MOST = 400  # reports of one page
BLOCK, WHOLE = 20_000, 300_000  # characters of a paragraph, and of a page, that are looked at
UNSAID = frozenset({"page", "dateline", "fetched", "heading"})
_DONE = pattern("page_events", "done", re.IGNORECASE)
_BOUGHT = re.compile(
    r"\b(?:acqui\w+|purchas\w+|buy(?:s|ing)?|bought|takeovers?|taken over|sold)\b", re.IGNORECASE
)
_ENABLES = pattern("page_events", "enables", re.IGNORECASE)
_WORTH = pattern("page_events", "worth", re.IGNORECASE)
_APPLIES = pattern("page_events", "applies", re.IGNORECASE)


def page_events(page: Page, book: Book) -> tuple[Candidate, ...]:
    """Give the events that a page asserts, and what it denies, doubts or plans beside them."""
    page = _within(page)
    spoken = sentences(page)
    found = [_completed(page, one, spoken) for one in extract(page, book)[:MOST]]
    news = [one for one in found if one.mode is Mode.ASSERTED]
    kept = list(_joined(_to_the_point(news), page.title))
    return (*kept, *(one for one in found if one.mode is not Mode.ASSERTED))


def unread(page: Page) -> str:
    """Say what of a page is not looked at; empty where all of it is."""
    return "" if _within(page) is page else f"only its first {WHOLE:,} characters, in paragraphs of up to {BLOCK:,}, were looked at"  # fmt: skip


def _within(page: Page) -> Page:
    """Give a page without what would cost hours: reading takes the square of a sentence and of the reports."""
    kept = tuple(one for one in page.blocks if one.last - one.first <= BLOCK and one.last <= WHOLE)
    return page if len(kept) == len(page.blocks) else page.having(blocks=kept)


def unsaid(told: Iterable[Candidate], previous: Page | None) -> tuple[Candidate, ...]:
    """Leave out what an older version of a page said in the same words: it is no second event."""
    old = previous.text if previous else ""
    return tuple(one for one in told if one.mode is not Mode.ASSERTED or one.quote not in old)


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
        one = _with_amount(page, one, after)
    if one.event_type in {"acquisition", "funding", "partnership", "market_signal", "hiring"}:
        return _with_day(page, one, after) if one.date_from in UNSAID else one
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


def _with_day(page: Page, one: Candidate, after: list[Sentence]) -> Candidate:
    """Take the day on which a deal was done from the next sentences: `The papers were signed on 2 June.`"""
    for each in [each for each in after if each.last - one.first <= LONGEST][:2]:
        told = _DONE.search(each.text)
        if told is None:
            continue
        for day in days(each.text, page.day):
            late = day.kind != "vague" and day.day <= page.day and apart(day.day, page.day) <= LATE
            if late and mode_of(each.text, told.start(), (day,), page.day) is Mode.ASSERTED:
                last = max(one.last, each.last)
                return one.having(
                    date=day.day,
                    date_from="sentence",
                    quote=page.text[one.first : last],
                    last=last,
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
    sums = {one.amount for one in news if one.event_type == "funding" and one.amount is not None}
    deals = {one.amount for one in news if one.event_type == "acquisition"}
    bought = any(one.event_type == "acquisition" and _BOUGHT.search(one.quote) for one in news)
    joined = any(one.event_type == "partnership" for one in leads)
    for one in news:
        if one.amount in sums & deals and one.event_type == (
            "funding" if bought else "acquisition"
        ):
            continue  # one sum buys or invests: who `joins the family` with a sum invests it
        if joined and one.event_type == "feature_launch" and _ENABLES.search(one.quote):
            continue  # what two can do together now is what their deal is about
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
    for group in _under_their_headlines(groups):
        yield _best(group)


def _under_their_headlines(groups: list[list[Candidate]]) -> list[list[Candidate]]:
    """Put a bare headline to the one thing that its page tells of the same kind: `Acme buys into Hanoi`."""
    heads = [group for group in groups if all(_bare_headline(one) for one in group)]
    kept = [group for group in groups if group not in heads]
    for head in heads:
        kind = head[0].entity.name, head[0].event_type
        told = [group for group in kept if (group[0].entity.name, group[0].event_type) == kind]
        if len(told) == 1:
            told[0].extend(head)
        else:
            kept.append(head)
    return kept


def _bare_headline(one: Candidate) -> bool:
    """Say whether a headline of a deal tells no more than that there was one."""
    return (
        one.event_type in {"acquisition", "partnership"}
        and one.strength == HEADLINE
        and one.amount is None
    )


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
    same = (one.entity.name, one.event_type, one.heading) == (
        other.entity.name, other.event_type, other.heading
    )  # fmt: skip
    if not same or one.item or other.item:
        return False
    if _IT.match(one.quote) and 0 <= one.first - other.last <= NEXT:
        return True
    if one.date != other.date:
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
