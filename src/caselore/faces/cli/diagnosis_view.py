"""Lays out a diagnosis for a person: what failed, three sections with citations, what next.

Must not add a sentence of its own about the failure: what is not in the document is not said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from caselore.faces.cli import case_view, reading_view, recall_view
from caselore.faces.terminal import Paper, day, one_line

if TYPE_CHECKING:
    from caselore.incidents.diagnosis import Diagnosis
    from caselore.incidents.document import Quote

_HARD = "\N{NO-BREAK SPACE}"
_NO_FIX = "Insufficient evidence: no confirmed fix of such a failure is known here."


def lines(found: Diagnosis, paper: Paper) -> list[str]:
    """Lay out the whole diagnosis."""
    names = _names(found)
    document = found.document
    return [
        *_head(found, paper),
        "",
        *reading_view.excerpt(found.reading.excerpt, found.reading.failing_line, paper),
        *_section("Historical Evidence", _evidence(document.evidence, names, paper), paper),
        *_section(
            "Diagnosis",
            (_said(one.text, one.cites, one.lines, names, paper) for one in document.diagnosis),
            paper,
        ),
        *_section("Recommended Fix", _fix(found, names, paper), paper),
        *_why(found, paper),
        *_withheld(found, paper),
        *_model(found, paper),
        *_gap(recall_view.nearest(found.nearest, paper)),
        *_next(found, paper),
    ]


def _names(found: Diagnosis) -> Mapping[str, str]:
    """Give each recalled case its name for citations."""
    hits = (*found.precedents, *found.nearest)
    return {hit.case.id: f"[{case_view.name(hit.case)}]" for hit in hits}


def _head(found: Diagnosis, paper: Paper) -> Iterator[str]:
    body = found.case.record.body
    place = ", ".join(part for part in (body.service, body.stage, body.environment) if part)
    title = one_line(f"{case_view.name(found.case)}  {place}".rstrip())
    yield paper.heading(paper.cut(title, paper.width))
    yield from reading_view.facts(found.reading, paper, ("seen", _seen(found)))
    if found.quarantined:
        yield from paper.wrap(
            "A guard holds this incident: its lines give orders to a model. It is no precedent "
            "until a person releases it.",
            first="  ! ",
            indent="    ",
        )


def _seen(found: Diagnosis) -> str:
    seen = found.occurrences
    if seen.count <= 1 or seen.first is None or seen.last is None:
        return "for the first time"
    since = f"first {day(seen.first)}, last {day(seen.last)}"
    left = f", {seen.flaky} left without a change (flaky)" if seen.flaky else ""
    return f"{seen.count} times, {seen.resolved} resolved, {since}{left}"


def _section(title: str, blocks: Iterable[list[str]], paper: Paper) -> Iterator[str]:
    yield ""
    yield paper.heading(title)
    shown = False
    for block in blocks:
        yield from block
        shown = True
    if not shown:
        yield paper.ink("  Nothing that is confirmed.", "dim")


def _evidence(
    quotes: Iterable[Quote], names: Mapping[str, str], paper: Paper
) -> Iterator[list[str]]:
    for one in quotes:
        part = f"{one.part}: " if one.part else ""
        yield _said(f"{part}“{one.quote}”", one.cites, (), names, paper)


def _said(
    text: str,
    cites: Iterable[str],
    numbers: Iterable[int],
    names: Mapping[str, str],
    paper: Paper,
) -> list[str]:
    cited = [names.get(one, f"[{one_line(one)[:16]}]") for one in cites]
    cited += [f"[line {number}]" for number in numbers]
    # A citation is not broken: its spaces are hard ones until the lines are laid out.
    hard = " ".join(one.replace(" ", _HARD) for one in cited)
    shown = paper.wrap(f"{text} {hard}".rstrip(), first="  ", indent="    ")
    return [line.replace(_HARD, " ") for line in shown]


def _fix(found: Diagnosis, names: Mapping[str, str], paper: Paper) -> Iterator[list[str]]:
    if not found.document.fix:
        yield [paper.ink(line, "yellow") for line in paper.wrap(_NO_FIX)]
    for one in found.document.fix:
        shown = _said(one.text, one.cites, (), names, paper)
        yield [paper.ink(line, "green") for line in shown]


def _why(found: Diagnosis, paper: Paper) -> Iterator[str]:
    """Say what each precedent is worth and why it was recalled."""
    if not found.precedents:
        return
    yield from ("", paper.heading("Precedents, and why"))
    for hit in found.precedents:
        yield from recall_view.in_short(hit, paper)


def _withheld(found: Diagnosis, paper: Paper) -> Iterator[str]:
    if not found.withheld:
        return
    yield from ("", paper.heading("Withheld, and why"))
    for one in found.withheld:
        text = paper.cut(one.text, 60)
        yield from paper.wrap(f"“{text}”: {one.reason}", first="  ", indent="    ")


def _model(found: Diagnosis, paper: Paper) -> Iterator[str]:
    """Say whose words these are, where a model was asked."""
    said = f"Phrased by {found.model}, checked as above. " if found.model else ""
    if said or found.model_note:
        yield ""
        yield from paper.wrap(f"{said}{found.model_note}", first="  ", indent="  ")


def _gap(shown: list[str]) -> list[str]:
    return ["", *shown] if shown else []


def _next(found: Diagnosis, paper: Paper) -> Iterator[str]:
    yield ""
    steps = found.next_steps()
    for number, step in enumerate(steps):
        lead = "next:" if not number else "     "
        yield from paper.command(step.split(" "), first=lead, indent=" " * 9)
