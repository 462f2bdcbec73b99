"""Holds a writer's own sentence to what carries it, word by word.

`grounding` asks whether each value stands in the evidence. This asks the rest of a sentence, which
a model wrote: every word that is not grammar must stand in what it cites; each clause rests on one
carrier, on the one that it names; a clause may not turn its source round; a fix is said to have
worked where a person confirmed that, and a cause where one is confirmed; a value keeps the side of
"from … to …" and the word that it stands beside. Must not judge whether an act is wise, and must
not be taken for understanding: a wrong relation between words that all stand there can pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from caselore.guards import grounding, prose
from caselore.guards.prose import stem, words

LONGEST = 1_000  # characters of one sentence
RESOLUTION, CAUSE = "resolution", ("cause", "why it failed")
REMOVED = "removed"  # lines that a change takes away: whoever reads changes knows their side
SHOWN = 3  # words or values that a reason names

_CLAUSE = re.compile(
    r"[.!?;:](?=\s|$)|\n|\s[–—-]+\s|,?\s+(?=(?:but|while|whereas|although|though|because)\s)"
    r"|,\s*(?=(?:and|then|so|or)\s)"
)
_AND = re.compile(r"\s(?:and|or)\s")
_MARKUP = re.compile(r"<[A-Za-z/!][^>\n]*>|\]\s*\(|!\[|```|&#?\w+;")
_NOT_IT = re.compile(r"\b(?:unlike|instead of|rather than|not(?: as)?(?: in| for)?)\s+$", re.I)
_OLD_BEFORE = re.compile(
    r"\b(?:(?:instead of|rather than|replac\w+)\s+(?:[A-Za-z-]+\s+){0,3}|(?:not|no longer)\s+)$",
    re.I,
)
_FROM = re.compile(r"\bfrom\s+(?:[A-Za-z-]+\s+){0,3}$", re.I)
_TO = re.compile(r"[^.;\n]{0,40}?\b(?:to|down to|up to)\s", re.I)
_OLD_BEHIND = re.compile(r"\s*(?:[A-Za-z]+\s+)?(?:→|->|=>|to\s+[$€£#vV]?\d)")
_HERE = re.compile(
    r"\b(?:this|the current|the present|our)\s+(?:\w+\s+)?"
    r"(?:job|failure|log|run|deployment|pipeline|incident|build)\b|\bcurrently\b",
    re.I,
)
_SIDED = frozenset({"number", "version", "setting", "flag"})  # what can be old or new


@dataclass(frozen=True, slots=True)
class Carrier:
    """What a sentence may rest on: a record, a quote, or the failing lines of a log."""

    id: str
    label: str
    """The name by which a sentence speaks of it, as `#1017`; empty for what has none."""
    parts: tuple[tuple[str, str], ...]
    """Its texts, each with the part's name; `resolution` and `cause` have a meaning here."""
    facts: str = ""
    """Names, dates and figures about it, in no sentence: they carry values and words."""
    result: str = ""
    """What a person confirmed: `succeeded`, `failed`, or nothing."""

    def texts(self, only: Iterable[str] = ()) -> tuple[str, ...]:
        """Give its texts, or those of some parts, and its facts."""
        chosen = set(only)
        told = (text for part, text in self.parts if text and (not chosen or part in chosen))
        return (*told, self.facts, self.label, self.id)


def objection(
    text: str, carriers: Sequence[Carrier], log: Carrier | None = None, *, remedy: bool = False
) -> str:
    """Say why a sentence may not stand on what it cites; empty where it may.

    A `remedy` says what to do: it takes its values from resolutions that worked, and from nothing
    else.
    """
    if len(text) > LONGEST:
        return f"it is longer than {LONGEST} characters"
    marked = _MARKUP.search(text)
    if marked and not any(marked.group() in one for c in carriers for one in c.texts()):
        return "it holds markup or a link"
    usable = [c for c in carriers if c.result == "succeeded"] if remedy else list(carriers)
    judge = _Judge(usable, log, remedy)
    reasons = (judge.of_clause(clause, names) for clause, names in judge.clauses(text))
    return next(filter(None, reasons), "") or judge.of_whole()


