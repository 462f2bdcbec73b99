"""Asks a model for sentences over evidence with ids, and keeps only what the evidence carries.

The hook for every use of a model beside the diagnosis: a caller brings its rules, its evidence and
the sections that it wants, and gets checked sentences, or none. Must not know what the sentences
are for, must not raise because a model failed, and must not give back a text that was not checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

from caselore.errors import ModelUnavailable
from caselore.guards import fence, grounding, injection, wording
from caselore.guards.carriers import Carrier
from caselore.llm import parsing, repeating
from caselore.llm.ports import MOST, Model, Prompt, Schema

EVIDENCE_LIMIT = 24_000  # characters of all evidence together
CARRIER_LIMIT = 4_000
MOST_CITES = 8
RULES, AGAIN = "grounded-1", "again-1"


@dataclass(frozen=True, slots=True)
class Task:
    """What a model is asked for: a versioned name, the rules, and the sections of its answer."""

    name: str
    rules: str
    sections: tuple[str, ...] = ("sentences",)
    most: int = 6
    """Sentences a section."""
    length: int = 400
    """Characters a sentence."""
    remedy: frozenset[str] = frozenset()
    """Sections that say what to do: they rest on resolutions that worked, and on nothing else."""


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence that its evidence carries."""

    text: str
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What stands of an answer, section by section, and what does not."""

    sections: Mapping[str, tuple[Said, ...]]
    withheld: tuple[tuple[str, str], ...] = ()
    """Texts, each with the reason."""
    model: str | None = None
    """The model whose words stand; none where nothing does."""
    note: str = ""
    """How the model fared where it failed."""

    def sentences(self, section: str = "sentences") -> tuple[Said, ...]:
        """Give the sentences of a section; empty where nothing stands."""
        return self.sections.get(section, ())


class Phraser(Protocol):
    """What a domain asks with; one whose model is down tells nothing."""

    def say(self, task: Task, evidence: Sequence[Carrier]) -> Told:
        """Give checked sentences that cite their evidence."""

    def propose(
        self, task: Task, evidence: Sequence[Carrier], schema: Schema
    ) -> dict[str, Any] | None:
        """Give an object that fits a schema, or none.

        Its free texts are literal spans of the evidence; its numbers are a model's opinion, which
        the schema must bound and the caller keeps apart.
        """


@dataclass(frozen=True, slots=True)
class GroundedModel:
    """A phraser over a model, which is to be a metered one."""

    model: Model

    def say(self, task: Task, evidence: Sequence[Carrier]) -> Told:
        """Ask, check, ask once more where something was withheld. See `Phraser`."""
        prompt = prompt_of(task, evidence)
        note = ""
        try:
            kept, held = self._asked(task, prompt, evidence)
        except ModelUnavailable as error:
            return Told({}, note=str(error))
        if held:
            try:
                again, held_again = self._asked(task, _again(prompt, held), evidence)
                if _size(again) >= _size(kept):
                    kept, held = again, held_again
            except ModelUnavailable as error:
                note = f"The second try of the model failed: {error}"
        return Told(kept, tuple(held), self.model.name if _size(kept) else None, note)

    def _asked(
        self, task: Task, prompt: Prompt, evidence: Sequence[Carrier]
    ) -> tuple[dict[str, tuple[Said, ...]], list[tuple[str, str]]]:
        answer = self.model.ask(prompt, schema_of(task), MOST)
        kept, held = checked(task, answer.value, evidence)
        return kept, list(repeating.unsaid(held, f"{prompt.rules}\n{_text(AGAIN)}"))

    def propose(
        self, task: Task, evidence: Sequence[Carrier], schema: Schema
    ) -> dict[str, Any] | None:
        """Ask once for an object. See `Phraser`."""
        prompt = prompt_of(task, evidence)
        try:
            value = self.model.ask(prompt, schema, MOST).value
        except ModelUnavailable:
            return None
        spans = [text for one in evidence for text in one.texts()]
        fits = parsing.fits(value, schema) and all(
            _literal(text, spans) for text in parsing.free_texts(value, schema)
        )
        return value if fits else None


def prompt_of(task: Task, evidence: Sequence[Carrier]) -> Prompt:
    """Render the rules, then the evidence in fences with ids; what is too much is left out."""
    rules = f"{task.rules.strip()}\n\n{_text(RULES)}\n\n{fence.RULE}"
    blocks: list[str] = []
    left = EVIDENCE_LIMIT
    for one in evidence:
        told = "\n".join(f"{part}: {text}" if part else text for part, text in one.parts)
        origin = one.label + (f", a person confirmed that it {one.result}" if one.result else "")
        block = fence.fenced(
            told + (f"\n{one.facts}" if one.facts else ""),
            id=one.id,
            origin=origin or "evidence",
            limit=CARRIER_LIMIT,
        )
        left -= len(block)
        if left < 0:
            blocks.append(f"[left out for length: {len(evidence) - len(blocks)} more]")
            break
        blocks.append(block)
    return Prompt(f"{task.name}+{RULES}", rules, "\n\n".join(blocks))


def schema_of(task: Task) -> Schema:
    """Give the schema of a task's answer: each section a list of cited sentences."""
    row = {
        "type": "object",
        "properties": {
            "text": {"type": "string", "maxLength": task.length},
            "cites": {
                "type": "array",
                "items": {"type": "string", "maxLength": 64},
                "maxItems": MOST_CITES,
            },
        },
        "required": ["text", "cites"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            name: {"type": "array", "items": row, "maxItems": task.most} for name in task.sections
        },
        "required": list(task.sections),
        "additionalProperties": False,
    }


