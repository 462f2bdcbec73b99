"""Replays a dated folder step by step, as if each day were today: the learning curve.

Must not let a step see what was fetched after it, nor write to the memory of the day.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from caselore.errors import BadInput, WrongUse
from caselore.intel import grading
from caselore.intel.aliases import owners
from caselore.intel.briefing import Claim
from caselore.intel.claims import VERIFIED
from caselore.intel.collect.folder import read_folder
from caselore.intel.entities import Entity, make
from caselore.intel.figures import numbers
from caselore.intel.run import Asked, Ran, Runner
from caselore.intel.trust import Trust
from caselore.memory.api import Memory
from caselore.memory.records import Actor, Kind, Role

STEPS = 400  # most steps of one backtest


def backtest(
    memory: Memory,
    folder: Path,
    competitors: tuple[Entity, ...],
    now: datetime,
    trust: Trust,
    days: int,
) -> dict[str, Any]:
    """Run at each step's end over what was there. Raises BadInput, NotFound and WrongUse."""
    pages = read_folder(folder, None).pages
    competitors = competitors or tuple(map(make, owners(pages)))
    if not competitors:
        raise WrongUse("A backtest needs at least one competitor.", hint="Give --competitor NAME.")
    times = sorted(one.fetched_at for one in pages if one.fetched_at)
    if not times:
        raise BadInput(f"{folder} holds no page")
    ends = _ends(times[0], times[-1], days)
    steps = []
    for number, (begin, end) in enumerate(ends, 1):
        ran = _step(memory, folder, competitors, begin, end, trust, number)
        steps.append(_told(memory, ran, end))
    return {
        "folder": str(folder),
        "competitors": [one.name for one in competitors],
        "days": days,
        "steps": steps,
    }


def _ends(first: datetime, last: datetime, days: int) -> list[tuple[datetime, datetime]]:
    span = timedelta(days=days)
    at = first.replace(hour=0, minute=0, second=0, microsecond=0)
    ends = []
    while at <= last:
        ends.append((at, at + span - timedelta(microseconds=1)))
        at += span
    if len(ends) > STEPS:
        raise WrongUse(f"{len(ends)} steps are more than {STEPS}", hint="Give more --days a step.")
    return ends


def _step(
    memory: Memory, folder: Path, competitors: tuple[Entity, ...], begin: datetime, end: datetime,
    trust: Trust, number: int,
) -> Ran:  # fmt: skip
    def source() -> Any:
        brought = read_folder(folder, end)
        fresh = tuple(one for one in brought.pages if one.fetched_at and one.fetched_at >= begin)
        return brought._replace(pages=fresh)

    asked = Asked(
        topic="backtest", competitors=competitors, sources=((str(folder), source),), now=end, as_of=end,
        actor=Actor("backtest", Role.SYSTEM), run=f"run_step{number}", trust=trust, since="last",
    )  # fmt: skip
    return Runner(memory, asked).go()


def _told(memory: Memory, ran: Ran, end: datetime) -> dict[str, Any]:
    claims = ran.brief.claims
    verified = sum(one.checked.verdict == VERIFIED for one in claims)
    made = verified + ran.brief.withheld
    scores = grading.calibration(memory)
    total = sum(memory.exhibit_subjects(Kind.COMPETITOR_EVENT).values())
    return {
        "as_of": end.date().isoformat(), "status": ran.status, "events": total,
        "new": sum(one.section == "new" for one in claims), "changed": sum(one.section == "changed" for one in claims),
        "claims": len(claims), "citation_accuracy": citation_accuracy(claims, memory.page_text),
        "verified_share": verified / made if made else None,
        "left_out": len(ran.brief.left_out), "quarantined": len(ran.quarantined),
        "graded": scores.n, "brier": scores.brier,
    }  # fmt: skip


def citation_accuracy(claims: Sequence[Claim], page_text: Callable[[str], str]) -> float | None:
    """Give the share of claims whose quote stands at its place in the page as it is stored now.

    This looks at the pages anew and asks no verdict; none where there is no claim.
    """
    right = sum(
        bool(one.checked.quote)
        and page_text(one.snapshot)[one.checked.first : one.checked.last] == one.checked.quote
        and numbers(one.text) <= numbers(one.checked.quote)
        for one in claims
    )
    return right / len(claims) if claims else None
