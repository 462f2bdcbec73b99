"""Reads the values of an event out of its sentence: amount, plan, count, the other party.

Must not take a value from anywhere but the text it is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caselore.intel.entities import Book, Entity
from caselore.intel.lexicon import pattern
from caselore.intel.money import Amount, amounts, counts, shares
from caselore.intel.price_moves import Role, roles

PLANS = (
    "Free|Starter|Basic|Standard|Team|Teams|Pro|Professional|Plus|Premium|Business|Growth|Scale|"
    "Enterprise|Essentials|Essential|Individual|Personal|Developer|Advanced|Ultimate|Solo|Studio|"
    "Core|Lite|Max|Elite|Launch|Hobby|Community|Organization|Organisation|Company|Agency|Unlimited"
)
_PLAN = re.compile(
    rf"\b(?P<a>(?:[A-Z][\w+]*\s){{0,2}}[A-Z][\w+]*)[ -](?:plan|tier|edition|package|subscription|licen[cs]e|seats?|price|pricing)\b|\b(?P<b>{PLANS})\b"
    rf"|(?:plan|tier|Tarif|plano?|formule|offre)\s+[\"“«]?(?P<c>[A-Z][\w+]*)"
)
_NOT_PLAN = frozenset(
    [
        "the",
        "a",
        "its",
        "new",
        "our",
        "list",
        "monthly",
        "annual",
        "per",
        "seat",
        "price",
        "pricing",
        "this",
        "that",
        "each",
        "every",
        "all",
    ]
)
_UNIT = pattern("attributes", "unit", re.IGNORECASE)
_UNITS = {
    "mo": "month",
    "yr": "year",
    "annum": "year",
    "monat": "month",
    "mois": "month",
    "mes": "month",
    "jahr": "year",
    "nutzer": "user",
    "utilisateur": "user",
    "usuario": "user",
    "platz": "seat",
    "asiento": "seat",
    "monthly": "month",
    "annually": "year",
    "yearly": "year",
    "monatlich": "month",
    "jährlich": "year",
}
_DOWN = pattern("attributes", "down", re.IGNORECASE)
_FREE = pattern("attributes", "free", re.IGNORECASE)
_CLOSED_FREE = pattern("attributes", "closed_free", re.IGNORECASE)
_VALUATION = pattern("attributes", "valuation", re.IGNORECASE)
_AFTER_VALUATION = pattern("attributes", "after_valuation", re.IGNORECASE)
_PARTY = pattern("attributes", "party")
_ROLE = re.compile(r"\b(?:C[A-Z]O|CEO|President|Chief|VP|Head|Vice|Director)\b")
_PERSON = pattern("attributes", "person")
_WORKERS = pattern("attributes", "workers", re.IGNORECASE)


class Price(NamedTuple):
    """One price that a sentence gives, new and old."""

    amount: float | None
    currency: str
    before: float | None
    percent: float | None
    unit: str
    plan: str
    last: int


def unit_after(text: str, at: int) -> str:
    """Give the unit behind a price: seat/month."""
    match = _UNIT.match(text[at : at + 60])
    if not match:
        return ""
    names = [one.lower() for one in (match["a"], match["b"], match["c"]) if one]
    return "/".join(_UNITS.get(one, one) for one in names)


def plan_near(text: str, at: int) -> str:
    """Give the plan that is named nearest before a price, else behind it."""
    found = []
    for match in _PLAN.finditer(text):
        name = (match["a"] or match["b"] or match["c"]).strip()
        words = name.split()
        while words and words[0].lower() in _NOT_PLAN:
            words = words[1:]
        if words and not (len(words) == 1 and words[0].lower() in _NOT_PLAN):
            found.append((match.start(), " ".join(words)))
    before = [one for one in found if one[0] <= at]
    if before:
        return before[-1][1]
    return found[0][1] if found else ""


def prices(text: str, owner: Entity) -> list[Price]:
    """Give the price changes of a sentence, one for each new price."""
    fresh: list[tuple[Amount, Amount | None]] = []
    old: list[Amount] = []
    for one, role in roles(text):
        if role is Role.OLD:
            if fresh and fresh[-1][1] is None and _after_new(text, fresh[-1][0], one):
                fresh[-1] = (fresh[-1][0], one)
            else:
                old.append(one)
        elif role is Role.NEW:
            fresh.append((one, old.pop(0) if old else None))
    if len(fresh) == 1 and fresh[0][1] is None and len(old) == 1:
        fresh = [(fresh[0][0], old[0])]
    percent = _signed(text)
    made = [_price(text, new, was, percent, owner) for new, was in fresh]
    if not made and (_CLOSED_FREE.search(text) or percent is not None or _FREE.search(text)):
        made = [
            Price(
                0.0 if _FREE.search(text) and not _CLOSED_FREE.search(text) else None,
                "",
                None,
                percent,
                "",
                _own_plan(text, len(text), owner),
                len(text),
            )
        ]
    if not made and old:
        made = [
            Price(
                None, "", old[0].value, percent, "", _own_plan(text, len(text), owner), old[0].last
            )
        ]
    return made


def _after_new(text: str, new: Amount, was: Amount) -> bool:
    return bool(
        re.fullmatch(r"(?:[^.;]|\.(?=\d)){0,60}?", text[new.last : was.first])
    ) and not re.search(
        r"\b(?:and|while)\b[^$€£]{0,40}\b(?:plan|tier)\b", text[new.last : was.first]
    )


def _price(
    text: str, new: Amount, was: Amount | None, percent: float | None, owner: Entity
) -> Price:
    same = was is not None and was.currency == new.currency
    change = percent
    if same and was is not None and was.value:
        change = round(100 * (new.value - was.value) / was.value, 1)
    unit = unit_after(text, new.last) or (unit_after(text, was.last) if was else "")
    last = max(new.last, was.last if was else 0)
    return Price(
        new.value,
        new.currency,
        was.value if was and same else None,
        change,
        unit,
        _own_plan(text, new.first, owner),
        last,
    )


def _own_plan(text: str, at: int, owner: Entity) -> str:
    """Give the plan without the competitor's own name in front of it."""
    plan = plan_near(text, at)
    for name in sorted(owner.names, key=len, reverse=True):
        if plan.startswith(name + " "):
            plan = plan[len(name) + 1 :]
    return "" if plan in owner.names else plan


