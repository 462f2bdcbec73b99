"""Writes the three sections from what was recalled, in words that need no model.

Must not state what the records and the log do not hold; its sentences go through the checker too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from caselore.guards import injection
from caselore.incidents import ingest, precedents
from caselore.incidents.document import Document, Quote, Sentence
from caselore.logs import Reading
from caselore.memory.ranking import Signal
from caselore.memory.recall import Hit, Recalled
from caselore.memory.records import Case

FIXES = 3  # different fixes that are offered for the same failure
QUOTED = 4  # precedents whose words are quoted
LINE_LIMIT = 160
ERROR_LIMIT = 300

_LIKE = {"same family", "same service", "same failing unit", "same environment"}


def write(reading: Reading, recalled: Recalled) -> Document:
    """Write the document of one run."""
    fix = tuple(_fixes(recalled.hits))
    shown = _used(recalled.hits, fix)
    return Document(
        evidence=tuple(quote for hit in shown for quote in _quotes(hit.case)),
        diagnosis=tuple(_diagnosis(reading, recalled, shown)),
        fix=fix,
    )


# -- which precedents carry the answer ---


def _fixes(hits: Iterable[Hit]) -> Iterator[Sentence]:
    """Give the fixes that worked: those of the same failure, else the one of the most similar."""
    worked = [hit for hit in hits if precedents.succeeded(hit.case)]
    same = [hit for hit in worked if hit.same_failure]
    groups: dict[str, list[str]] = {}
    for hit in same or worked:
        groups.setdefault(_resolution(hit.case), []).append(hit.case.id)
    for text, ids in list(groups.items())[: FIXES if same else 1]:
        yield Sentence(text, tuple(ids))


def _used(hits: tuple[Hit, ...], fix: tuple[Sentence, ...]) -> list[Hit]:
    """Give the hits that the document speaks of: its fixes, what they followed, what failed."""
    cited = {id for sentence in fix for id in sentence.cites}
    cited |= {id for hit in hits if hit.case.id in cited for id in hit.case.precedents}
    return [hit for hit in hits if hit.case.id in cited or precedents.failed(hit.case)][:QUOTED]


def _resolution(case: Case) -> str:
    told = precedents.outcome(case)
    return told.resolution.strip() if told else ""


# -- Historical Evidence ---


def _quotes(case: Case) -> Iterator[Quote]:
    told = precedents.outcome(case)
    error = _first_line(case.record.body.block) or case.record.body.title
    said = [("error", error[:ERROR_LIMIT])]
    if told:
        said += [("cause", told.cause), ("resolution", told.resolution)]
        said += [("why it failed", told.why_failed)]
    for part, text in said:
        if text.strip():
            yield Quote(text.strip(), (case.id,), part)


def _first_line(block: str) -> str:
    return next((line.strip() for line in block.split("\n") if line.strip()), "")


# -- Diagnosis ---


def _diagnosis(reading: Reading, recalled: Recalled, shown: list[Hit]) -> Iterator[Sentence]:
    """Say how this failure is related to the past: what worked first, then what did not."""
    worked = [hit for hit in shown if precedents.succeeded(hit.case)]
    for hit in worked:
        yield from _of_worked(hit, reading)
    if not worked:
        yield from _of_line(reading)
        yield from _of_nearest(recalled.nearest)
    yield from _of_chain(worked)
    told = {_resolution(hit.case): precedents.label(hit.case) for hit in reversed(worked)}
    for hit in shown:
        if precedents.failed(hit.case):
            yield from _of_failed(hit, told.get(_resolution(hit.case), ""))


def _of_worked(hit: Hit, reading: Reading) -> Iterator[Sentence]:
    """Say how a success is related, and what its cause was."""
    case, name, told = hit.case, precedents.label(hit.case), precedents.outcome(hit.case)
    lines = _lines(reading)
    if hit.same_failure:
        yield Sentence(
            f"This is the same failure as {name}: the signatures are equal.", (case.id,), lines
        )
    else:
        yield Sentence(
            f"This is similar to {name}, not the same failure: {_alike(hit.signals)}.",
            (case.id,),
            lines,
        )
    if precedents.regression(hit):
        text = f"This is a regression: it {precedents.regression(hit)} in {name}."
        yield Sentence(text, (case.id,))
    if told:
        said = f"confirmed by {told.confirmed_by} on {precedents.day(told.confirmed_at)}"
        yield Sentence(f"The cause of {name}, {said}: {_sentence(told.cause)}", (case.id,))


def _of_chain(worked: list[Hit]) -> Iterator[Sentence]:
    """Say which of the successes followed which."""
    known = {hit.case.id: hit.case for hit in worked}
    for case in known.values():
        for id in case.precedents:
            if id in known:
                text = f"{precedents.label(case)} followed {precedents.label(known[id])}."
                yield Sentence(text, (case.id, id))


def _of_failed(hit: Hit, worked_for: str) -> Iterator[Sentence]:
    """Say what not to do, or that what worked once failed another time."""
    case, name, told = hit.case, precedents.label(hit.case), precedents.outcome(hit.case)
    if not told:
        return
    why = f" because: {_sentence(told.why_failed)}" if told.why_failed.strip() else "."
    if worked_for:
        yield Sentence(f"The same was tried for {name} and did not work{why}", (case.id,))
    else:
        what = _sentence(told.resolution)
        yield Sentence(
            f"Do not repeat what was tried for {name}: {what} It did not work{why}", (case.id,)
        )


def _of_line(reading: Reading) -> Iterator[Sentence]:
    """Say where the log fails, if it does; a line that gives orders is not repeated."""
    for line in _lines(reading):
        text = _cut(" ".join(ingest.failing_text(reading).split()))
        if not text or injection.scan(text):
            yield Sentence("This is where the log fails.", (), (line,))
        else:
            yield Sentence(f"The log fails here: {text}", (), (line,))


def _of_nearest(nearest: Iterable[Hit]) -> Iterator[Sentence]:
    """Name the same failure seen before and never resolved."""
    for hit in nearest:
        if hit.same_failure and precedents.outcome(hit.case) is None:
            name = precedents.label(hit.case)
            yield Sentence(
                f"The same failure was seen in {name}; no outcome of it is confirmed.",
                (hit.case.id,),
            )
            return


def _cut(text: str) -> str:
    """Cut a long line at a blank: half a value would be another value."""
    return text if len(text) <= LINE_LIMIT else text[:LINE_LIMIT].rpartition(" ")[0]


def _lines(reading: Reading) -> tuple[int, ...]:
    at = reading.failing_line
    inside = at is not None and any(part.first <= at <= part.last for part in reading.excerpt)
    return (at,) if at is not None and inside else ()


def _alike(signals: Iterable[Signal]) -> str:
    """Say in what two failures are alike, from the signals of the ranking."""
    told = [f"{s.name} ({s.reason})" for s in signals if s.name in _LIKE and s.points > 0]
    text = any(s.name == "text similarity" for s in signals)
    return (
        "; ".join([*told, *(["alike words in the failing lines"] if text else [])])
        or "alike lines"
    )


def _sentence(text: str) -> str:
    """Give a text as a sentence: with a full stop unless it ends as one."""
    bare = text.strip()
    return bare if not bare or bare[-1] in ".!?…" else f"{bare}."
