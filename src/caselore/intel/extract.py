"""Reads the events that a page reports, sentence by sentence, from rules.toml.

Must not report what a sentence denies, doubts, merely plans or only remembers; nor guess a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from caselore.intel import attributes
from caselore.intel.candidates import Candidate, proper, telling
from caselore.intel.cues import Scene, found, says_new
from caselore.intel.days import Day, apart, days
from caselore.intel.entities import Book
from caselore.intel.event_days import OLD, event_day
from caselore.intel.lexicon import pattern
from caselore.intel.modality import Mode, is_opinion, is_vacancy, mode_of
from caselore.intel.money import amounts, names_amount
from caselore.intel.objects import partners
from caselore.intel.pages import Page
from caselore.intel.places import CHANGELOG, LEAD, Place, places
from caselore.intel.price_moves import MOST, Role, moved, roles
from caselore.intel.price_pages import announced
from caselore.intel.rules import Rules, rules
from caselore.intel.sentences import Sentence
from caselore.intel.subjects import Context
from caselore.intel.whose import whom

HEADLINE = 3  # strength of what a headline says


_POINTS_BACK = re.compile(
    r"\W*(?:that|this)(?:['’]s| is| was) (?:how|what|the (?:number|price|sum|amount|figure))\b",
    re.IGNORECASE,
)
_SPEECH = re.compile(r"\W*[“\"«‘][^”\"»]*\bI(?:['’](?:ve|d))? (?!am\b)\w+")
"""Somebody's own words about what they did: `“I read the recall notice twice,” she said`."""
_HOPES = re.compile(r"\b(?:plans?|wants?|hopes?|aims?|seeks?|intends?) to\b", re.IGNORECASE)
_NO_LAUNCH = pattern("extract", "no_launch", re.IGNORECASE)
_FIX = pattern("extract", "fix", re.IGNORECASE)
_VERSION_ONLY = re.compile(
    r"^\W*(?:v?\d+(?:\.\d+)+|version \d[\d.]*|release \d[\d.]*)?\W*$", re.IGNORECASE
)


def extract(page: Page, book: Book) -> tuple[Candidate, ...]:
    """Give what a page says of the competitors, in the order of its sentences."""
    owner = book.owner_of(page)
    found = list(announced(page, owner)) if owner else []
    before: Place | None = None
    for each in places(page, book):
        place = _told_before(page, before, each)
        found += _of_place(page, book, place) or _across(page, book, before, place)
        before = each
    if is_opinion(page):
        found = [one for one in found if one.mode is not Mode.ASSERTED]
    elif is_vacancy(page):
        found = [one for one in found if one.event_type == "hiring"]
    return tuple(_weighed(page, found))


def _of_place(page: Page, book: Book, place: Place) -> list[Candidate]:
    if place.kind == "row":
        return _row(page, book, place)
    return list(_read_in(page, book, place))


def _row(page: Page, book: Book, place: Place) -> list[Candidate]:
    """Read a line of a list of prices that gives the new price and the old: `$9 (until 31 May: $7)`."""
    text, anchor = place.sentence.text, page.day
    told = {role for _, role in roles(text)} >= {Role.NEW, Role.OLD}
    hits = list(_move(text, anchor, False)) if told and place.context.owner else []
    return list(_make(page, book, place, "pricing_change", hits[0])) if hits else []


def _read_in(page: Page, book: Book, place: Place) -> Iterator[Candidate]:
    if place.kind in {"row", "caption"} or len(place.sentence.text) < 12 or place.elsewhere:
        return
    if _SPEECH.match(place.sentence.text):
        return
    scene, text = _scene(page, place), place.sentence.text
    read: dict[str, tuple[int, int]] = {}
    spare: dict[str, list[Candidate]] = {}
    for table in rules():
        event_type = table.event_type
        for hit in () if event_type in read else _hits(table, place, page, scene):
            if read and not _own_clause(text, hit.trigger, list(read.values())):
                continue
            made = list(_make(page, book, place, event_type, hit))
            if any(one.mode is Mode.ASSERTED for one in made):
                yield from made
                read[event_type] = hit.trigger
                break
            spare.setdefault(event_type, made)  # another part of it may tell something new
        if len(read) == 2:
            break
    for event_type, made in spare.items():
        if event_type not in read:
            yield from made[: 2 - len(read)] and made


