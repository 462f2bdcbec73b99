"""Holds a claim against the clause of its quote that speaks of the same: direction, denial, who did it to whom, which number.

Must not judge by a clause that speaks of something else.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from caselore.intel.bounds import ENOUGH, about
from caselore.intel.likeness import carried, contrary, excluded, same, shape, stem, telling, words
from caselore.intel.money import COUNT_WORDS
from caselore.intel.naming import NAME

_CUT = re.compile(
    r"(?<=[.!?;])\s+|(?<!\s)\s*[;:(]\s*|,\s+(?=(?:and|but|while|whereas|although|though|however|which|who|where|when|then|so|not|as|because|up|down|beating|having)\b)"
    r"|(?<!\s)\s+(?=(?:but|while|whereas|although|though|however|compared with|against the)\b)"
    r"|(?<!\s)\s+(?=and\s+(?!\w+\s+(?:are|is)\b)[a-z]+(?:ed|s)?\s)"
)  # fmt: skip
_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?![\d.,]\d|\d)")
_PART = re.compile(r"\d[\d,.]*\d|\d")
_ENDS = re.compile(r"[.;:!?]|,\s(?!dass\b|que\b|that\b)|\bbut\b")
WHOLE = 0.9  # share of a claim's telling words in a part between commas, from which on the rest is not of it
REACH = 300  # characters before and behind a denial in which stands what it is of


class Clause(NamedTuple):
    """A part of a quote that makes one statement."""

    text: str
    share: float
    """Of the claim's telling words, 0 to 1."""


def clauses(quote: str, claim: str) -> list[Clause]:
    """Give the clauses of a quote, the nearest to a claim first."""
    own = {one.stem for one in telling(claim)}
    figures = set(_PART.findall(claim))
    found = []
    for part in _CUT.split(quote):
        if part and part.strip():
            stems = frozenset(one.stem for one in words(part))
            hits = sum(carried(one, stems) or _turned(one, stems) for one in own)
            hits += len(figures & set(_PART.findall(part)))
            found.append(Clause(part.strip(), hits / max(1, len(own) + len(figures))))
    return sorted(found, key=lambda one: -one.share)


def _turned(word: str, stems: frozenset[str]) -> bool:
    return any(contrary(word, other) for other in stems)


def nearest(quote: str, claim: str) -> str:
    """Give the clauses that speak of what a claim says: the best, and those as good."""
    ranked = clauses(quote, claim)
    if not ranked:
        return quote
    best = ranked[0].share
    return " ; ".join(one.text for one in ranked if one.share >= best - 1e-9)


def turned(claim: str, quote: str, context: str = "") -> str:
    """Give the word of a claim whose contrary the quote says in its place; empty where none."""
    part = nearest(quote, claim)
    near = _plain_words(part)
    every = frozenset(one.stem for one in words(part))
    for one in words(claim):
        against = [
            other for other in near if contrary(one.stem, other) and not _denies(other, part)
        ]
        if one.text[0].isupper() or carried(one.stem, near):
            against = []
        against += [other for other in [excluded(one.stem, every)] if other]
        if against:
            rest = claim[: one.first] + claim[one.first + len(one.text) :]
            if about(rest, part, context) >= ENOUGH:
                return f"{one.text} where it says {against[0]}"
    return ""


def _denies(word: str, part: str) -> bool:
    """Say whether a clause has a word only to deny it: `argues against a major role`, `is not legal`."""
    before = [one for one in words(part) if one.stem == word]
    return bool(before) and all(
        re.search(r"(?:\b(?:not|no|never|without|against|hardly)|n['’]t)(?:\s+(?:a|an|the|any|been|to|be)\b)*\s*$", part[: one.first], re.IGNORECASE)
        for one in before
    )  # fmt: skip


def _plain_words(text: str) -> frozenset[str]:
    """Give the stems of a text without its names: a Growth plan does not grow."""
    return frozenset(
        one.stem for one in words(text)
        if not one.text[0].isupper() or one.first == 0 or text[one.first - 2 : one.first] in {"; ", ". "}
    )  # fmt: skip


def denial(claim: str, quote: str) -> str:
    """Give why a claim's polarity is not the quote's; empty where it is, or where the denial is of something else."""
    if own_denials := _denied(claim):
        theirs = frozenset(one for each in _denied(quote) for one in each)
        said = frozenset(one.stem for one in words(quote))
        if any(_undenied(scope, theirs) and carried(scope[0], said) for scope in own_denials):
            return "the quote does not deny it"
    if shape("no").search(claim) or (shape("ended").search(claim) and "no longer" in quote):
        return ""
    own = frozenset(one.stem for one in telling(claim))
    figures_own = set(_PART.findall(claim)) - set(_PART.findall(_DENIED_PART.sub(" ", quote)))
    parts = [one.text for one in clauses(quote, claim)]
    plain = frozenset(one.stem for part in parts for one in words(_before_denial(part)))
    for part in parts:
        if any(carried(stem(match.group()), own) for match in shape("no").finditer(part)):
            continue  # the claim says so in its own word: it was rejected, it failed
        for scope in _denied(part):
            told = [one for one in scope if carried(one, own)]
            meant = scope[0] in told or len(told) > 1
            if figures_own and figures_own & _denied_figures(part):
                return "the quote denies it"
            if meant and not any(carried(one, plain) for one in told):
                return "the quote denies it"
    return ""


