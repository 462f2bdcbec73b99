"""Lets a model phrase a diagnosis, and keeps of it only what the evidence carries.

Must not let a model decide: identity, ranking, counts, verdicts and whether the evidence is
sufficient are settled before it is asked; what it writes passes the checker of every writer and
a stricter one of words; what is left empty stays as the templates wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from caselore.errors import ModelUnavailable
from caselore.guards import injection, wording
from caselore.incidents import precedents, prompting
from caselore.incidents.check import Checked, check
from caselore.incidents.document import Document, Quote, Sentence, Withheld
from caselore.incidents.words import carrier, carrier_of_log, taken_for, wrong_order
from caselore.llm import repeating
from caselore.llm.ports import MOST, Model, Prompt
from caselore.logs import Reading
from caselore.memory.recall import Hit, Recalled

MOST_ROWS = 12  # of one section that are looked at, whatever a model sends
LONGEST = 2_000  # characters of one text; a longer one is no sentence, and is not cut into one

_SAME = re.compile(
    r"(?<!not )(?<!not the )\b(?:(?:the )?same (?:as|cause|problem|issue|one|thing|reason)"
    r"|the same[.,;]|identical|equal(?:s)? )",
    re.I,
)
_SAME_FAILURE = re.compile(r"(?<!not the )\bsame (?:failure|incident|signature)\b", re.I)
_NOT_SAME = re.compile(r"\b(?:not|never|no) (?:the |an? )?(?:same|identical|similar)", re.I)
_ALIKE = re.compile(r"(?<!not )\b(?:similar|like|related|resembl\w+|match\w*|relevant)\b", re.I)
_ENOUGH = re.compile(r"\b(?:in)?sufficient\b|\bno (?:precedent|evidence)s?\b", re.I)
_TOO_LITTLE = re.compile(
    r"\binsufficient\b|\bnot sufficient\b|\bno (?:precedent|evidence)s?\b", re.I
)

Text = TypeVar("Text", Quote, Sentence)


@dataclass(frozen=True, slots=True)
class Phrased:
    """A document, what was withheld of the model's, and how the model fared."""

    document: Document
    withheld: tuple[Withheld, ...]
    model: str | None
    """The model whose words stand in the document; none where only templates' words do."""
    note: str = ""


def phrase(model: Model, reading: Reading, recalled: Recalled, drafted: Checked) -> Phrased:
    """Ask, check, ask once more where something was withheld, and fill up from the draft."""
    prompt = prompting.diagnosis(reading, recalled)
    try:
        checked = _asked(model, prompt, reading, recalled)
    except ModelUnavailable as error:
        note = f"{error} The diagnosis is written from templates."
        return Phrased(drafted.document, drafted.withheld, None, note)
    note = ""
    if checked.withheld:
        try:
            again = prompting.repair(prompt, checked.withheld)
            checked = _better(checked, _asked(model, again, reading, recalled))
        except ModelUnavailable as error:
            note = f"The second try of the model failed: {error}"
    return _filled(model.name, checked, drafted, note)


def _asked(model: Model, prompt: Prompt, reading: Reading, recalled: Recalled) -> Checked:
    answer = model.ask(prompt, prompting.SCHEMA, MOST)
    checked = checked_words(document_of(answer.value, recalled), recalled, reading)
    rules = f"{prompt.rules}\n{prompting.rules(prompting.REPAIR)}"
    held = repeating.unsaid(((one.text, one.reason) for one in checked.withheld), rules)
    return replace(checked, withheld=tuple(Withheld(*one) for one in held))


def _better(first: Checked, second: Checked) -> Checked:
    """Take the second try unless it says less of what to do, or nothing at all."""
    fuller = bool(second.document.fix) >= bool(first.document.fix)
    return second if fuller and second.document.diagnosis else first


def _filled(name: str, checked: Checked, drafted: Checked, note: str) -> Phrased:
    """Put the draft's words where nothing of the model's stands."""
    own, draft = checked.document, drafted.document
    kept = Document(
        evidence=draft.evidence
        + tuple(one for one in own.evidence if not _quoted(one, draft.evidence)),
        diagnosis=own.diagnosis or draft.diagnosis,
        fix=(own.fix or draft.fix) if draft.fix else (),
    )
    stands = bool(own.diagnosis or (own.fix and draft.fix))
    held = (*drafted.withheld, *checked.withheld)
    if own.fix and not draft.fix:
        held += tuple(Withheld(one.text, "the evidence is not sufficient") for one in own.fix)
    if not stands and not note:
        note = "Nothing that the model wrote is carried by the evidence; templates wrote this."
    return Phrased(kept, held, name if stands else None, note)


def _quoted(quote: Quote, others: Iterable[Quote]) -> bool:
    return any(quote.quote in other.quote and quote.cites == other.cites for other in others)


def checked_words(document: Document, recalled: Recalled, reading: Reading) -> Checked:
    """Check a model's document: as any other, then its own words against what it cites."""
    checked = check(document, recalled, reading)
    words = Words(recalled, reading)
    held = list(checked.withheld)
    kept = replace(
        checked.document,
        evidence=words.whole(_passing(checked.document.evidence, held), held),
        diagnosis=words.passing(_passing(checked.document.diagnosis, held), held, fix=False),
        fix=words.passing(_passing(checked.document.fix, held), held, fix=True),
    )
    return Checked(kept, tuple(held))


