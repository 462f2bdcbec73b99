"""Says what is wrong with one clause against one text that is to carry it.

Each function gives the reason why the clause may not stand, or nothing. Must not choose texts:
`wording` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from caselore.guards import grounding, prose
from caselore.guards.carriers import CAUSE, CHANGE, RESOLUTION, Carrier, stems_of
from caselore.guards.prose import stem, words

SHOWN = 3  # words or values that a reason names
ENDS = re.compile(
    r"[.!?;:](?=\s|$)|\n|\s[–—-]+\s|,?\s+(?=(?:but|while|whereas|although|though|because)\s)"
    r"|,\s*(?=(?:and|then|so|or)\s)"
)

_OLD_BEFORE = re.compile(
    r"\b(?:(?:instead of|rather than|replac\w+)\s+(?:[A-Za-z-]+\s+){0,3}|(?:not|no longer)\s+)$",
    re.I,
)
_FROM = re.compile(r"\bfrom\s+(?:[A-Za-z-]+\s+){0,3}$", re.I)
_TO = re.compile(r"[^.;\n]{0,40}?\b(?:to|down to|up to)\s", re.I)
_OLD_BEHIND = re.compile(r"\s*(?:[A-Za-z]+\s+)?(?:→|->|=>|to\s+[$€£#vV]?\d)")
_OF_ANY_FAILURE = frozenset({"fail", "failed", "fails", "failure"})  # said of a job, too
_SIDED = frozenset({"number", "version", "setting", "flag"})  # what can be old or new
_PLACES = frozenset({"in", "on", "of", "for", "at"})  # before the name of where it happened
_TO_DO = re.compile(
    r"^\W*(?:please\s+)?(?:use|try|follow|run|repeat|see|ensure|need|apply|set|keep)\b"
    r"|\b(?:should|must|need(?:s)? to|ought to|has to|have to|shall)\b",
    re.I,
)
_PEOPLE = re.compile(r"\b(?:person|people)\b", re.I)
_CONFIRMED = re.compile(r"\b(?:confirmed|verified|proven|proved)\b", re.I)
_FIX = re.compile(r"\b(?:fix|solution|remedy|resolution)\b", re.I)
_NAMES = re.compile(r"(?<!\w)#\w")
_UNKNOWN = re.compile(
    r"\bunknown\b|\bnot (?:yet )?known\b"
    r"|\bno (?:known |confirmed )?(?:fix|cause|outcome|resolution|solution)\b",
    re.I,
)
_NOTHING_FAILED = re.compile(
    r"(?:\b(?:no|not|never|without(?: an?)?)|n't)\s+(?:\w+\s+)?(?:fail(?:ed|ing|s)?|errors?)\b",
    re.I,
)


# -- words ---


def content(clause: str) -> Iterator[str]:
    """Give the stems of the words of a clause that must come from the evidence, in order."""
    return (stem(word) for word in words(_bare(clause)) if _claims(word))


def lower(clause: str) -> list[str]:
    """Give the words of a clause in small letters."""
    return [word.casefold().replace("’", "'") for word in words(clause)]


def listed(texts: Iterable[str]) -> str:
    """Name a few of what a reason is about."""
    every = list(dict.fromkeys(texts))
    return ", ".join(every[:SHOWN]) + (", …" if len(every) > SHOWN else "")


def places(name: str, text: str) -> Iterator[int]:
    """Give where a name stands in a text as a whole token."""
    pattern = rf"(?<![\w#.-]){re.escape(name)}(?![\w])"
    return (found.start() for found in re.finditer(pattern, text))


def strange(clause: str, unit: Carrier, *, remedy: bool) -> str:
    """Name the words that are no grammar and stand not in the text, or in another order there.

    Where it happened may be said behind "in" or "for"; a clause of nothing else may name it, too.
    """
    told = words(_bare(clause))
    own, confirming = unit.words(), unit.confirming(clause)
    about = frozenset() if remedy else stems_of((unit.facts,))
    only_facts = not any(stem(w) in own for w in told if _claims(w))
    missing = [
        word
        for at, word in enumerate(told)
        if _must_stand(word, remedy)
        and stem(word) not in own | confirming
        and not (stem(word) in about and (only_facts or _in_place(told[:at])))
    ]
    if missing:
        return f"“{listed(missing)}” stands not in {unit.name}"
    return _reordered(clause, unit)


def _must_stand(word: str, remedy: bool) -> bool:
    return _claims(word) or (remedy and stem(word) in prose.SEQUENCE)


def _claims(word: str) -> bool:
    """Say whether a word says something of a system, and must come from the evidence."""
    small = word.casefold().replace("’", "'")
    spoken = prose.WORKED | prose.WORK | prose.FAILED | prose.NEGATIONS
    asked = prose.CAUSES | prose.CONFIRMED
    return not (small in spoken or prose.plain(word) or stem(word) in asked)


def _in_place(before: Sequence[str]) -> bool:
    last = [word.casefold() for word in before if word.casefold() not in ("the", "this", "a")]
    return bool(last) and last[-1] in _PLACES


def _bare(clause: str) -> str:
    """Leave out what is checked as a value: tokens with digits, signs or capitals within."""
    for value in grounding.values(clause):
        if value.kind in ("command", "quoted") or not value.text.isalpha():
            blank = " " * (value.last - value.first)
            clause = f"{clause[: value.first]}{blank}{clause[value.last :]}"
    return clause


def _reordered(clause: str, unit: Carrier) -> str:
    """Say whether words and values change places: who did what to whom may be another.

    The first word of what was done may move: "raised the timeout", "the timeout was raised"; and
    of what worked one more: "batches of 500 records for the backfill".
    """
    known = set(_sequence("\n".join(text for _, text in unit.parts)))
    own = [one for one in _sequence(clause) if one in known]
    worked = unit.part == RESOLUTION and unit.result == "succeeded"
    if not own or any(_in_order(own, there, worked) for there in _orders(unit.parts)):
        return ""
    return f"its words stand in another order in {unit.name}"


def _in_order(own: Sequence[str], there: Sequence[str], worked: bool) -> bool:
    kept = [one for one in there if one in set(own)]
    if _longest(own, kept) >= len(own) - worked:
        return True
    rest = [one for one in own if one not in there[:1]]
    return len(rest) == len(own) - 1 and _longest(rest, kept) == len(rest)


@lru_cache(maxsize=128)
def _orders(parts: tuple[tuple[str, str], ...]) -> tuple[tuple[str, ...], ...]:
    """Give the texts as sequences, whole and clause by clause."""
    every = [text for _, text in parts]
    every += [one for text in every for one in ENDS.split(text)]
    return tuple(tuple(_sequence(one)) for one in every)


def _sequence(text: str) -> list[str]:
    """Give the words of substance and the numbers of a text in order."""
    found = [(v.first, v.normal) for v in grounding.values(text) if v.kind in _SIDED]
    bare = _bare(text)
    found += [
        (m.start(), stem(m.group())) for m in prose.WORD.finditer(bare) if _claims(m.group())
    ]
    return [one for _, one in sorted(found)]


def _longest(one: Sequence[str], other: Sequence[str]) -> int:
    """Give the length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for a in one:
        before = 0
        for at, b in enumerate(other, 1):
            before, row[at] = row[at], before + 1 if a == b else max(row[at], row[at - 1])
    return row[-1]


