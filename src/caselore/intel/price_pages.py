"""Reads the prices of a price page and finds what changed between two versions of it.

Must not take a price from anywhere but the page's own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caselore.intel.attributes import PLANS, unit_after
from caselore.intel.candidates import Candidate, telling
from caselore.intel.days import after, day_of, days
from caselore.intel.entities import Entity
from caselore.intel.lexicon import pattern
from caselore.intel.money import Amount, amounts, names_amount
from caselore.intel.pages import Block, Page

_PRICE_PAGE = re.compile(
    r"\b(?:pric(?:e|es|ing)|plans?|tarifs?|preise|precios|prezzi|pre[cç]os|planos|editions|subscri(?:be|ptions?)|rates?|rate card|fees|tariffs?|packages)\b",
    re.IGNORECASE,
)
_PLAN_NAME = re.compile(
    rf"^(?:the )?(?P<n>(?:[A-ZÀ-ÖØ-Þ][\w+&.-]*\s?){{1,3}}|(?:{PLANS}))(?:\s(?:plan|tier|edition))?$"
)
_YEARLY = re.compile(
    r"\b(?:annual(?:ly)?|yearly|year|billed annually|jährlich|annuel)\b", re.IGNORECASE
)
_WAGES = re.compile(
    r"\b(?:careers?|jobs?|karriere|vacanc\w+|salar\w+|stellen\w*|emplois?|empleo|hiring)\b",
    re.IGNORECASE,
)
_PRICE_LABEL = pattern("price_pages", "label", re.IGNORECASE)
_SAVED = re.compile(
    r"\b(?:save|saving|off|discount(?: of)?|extra|instead of|was|statt)\s*(?:up to )?$",
    re.IGNORECASE,
)
_SAVED_AFTER = re.compile(r"^\s*(?:off|cheaper|less|saved|discount|credit)\b", re.IGNORECASE)
_NOT_A_PLAN = pattern("price_pages", "not_a_plan", re.IGNORECASE)
_EFFECT = pattern("price_pages", "effect", re.IGNORECASE)
REACH = 4  # blocks behind a plan's name in which its price may stand


class Price(NamedTuple):
    """One price of a price page, at its place."""

    plan: str
    amount: float
    currency: str
    unit: str
    yearly: bool
    first: int
    last: int
    variant: str = ""
    """What else tells it from the plan's other prices: the row or column of a table."""

    @property
    def key(self) -> tuple[str, bool, str, str]:
        """Give what makes it the same price in two versions of a page."""
        return (
            self.plan.casefold(),
            self.yearly,
            self.variant.casefold(),
            self.unit.replace("user", "seat"),
        )


def is_price_page(page: Page, own: bool = False) -> bool:
    """Say whether a page lists prices rather than telling of them; `own`: it is the seller's."""
    path = page.url.rsplit("//", 1)[-1].partition("/")[2]
    words = f"{path.replace('_', ' ').replace('-', ' ')} {page.title}"
    if _WAGES.search(words):
        return False
    return bool(
        _PRICE_PAGE.search(path.replace("_", " ").replace("-", " "))
        or (_PRICE_PAGE.search(page.title) and len(page.title) < 60)
        or (own and len({one.plan for one in prices_of(page)}) >= 2)
    )


def prices_of(page: Page) -> tuple[Price, ...]:
    """Give the prices of a page's tables, cards and lists, in order."""
    found: list[Price] = []
    titled: list[Price] = []
    columns: list[str] = []
    for number, block in enumerate(page.blocks):
        text = page.part(block)
        if block.kind == "row":
            if not names_amount(text):
                columns = text.split("\t")
            found += _row(block, text, columns)
        else:
            into = titled if text == page.title else found
            into += _card(page, number, block, text)
    unique: dict[tuple[object, ...], Price] = {}
    for one in found or titled:
        unique.setdefault((*one.key, one.amount), one)
    return tuple(unique.values())


def _row(block: Block, text: str, columns: list[str]) -> Iterator[Price]:
    """Read a row: a plan with its prices, or the prices of the plans that the columns name."""
    cells = text.split("\t")
    priced = [number for number, cell in enumerate(cells) if names_amount(cell)]
    across = bool(_PRICE_LABEL.match(cells[0])) and len(columns) >= len(cells)
    for place in priced:
        label = columns[place].strip() if place < len(columns) else ""
        named = bool(label) and not _PRICE_LABEL.match(label)
        if across and named:
            plan, variant = label, cells[0]
        elif named and place:
            plan = f"{cells[0]} {label}" if len(priced) > 1 else cells[0]
            variant = label
        else:
            plan, variant = cells[0], ""
        around = f"{label} {cells[0] if across else ''} {cells[place]}"
        rest = " ".join(cells[place + 1 :])
        for one in _standing(cells[place]):
            unit = (
                unit_after(cells[place], one.last)
                or ("" if across else unit_after(rest, 0))
                or _unit_in(f"{label} {cells[0]} {'' if across else text}")
            )
            yield Price(
                _plan(plan), one.value, one.currency, unit, _is_yearly(around, unit),
                block.first, block.last, variant,
            )  # fmt: skip


