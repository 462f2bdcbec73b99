"""Holds a writer's own sentence to what carries it, word by word.

`grounding` asks whether each value stands in the evidence. This asks the rest of a sentence, which
a model wrote: each clause rests on one text of one carrier, of the one that it names, and every
word that is not grammar stands there, about in that order; a clause may not turn its source round;
a fix is said to have worked where a person confirmed that, and a cause where one is confirmed; a
value keeps the side of "from … to …" and the word that it stands beside. Must not judge whether an
act is wise, and must not be taken for understanding: a wrong relation between words that stand in
one text can pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from caselore.guards import clauses, grounding, prose
from caselore.guards.carriers import CAUSE, CHANGE, RESOLUTION, Carrier
from caselore.guards.clauses import is_old, listed, lower, places

__all__ = ["CAUSE", "LONGEST", "RESOLUTION", "Carrier", "is_old", "is_span", "objection"]

LONGEST = 1_000  # characters of one sentence

_AND = re.compile(r"\s(?:and|or|as)\s")
_MARKUP = re.compile(r"<[A-Za-z/!][^>\n]*>|\]\s*\(|!\[|```|&#?\w+;|^\s*(?:#+|>)\s")
_ASKS = re.compile(r"\?(?=[\s\"'”’)]|$)")
_SIGNS = frozenset({"-", "–", "—", "…", "&"})  # alone between blanks, as in prose
_NOT_IT = re.compile(r"\b(?:unlike|instead of|rather than|not(?: as)?(?: in| for)?)\s+$", re.I)
_HERE = re.compile(
    r"\b(?:this|the current|the present|our)\s+(?:\w+\s+)?"
    r"(?:job|failure|log|run|deployment|pipeline|incident|build)\b|\bcurrently\b"
    r"|\b(?:the|job) log\b|\blines? \d",
    re.I,
)
_LINE = re.compile(r"\blines?\b", re.I)
_APPLY = re.compile(r"\bapply (?:the |this )?(?:same |confirmed )*(?:fix|resolution)\b", re.I)
_WORDS = {"succeeded": "worked", "failed": "did not work"}


def objection(
    text: str, carriers: Sequence[Carrier], log: Carrier | None = None, *, remedy: bool = False
) -> str:
    """Say why a sentence may not stand on what it cites; empty where it may.

    A `remedy` says what to do: it rests on resolutions that worked, and on nothing else.
    """
    if len(text) > LONGEST:
        return f"it is longer than {LONGEST} characters"
    marked = _MARKUP.search(text)
    if marked and not any(marked.group() in one for c in carriers for one in c.texts()):
        return "it holds markup or a link"
    if _ASKS.search(text):
        return "it asks"
    odd = next(_signs(text, carriers), "")
    if odd:
        return f"“{odd}” is no word, and stands in nothing that it cites"
    text = _APPLY.sub("follow the resolution", text)
    if remedy and not any(clauses.content(text)) and not grounding.values(text):
        return "it says nothing of what was done"
    usable = [c for c in carriers if c.result == "succeeded"] if remedy else list(carriers)
    judge = _Judge(usable, log, remedy)
    reasons = (judge.of_clause(clause, names) for clause, names in judge.clauses(text))
    return next(filter(None, reasons), "") or judge.of_whole()


def _signs(text: str, carriers: Sequence[Carrier]) -> Iterator[str]:
    """Give the signs that stand alone as a word does, and in no carrier: they may say anything."""
    for run in text.split():
        if run not in _SIGNS and not any(map(str.isalnum, run)):
            bare = run.strip(".,;:!)(\"'“”‘’`")
            if bare and not any(bare in one for c in carriers for one in c.texts()):
                yield bare


def is_span(quote: str, source: str) -> bool:
    """Say whether a quote is a literal span of a source that cuts neither a value nor a "not".

    It begins and ends with whole tokens, and its clause holds no negation that it leaves out.
    """
    at = source.find(quote) if quote.strip() else -1
    while at >= 0:
        end = at + len(quote)
        first = max((m.end() for m in clauses.ENDS.finditer(source, 0, at + 1)), default=0)
        last = min((m.start() for m in clauses.ENDS.finditer(source, end)), default=len(source))
        whole = f"{source[first:at]} {source[end:last]}"
        if grounding.stands(quote.strip(), source) and not clauses.denied(whole):
            return True
        at = source.find(quote, at + 1)
    return False


class _Judge:
    def __init__(self, carriers: list[Carrier], log: Carrier | None, remedy: bool) -> None:
        self._carriers, self._log, self._remedy = carriers, log, remedy
        self._failed, self._says_so = "", False

    def clauses(self, text: str) -> Iterator[tuple[str, tuple[Carrier, ...]]]:
        """Give each clause with the carriers that it names, or that the one before it named."""
        named: tuple[Carrier, ...] = ()
        for clause in filter(str.strip, clauses.ENDS.split(text)):
            parts = [clause]
            if len(self._named(clause)) > 1:
                parts = [part for part in _AND.split(clause) if part.strip()]
            for part in parts:
                named = self._named(part) or named
                yield part, named

    def _named(self, clause: str) -> tuple[Carrier, ...]:
        """Give the carriers that a clause speaks of by name; "unlike #1020" speaks of another."""
        found = []
        for one in self._carriers:
            spots = [at for name in {one.label, one.id} - {""} for at in places(name, clause)]
            if any(not _NOT_IT.search(clause[:at]) for at in spots):
                found.append(one)
        return tuple(found)

    def of_clause(self, clause: str, named: tuple[Carrier, ...]) -> str:
        """Take the kindest reading; where a clause names carriers, each of them must carry it."""
        self._says_so |= clauses.denied(clause) or bool(prose.FAILED & set(lower(clause)))
        if named:
            return next(filter(None, (self._of(clause, [one], True) for one in named)), "")
        return self._of(clause, self._carriers, False)

    def of_whole(self) -> str:
        """Refuse a sentence that tells a failed fix and nowhere says that it failed."""
        if self._failed and not self._says_so:
            return f"it tells what was done for {self._failed} and not that it failed"
        return ""

    def _of(self, clause: str, carriers: Sequence[Carrier], named: bool) -> str:
        units = [unit for one in carriers for unit in one.units() if self._may(unit)]
        if not named and not self._remedy and self._log:
            here = [unit for one in carriers for unit in self._log.units(one)]
            units = [*(() if _HERE.search(clause) else units), *here, *self._log.units()]
        if not units:
            return "nothing that it cites says anything"
        reasons = [self._against(clause, unit) for unit in units]
        if "" not in reasons:
            own = frozenset(clauses.content(clause))
            nearest = max(range(len(units)), key=lambda n: len(own & units[n].words()))
            return reasons[nearest]
        self._note([unit for unit, why in zip(units, reasons, strict=True) if not why])
        return ""

    def _may(self, unit: Carrier) -> bool:
        return not self._remedy or unit.part in ("", RESOLUTION)

    def _note(self, passing: list[Carrier]) -> None:
        """Note where a clause tells what was done in vain, or why that failed."""
        told = [unit for unit in passing if unit.part == RESOLUTION and unit.result == "failed"]
        if told and len(told) == len(passing):
            self._failed = self._failed or told[0].name
        self._says_so |= any(unit.part == CAUSE[1] for unit in passing)

    def _against(self, clause: str, unit: Carrier) -> str:
        return (
            self._values(clause, unit)
            or clauses.strange(clause, unit, remedy=self._remedy)
            or self._sense(clause, unit)
        )

    def _values(self, clause: str, unit: Carrier) -> str:
        others = tuple(c.label for c in self._carriers)  # to name another is no value of this one
        lines = (self._log.lines,) if self._log and _LINE.search(clause) else ()
        missing = grounding.ungrounded(clause, (*unit.about(clause), *others, *lines))
        if missing:
            return f"{listed(v.text for v in missing)} stands not in {unit.name}"
        return clauses.misplaced(clause, unit) or clauses.moved(clause, unit)

    def _sense(self, clause: str, unit: Carrier) -> str:
        own = frozenset(clauses.content(clause))
        claim, denied = clauses.claim(clause), clauses.denied(clause)
        done = unit.part in (RESOLUTION, CHANGE) and bool(own & unit.words())
        if not claim and done and prose.FAILED & set(lower(clause)):
            claim = "failed"
        if claim and not clauses.says_itself(clause, unit):
            if unit.result != claim:
                return f"that it {_WORDS[claim]} is confirmed of no fix that it cites"
            denied = denied and claim == "succeeded"
        if self._remedy and own and not done:
            return f"it is not what was done for {unit.name}"
        if self._remedy and clauses.denied(clause) and not own:
            return "it says not to do anything"
        return (
            (clauses.of_speaking(clause, own, unit) if self._remedy else "")
            or clauses.of_cause(clause, own, unit)
            or clauses.of_fix(clause, unit, claim)
            or clauses.of_confirmed(clause, unit)
            or ("" if self._remedy or done else clauses.of_order_to_do(clause))
            or (clauses.of_denial(clause, own) if denied and not claim else "")
            or clauses.of_polarity(clause, denied, unit)
        )