def _across(page: Page, book: Book, before: Place | None, place: Place) -> list[Candidate]:
    """Read a price that two neighbouring sentences tell: `It was free until May. Since 1 June it costs $3.`"""
    one = place.sentence
    if before is None or before.sentence.block != one.block:
        return []
    if before.sentence.last >= one.first or not names_amount(one.text):
        return []
    text = page.text[before.sentence.first : one.last]
    anchor = page.day
    hits = list(_move(text, anchor, False))
    if not hits or any(moved(each.text, anchor) for each in (before.sentence, one)):
        return []
    joined = replace(place, sentence=one._replace(first=before.sentence.first, text=text))
    return list(_make(page, book, joined, "pricing_change", hits[0]))


def _told_before(page: Page, before: Place | None, place: Place) -> Place:
    """Join what a sentence only points back at: `Seventy people. That is how many Acme will hire.`"""
    one = place.sentence
    if before is None or before.sentence.block != one.block or not _POINTS_BACK.match(one.text):
        return place
    first = before.sentence.first
    return replace(place, sentence=one._replace(first=first, text=page.text[first : one.last]))


def _own_clause(text: str, trigger: tuple[int, int], read: list[tuple[int, int]]) -> bool:
    """Say whether a second thing of a sentence is told for itself, in other words, not as a purpose or an aside."""
    if any(first < trigger[1] and trigger[0] < last for first, last in read):
        return False
    head = text[max(0, trigger[0] - 45) : trigger[0]]
    return bool(
        re.search(
            r"(?:,? and (?:also |has |have |it )*|; |, while |, as well as )(?:\w+ ){0,3}$", head
        )
    ) and not re.search(r"\bto (?:\w+ ){0,2}$", head)


class Hit(NamedTuple):
    """Where a rule fits, how well, and by what part its competitor is known."""

    trigger: tuple[int, int]
    strength: int
    who: str = "doer"


def _hits(table: Rules, place: Place, page: Page, scene: Scene) -> Iterator[Hit]:
    """Give the rule of a type that fits a sentence, then the cue that does."""
    if table.event_type == "feature_launch" and _NO_LAUNCH.search(place.sentence.text):
        return
    match = _match(table, place)
    if match:
        yield Hit(*match)
    text = place.sentence.text
    if not place.price_list:
        for span, who in found(table.event_type, table.topic, text, scene):
            yield Hit(span, 2 if scene.lead else 1, who)
    if table.event_type == "pricing_change":
        yield from _move(text, page.day, scene.lead)


def _scene(page: Page, place: Place) -> Scene:
    text = place.sentence.text
    return Scene(
        own=place.context.owner is not None,
        lead=place.kind == "heading" or place.said < LEAD,
        said_new=says_new(text, days(text, page.day), page.day),
        dated=bool(page.published or place.heading_day),
    )


def _move(text: str, anchor: str, lead: bool) -> Iterator[Hit]:
    """Give where the amounts of a text themselves say that a price changed."""
    move = moved(text, anchor)
    if move:
        yield Hit((move.first, move.last), 2 if lead else 1, "about" if lead else "named")


def _match(table: Rules, place: Place) -> tuple[tuple[int, int], int] | None:
    text = place.sentence.text
    for shape in table.strong:
        match = shape.search(text)
        if match:
            return match.span(), 3 if place.kind == "heading" else 2
    leads = not place.price_list and (
        place.kind == "heading"
        or place.number < LEAD
        or (place.changelog and place.kind == "item")
    )
    for shape in table.soft if leads else ():
        match = shape.search(text)
        if match:
            return match.span(), 2 if place.kind == "heading" else 1
    for shape in table.changelog if place.changelog and place.context.owner else ():
        match = shape.search(text)
        if match:
            return match.span(), 2
        if place.kind == "item" and shape.search(f"{place.heading} {text}"):
            return (0, 0), 2  # `Added` stands over the list
    for shape in table.weak if _may_be_weak(place) else ():
        match = shape.search(text)
        if match:
            return match.span(), 1
    return None