_LINE = re.compile(
    r"^(?:The |Our )?(?P<n>[A-ZÀ-ÖØ-Þ][\w+& -]{1,40}?)(?:\s(?:plan|tier|package))?\s*(?:[:–—|-]|costs?|is|at|\bnow)\s*(?=\D{0,12}\d)"
)


_BARE = re.compile(
    r"^(?P<n>[A-ZÀ-ÖØ-Þ][\w+&.-]*(?: [A-ZÀ-ÖØ-Þ+][\w+&.-]*){0,2})(?: plan| tier)?\s+(?=(?:from )?(?:[$€£¥₹]\s?\d|\d[\d.,]*\s?[€£$]))"
)
"""A plan with its price right behind it: an item of a list, not a sentence."""


def _card(page: Page, number: int, block: Block, text: str) -> Iterator[Price]:
    """Read a plan's name followed by its prices, in one block or in the next few."""
    line = _LINE.match(text) or (_BARE.match(text) if block.kind == "item" else None)
    if line and not _NOT_A_PLAN.match(line["n"]) and len(text) < 160:
        yield from _priced(line["n"], text, text, block.first, block.last)
        return
    if not _PLAN_NAME.match(text.strip()) or _NOT_A_PLAN.match(text) or len(text) > 40:
        return
    got: set[bool] = set()
    for place, later in enumerate(page.blocks[number + 1 : number + 1 + REACH], number + 1):
        words = page.part(later)
        if _next_plan(block, later, words, bool(got)):
            return
        if re.fullmatch(r"\W*free\W*", words.strip(), re.IGNORECASE) and not got:
            yield Price(_plan(text), 0.0, "", "", False, block.first, later.last)
            return
        if len(words) >= 120 or not names_amount(words):
            continue
        fresh = [
            one
            for one in _priced(text, words, _follow(page, place), block.first, later.last)
            if one.yearly not in got
        ]
        yield from fresh
        got |= {one.yearly for one in fresh}


def _next_plan(block: Block, later: Block, words: str, priced: bool) -> bool:
    """Say whether a block begins the next plan."""
    if later.kind == "heading" and block.kind == "heading" and later.level <= (block.level or 9):
        return True
    return priced and bool(_PLAN_NAME.match(words.strip())) and not _NOT_A_PLAN.match(words)


_OLD_COLUMN = re.compile(
    r"\b(?:until|till|up to|before|old|previous(?:ly)?|current|today|so far|was|bis|jusqu)\b",
    re.IGNORECASE,
)
_NEW_COLUMN = re.compile(
    r"\b(?:from|as of|since|new|after|effective|starting|ab|à partir|now)\b", re.IGNORECASE
)


def announced(page: Page, owner: Entity) -> Iterator[Candidate]:
    """Give the changes that a table itself tells, with a column for the old price and one for the new."""
    columns: list[str] = []
    for block in page.blocks:
        if block.kind != "row":
            continue
        cells = page.part(block).split("\t")
        if not names_amount(page.part(block)):
            columns = cells
            continue
        was, now = _told_by(columns, cells, _OLD_COLUMN), _told_by(columns, cells, _NEW_COLUMN)
        if was and now and was[1].value != now[1].value and was[1].currency == now[1].currency:
            day, told = _from_day(columns[now[0]], columns[was[0]], page)
            priced = [
                Price(_plan(cells[0]), each.value, each.currency, unit_after(cells[at], each.last),
                      _is_yearly(columns[at]), block.first, block.last)
                for at, each in (was, now)
            ]  # fmt: skip
            yield _candidate(page, priced[1], priced[0], owner, day, told)


def _told_by(
    columns: list[str], cells: list[str], head: re.Pattern[str]
) -> tuple[int, Amount] | None:
    """Give the column under a head of a kind, and the one amount in its cell."""
    fits = [at for at, one in enumerate(columns[: len(cells)]) if at and head.search(one)]
    found = list(amounts(cells[fits[0]])) if len(fits) == 1 else []
    return (fits[0], found[0]) if len(found) == 1 else None