_DENIED_PART = re.compile(r"\b(?:denie[sd]|denying|denial of|refut(?:es|ed)|rejected|dismissed)\b[^.;]*", re.IGNORECASE)  # fmt: skip


def _denied_figures(part: str) -> set[str]:
    """Give the numbers of what a clause denies."""
    return {one for match in _DENIED_PART.finditer(part) for one in _PART.findall(match.group())}


def _before_denial(part: str) -> str:
    """Give what a clause says before it denies; nothing where its denial is of that."""
    match = shape("no").search(part)
    if match is None:
        return part
    return part[: match.start()] if telling(part[match.end() :]) else ""


def _undenied(scope: tuple[str, ...], theirs: frozenset[str]) -> bool:
    """Say whether what a claim denies is not among what a quote denies."""
    return not any(carried(one, theirs) or _turned(one, theirs) for one in scope)


def _denied(text: str) -> list[tuple[str, ...]]:
    """Give for each denial of a text the stems of the first words that it is about."""
    found = []
    for match in shape("no").finditer(text):
        rest = _ENDS.split(text[match.end() : match.end() + REACH], maxsplit=1)[0]
        scope = tuple(one.stem for one in telling(rest))[:4]
        before = text[max(0, match.start() - REACH) : match.start()]
        scope = scope or tuple(one.stem for one in telling(before))[-4:]
        if match.group().lower() in {"unaffected", "exempt"}:
            scope = ("affect" if match.group().lower() == "unaffected" else "apply",)
        if scope:
            found.append(scope)
    return found


_SUBJECT = rf"(?P<n>{NAME}) (?:(?P<b>was|were) |had |has )?(?P<v>[a-z]+)\b"
_DEAL = {"buy", "acquir", "purchas", "pay", "tak", "takeov", "kauft", "rachèt", "adquier"}
_TO = {"buy", "acquir", "purchas", "beat", "defeat", "succeed", "replac", "overtak", "su", "own", "join", "lead", "direct", "found", "pay", "tak", "take", "kauft", "rachèt", "adquier"}  # fmt: skip


def roles(claim: str, quote: str) -> str:
    """Say whether the quote gives what a claim says of two to them the other way round."""
    return (
        _turned_deal(claim, quote)
        or _other_subject(claim, quote)
        or _turned_comparison(claim, quote)
    )


def _turned_deal(claim: str, quote: str) -> str:
    told = _deed(claim)
    if told is None:
        return ""
    doer, deed, done = told
    for part in re.split(r"(?<=[.!?;])\s+", quote):
        if doer in part and done in part:
            found = _between(part, doer, done)
            if found is None:
                continue
            if (
                {found[1], deed} <= _DEAL | {"sell"}
                and ("sell" in (found[1], deed))
                and found[1] != deed
            ):
                return f"it is {done} that did so" if found[0] == doer else ""
            alike = same(found[1], deed) or {found[1], deed} <= _DEAL
            if alike and found[0] != doer:
                return f"it is {done} that did so"
    return ""


def _is_deed(word: str) -> bool:
    """Say whether a word has the form of a verb that tells a deed."""
    return len(word) > 3 and (word.endswith("ed") or stem(word) not in {word, word.rstrip("s")})


def _other_subject(claim: str, quote: str) -> str:
    """Give who did it by the quote, where that is another than the claim says."""
    told = re.match(_SUBJECT, claim)
    if told is None or told["n"] not in quote or not _is_deed(told["v"]):
        return ""
    verb = stem(told["v"])
    found = []
    for part in _CUT.split(quote):
        for one in re.finditer(_SUBJECT, part or ""):
            voice = (one["b"] is None) == (told["b"] is None)
            joint = re.search(r"\b(?:and|with)\s*$", quote[: max(0, quote.find(one.group()))])
            known = bool(one.start()) or f" {one['n']}" in quote.replace(one.group(), "", 1)
            if stem(one["v"]) == verb and voice and telling(one["n"]) and known and not joint:
                found.append(one["n"])
    other = [one for one in found if one not in told["n"] and told["n"] not in one]
    return f"it is {other[0]} that did so" if other and len(other) == len(found) else ""


def _turned_comparison(claim: str, quote: str) -> str:
    """Say whether both compare the same two the other way round."""
    own = re.split(r"\bthan\b", claim)
    for part in re.split(r"(?<=[.!?;])\s+", quote):
        theirs = re.split(r"\bthan\b", part)
        if len(own) != 2 or len(theirs) != 2:
            continue
        a, b = (_stems(side) for side in own)
        c, d = _stems(theirs[0]), _stems(theirs[1].split(",")[0])
        if (a - b) & (d - c) and (b - a) & (c - d) and not b & d:
            return "the quote compares them the other way round"
    return ""