# -- sense ---


def denied(clause: str) -> bool:
    """Say whether a clause is turned round; two negations take each other back."""
    return sum(word in prose.NEGATIONS for word in lower(clause)) % 2 == 1


def claim(clause: str) -> str:
    """Say which result a clause claims of a fix: a negation right before "work" is a failure."""
    told = lower(clause)
    for at, word in enumerate(told):
        if word in prose.WORKED or word in prose.WORK:
            before = set(told[max(0, at - 2) : at])
            if before & prose.NEGATIONS:
                return "failed"
            if word in prose.WORKED or "did" in before:
                return "succeeded"
    return "failed" if set(told) & (prose.FAILED - _OF_ANY_FAILURE) else ""


def says_itself(clause: str, unit: Carrier) -> bool:
    """Say whether the text says the same of working or failing in its own words."""
    told = {word for word in lower(clause) if word in prose.WORKED | prose.FAILED}
    return any(
        told <= set(lower(other)) and denied(other) == denied(clause)
        for other in _nearest(frozenset(content(clause)), unit)
    )


def of_cause(clause: str, own: frozenset[str], unit: Carrier) -> str:
    """Refuse a cause that no person confirmed."""
    told = [stem(word) for word in words(clause) if stem(word) in prose.CAUSES]
    if told and len(_NAMES.findall(clause)) > 1:
        return "it lets one incident be the cause of another"
    if not told or not own or told[0] in unit.words():
        return ""
    if unit.result and unit.part in CAUSE and own <= unit.words():
        return ""
    return "it names a cause that no person confirmed in what it cites"


def of_fix(clause: str, unit: Carrier, claimed: str) -> str:
    """Refuse to call a fix what nobody confirmed to have worked."""
    if not _FIX.search(clause) or denied(clause) or claimed == "failed" or "fix" in unit.words():
        return ""
    told = {"failed", "fails"} & set(lower(clause))
    return "" if unit.result == "succeeded" or told else "it calls a fix what is none"


