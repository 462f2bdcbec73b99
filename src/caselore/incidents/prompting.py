"""Renders what a model is told of one failure: rules first, then the evidence, fenced.

Must not put a text into a prompt outside a fence, nor a proposed or held text anywhere in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from caselore.guards import fence
from caselore.incidents import precedents
from caselore.incidents.check import CITABLE
from caselore.incidents.document import Withheld
from caselore.llm.ports import Prompt, Schema
from caselore.logs import Reading
from caselore.memory.recall import Hit, Recalled

VERSION = "diagnosis-2"
REPAIR = "repair-1"
RECORD_LIMIT = 1_500  # characters of one part of a record
EXCERPT_LIMIT = 6_000
PRECEDENTS = 5
NEAREST = 3
SHOWN_VIOLATIONS = 12

_IDS: dict[str, Any] = {
    "type": "array",
    "items": {"type": "string", "maxLength": 64},
    "maxItems": 6,
}
_LINES: dict[str, Any] = {"type": "array", "items": {"type": "integer"}, "maxItems": 8}


def _rows(most: int, text: str, length: int, **more: Any) -> dict[str, Any]:
    """Give the schema of a list of rows with a text, its citations and more."""
    fields = {text: {"type": "string", "maxLength": length}, "cites": _IDS, **more}
    row = {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
    return {"type": "array", "items": row, "maxItems": most}


SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "evidence": _rows(6, "quote", 400),
        "diagnosis": _rows(6, "text", 400, lines=_LINES),
        "fix": _rows(3, "text", 600),
    },
    "required": ["evidence", "diagnosis", "fix"],
    "additionalProperties": False,
}


def diagnosis(reading: Reading, recalled: Recalled) -> Prompt:
    """Ask for the three sections."""
    return Prompt(VERSION, rules(VERSION), "\n\n".join(_evidence(reading, recalled)))


def repair(first: Prompt, violations: Iterable[Withheld]) -> Prompt:
    """Ask again, with what the checker withheld and why; the texts are fenced, too."""
    shown = list(violations)[:SHOWN_VIOLATIONS]
    told = "\n".join(f"- {one.text}\n  withheld: {one.reason}" for one in shown)
    again = fence.fenced(told, id="your answer", origin="the checker", limit=EXCERPT_LIMIT)
    return Prompt(
        f"{first.name}+{REPAIR}", first.rules, f"{first.evidence}\n\n{rules(REPAIR)}\n{again}"
    )


@cache
def rules(version: str) -> str:
    """Read a version of the rules; what data blocks are is told in the fence's own words."""
    text = (files(__package__) / "prompts" / f"{version}.md").read_text("utf-8").strip()
    return f"{text}\n\n{fence.RULE}" if version == VERSION else text


def _evidence(reading: Reading, recalled: Recalled) -> Iterator[str]:
    signature = reading.signature
    yield f"The failure: family {signature.family}, tool {signature.tool or 'unknown'}."
    yield fence.fenced(
        _numbered(reading) or "(no failing lines were found)",
        id="the log",
        origin="log of the failed job, line numbers before the bar",
        limit=EXCERPT_LIMIT,
    )
    hits = [hit for hit in recalled.hits if not hit.why_not and hit.case.status in CITABLE]
    near = [hit for hit in recalled.nearest if hit.case.status in CITABLE]
    yield f"Precedents: {len(hits[:PRECEDENTS])}."
    for hit in hits[:PRECEDENTS]:
        yield _record(hit, "precedent")
    for hit in near[:NEAREST]:
        yield _record(hit, f"no precedent, {hit.why_not}")


def _numbered(reading: Reading) -> str:
    return "\n".join(
        f"{number} | {line}"
        for part in reading.excerpt
        for number, line in enumerate(part.text.split("\n"), part.first)
    )


def _record(hit: Hit, what: str) -> str:
    told = precedents.outcome(hit.case)
    said = [
        f"id: {hit.case.id} ({precedents.label(hit.case)})",
        f"same_failure: {'yes' if hit.same_failure else 'no'}",
        f"result: {told.result if told else 'none is confirmed'}",
        *(f"{part}: {text[:RECORD_LIMIT]}" for part, text in _parts(hit)),
    ]
    return fence.fenced(
        "\n".join(said),
        id=hit.case.id,
        origin=what if told is None else f"{what}, confirmed by a person",
        limit=4 * RECORD_LIMIT,
    )


def _parts(hit: Hit) -> Iterator[tuple[str, str]]:
    """Give what may be quoted of a record, each text once."""
    seen = set()
    for part, text in precedents.parts(hit.case):
        if text.strip() and text not in seen and part != "log":
            seen.add(text)
            yield part, text
