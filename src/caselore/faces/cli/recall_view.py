"""Lays out recalled precedents and the nearest others for a person, each with its signals.

Must not rank: the order is recall's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from caselore.faces.cli import case_view
from caselore.faces.terminal import Paper, day

if TYPE_CHECKING:
    from caselore.memory.recall import Hit
    from caselore.wiring.results import Found


def lines(found: Found, paper: Paper) -> list[str]:
    """Lay out a whole recall."""
    shown: list[str] = []
    for hit in found.precedents:
        shown += [*precedent(hit, paper), ""]
    if not found.precedents:
        shown += [f"No confirmed precedent among {found.considered} incidents considered.", ""]
    notes = [line for note in found.notes for line in paper.wrap(f"note: {note}")]
    return [*shown, *nearest(found.nearest, paper), *notes]


def precedent(hit: Hit, paper: Paper) -> list[str]:
    """Lay out one precedent: what it was, what was done, why it was recalled."""
    same = "the same failure" if hit.same_failure else "similar"
    place = hit.case.record.body.service
    head = f"{case_view.name(hit.case)}  {place}  score {hit.score:g}, {same}"
    said = case_view.outcome(hit.case.outcome, paper) if hit.case.outcome else []
    return [paper.heading(paper.cut(head, paper.width)), *said, *signals(hit, paper)]


def in_short(hit: Hit, paper: Paper) -> list[str]:
    """Lay out one precedent in two or three lines, for under a diagnosis that quotes it."""
    same = "the same failure" if hit.same_failure else "similar"
    told = hit.case.outcome
    by = f", confirmed by {told.confirmed_by} {day(told.confirmed_at)}" if told else ""
    worked = ", worked" if told and told.result == "succeeded" else ", did not work"
    head = f"{case_view.name(hit.case)}  score {hit.score:g}, {same}{worked}{by}"
    return [*paper.wrap(head), *signals(hit, paper, first="    ")]


def signals(hit: Hit, paper: Paper, *, first: str = "  why  ") -> list[str]:
    """Give the sum that ranked a precedent."""
    terms = "; ".join(
        f"{one.points:+g} {one.name}" + (f" ({one.reason})" if one.reason else "")
        for one in hit.signals
    )
    return paper.wrap(terms, first=first, indent=" " * len(first)) if terms else []


def nearest(hits: tuple[Hit, ...], paper: Paper) -> list[str]:
    """List what was near and why it is not the same."""
    if not hits:
        return []
    shown = [paper.heading("Nearest, and why not")]
    for hit in hits:
        place = hit.case.record.body.service
        head = f"{case_view.name(hit.case)}  {place}  score {hit.score:g}: {hit.why_not}"
        shown += paper.wrap(head, first="  ", indent="    ")
    return shown
