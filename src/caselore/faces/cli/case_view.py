"""Lays out incidents for a person: one in a list, one whole, one just judged, one held.

Must not read the memory: it is given what it shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from caselore.faces.cli import reading_view
from caselore.faces.terminal import Paper, day, minute, one_line

if TYPE_CHECKING:
    from caselore.incidents.summary import Summary
    from caselore.memory.records import Case, FixStat, Held, Occurrences, Outcome, Verdict

_COLOUR = {"confirmed": "green", "refuted": "red", "quarantined": "yellow", "proposed": "cyan"}
_SHORT = 12


def name(case: Case) -> str:
    """Name an incident as people do: its deployment where it has one, and the id's beginning."""
    deployment = case.record.body.deployment
    number = f"#{deployment.removeprefix('#')} " if deployment else ""
    return one_line(f"{number}{case.id[:_SHORT]}")


def in_list(case: Case, paper: Paper) -> list[str]:
    """Give the two lines of one incident in a list."""
    body = case.record.body
    status = paper.ink(f"{case.status.value:<11}", _COLOUR.get(case.status.value, "dim"))
    day = minute(case.record.happened_at)
    place = ", ".join(part for part in (body.service, body.stage, body.environment) if part)
    head = f"{paper.cut(name(case), 22):<22}  {day}  {paper.cut(place or '-', paper.width - 55)}"
    return [f"{status} {head}", paper.cut(f"            {body.title}", paper.width)]


def whole(
    case: Case,
    chain: Sequence[tuple[Case, int]],
    seen: Occurrences,
    fixes: Sequence[FixStat],
    paper: Paper,
    told: Summary | None = None,
) -> list[str]:
    """Lay out one incident with everything that was said of it."""
    body = case.record.body
    return [
        f"{paper.heading(name(case))}  "
        + paper.ink(case.status.value, _COLOUR.get(case.status.value, "dim")),
        *paper.table(_facts(case, seen)),
        "",
        *reading_view.excerpt(body.excerpt, body.failing_line, paper),
        *_said(case, paper),
        *_chain(case, chain, paper),
        *_summary(told, paper),
        *_verdicts(case, paper),
        *_fixes(fixes, paper),
    ]


def _facts(case: Case, seen: Occurrences) -> Iterator[tuple[str, str]]:
    body = case.record.body
    yield "id", case.id
    yield "title", body.title
    for label in ("service", "environment", "branch", "commit", "stage", "url"):
        yield label, getattr(body, label)
    yield "family", body.signature.family
    yield "signature", body.signature.id
    yield "happened", minute(case.record.happened_at)
    yield "seen by", str(case.record.actor)
    if seen.count:
        last = f", last {day(seen.last)}" if seen.last else ""
        left = f", {seen.flaky} left without a change (flaky)" if seen.flaky else ""
        yield "occurrences", f"{seen.count}, {seen.resolved} resolved{last}{left}"
    yield "supersedes", ", ".join(one[:_SHORT] for one in case.supersedes)
    yield from ((label.replace("_", " "), value) for label, value in body.attributes)


def _said(case: Case, paper: Paper) -> list[str]:
    if case.outcome is not None:
        new = f", superseded by {case.superseded_by[:_SHORT]}" if case.superseded_by else ""
        return ["", paper.heading(f"Outcome{new}"), *outcome(case.outcome, paper)]
    if case.proposed is not None:
        by = case.proposed
        return [
            "",
            paper.heading(f"Proposed by {one_line(str(by.actor))}, waits for a person"),
            *paper.table((("cause", by.cause), ("resolution", by.resolution))),
        ]
    return ["", "No outcome stands: `caselore confirm " + case.id[:_SHORT] + " …` gives it one."]


def outcome(found: Outcome, paper: Paper) -> list[str]:
    """Lay out what a person confirmed."""
    worked = "worked" if found.result == "succeeded" else "did not work"
    return paper.table(
        (
            ("cause", found.cause),
            ("resolution", found.resolution),
            ("result", worked),
            ("why it failed", found.why_failed),
            ("confirmed", f"by {found.confirmed_by}, {day(found.confirmed_at)}"),
            ("proof", ", ".join(found.proof)),
        )
    )


def _chain(case: Case, chain: Sequence[tuple[Case, int]], paper: Paper) -> list[str]:
    """Draw the precedents an incident followed, and those that followed it."""
    known = {one.id: one for one, _ in chain} | {case.id: case}
    lines: list[str] = []
    for one in known.values():
        for precedent in one.precedents:
            target = name(known[precedent]) if precedent in known else precedent[:_SHORT]
            lines.append(paper.cut(f"  {name(one)} → {target}", paper.width))
    if not lines:
        return []
    return ["", paper.heading("Chain (what was decided → the precedent it follows)"), *lines]


def _summary(told: Summary | None, paper: Paper) -> list[str]:
    if told is None:
        return []
    lines = paper.wrap(one_line(told.text), indent="  ", first="  ")
    if told.model:
        lines.append(paper.cut(f"  Told by {one_line(told.model)}, checked.", paper.width))
    lines += paper.wrap(one_line(told.note), indent="  ", first="  ") if told.note else []
    return ["", paper.heading("The chain in short"), *lines]


def _verdicts(case: Case, paper: Paper) -> list[str]:
    if not case.verdicts:
        return []
    shown = [_verdict(one) for one in case.verdicts]
    return ["", paper.heading("Verdicts"), *(paper.cut(line, paper.width) for line in shown)]


def _verdict(one: Verdict) -> str:
    said = one.body.get("why") or one.body.get("resolution") or ""
    if one.kind == "flake":
        said = f"commit {one.body['commit']} passed later, without a change"
    said = f": {said}" if isinstance(said, str) and said else ""
    return f"  {day(one.at)}  {one.kind} by {one.actor}{said}"


def _fixes(fixes: Sequence[FixStat], paper: Paper) -> list[str]:
    if not fixes:
        return []
    lines: list[str] = []
    for one in fixes:
        by = ", ".join(one.by)
        head = f"worked {one.worked} of {one.tried}, by {by}, last {day(one.last)}: "
        lines += paper.wrap(head + one.resolution, indent="    ", first="  ")
    return ["", paper.heading("Fixes of this signature"), *lines]


def verdict_given(case: Case, done: str, paper: Paper) -> list[str]:
    """Say that a verdict was taken, and what the incident is now."""
    last = max(case.verdicts, key=lambda one: one.seq, default=None)
    by = f" by {one_line(str(last.actor))}" if last else ""
    lines = [f"{paper.ink(done, 'green')} {name(case)}{by}; its status is {case.status.value}."]
    if case.precedents:
        followed = ", ".join(one[:_SHORT] for one in case.precedents)
        lines.append(
            f"  It follows {followed}; `caselore show {case.id[:_SHORT]}` draws the chain."
        )
    return lines


def held_lines(one: Held, paper: Paper) -> list[str]:
    """Lay out something that a guard holds."""
    return [
        paper.heading(paper.cut(f"{one.subject}  {one.what}", paper.width)),
        *paper.table(
            (
                ("found", "; ".join(one.findings)),
                ("from", str(one.actor)),
                ("at", minute(one.at)),
            )
        ),
    ]


def held_case(case: Case, held: Sequence[Held], paper: Paper) -> list[str]:
    """Lay out a case with all that is held of it."""
    body = case.record.body
    shown = reading_view.excerpt(body.excerpt, body.failing_line, paper)
    return [*(line for one in held for line in (*held_lines(one, paper), "")), *shown]