def is_span(quote: str, source: str) -> bool:
    """Say whether a quote is a literal span of a source that cuts neither a value nor a "not".

    It begins and ends with whole tokens, and its clause holds no negation that it leaves out.
    """
    at = source.find(quote) if quote.strip() else -1
    while at >= 0:
        end = at + len(quote)
        first = max((m.end() for m in _CLAUSE.finditer(source, 0, at + 1)), default=0)
        last = min((m.start() for m in _CLAUSE.finditer(source, end)), default=len(source))
        whole = f"{source[first:at]} {source[end:last]}"
        if grounding.stands(quote.strip(), source) and not _denied(whole):
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
        for clause in filter(str.strip, _CLAUSE.split(text)):
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
            places = [at for name in {one.label, one.id} - {""} for at in _places(name, clause)]
            if any(not _NOT_IT.search(clause[:at]) for at in places):
                found.append(one)
        return tuple(found)

    def of_clause(self, clause: str, named: tuple[Carrier, ...]) -> str:
        """Take the kindest reading: one carrier, together with the log, must carry all of it."""
        self._says_so |= _denied(clause) or bool(prose.FAILED & set(_lower(clause)))
        if named:
            reasons = [self._against(clause, one, named) for one in named]
            self._note(clause, named[0])
            return next(filter(None, reasons), "")
        alone: list[Carrier | None] = [*self._carriers]
        if self._log or not alone:
            alone.append(None)
        first = ""
        for one in alone:
            reason = self._against(clause, one, ())
            if not reason:
                self._note(clause, one)
                return ""
            first = first or reason
        return first

    def of_whole(self) -> str:
        """Refuse a sentence that tells a failed fix and nowhere says that it failed."""
        if self._failed and not self._says_so:
            return f"it tells what was done for {self._failed} and not that it failed"
        return ""

    def _note(self, clause: str, one: Carrier | None) -> None:
        """Note where a clause tells what was done in vain."""
        if one is not None and one.result == "failed":
            parts = {part for part, _ in _nearest(frozenset(_content(clause)), [one])}
            if parts == {RESOLUTION}:
                self._failed = self._failed or one.label or one.id
            self._says_so |= CAUSE[1] in parts and RESOLUTION not in parts

    def _against(self, clause: str, one: Carrier | None, named: tuple[Carrier, ...]) -> str:
        held = [*(named or ([one] if one else [])), *([self._log] if self._log else [])]
        where = (one.label or one.id) if one else "the cited lines"
        sources = _sources(held)
        return (
            self._values(clause, one, bool(named), where)
            or _strange(clause, sources, where)
            or self._sense(clause, one, held, where)
        )

    def _values(self, clause: str, one: Carrier | None, named: bool, where: str) -> str:
        parts = (RESOLUTION,) if self._remedy else ()
        own = one.texts(parts) if one else ()
        log = self._log.texts() if self._log else ()
        # what a clause says of a record by its name must be the record's; a line's number is not
        texts = (*own, self._log.label) if named and self._log else (*own, *log)
        if _HERE.search(clause) and not named:
            texts = log
        others = tuple(c.label for c in self._carriers)  # to name another is no value of this one
        missing = grounding.ungrounded(clause, (*texts, *others))
        if missing:
            return f"{_listed(v.text for v in missing)} stands not in {where}"
        return next(filter(None, (_moved(v, clause, texts, one) for v in _sided(clause))), "")

    def _sense(self, clause: str, one: Carrier | None, held: list[Carrier], where: str) -> str:
        own = frozenset(_content(clause))
        nearest = _nearest(own, held)
        claim, denied = _claim(clause), _denied(clause)
        parts = {part for part, _ in nearest}
        if not claim and RESOLUTION in parts and prose.FAILED & set(_lower(clause)):
            claim = "failed"
        if claim and not _says_itself(clause, nearest):
            if one is None or one.result != claim:
                return f"that it {_WORDS[claim]} is confirmed of no fix that it cites"
            denied = denied and claim == "succeeded"
        if self._remedy and own and RESOLUTION not in parts:
            return f"it is not what was done for {where}"
        return (
            _of_cause(clause, own, one, nearest)
            or _of_confirmed(clause, one, denied)
            or _of_polarity(clause, claim, denied, one, nearest, where)
        )


_WORDS = {"succeeded": "worked", "failed": "did not work"}


# -- words ---


def _strange(clause: str, sources: frozenset[str], where: str) -> str:
    """Name the words of a clause that are no grammar and stand in no source."""
    strange = [
        word for word in words(_bare(clause)) if _claims(word) and stem(word) not in sources
    ]
    return f"“{_listed(strange)}” stands not in {where}" if strange else ""


def _claims(word: str) -> bool:
    """Say whether a word says something of a system, and must come from the evidence."""
    lower, root = word.casefold().replace("’", "'"), stem(word)
    spoken = prose.WORKED | prose.WORK | prose.FAILED | prose.NEGATIONS
    return lower not in spoken and root not in prose.PLAIN | prose.CAUSES | prose.CONFIRMED


def _content(clause: str) -> Iterator[str]:
    return (stem(word) for word in words(_bare(clause)) if _claims(word))


def _sources(held: Iterable[Carrier]) -> frozenset[str]:
    return frozenset().union(*(_stems(text) for one in held for text in one.texts()))


@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    return prose.stems(text)


def _bare(clause: str) -> str:
    """Leave out what is checked as a value: tokens with digits, signs or capitals within."""
    for value in grounding.values(clause):
        if value.kind in ("command", "quoted") or not value.text.isalpha():
            blank = " " * (value.last - value.first)
            clause = f"{clause[: value.first]}{blank}{clause[value.last :]}"
    return clause


def _lower(clause: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in words(clause)]


# -- sense ---


def _nearest(own: frozenset[str], held: Iterable[Carrier]) -> tuple[tuple[str, str], ...]:
    """Give the clauses of the sources that share most words with a clause, each with its part."""
    best = 0
    found: list[tuple[str, str]] = []
    for part, clause in _source_clauses(tuple(held)):
        shared = len(own & frozenset(_content(clause)))
        if shared > best:
            best, found = shared, []
        if shared and shared == best:
            found.append((part, clause))
    return tuple(found)


