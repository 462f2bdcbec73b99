"""Turns records and readings into what may carry a model's sentence.

Must not judge: `guards.wording` does.
"""

from __future__ import annotations

from caselore.guards.wording import RESOLUTION, Carrier
from caselore.incidents import precedents
from caselore.logs import Reading
from caselore.memory.recall import Hit
from caselore.memory.records import Case

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
        facts="\n".join(filter(None, (precedents.facts(case), more, followed))),
        result=told.result if told else "",
    )


def carrier_of_log(reading: Reading, lines: tuple[int, ...]) -> Carrier:
    """Give the parts of the excerpt in which the cited lines stand."""
    signature = reading.signature
    facts = [signature.family, signature.tool, signature.unit, signature.error]
    shown = [
        ("log", part.text)
        for part in reading.excerpt
        if any(part.first <= line <= part.last for line in lines)
    ]
    named = "\n".join(f"line {line}" for line in lines)
    return Carrier("the log", named, tuple(shown), "\n".join(facts))