def _signed(text: str) -> float | None:
    share = next(iter(shares(text)), None)
    if share is None:
        return None
    near = text[max(0, share.first - 80) : share.last + 60]
    return -share.value if _DOWN.search(near) else share.value


def main_amount(text: str, trigger: int) -> Amount | None:
    """Give the amount of money that a deal or round is about: not a valuation, not a total."""
    plain = [one for one in amounts(text) if not _beside_the_point(text, one)]
    behind = [one for one in plain if one.first >= trigger]
    return (behind or plain or [None])[0]  # type: ignore[list-item]


def _beside_the_point(text: str, one: Amount) -> bool:
    head, tail = text[max(0, one.first - 50) : one.first], text[one.last : one.last + 40]
    return bool(_VALUATION.search(head) or _AFTER_VALUATION.match(tail))


_TAKEN_ON = re.compile(
    r"\s(?:[\w-]+ ){0,3}?[a-z]+s (?:are |will |is |were )(?:to )?(?:be |being )?(?:recruited|hired|taken on)\b",
    re.IGNORECASE,
)


def worker_count(text: str) -> int | None:
    """Give how many people or places a hiring is about."""
    taken = [(one.first, one.last) for one in amounts(text)]
    for one in counts(text):
        if any(first <= one.first < last for first, last in taken) or 1990 <= one.value <= 2100:
            continue
        if _WORKERS.search(text[one.last : one.last + 45]):
            return one.value
    for one in counts(text):
        if one.value > 1 and _TAKEN_ON.match(text[one.last :]):
            return one.value
    grown = re.search(
        r"\b(?:by|adding|adds|hired|hires|hiring)\s+(\d[\d,]*)\b(?!\s*(?:%|percent))", text
    )
    return int(grown[1].replace(",", "")) if grown else None


def person(text: str) -> str:
    """Give the person who is hired or appointed."""
    match = _PERSON.search(text)
    name = (match["p"] or match["q"] or match["r"]) if match else ""
    return "" if _ROLE.match(name) else _ROLE.split(name)[0].strip()


def parties(text: str, trigger: tuple[int, int], book: Book, entity: Entity) -> Iterator[str]:
    """Give the other companies of a deal, best first: named behind the trigger, then before it."""
    behind = [
        m.group()
        for m in _PARTY.finditer(text, trigger[1] - 1)
        if not _describes(text, m) and not _FROM.search(text[: m.start()])
    ]
    ahead = [m.group() for m in _PARTY.finditer(text, 0, trigger[0]) if not _only_places(text, m)]
    own = [one.first for one in book.mentions(text) if one.entity is entity]
    bought = bool(own) and min(own) >= trigger[1] - 1
    for phrase in (*reversed(ahead), *behind) if bought and ahead else (*behind, *reversed(ahead)):
        for name in re.split(r"\s+(?:and|und|et|y)\s+", phrase):
            if _is_party(name, entity):
                yield _clean_party(name)


_OWNS = re.compile(r".*['’]s$")  # `Jakarta's best planner`: it is not Jakarta that was sold
_FROM = re.compile(r"\b(?:from|near|based in|out of|headquartered in) (?:the )?$")
_WHERE = re.compile(r"\b(?:of|in|at|near|on|outside) (?:the )?$")
_NOUN = re.compile(
    r"\s(?!(?:and|or|in|for|to|of|at|on|from|by|with|as|is|was|has|will|last|this|today)\b)[a-z][\w-]+(?:\s[a-z][\w-]+){0,3}\s(?=[A-ZÀ-Þ])"
)


def _only_places(text: str, phrase: re.Match[str]) -> bool:
    """Say whether a name ahead of a deal only says where, or whose the thing is that was sold."""
    return bool(_OWNS.match(phrase.group()) or _WHERE.search(text[: phrase.start()]))


def _describes(text: str, phrase: re.Match[str]) -> bool:
    """Say whether a single large word only tells what the next name is: `Indonesian planning app Jadwal`."""
    return " " not in phrase.group() and bool(_NOUN.match(text, phrase.end()))


_NO_PARTY = pattern("attributes", "no_party")


def _is_party(name: str, entity: Entity) -> bool:
    bare = name.strip()
    return (
        len(bare) > 1
        and not _NO_PARTY.match(bare)
        and bare not in entity.names
        and not any(bare.startswith(one) for one in entity.names)
    )


def _clean_party(name: str) -> str:
    return re.sub(r"(?:['’]s)$", "", re.sub(r"^(?:The|A|An)\s+", "", name)).strip(" .,")
