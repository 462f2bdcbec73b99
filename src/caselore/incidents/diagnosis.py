"""Puts a diagnosis together: the document, checked, with what it rests on.

Must not write to the memory, and must not show a text that the checker withheld as if it stood.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caselore.incidents import phrasing, precedents, templates
from caselore.incidents.check import check
from caselore.incidents.document import Document, Quote, Sentence, Withheld
from caselore.llm.ports import Model
from caselore.logs import Reading
from caselore.memory.recall import Hit, Recalled
from caselore.memory.records import Case, Occurrences

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is known of one failure, and what that rests on."""

    case: Case
    reading: Reading
    recalled: Recalled
    document: Document
    withheld: tuple[Withheld, ...]
    occurrences: Occurrences
    model: str | None = None
    model_note: str = ""
    """How a model that was asked fared, where its words do not stand or were asked for twice."""

    @property
    def incident(self) -> str:
        """Give the id under which the failure is kept."""
        return self.case.id

    @property
    def deployment(self) -> str | None:
        """Give the deployment that failed, if it was named."""
        return self.case.record.body.deployment or None

    @property
    def evidence(self) -> tuple[Quote, ...]:
        """Give the quotes of Historical Evidence."""
        return self.document.evidence

    @property
    def diagnosis(self) -> tuple[Sentence, ...]:
        """Give the sentences of Diagnosis."""
        return self.document.diagnosis

    @property
    def fix(self) -> tuple[Sentence, ...]:
        """Give the sentences of Recommended Fix."""
        return self.document.fix

    @property
    def sufficient(self) -> bool:
        """Say whether a fix stands that a person confirmed to work for such a failure."""
        return bool(self.document.fix)

    @property
    def precedents(self) -> tuple[Hit, ...]:
        """Give the precedents, at most five."""
        return tuple(hit for hit in self.recalled.hits if not hit.why_not)[:SHOWN]

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """Give what is near and why it is no precedent, at most five."""
        return self.recalled.nearest[:SHOWN]

    @property
    def quarantined(self) -> bool:
        """Say whether a guard holds this incident until a person releases it."""
        return self.case.status.value == "quarantined"

    def next_steps(self) -> tuple[str, ...]:
        """Say what a person does next, as commands."""
        name = self.case.id
        steps = []
        if self.quarantined:
            steps.append(f"caselore quarantine show {name}")
        links = "".join(f" --precedent {hit.case.id}" for hit in self._cited())
        confirm = "--cause '…' --resolution '…' --result succeeded"
        steps.append(f"caselore confirm {name} {confirm}{links}")
        steps += [f"caselore unlike {name} {hit.case.id} --why '…'" for hit in self._cited()[:1]]
        return tuple(steps)

    def _cited(self) -> list[Hit]:
        ids = {id for sentence in self.document.fix for id in sentence.cites}
        return [hit for hit in self.precedents if hit.case.id in ids]

    def to_json(self) -> dict[str, Any]:
        """Give CONTRACT's shape."""
        return {
            "incident": self.incident,
            "deployment": self.deployment,
            "status": self.case.status.value,
            "reading": self.reading.to_json(text=False),
            "sufficient": self.sufficient,
            "precedents": [precedents.hit_json(hit) for hit in self.precedents],
            "evidence": [quote.to_json() for quote in self.document.evidence],
            "diagnosis": [sentence.to_json() for sentence in self.document.diagnosis],
            "fix": [sentence.to_json(lines=False) for sentence in self.document.fix],
            "withheld": [text.to_json() for text in self.withheld],
            "nearest": [precedents.hit_json(hit) for hit in self.nearest],
            "occurrences": precedents.occurrences_json(self.occurrences),
            "next": list(self.next_steps()),
            "model": self.model,
            "model_note": self.model_note or None,
        }


def write(
    case: Case,
    reading: Reading,
    recalled: Recalled,
    occurrences: Occurrences,
    model: Model | None = None,
) -> Diagnosis:
    """Write a diagnosis from templates and check it, as any other writer's text would be.

    A model, where there is one, may phrase it; what it writes is checked more strictly.
    """
    drafted = check(templates.write(reading, recalled), recalled, reading)
    if model is None:
        return Diagnosis(case, reading, recalled, drafted.document, drafted.withheld, occurrences)
    told = phrasing.phrase(model, reading, recalled, drafted)
    return Diagnosis(
        case, reading, recalled, told.document, told.withheld, occurrences, told.model, told.note
    )