def _from_day(new: str, old: str, page: Page) -> tuple[str, str]:
    """Give the day from which the new price holds: the head's, or the one after the old price's last."""
    since = [one.day for one in days(new, page.day) if one.kind == "absolute"]
    until = [one.day for one in days(old, page.day) if one.kind == "absolute"]
    if since:
        return since[0], "effective"
    if until:
        return after(until[0]), "effective"
    return page.day, "page"


def _follow(page: Page, place: int) -> str:
    """Give a block's words with those behind it, which may name the unit: not where they are a price."""
    block = page.blocks[place]
    after = page.blocks[place + 1 : place + 2]
    if after and names_amount(page.part(after[0])):
        return page.part(block)
    return page.text[block.first : block.last + 60].replace("\n", " ")


def _priced(plan: str, words: str, follow: str, first: int, last: int) -> Iterator[Price]:
    """Give a plan's prices of a block: one for each period of billing."""
    for one in _standing(words):
        unit = unit_after(follow, one.last) or _unit_in(words)
        around = words if len(list(amounts(words))) == 1 else words[one.first : one.last + 25]
        yield Price(
            _plan(plan), one.value, one.currency, unit, _is_yearly(around, unit), first, last
        )


def _standing(words: str) -> list[Amount]:
    """Give the prices that a few words ask for: not a saving, nor the higher one that is struck out."""
    kept: list[Amount] = []
    units: list[str] = []
    for one in amounts(words):
        if _SAVED.search(words[: one.first]) or _SAVED_AFTER.match(words[one.last :]):
            continue
        unit = unit_after(words, one.last)
        if kept and (units[-1] == unit or not units[-1]) and one.value < kept[-1].value:
            kept[-1], units[-1] = one, unit
        elif not kept or units[-1] != unit:
            kept.append(one)
            units.append(unit)
    return kept


def _plan(text: str) -> str:
    return re.sub(r"\s+(?:plan|tier|edition)$", "", " ".join(text.split()), flags=re.IGNORECASE)


def _is_yearly(text: str, unit: str = "") -> bool:
    if unit.endswith("year") and not re.search(r"\bmonth", text, re.IGNORECASE):
        return True
    return bool(_YEARLY.search(text)) and not re.search(
        r"\bmonth(?:ly)?\b(?!.*\bbilled (?:annually|yearly))", text, re.IGNORECASE
    )


def _unit_in(text: str) -> str:
    seat = re.search(
        r"\b(?:per|/)\s?(seat|user|agent|editor|member|host|developer)\b", text, re.IGNORECASE
    )
    month = re.search(r"\b(?:month|mo\b|monthly)", text, re.IGNORECASE)
    return "/".join(
        one for one in (seat[1].lower() if seat else "", "month" if month else "") if one
    )


def changes(old: Page, new: Page, owner: Entity) -> Iterator[Candidate]:
    """Give what changed in price between two versions of a page, as reports of the newer one."""
    known = prices_of(old)
    before = {one.key: one for one in known}
    plans = {one.plan.casefold() for one in known}
    day, told = _day(old, new)
    for one in prices_of(new):
        was = before.get(one.key) or next(
            (each for each in known if each.key[:3] == one.key[:3]), None
        )
        if was is not None and was.amount != one.amount:
            yield _candidate(new, one, was, owner, day, told)
        elif was is None and one.plan.casefold() not in plans and plans and not one.yearly:
            yield _candidate(new, one, None, owner, day, told)


def _day(old: Page, new: Page) -> tuple[str, str]:
    """Give the day of a change: one that the new page names and the old did not, else its fetching."""
    known = {one.day for one in days(old.text)}
    fetched = day_of(new.fetched_at)
    fresh = [
        one for one in days(new.text)
        if one.kind == "absolute" and one.day not in known and _EFFECT.search(new.text[max(0, one.first - 50) : one.first])
    ]  # fmt: skip
    if fresh:
        return fresh[0].day, "effective"
    if new.published and new.published != old.published and new.published_from != "last-modified":
        return new.published, "diff"
    return fetched, "diff"


def _candidate(
    page: Page, one: Price, was: Price | None, owner: Entity, day: str, told: str
) -> Candidate:
    quote = page.text[one.first : one.last]
    percent = None
    if was is not None and was.amount:
        percent = round(100 * (one.amount - was.amount) / was.amount, 1)
    return Candidate(
        entity=owner, event_type="pricing_change", quote=quote, first=one.first, last=one.last,
        title=page.title or quote, date=day, date_from=told, amount=one.amount,
        currency=one.currency or (was.currency if was else ""), before=was.amount if was else None,
        change_percent=percent, unit=one.unit, plan=one.plan, strength=2,
        tokens=telling(quote, owner), lead=True, heading=page.title,
    )  # fmt: skip