def _passing(texts: tuple[Text, ...], held: list[Withheld]) -> tuple[Text, ...]:
    """Withhold what would give orders to the next reader that is a model."""
    kept = []
    for one in texts:
        text = one.quote if isinstance(one, Quote) else one.text
        if injection.scan(text):
            held.append(Withheld(text, "it reads as an order to a model"))
        else:
            kept.append(one)
    return tuple(kept)


class Words:
    """Says which words of a model stand in nothing that it cites."""

    def __init__(self, recalled: Recalled, reading: Reading) -> None:
        """Index the hits by their ids."""
        self._hits = {hit.case.id: hit for hit in (*recalled.nearest, *recalled.hits)}
        self._reading = reading
        self._sufficient = any(precedents.succeeded(hit.case) for hit in recalled.hits)

    def whole(self, quotes: Iterable[Quote], held: list[Withheld]) -> tuple[Quote, ...]:
        """Keep the quotes that cut neither a value nor a "not" off."""
        kept = []
        for one in quotes:
            if all(self._stands(one.quote, id) for id in one.cites):
                kept.append(one)
            else:
                held.append(Withheld(one.quote, "it cuts a value or a negation off"))
        return tuple(kept)

    def _stands(self, quote: str, id: str) -> bool:
        texts = (text for _, text in precedents.parts(self._hits[id].case))
        return any(wording.is_span(quote, text) for text in texts)

    def passing(
        self, sentences: Iterable[Sentence], held: list[Withheld], *, fix: bool
    ) -> tuple[Sentence, ...]:
        """Keep the sentences whose words stand; withhold the rest with the reason."""
        kept = []
        for one in sentences:
            reason = self._reason(one, fix)
            if reason:
                held.append(Withheld(one.text, reason))
            else:
                kept.append(one)
        return tuple(kept)

    def _reason(self, sentence: Sentence, fix: bool) -> str:
        hits = [self._hits[id] for id in sentence.cites]
        log = carrier_of_log(self._reading, sentence.lines) if sentence.lines and not fix else None
        return self._of_standing(sentence.text, hits) or wording.objection(
            sentence.text, [carrier(hit) for hit in hits], log, remedy=fix
        )

    def _of_standing(self, text: str, hits: list[Hit]) -> str:
        """Hold to what recall decided: what is the same, alike, enough, and what followed what."""
        same = any(hit.same_failure for hit in hits)
        named = [hit for hit in hits if precedents.label(hit.case) in text] or hits
        if _SAME.search(text) and not same:
            return "it calls it the same, and nothing that it cites has the same signature"
        if _SAME_FAILURE.search(text) and not all(hit.same_failure for hit in named):
            return "it calls it the same, and nothing that it cites has the same signature"
        if any(taken_for(text, hit.case) for hit in hits if not hit.same_failure):
            return "it takes this failure for another, whose signature is not the same"
        if same and _NOT_SAME.search(text) and len(hits) == 1:
            return "it calls it another, and the signatures are equal"
        if _ALIKE.search(text) and any(hit.why_not and not hit.same_failure for hit in hits):
            return "it calls alike what recall holds apart"
        if self._sufficient is bool(_TOO_LITTLE.search(text)) and _ENOUGH.search(text):
            return "recall decides what is sufficient, and decided otherwise"
        if wrong_order(text, [hit.case for hit in hits]):
            return "the records say another order"
        return ""


def document_of(value: Mapping[str, Any], recalled: Recalled) -> Document:
    """Read a model's answer leniently: what is no row of its section, or endless, is left out."""
    names = _names(recalled)
    return Document(
        evidence=tuple(
            Quote(text, cites, "as the model quotes it")
            for text, cites, _ in _rows(value, "evidence", "quote", names)
        ),
        diagnosis=tuple(
            Sentence(text, cites, lines)
            for text, cites, lines in _rows(value, "diagnosis", "text", names)
        ),
        fix=tuple(Sentence(text, cites) for text, cites, _ in _rows(value, "fix", "text", names)),
    )


def _names(recalled: Recalled) -> dict[str, str]:
    """Give the id for each name by which a model may cite a record; a doubled name is none."""
    ids = {hit.case.id: precedents.label(hit.case) for hit in (*recalled.hits, *recalled.nearest)}
    labels = list(ids.values())
    return {label: id for id, label in ids.items() if labels.count(label) == 1}


def _rows(
    value: Mapping[str, Any], section: str, field: str, names: Mapping[str, str]
) -> Iterable[tuple[str, tuple[str, ...], tuple[int, ...]]]:
    rows = value.get(section)
    for row in rows[:MOST_ROWS] if isinstance(rows, list) else ():
        text = row.get(field) if isinstance(row, dict) else None
        if isinstance(text, str) and text.strip():
            if len(text) > LONGEST:
                continue
            cites = [one for one in _listed(row, "cites") if isinstance(one, str)]
            lines = [one for one in _listed(row, "lines") if type(one) is int]
            yield (
                " ".join(text.split()) if field == "text" else text,
                tuple(dict.fromkeys(_cited(one, names) for one in cites)),
                tuple(dict.fromkeys(lines)),
            )


def _cited(name: str, names: Mapping[str, str]) -> str:
    bare = name.strip().strip("[]")
    return names.get(bare) or names.get(f"#{bare}") or bare


def _listed(row: Mapping[str, Any], field: str) -> list[Any]:
    found = row.get(field)
    return found[:MOST_ROWS] if isinstance(found, list) else []