def of_confirmed(clause: str, unit: Carrier) -> str:
    """Refuse a confirmation that is none, an unknown that is known, and that nothing failed."""
    if unit.result and _UNKNOWN.search(clause):
        return "what it calls unknown is confirmed"
    if _NOTHING_FAILED.search(clause) and "same" not in lower(clause):
        return "it says that nothing failed"
    told = [word for word in words(clause) if stem(word) in prose.CONFIRMED]
    if not told:
        return ""
    if _PEOPLE.search(clause) and not _CONFIRMED.search(clause):
        return "it tells of people what nobody recorded"
    if bool(unit.result) is denied(clause):
        state = "it is confirmed" if unit.result else "nothing that it cites is confirmed"
        return f"“{told[0]}”: {state}"
    return ""


def of_denial(clause: str, own: frozenset[str]) -> str:
    """Refuse to deny a name or a value of which nothing is said."""
    spoken = prose.stems(clause) & (prose.CONFIRMED | {"same", "similar", "know"})
    told = [v for v in grounding.values(clause) if not v.text.startswith("#")]
    return "it denies what nothing says" if told and not own and not spoken else ""


def of_speaking(clause: str, own: frozenset[str], unit: Carrier) -> str:
    """Refuse a remedy that says to speak of what was done, not to do it."""
    told = lower(clause)[:1]
    spoken = bool(told and own and told[0] in prose.SPEAKING and stem(told[0]) not in unit.words())
    return f"“{told[0]}” is not what was done for {unit.name}" if spoken else ""


def of_order_to_do(clause: str) -> str:
    """Refuse advice that no record of what was done carries."""
    return "it advises what no record says was done" if _TO_DO.search(clause) else ""


def of_polarity(clause: str, turned: bool, unit: Carrier) -> str:
    """Refuse a clause that turns round what the text says."""
    nearest = _nearest(frozenset(content(clause)), unit)
    if not nearest or any(denied(other) == turned for other in nearest):
        return ""
    if turned and unit.result == "failed" and unit.part == RESOLUTION:
        return ""  # "do not raise the timeout", of a fix that failed
    return f"it turns round what {unit.name} says"


def _nearest(own: frozenset[str], unit: Carrier) -> list[str]:
    """Give the clauses of a text that share most words with a clause."""
    best, found = 0, list[str]()
    for other, roots in _clauses(unit.parts):
        shared = len(own & roots)
        if shared > best:
            best, found = shared, []
        if shared and shared == best:
            found.append(other)
    return found


@lru_cache(maxsize=128)
def _clauses(parts: tuple[tuple[str, str], ...]) -> tuple[tuple[str, frozenset[str]], ...]:
    found = (one for _, text in parts for one in ENDS.split(text) if one.strip())
    return tuple((one, frozenset(content(one))) for one in found)


# -- values in their place ---


def moved(clause: str, unit: Carrier) -> str:
    """Say how a value that stands in the text says another thing there."""
    if unit.part == CHANGE:
        return ""
    told = (value for value in grounding.values(clause) if value.kind in _SIDED)
    return next(filter(None, (_moved(value, clause, unit) for value in told)), "")


def misplaced(clause: str, unit: Carrier) -> str:
    """Say whether a value of the facts is told as doing something: it says where it happened."""
    known = unit.words()
    if not any(one in known for one in content(clause)):
        return ""
    said = (*(text for _, text in unit.parts), unit.verdict, unit.happened, unit.label, unit.id)
    for value in grounding.values(clause):
        only_a_fact = grounding.grounded(value, [unit.facts]) and not grounding.grounded(
            value, said
        )
        if only_a_fact and not _in_place(words(clause[: value.first])):
            return f"{value.text} is where it happened, and in no sentence of {unit.name}"
    return ""


def _moved(value: grounding.Value, clause: str, unit: Carrier) -> str:
    if grounding.grounded(value, [unit.facts, unit.label, unit.id]):
        return ""
    texts = (one for _, text in unit.parts for one in re.split(r"[.;\n]\s", text))
    holding = [one for one in texts if value.text in one]
    old, size = is_old(clause, value.first, value.last), len(value.text)
    sides = {is_old(one, at, at + size) for one in holding for at in places(value.text, one)}
    if sides and old not in sides:
        return f"{value.text} is the {'new' if old else 'old'} value there, not the other"
    beside = _beside(clause, value)
    known = stems_of((*holding, unit.facts))
    if value.kind == "number" and beside and holding and beside not in known:
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
    before = list(content(clause[: value.first]))
    behind = list(content(clause[value.last :]))
    return (before[-1:] or behind[:1] or [""])[0]
