"""Tells a chain of incidents in one paragraph: from templates, or in a model's checked words.

Must not tell more than the records do, and must not let a model decide what belongs to a chain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from caselore.guards import injection
from caselore.guards.carriers import stems_of
from caselore.guards.prose import stem
from caselore.incidents import precedents
from caselore.incidents.document import Sentence, Withheld
from caselore.incidents.prompting import rules
from caselore.incidents.words import carrier_of, wrong_order
from caselore.llm.grounded import Phraser, Said, Task
from caselore.memory.records import Case

LONG = 3  # incidents from which a model may tell a chain; a shorter one is read at a glance
MOST = 8  # incidents of a chain that are told
TITLE = 120
TASK = "summary-1"
_ALIKE = re.compile(
    r"\b(?:same|identical|similar|similarly|alike|like|equal|again|repeat\w*|match\w*)\b", re.I
)
_ENOUGH = re.compile(r"\b(?:in)?sufficient\b|\bprecedents?\b|\bevidence\b", re.I)
_LATER = re.compile(r"\b(?:later|next)\b", re.I)
_EARLIER = re.compile(r"\b(?:earlier|previous(?:ly)?|prior)\b", re.I)


@dataclass(frozen=True, slots=True)
class Summary:
    """One paragraph about a chain, sentence by sentence."""

    sentences: tuple[Sentence, ...]
    withheld: tuple[Withheld, ...] = ()
    model: str | None = None
    note: str = ""

    @property
    def text(self) -> str:
        """Give the paragraph."""
        return " ".join(one.text for one in self.sentences)

    def to_json(self) -> dict[str, Any]:
        """Give it as plain JSON values."""
        return {
            "text": self.text,
            "sentences": [one.to_json(lines=False) for one in self.sentences],
            "withheld": [one.to_json() for one in self.withheld],
            "model": self.model,
            "model_note": self.note or None,
        }


def summarise(chain: Sequence[Case], phraser: Phraser | None = None) -> Summary | None:
    """Tell a chain, the oldest first; none where there is no chain."""
    told = sorted(chain, key=lambda case: (case.record.happened_at, case.id))[:MOST]
    if len(told) < 2:
        return None
    drafted = Summary(tuple(_told(told)))
    if phraser is None or len(told) < LONG:
        return drafted
    task = Task(TASK, rules(TASK), ("summary",))
    found = phraser.say(task, [carrier_of(case, chained=True) for case in told])
    held = tuple(Withheld(text, why) for text, why in found.withheld)
    judged = [(one, _misjudged(one, told)) for one in found.sentences("summary")]
    held += tuple(Withheld(one.text, why) for one, why in judged if why)
    said = [one for one, why in judged if not why]
    if not said:
        note = found.note or "Nothing that the model wrote is carried by the records."
        return Summary(drafted.sentences, held, None, f"{note} The summary is a template's.")
    return Summary(
        tuple(Sentence(one.text, one.cites) for one in said), held, found.model, found.note
    )


def _misjudged(said: Said, chain: Sequence[Case]) -> str:
    """Say what a sentence decides that recall and the records decided otherwise."""
    cited = [case for case in chain if case.id in said.cites]
    named = [case for case in cited if precedents.label(case) in said.text] or cited
    own = stems_of(tuple(text for case in cited for _, text in precedents.parts(case)))
    likened = [one for one in _ALIKE.findall(said.text) if stem(one) not in own]
    compared = named if len(named) > 1 else cited
    if likened and len({case.record.body.signature.id for case in compared}) > 1:
        return f"“{likened[0]}”: their signatures are not the same"
    if _ENOUGH.search(said.text):
        return "recall decides what is a precedent, and what is sufficient"
    if wrong_order(said.text, chain) or _untimely(said.text, named, chain):
        return "the records say another order"
    return ""


def _untimely(text: str, named: Sequence[Case], chain: Sequence[Case]) -> bool:
    """Say whether the oldest of a chain is told as later, or the newest as earlier."""
    only = named[0] if len(named) == 1 else None
    return bool(
        (only is chain[0] and _LATER.search(text)) or (only is chain[-1] and _EARLIER.search(text))
    )


def _told(chain: Sequence[Case]) -> Iterator[Sentence]:
    known = {case.id: case for case in chain}
    for case in chain:
        followed = [precedents.label(known[id]) for id in case.precedents if id in known]
        cites = (case.id, *(id for id in case.precedents if id in known))
        after = f", following {' and '.join(followed)}" if followed else ""
        yield Sentence(
            f"{precedents.label(case)} failed on {precedents.day(case.record.happened_at)}"
            f"{_title(case)}{after}.",
            cites,
        )
        yield _outcome(case)


def _title(case: Case) -> str:
    """Give what failed; a line that gives orders is not repeated."""
    title = " ".join(case.record.body.title.split())
    if not title or len(title) > TITLE or injection.scan(title):
        return ""
    return f" ({title})"


def _outcome(case: Case) -> Sentence:
    told, name = precedents.outcome(case), precedents.label(case)
    if told is None:
        return Sentence(f"No outcome of {name} is confirmed.", (case.id,))
    worked = "it worked" if told.result == "succeeded" else "it did not work"
    why = f": {told.why_failed.strip()}" if told.why_failed.strip() else ""
    text = f"What was done for {name}: {told.resolution.strip().rstrip('.')}; {worked}{why}"
    return Sentence(text if text[-1] in ".!?…" else f"{text}.", (case.id,))
