"""Reads the prices of a price page and finds what changed between two versions of it.

Must not take a price from anywhere but the page's own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caselore.intel.attributes import PLANS, unit_after
from caselore.intel.candidates import Candidate, telling
from caselore.intel.days import day_of, days
from caselore.intel.entities import Entity
from caselore.intel.lexicon import pattern
from caselore.intel.money import amounts
from caselore.intel.pages import Block, Page

_PRICE_PAGE = re.compile(
    r"\b(?:pric(?:e|es|ing)|plans?|tarifs?|preise|precios|editions|subscri(?:be|ptions?))\b",
    re.IGNORECASE,
)
_PLAN_NAME = re.compile(
    rf"^(?:the )?(?P<n>(?:[A-Z][\w+&-]*\s?){{1,3}}|(?:{PLANS}))(?:\s(?:plan|tier|edition))?$"
)
_YEARLY = re.compile(
    r"\b(?:annual(?:ly)?|yearly|year|billed annually|jährlich|annuel)\b", re.IGNORECASE
)
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


def is_price_page(page: Page) -> bool:
    """Say whether a page lists prices rather than telling of them."""
    path = page.url.rsplit("//", 1)[-1].partition("/")[2]
    return bool(
        _PRICE_PAGE.search(path.replace("_", " ").replace("-", " "))
        or (_PRICE_PAGE.search(page.title) and len(page.title) < 60)
    )


def prices_of(page: Page) -> tuple[Price, ...]:
    """Give the prices of a page's tables, cards and lists, in order."""
    found: list[Price] = []
    columns: list[str] = []
    for number, block in enumerate(page.blocks):
        text = page.part(block)
        if block.kind == "row":
            if not any(True for _ in amounts(text)):
                columns = text.split("\t")
            found += _row(block, text, columns)
        else:
            found += _card(page, number, block, text)
    unique: dict[tuple[str, str, bool, float], Price] = {}
    for one in found:
        unique.setdefault((one.plan.casefold(), one.unit, one.yearly, one.amount), one)
    return tuple(unique.values())


def _row(block: Block, text: str, columns: list[str]) -> Iterator[Price]:
    cells = text.split("\t")
    plan = cells[0].strip()
    values = [one for one in amounts(text)]
    if not values:
        return
    if _NOT_A_PLAN.match(plan) and len(columns) == len(cells):
        at = 0
        for name, cell in zip(columns, cells, strict=True):
            for one in amounts(cell):
                yield Price(
                    name.strip(),
                    one.value,
                    one.currency,
                    unit_after(cell, one.last),
                    _is_yearly(f"{name} {cells[0]} {cell}"),
                    block.first,
                    block.last,
                )
            at += len(cell) + 1
        return
    at = 0
    for place, cell in enumerate(cells):
        label = columns[place] if place < len(columns) else ""
        for one in amounts(cell):
            rest = text[at + one.last :].replace("\t", " ")
            unit = unit_after(cell, one.last) or unit_after(rest, 0) or _unit_in(f"{label} {text}")
            yield Price(
                _plan(plan),
                one.value,
                one.currency,
                unit,
                _is_yearly(f"{label} {cell}"),
                block.first,
                block.last,
            )
        at += len(cell) + 1


def _card(page: Page, number: int, block: Block, text: str) -> Iterator[Price]:
    """Read a plan's name followed by its price, in one block or in the next few."""
    line = re.match(
        r"^(?P<n>[A-Z][\w+& -]{1,40}?)(?:\s(?:plan|tier))?\s*(?:[:–—-]|costs?|is|at)\s*(?=\D{0,12}\d)",
        text,
    )
    if line and not _NOT_A_PLAN.match(line["n"]) and len(text) < 160:
        for one in list(amounts(text))[:1]:
            yield Price(
                _plan(line["n"]),
                one.value,
                one.currency,
                unit_after(text, one.last) or _unit_in(text),
                _is_yearly(text),
                block.first,
                block.last,
            )
        return
    if not _PLAN_NAME.match(text.strip()) or _NOT_A_PLAN.match(text) or len(text) > 40:
        return
    for later in page.blocks[number + 1 : number + 1 + REACH]:
        words = page.part(later)
        if (
            later.kind == "heading"
            and later.level <= (block.level or 9)
            and block.kind == "heading"
        ):
            return
        found = list(amounts(words))
        if found and len(words) < 120:
            one = found[0]
            follow = page.text[later.first + one.last : later.first + one.last + 60].replace(
                "\n", " "
            )
            last = later.last
            yield Price(
                _plan(text),
                one.value,
                one.currency,
                unit_after(follow, 0),
                _is_yearly(words),
                block.first,
                last,
            )
            return
        if re.fullmatch(r"\W*free\W*", words.strip(), re.IGNORECASE):
            yield Price(_plan(text), 0.0, "", "", False, block.first, later.last)
            return


def _plan(text: str) -> str:
    return re.sub(r"\s+(?:plan|tier|edition)$", "", " ".join(text.split()), flags=re.IGNORECASE)


def _is_yearly(text: str) -> bool:
    return bool(_YEARLY.search(text)) and not re.search(
        r"\bmonth(?:ly)?\b(?!.*\bbilled annually)", text, re.IGNORECASE
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
    before = {(one.plan.casefold(), one.yearly, _unit(one)): one for one in prices_of(old)}
    plans = {one.plan.casefold() for one in prices_of(old)}
    day, told = _day(old, new)
    for one in prices_of(new):
        was = before.get((one.plan.casefold(), one.yearly, _unit(one))) or next(
            (
                each
                for each in prices_of(old)
                if (each.plan.casefold(), each.yearly) == (one.plan.casefold(), one.yearly)
            ),
            None,
        )
        if was is not None and was.amount != one.amount:
            yield _candidate(new, one, was, owner, day, told)
        elif was is None and one.plan.casefold() not in plans and plans and not one.yearly:
            yield _candidate(new, one, None, owner, day, told)


def _unit(one: Price) -> str:
    return one.unit.replace("user", "seat")


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
