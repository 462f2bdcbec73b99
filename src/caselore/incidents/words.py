"""Turns records and readings into what may carry a model's sentence.

Must not judge: `guards.wording` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from caselore.guards.carriers import RESOLUTION, Carrier
from caselore.incidents import precedents
from caselore.logs import Reading
from caselore.memory.recall import Hit
from caselore.memory.records import Case

_FOLLOWED = re.compile(r"(#\S*\w)\s+(?:was\s+)?followed\s+(by\s+)?(#\S*\w)")
_IT = r"\b(?:this|it|job|failure|run|error|build|pipeline|deployment)"
_IS = r"(?:is|was|repeat(?:s|ed)|match(?:es|ed)|equals)"
_AS = {"infrastructure_change": RESOLUTION}  # of an imported row: part of what was done


def carrier(hit: Hit) -> Carrier:
    """Give a recalled record as a carrier."""
    return carrier_of(hit.case, precedents.regression(hit))


def carrier_of(case: Case, more: str = "", *, chained: bool = False) -> Carrier:
    """Give a record as a carrier; `chained`: which records it followed is a fact, too."""
    told = precedents.outcome(case)
    followed = f"followed {' '.join(case.precedents)}" if chained and case.precedents else ""
    return Carrier(
        id=case.id,
        label=precedents.label(case),
        parts=tuple((_AS.get(part, part), text) for part, text in precedents.parts(case) if text),
        facts="\n".join(filter(None, (_named(case), more, followed))),
        result=told.result if told else "",
        verdict=f"{told.confirmed_by}\n{precedents.day(told.confirmed_at)}" if told else "",
        happened=precedents.day(case.record.happened_at),
    )


def _named(case: Case) -> str:
    """Give what a case is called and where it happened, without people and days."""
    told = precedents.outcome(case)
    days = {precedents.day(case.record.happened_at)}
    if told:
        days |= {told.confirmed_by, precedents.day(told.confirmed_at), told.result}
    return "\n".join(one for one in precedents.facts(case).split("\n") if one not in days)


def carrier_of_log(reading: Reading, lines: tuple[int, ...]) -> Carrier:
    """Give the cited lines of the excerpt."""
    signature = reading.signature
    facts = "\n".join((signature.family, signature.tool, signature.unit, signature.error))
    shown = {
        number: text
        for part in reading.excerpt
        for number, text in enumerate(part.text.split("\n"), part.first)
    }
    told = "\n".join(shown[line] for line in sorted(set(lines)) if line in shown)
    named = "\n".join(f"line {line}" for line in lines)
    return Carrier("the log", "", (("log", told),), facts, lines=named)


def taken_for(text: str, case: Case) -> bool:
    """Say whether a text takes the failure at hand for an earlier one: "this is #1020 again"."""
    name = re.escape(precedents.label(case))
    return re.search(rf"{_IT}\s+{_IS}\s+(?:\w+ )?{name}(?![\w-])", text, re.I) is not None


def wrong_order(text: str, cases: Iterable[Case]) -> bool:
    """Say whether a text lets an incident follow one that it did not follow."""
    known = {precedents.label(case): case for case in cases}
    for one, by, other in _FOLLOWED.findall(text):
        later, earlier = (other, one) if by else (one, other)
        if {later, earlier} <= known.keys() and known[earlier].id not in known[later].precedents:
            return True
    return False