def _may_be_weak(place: Place) -> bool:
    """Say whether a mere word can do: in a headline, but not in `Release notes`, nor of a list of prices."""
    named = place.changelog and CHANGELOG.search(place.sentence.text)
    return place.kind == "heading" and not place.price_list and not named


def pointed_at(
    page: Page, book: Book, one: Sentence, event_type: str, name: str
) -> Candidate | None:
    """Read a sentence that somebody points at, by the same rules; none where it names nobody watched.

    Its competitor must stand in it, and act in it: what it says of another is another's.
    """
    entity = book.by_name(name)
    named = next((each for each in book.mentions(one.text) if each.entity is entity), None)
    if entity is None or named is None:
        return None
    block = page.blocks[one.block]
    context = Context(book.site_of(page), entity, block.kind == "heading", block.kind == "item")
    place = Place(one, block.kind, LEAD, LEAD, page.title, block.day, context, False)
    span = (min(named.last, len(one.text) - 1), min(named.last + 1, len(one.text)))
    made = [
        each
        for each in _make(page, book, place, event_type, Hit(span, 1))
        if each.entity is entity
    ]
    return made[0] if made else None


def _make(page: Page, book: Book, place: Place, event_type: str, hit: Hit) -> Iterator[Candidate]:
    text, trigger, strength = place.sentence.text, hit.trigger, hit.strength
    entity = whom(text, trigger, book, place.context, event_type, hit.who)
    if entity is None or _only_a_version(place, book):
        return
    anchor = page.day
    named = days(text, anchor)
    mode = _mode(book.masked(text), trigger[0], named, anchor, event_type)
    day, told = event_day(page, place, named, event_type, trigger[0])
    if mode is Mode.PAST and told == "effective" and apart(day, anchor) <= OLD:
        mode = Mode.ASSERTED  # a price since a day of late is news
    if (
        mode is Mode.ASSERTED
        and told == "sentence"
        and day < anchor
        and apart(day, anchor) > OLD
        and place.heading_day != day
    ):
        mode = Mode.PAST if place.kind != "item" else mode
    if (
        mode is Mode.ASSERTED
        and event_type == "feature_launch"
        and told == "sentence"
        and day > anchor
    ):
        mode = Mode.PLANNED
    base = Candidate(
        entity=entity, event_type=event_type, quote=text, first=place.sentence.first,
        last=place.sentence.last, title=place.heading or text, mode=mode, date=day, date_from=told,
        strength=strength, tokens=telling(text, entity), names=proper(text, entity), heading=place.heading,
        lead=place.kind == "heading" or place.number < LEAD, item=place.kind == "item",
    )  # fmt: skip
    yield from _valued(base, text, trigger, book)
    if event_type == "partnership":
        for other in partners(text, book, entity):
            yield from _valued(base.having(entity=other), text, trigger, book)


_ANNOUNCED = pattern("extract", "announced", re.IGNORECASE)


def _only_a_version(place: Place, book: Book) -> bool:
    """Say whether a line of a changelog names nothing but a version and a day, or only a repair."""
    text = place.sentence.text
    for day in days(text):
        text = text.replace(place.sentence.text[day.first : day.last], " ")
    if place.kind == "heading":
        text = CHANGELOG.sub(" ", book.without(text))
    repair = _FIX.match(text.strip(" ·–—-:|"))
    return bool((place.changelog or place.context.owner) and repair) or (
        place.changelog and bool(_VERSION_ONLY.match(text))
    )


def _far(named: tuple[Day, ...], anchor: str) -> bool:
    """Say whether a sentence speaks of a later year than its page's."""
    return any(one.kind in {"vague", "absolute"} and one.day[:4] > anchor[:4] for one in named)


