"""Checks a document against what one run recalled and read; the rest is withheld with its reason.

Templates and models pass the same checks:

- every cited id was recalled in this run, and stands (not quarantined, not withdrawn);
- a quote is a literal span of every record that it cites;
- a sentence cites a record or lines of the excerpt, and each of its values stands verbatim there;
- a fix cites only confirmed records, one of them a success that is a precedent, and each of its
  values stands verbatim in those that succeeded;
- no sentence calls a failure the same unless a record that it cites is.

Must not repair a text, and must not trust its writer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from caselore.guards import grounding
from caselore.incidents import precedents
from caselore.incidents.document import Document, Quote, Sentence, Withheld
from caselore.logs import Reading
from caselore.memory.recall import Hit, Recalled
from caselore.memory.records import Case, Status

CITABLE = frozenset({Status.OBSERVED, Status.CONFIRMED, Status.REFUTED, Status.PROPOSED})
SHOWN_VALUES = 4  # ungrounded values that a reason names
NOTHING = "it says nothing"
LEAST_QUOTE = 12  # characters from which a literal text of a record is taken as quoted

_SAME = re.compile(
    r"\b(not |never |no )?(?:the |an? )?(?:same|identical) (?:failure|signature|incident|error)\b",
    re.I,
)

Text = TypeVar("Text", Quote, Sentence)


@dataclass(frozen=True, slots=True)
class Checked:
    """What passed, and what was withheld."""

    document: Document
    withheld: tuple[Withheld, ...]


def check(document: Document, recalled: Recalled, reading: Reading) -> Checked:
    """Keep what the evidence of this run carries; withhold the rest, each text with its reason."""
    evidence = Evidence(recalled, reading)
    held: list[Withheld] = []
    kept = Document(
        evidence=_passing(document.evidence, evidence.of_quote, held),
        diagnosis=_passing(document.diagnosis, evidence.of_statement, held),
        fix=_passing(document.fix, evidence.of_fix, held),
    )
    return Checked(kept, tuple(held))


def _passing(
    texts: Iterable[Text], reason: Callable[[Text], str], held: list[Withheld]
) -> tuple[Text, ...]:
    passed = []
    for text in texts:
        why = reason(text)
        if why:
            held.append(Withheld(text.quote if isinstance(text, Quote) else text.text, why))
        else:
            passed.append(text)
    return tuple(passed)


class Evidence:
    """What one run recalled and read; answers why a text may not stand, or nothing."""

    def __init__(self, recalled: Recalled, reading: Reading) -> None:
        """Index the hits by their ids."""
        self._precedents = {hit.case.id: hit for hit in recalled.hits if not hit.why_not}
        near = {hit.case.id: hit for hit in recalled.nearest}
        self._hits: dict[str, Hit] = {**near, **self._precedents}
        self._reading = reading

    def of_quote(self, quote: Quote) -> str:
        """Say why a quote may not stand."""
        wrong = self._of_ids(quote.cites)
        if wrong:
            return wrong
        if not quote.cites or not quote.quote.strip():
            return "it quotes nothing" if quote.cites else "it cites no record"
        return next(
            (
                self._of_span(quote.quote, id)
                for id in quote.cites
                if self._of_span(quote.quote, id)
            ),
            "",
        )

    def of_statement(self, sentence: Sentence) -> str:
        """Say why a sentence of the diagnosis may not stand."""
        if not sentence.text.strip():
            return NOTHING
        if not sentence.cites and not sentence.lines:
            return "it cites neither a record nor a line of the log"
        return (
            self._of_ids(sentence.cites)
            or self._of_lines(sentence.lines)
            or self._of_sameness(sentence)
            or self._of_said(sentence)
        )

    def of_fix(self, fix: Sentence) -> str:
        """Say why a fix may not stand."""
        wrong = self._of_ids(fix.cites) or self._of_lines(fix.lines)
        if wrong:
            return wrong
        cases = [self._case(id) for id in fix.cites]
        worked = [case for case in cases if precedents.succeeded(case)]
        for case in cases:
            if precedents.outcome(case) is None:
                return f"{precedents.label(case)} is not confirmed by a person"
        if not any(case.id in self._precedents for case in worked):
            return "it cites no precedent whose fix a person confirmed to work"
        if any(
            fix.text.strip() == case.outcome.resolution.strip() for case in worked if case.outcome
        ):
            return "" if fix.text.strip() else NOTHING
        if self._of_sameness(fix):
            return self._of_sameness(fix)
        texts = [text for case in worked for text in precedents.sources(case)]
        own = _own_words(fix.text, worked)
        return (
            _of_values(own, texts, "no cited record whose fix worked")
            if fix.text.strip()
            else NOTHING
        )

    def _of_said(self, sentence: Sentence) -> str:
        own = _own_words(sentence.text, [self._case(id) for id in sentence.cites])
        return _of_values(own, self._said(sentence), "no cited record and no cited line")

    def _case(self, id: str) -> Case:
        return self._hits[id].case

    def _of_ids(self, ids: Iterable[str]) -> str:
        for id in ids:
            if id not in self._hits:
                return f"{id or 'an empty id'} was not recalled in this run"
            if self._case(id).status not in CITABLE:
                return f"{id} is {self._case(id).status.value}"
        return ""

    def _of_span(self, quote: str, id: str) -> str:
        if any(quote in text for _, text in precedents.parts(self._case(id))):
            return ""
        return f"it is no literal span of {precedents.label(self._case(id))}"

    def _of_lines(self, lines: Iterable[int]) -> str:
        for line in lines:
            if not any(part.first <= line <= part.last for part in self._reading.excerpt):
                return f"line {line} is not in the excerpt"
        return ""

    def _of_sameness(self, sentence: Sentence) -> str:
        own = _own_words(sentence.text, [self._case(id) for id in sentence.cites])
        claims = [hit for hit in _SAME.finditer(own) if not hit.group(1)]
        if not claims or any(self._hits[id].same_failure for id in sentence.cites):
            return ""
        return "it speaks of the same failure, but no cited record has the same specific signature"

    def _said(self, sentence: Sentence) -> list[str]:
        """Give the texts that may carry a sentence's values: its records, and the excerpt."""
        texts = [text for id in sentence.cites for text in precedents.sources(self._case(id))]
        texts += [precedents.regression(self._hits[id]) for id in sentence.cites]
        if sentence.lines:
            texts += [part.text for part in self._reading.excerpt]
            texts += [f"line {line}" for line in sentence.lines]
            texts.append(_of_signature(self._reading))
        return texts


def _own_words(text: str, cases: Iterable[Case]) -> str:
    """Give what a sentence says by itself: without the literal texts of its records."""
    parts = {part.strip() for case in cases for _, part in precedents.parts(case)}
    for part in sorted(parts, key=lambda one: (-len(one), one)):
        if len(part) >= LEAST_QUOTE:
            text = grounding.without(text, part)
    return text


def _of_signature(reading: Reading) -> str:
    signature = reading.signature
    return "\n".join((signature.family, signature.tool, signature.unit, signature.error))


def _of_values(text: str, sources: Iterable[str], where: str) -> str:
    """Say which values of a text stand in none of its sources."""
    missing = list(dict.fromkeys(value.text for value in grounding.ungrounded(text, sources)))
    if not missing:
        return ""
    shown = ", ".join(missing[:SHOWN_VALUES]) + (", …" if len(missing) > SHOWN_VALUES else "")
    return f"{shown} {'stands' if len(missing) == 1 else 'stand'} in {where}"
