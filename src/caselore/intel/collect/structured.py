"""Reads a page's JSON-LD: headline, days, publisher, names of organisations, offers.

Must not fail on what is no JSON, nor give its words as something that a reader saw.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from caselore.intel.money import parse_number
from caselore.intel.pages import Facts, Offer

_ARTICLES = frozenset(
    {"newsarticle", "article", "blogposting", "pressrelease", "reportagenewsarticle", "webpage",
     "technicalarticle", "techarticle", "discussionforumposting", "jobposting"}
)  # fmt: skip
_ORGANISATIONS = frozenset(
    {"organization", "corporation", "newsmediaorganization", "brand", "localbusiness"}
)
_LONGEST = 500


def read_scripts(scripts: Sequence[str]) -> Facts:
    """Give what a page's scripts say; what cannot be read says nothing."""
    things = [thing for script in scripts for thing in _things(script)]
    facts: dict[str, Any] = {}
    for thing in things:
        for name, value in _article(thing).items():
            facts.setdefault(name, value)
    names = tuple(dict.fromkeys(group for thing in things if (group := _names(thing))))
    offers = tuple(offer for thing in things for offer in _offers(thing))
    publisher = facts.get("publisher", "")
    return Facts(**{**facts, "publisher": publisher}, names=names, offers=offers)


def _things(script: str) -> Iterator[dict[str, Any]]:
    try:
        value = json.loads(script)
    except (ValueError, RecursionError):
        return
    yield from _flat(value, 0)


def _flat(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    if depth > 8:
        return
    if isinstance(value, list):
        for one in value[:200]:
            yield from _flat(one, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value:
            yield value
        for one in value.values():
            if isinstance(one, (dict, list)):
                yield from _flat(one, depth + 1)


def _kinds(thing: dict[str, Any]) -> set[str]:
    kind = thing.get("@type")
    return {str(one).lower() for one in (kind if isinstance(kind, list) else [kind])}


def _article(thing: dict[str, Any]) -> dict[str, str]:
    if not _kinds(thing) & _ARTICLES:
        return {}
    publisher = thing.get("publisher") or thing.get("hiringOrganization") or {}
    if isinstance(publisher, dict):
        publisher = publisher.get("name")
    given = {
        "kind": next(iter(_kinds(thing) & _ARTICLES)),
        "headline": thing.get("headline") or thing.get("name"),
        "published": thing.get("datePublished")
        or thing.get("datePosted")
        or thing.get("dateCreated"),
        "modified": thing.get("dateModified"),
        "publisher": publisher,
    }
    return {
        name: value[:_LONGEST] for name, value in given.items() if isinstance(value, str) and value
    }


def _names(thing: dict[str, Any]) -> tuple[str, ...]:
    if not _kinds(thing) & _ORGANISATIONS:
        return ()
    found: list[str] = []
    for field in ("name", "legalName", "alternateName", "tickerSymbol"):
        value = thing.get(field)
        found += [
            one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)
        ]
    return tuple(dict.fromkeys(one.strip()[:200] for one in found if one.strip()))


def _offers(thing: dict[str, Any]) -> Iterator[Offer]:
    if "offer" not in _kinds(thing):
        return
    details = thing.get("priceSpecification")
    spec: dict[str, Any] = details if isinstance(details, dict) else {}
    price = thing.get("price", spec.get("price"))
    amount = parse_number(price) if isinstance(price, str) else price
    if isinstance(amount, (int, float)) and not isinstance(amount, bool):
        currency = thing.get("priceCurrency") or spec.get("priceCurrency") or ""
        unit = str(spec.get("unitText") or "")
        yield Offer(
            str(thing.get("name") or ""), float(amount), str(currency).upper(), unit.lower()
        )