def _mode(text: str, trigger: int, named: tuple[Day, ...], anchor: str, event_type: str) -> Mode:
    mode = mode_of(text, trigger, named, anchor)
    if mode is Mode.PLANNED and event_type == "market_signal" and _far(named, anchor):
        return mode  # a branch to be opened next year is no news of this one
    if (
        mode is Mode.PLANNED
        and event_type not in {"feature_launch", "funding"}
        and _ANNOUNCED.search(text)
        and (event_type != "hiring" or not _HOPES.search(text) or attributes.worker_count(text))
    ):
        return Mode.ASSERTED  # an announced deal, price or hiring is the news itself
    if mode is Mode.PLANNED and event_type == "partnership" and not _HOPES.search(text):
        return Mode.ASSERTED  # what two will do together is agreed
    if mode is Mode.PLANNED and event_type == "hiring" and attributes.worker_count(text):
        return Mode.ASSERTED  # how many it will take on is the news itself
    if mode is Mode.PLANNED and event_type == "pricing_change" and named and names_amount(text):
        return Mode.ASSERTED  # a price with its day is set, not planned
    return mode


def _valued(
    base: Candidate, text: str, trigger: tuple[int, int], book: Book
) -> Iterator[Candidate]:
    """Give the candidate with the values of its type; of prices one for each."""
    kind = base.event_type
    if kind == "pricing_change":
        sums = [one.value for one in amounts(text)]
        if sums and min(sums) >= MOST:
            return  # `went from $3 million to $4 million` is a company's figure
        found = attributes.prices(text, base.entity)
        for one in found or [None]:  # type: ignore[list-item]
            yield base if one is None else base.having(
                amount=one.amount, currency=one.currency, before=one.before,
                change_percent=one.percent, unit=one.unit, plan=one.plan,
            )  # fmt: skip
        return
    party = next(attributes.parties(text, trigger, book, base.entity), "")
    if kind in {"acquisition", "funding"}:
        amount = attributes.main_amount(text, trigger[0])
        if amount:
            base = base.having(amount=amount.value, currency=amount.currency)
        yield base.having(party=party if kind == "acquisition" else "")
    elif kind == "hiring":
        who = attributes.person(text)
        yield base.having(count=None if who else attributes.worker_count(text), party=who)
    else:
        yield base.having(party=party if kind == "partnership" else "")


def _doubts(lead: Candidate, one: Candidate) -> bool:
    """Say whether what opens a page as a rumour or a denial speaks of what it says later."""
    if (lead.entity.name, lead.event_type) != (one.entity.name, one.event_type):
        return False
    heads = lead.strength == HEADLINE or lead.mode is Mode.RUMOURED
    return heads or bool(
        lead.names & one.names
    )  # `I said I would never hire a chief` denies no later hiring


def _weighed(page: Page, found: list[Candidate]) -> Iterator[Candidate]:
    """Let a page's headline speak for its text: a rumour's details are rumours, too."""
    doubts = [
        one for one in found
        if one.lead and one.strength >= 2 and one.mode in {Mode.RUMOURED, Mode.DENIED}
    ]  # fmt: skip
    title_mode = mode_of(page.title, 0, (), page.published) if page.title else Mode.ASSERTED
    doubtful = title_mode in {Mode.RUMOURED, Mode.DENIED} and bool(
        re.search(
            r"rumou?r|den(?:y|ies|ied)|reportedly|speculat|unconfirmed|source|talks|gerücht|rumeur",
            page.title,
            re.IGNORECASE,
        )
    )
    for one in found:
        key = (one.entity.name, one.event_type)
        if one.mode is Mode.ASSERTED and (doubtful or any(_doubts(each, one) for each in doubts)):
            denied = any(
                other.mode is Mode.DENIED and (other.entity.name, other.event_type) == key
                for other in found
            )
            yield one.having(mode=Mode.DENIED if denied else Mode.RUMOURED)
        else:
            yield one