def checked(
    task: Task, value: Mapping[str, Any], evidence: Sequence[Carrier]
) -> tuple[dict[str, tuple[Said, ...]], list[tuple[str, str]]]:
    """Give the sentences that stand, by section, and those that do not, each with the reason."""
    kept: dict[str, tuple[Said, ...]] = {}
    held: list[tuple[str, str]] = []
    for name in task.sections:
        standing = []
        for one in _rows(value.get(name), task.most):
            reason = objection(one, evidence, remedy=name in task.remedy)
            if reason:
                held.append((one.text, reason))
            else:
                standing.append(one)
        kept[name] = tuple(standing)
    return kept, held


def objection(said: Said, evidence: Sequence[Carrier], *, remedy: bool = False) -> str:
    """Say why a sentence may not stand; empty where it may."""
    known = {one.id: one for one in evidence}
    strange = [id for id in said.cites if id not in known]
    if strange:
        return f"{strange[0] or 'an empty id'} is no evidence of this question"
    if not said.cites:
        return "it cites nothing"
    if injection.scan(said.text):
        return "it reads as an order to a model"
    cited = [known[id] for id in said.cites]
    missing = grounding.ungrounded(said.text, [text for one in cited for text in one.texts()])
    if missing:
        return f"{missing[0].text} stands in nothing that it cites"
    return wording.objection(said.text, cited, remedy=remedy)


def _rows(rows: Any, most: int) -> list[Said]:
    """Read a section leniently: what is no row is left out."""
    found = []
    for row in rows[:most] if isinstance(rows, list) else ():
        text = row.get("text") if isinstance(row, dict) else None
        if isinstance(text, str) and text.strip():
            given = row.get("cites")
            cites = (
                [one for one in given if isinstance(one, str)] if isinstance(given, list) else []
            )
            bare = (one.strip().strip("[]") for one in cites[:MOST_CITES])
            found.append(Said(" ".join(text.split()), tuple(dict.fromkeys(bare))))
    return found


def _again(first: Prompt, held: Sequence[tuple[str, str]]) -> Prompt:
    told = "\n".join(f"- {json.dumps(text[:600])}\n  withheld: {why}" for text, why in held[:12])
    fenced = fence.fenced(told, id="your answer", origin="the checker", limit=EVIDENCE_LIMIT // 4)
    return Prompt(
        f"{first.name}+{AGAIN}", first.rules, f"{first.evidence}\n\n{_text(AGAIN)}\n{fenced}"
    )


@cache
def _text(version: str) -> str:
    return (files(__package__) / "prompts" / f"{version}.md").read_text("utf-8").strip()


def _size(kept: Mapping[str, tuple[Said, ...]]) -> int:
    return sum(map(len, kept.values()))


def _literal(text: str, spans: Sequence[str]) -> bool:
    return any(wording.is_span(text, one) for one in spans)