@lru_cache(maxsize=64)
def _source_clauses(held: tuple[Carrier, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (part, clause)
        for one in held
        for part, text in one.parts
        for clause in _CLAUSE.split(text)
        if clause.strip()
    )


def _denied(clause: str) -> bool:
    """Say whether a clause is turned round; two negations take each other back."""
    return sum(word in prose.NEGATIONS for word in _lower(clause)) % 2 == 1


def _claim(clause: str) -> str:
    """Say which result a clause claims of a fix: a negation right before "work" is a failure."""
    told = _lower(clause)
    for at, word in enumerate(told):
        if word in prose.WORKED or word in prose.WORK:
            before = set(told[max(0, at - 2) : at])
            if before & prose.NEGATIONS:
                return "failed"
            if word in prose.WORKED or "did" in before:
                return "succeeded"
    return "failed" if set(told) & (prose.FAILED - {"failed", "fails", "failure"}) else ""


def _says_itself(clause: str, nearest: tuple[tuple[str, str], ...]) -> bool:
    """Say whether the nearest source says the same of working or failing in its own words."""
    told = {word for word in _lower(clause) if word in prose.WORKED | prose.FAILED}
    return any(
        told <= set(_lower(other)) and _denied(other) == _denied(clause) for _, other in nearest
    )


def _of_cause(
    clause: str, own: frozenset[str], one: Carrier | None, nearest: tuple[tuple[str, str], ...]
) -> str:
    told = [word for word in words(clause) if stem(word) in prose.CAUSES]
    if not told or not own or any(stem(told[0]) in _stems(other) for _, other in nearest):
        return ""
    if one is not None and one.result and any(part in CAUSE for part, _ in nearest):
        strange = own - _sources([one])  # the cause of a precedent is no cause of this log's words
        return "" if not strange else f"no person confirmed that cause in {one.label or one.id}"
    return "it names a cause that no person confirmed in what it cites"


def _of_confirmed(clause: str, one: Carrier | None, denied: bool) -> str:
    told = [word for word in words(clause) if stem(word) in prose.CONFIRMED]
    confirmed = one is not None and bool(one.result)
    if not told or confirmed is not denied:
        return ""
    return f"“{told[0]}”: " + (
        "it is confirmed" if confirmed else "nothing that it cites is confirmed by a person"
    )


def _of_polarity(
    clause: str,
    claim: str,
    denied: bool,
    one: Carrier | None,
    nearest: tuple[tuple[str, str], ...],
    where: str,
) -> str:
    if not nearest or any(_denied(other) == denied for _, other in nearest):
        return ""
    told_off = denied and one is not None and one.result == "failed"
    if told_off and any(part == RESOLUTION for part, _ in nearest):
        return ""  # "do not raise the timeout", of a fix that failed
    return f"it turns round what {where} says"


# -- values in their place ---


def _sided(clause: str) -> Iterator[grounding.Value]:
    return (value for value in grounding.values(clause) if value.kind in _SIDED)


def _moved(
    value: grounding.Value, clause: str, sources: Sequence[str], one: Carrier | None
) -> str:
    """Say how a value that stands in a source says another thing there."""
    facts = (one.facts, one.label, one.id) if one else ()
    removed = [text for part, text in one.parts if part == REMOVED] if one else []
    if grounding.grounded(value, [*facts, *removed]):
        return ""
    holding = [c for s in sources for c in re.split(r"[.;\n]\s", s) if value.text in c]
    old = is_old(clause, value.first, value.last)
    sides = {is_old(c, at, at + len(value.text)) for c in holding for at in _places(value.text, c)}
    if sides and old not in sides:
        return f"{value.text} is the {'new' if old else 'old'} value there, not the other"
    beside = _beside(clause, value)
    near = (*holding, *facts[:1])
    if (
        value.kind == "number"
        and beside
        and holding
        and not any(beside in _stems(c) for c in near)
    ):
        return f"{value.text} stands nowhere beside “{beside}”"
    return ""


def is_old(text: str, first: int, last: int) -> bool:
    """Say whether a value stands where the value before a change stands."""
    before = text[:first]
    if _OLD_BEFORE.search(before) or (_FROM.search(before) and _TO.match(text, last)):
        return True
    return _OLD_BEHIND.match(text, last) is not None


def _beside(clause: str, value: grounding.Value) -> str:
    """Give the word that a value belongs to: the last before it, else the first behind it."""
    before = list(_content(clause[: value.first]))
    behind = list(_content(clause[value.last :]))
    return (before[-1:] or behind[:1] or [""])[0]


def _places(name: str, text: str) -> Iterator[int]:
    pattern = rf"(?<![\w#.-]){re.escape(name)}(?![\w])"
    return (found.start() for found in re.finditer(pattern, text))


def _listed(texts: Iterable[str]) -> str:
    every = list(dict.fromkeys(texts))
    return ", ".join(every[:SHOWN]) + (", …" if len(every) > SHOWN else "")
