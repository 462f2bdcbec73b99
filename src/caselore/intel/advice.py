"""What a language model adds to a run: it points at sentences, weighs, supposes and phrases; all bounded.

A sentence that it points at is read by the same rules as any other: its values come from the page, never
from the model. What it weighs is stored apart, what it supposes is a proposal, what it phrases is checked
word by word against the claims that it cites.
Must not let a value, a name or a verdict of a model into the memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from caselore.guards.wording import Carrier
from caselore.intel.briefing import Claim
from caselore.intel.candidates import Candidate
from caselore.intel.claims import VERIFIED
from caselore.intel.dossier import Dossier
from caselore.intel.entities import Book
from caselore.intel.extract import pointed_at
from caselore.intel.modality import Mode
from caselore.intel.pages import Page
from caselore.intel.sentences import sentences
from caselore.llm.grounded import Phraser, Task
from caselore.memory.evidence import EVENT_TYPES, Prediction, Strategy

ADDED = 1.5  # most that a model adds to the floor of an impact
PAGES, EVENTS = 20, 40  # most pages and events of a run that a model is asked about
LENGTH = 6_000  # characters of a page that are shown
SUREST, LEAST = 0.95, 0.05
HORIZON = 180  # days that a prediction looks ahead at most


@dataclass
class Adviser:
    """One run's questions to a model; a model that fails adds nothing."""

    phraser: Phraser
    withheld: list[tuple[str, str]] = field(default_factory=list)
    _pages: int = 0

    def pointed(self, page: Page, book: Book, known: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Give events of sentences that the rules passed over and the model points at."""
        names = {one.entity.name for one in book.mentions(f"{page.title}\n{page.text}")}
        if not names or self._pages >= PAGES:
            return ()
        self._pages += 1
        carrier = Carrier(page.snapshot or page.url, page.title[:200], (("", page.text[:LENGTH]),))
        told = self.phraser.propose(_task("extract-1"), [carrier], _pointing(sorted(names)))
        found = []
        for row in (told or {}).get("found", ()):
            for one in self._read(page, book, row):
                if not any(one.first < each.last and each.first < one.last for each in known):
                    found.append(one)
        return tuple(found)

    def _read(self, page: Page, book: Book, row: Mapping[str, Any]) -> Iterable[Candidate]:
        quote = " ".join(str(row["quote"]).split())
        for one in sentences(page):
            if " ".join(one.text.split()) == quote:
                read = pointed_at(page, book, one, row["event_type"], row["competitor"])
                if read is not None and read.mode is Mode.ASSERTED:
                    return (read,)
        self.withheld.append((quote[:200], "a model points at it, and it reports no such thing"))
        return ()

    def impact(self, said: Candidate) -> float:
        """Give what the model adds to the floor of an event, 0 to 1.5."""
        carrier = Carrier("event", said.event_type, (("", said.quote),))
        told = self.phraser.propose(_task("impact-1"), [carrier], _WEIGHT)
        return round(float(told["added"]), 1) if told else 0.0

    def strategies(self, name: str, events: Sequence[Dossier]) -> tuple[Strategy, ...]:
        """Give hypotheses in the words of the events that they cite; at least two each."""
        carriers = [carrier_of(one) for one in events[-EVENTS:]]
        if len(carriers) < 2:
            return ()
        told = self.phraser.say(_task("strategy-1"), carriers)
        self.withheld += told.withheld
        kept = [one for one in told.sentences() if len(set(one.cites)) >= 2]
        return tuple(
            Strategy(
                competitor=name, topic=f"supposed by a model: {number}", statement=one.text, confidence=0.3,
                supports=tuple(sorted(set(one.cites))), why=f"proposed by {told.model}",
            )
            for number, one in enumerate(kept, 1)
        )  # fmt: skip

    def predictions(
        self, name: str, events: Sequence[Dossier], now: datetime
    ) -> tuple[Prediction, ...]:
        """Give predictions whose words, window and question are ours; the chance is the model's."""
        carriers = [carrier_of(one) for one in events[-EVENTS:]]
        told = self.phraser.propose(_task("prediction-1"), carriers, _NEXT) if carriers else None
        opens = now.date()
        return tuple(
            Prediction(
                competitor=name,
                statement=f"{name}: {row['event_type'].replace('_', ' ')} within {row['days']} days",
                probability=round(min(SUREST, max(LEAST, float(row["probability"]))), 2),
                opens=opens.isoformat(),
                deadline=(opens + timedelta(days=row["days"])).isoformat(),
                event_type=row["event_type"],
                why="proposed by a model",
            )
            for row in (told or {}).get("predictions", ())
        )

    def summary(self, claims: Sequence[Claim]) -> tuple[dict[str, Any], ...]:
        """Give a few sentences over verified claims, each with the claims that carry it."""
        kept = [one for one in claims if one.checked.verdict == VERIFIED][:EVENTS]
        if len(kept) < 2:
            return ()
        carriers = [
            Carrier(one.id, one.competitor, (("", one.text),), facts=one.competitor)
            for one in kept
        ]
        told = self.phraser.say(_task("summary-1"), carriers)
        self.withheld += told.withheld
        return tuple({"text": one.text, "cites": list(one.cites)} for one in told.sentences())


def carrier_of(one: Dossier) -> Carrier:
    """Give an event as evidence: its quote, with its own day and competitor."""
    facts = f"{one.event.competitor} {one.event.event_type} {one.date}"
    return Carrier(one.id, one.event.competitor, (("", one.best.quote),), facts=facts)


@cache
def _task(name: str) -> Task:
    text = (files(__package__) / "prompts" / f"{name}.md").read_text("utf-8")
    return Task(f"intel-{name}", text, most=4)


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _many(name: str, most: int, **properties: Any) -> dict[str, Any]:
    rows = {"type": "array", "maxItems": most, "items": _object(**properties)}
    return _object(**{name: rows})


_TYPE = {"type": "string", "enum": list(EVENT_TYPES)}
_WEIGHT = _object(added={"type": "number", "minimum": 0, "maximum": ADDED})
_NEXT = _many(
    "predictions", 3, event_type=_TYPE, probability={"type": "number", "minimum": 0, "maximum": 1},
    days={"type": "integer", "minimum": 7, "maximum": HORIZON},
)  # fmt: skip


def _pointing(names: list[str]) -> dict[str, Any]:
    competitor = {"type": "string", "enum": names}
    quote = {"type": "string", "maxLength": 700}
    return _many("found", 10, competitor=competitor, event_type=_TYPE, quote=quote)