def _stems(text: str) -> frozenset[str]:
    return frozenset(one.stem for one in telling(text))


def _deed(text: str) -> tuple[str, str, str] | None:
    """Give who did what to whom, where a text says so of two names."""
    names = [
        one for one in re.finditer(NAME, text) if one.group().lower() not in {"the", "a", "it"}
    ]
    if len(names) < 2:
        return None
    one, other = names[0].group(), names[1].group()
    found = _between(text, one, other)
    return (found[0], found[1], other if found[0] == one else one) if found else None


def _between(text: str, one: str, other: str) -> tuple[str, str] | None:
    """Give the doer of what stands between two names, and the deed."""
    first, second = text.find(one), text.find(other)
    left, right = (one, other) if first < second else (other, one)
    middle = text[min(first, second) + len(left) : max(first, second)]
    if not middle or len(middle) > 140:
        return None
    stems = [each.stem for each in words(middle)]
    if "win" in stems and {"against", "over"} & set(stems):
        return left, "beat"
    if any(each == "sell" for each in stems):
        passive = bool(re.search(r"\b(?:was|were|is|been|being)\b", middle))
        return (right if passive or " to " in middle else left), "buy" if (
            passive or " to " in middle
        ) else "sell"
    deeds = [each for each in stems if each in _TO]
    if not deeds:
        noun = re.search(r"\b(?:takeover|acquisition|purchase) of\b", middle)
        return None if noun is None else (left, "buy")
    passive = re.search(r"\bby\b(?! (?:\d|[a-z]))|\b(?:was|were|is|are|been|being)\s(?:\w+\s){1,3}by\b(?! \d)", middle) is not None  # fmt: skip
    return (right if passive else left), deeds[0]


_SPANS = r"seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)"
_SPAN = re.compile(rf"\b(?P<n>\w+)(?:st|nd|rd|th)?[ -](?P<u>{_SPANS})\b", re.IGNORECASE)


def _spans(text: str) -> dict[str, set[str]]:
    """Give for each number of a text the units of time that it is of."""
    found: dict[str, set[str]] = {}
    for match in _SPAN.finditer(text):
        number = _SAID.get(match["n"].lower(), match["n"].lower())
        found.setdefault(number, set()).add(stem(match["u"]))
    return found


_SAID = {word: str(value) for word, value in COUNT_WORDS.items()} | {"an": "1", "a": "1"}


def other_unit(claim: str, quote: str) -> str:
    """Give a span of time of a claim whose number the quote says of another unit; empty where none."""
    theirs = _spans(quote)
    for number, units in _spans(claim).items():
        if number in theirs and not units & theirs[number]:
            return f"{number} {min(units)}"
    return ""


def _years(text: str) -> set[str]:
    return set(_YEAR.findall(text))


def _shares(text: str) -> set[str]:
    return {
        one.replace(" ", "") for one in re.findall(r"(\d+(?:[.,]\d+)?)\s?(?:%|per ?cent)", text)
    }


def misplaced(claim: str, quote: str) -> str:
    """Give the number of a claim that the quote says of something else; empty where none."""
    for kind in (_years, _shares):
        own = kind(claim)
        if len(own) != 1 or len(kind(quote)) < 2:
            continue
        figure = next(iter(own))
        ranked = [one for one in _statements(quote, claim) if kind(one.text)]
        with_it = [one.share for one in ranked if figure in kind(one.text)]
        without = [one.share for one in ranked if figure not in kind(one.text)]
        if with_it and without and max(without) > max(with_it) + 1e-9:
            return figure
    return ""


def _statements(quote: str, claim: str) -> list[Clause]:
    """Give the parts of a quote between the numbers and conjunctions, by how near they are."""
    own = [one for one in telling(claim) if one.text[0].islower()]
    figure = _YEAR.search(claim) or _PART.search(claim)
    before = [one for one in own if figure and one.first < figure.start()][-1:]
    found = []
    for part in re.split(r"(?<=[.!?;])\s+|\s+(?:and|but|from|to|after|while)\s+|,\s+", quote):
        stems = frozenset(one.stem for one in words(part))
        # the word right before the number is what it is of
        share = sum(carried(one.stem, stems) for one in [*own, *before])
        found.append(Clause(part, float(share)))
    return found


def hedged(claim: str, quote: str) -> bool:
    """Say whether a quote only plans or supposes what a claim states."""
    near = re.sub(r"\bMay\b", "5", nearest(quote, claim))  # the month
    open_ = quote.rstrip().endswith("?") and not claim.rstrip().endswith("?")
    if shape("hedges").search(claim):
        return False
    plain = [
        part
        for part in re.split(r",\s|\bsince\b|\bbecause\b", near)
        if about(claim, part) >= WHOLE
    ]
    return open_ or all(shape("hedged").search(part) for part in plain or [near])
