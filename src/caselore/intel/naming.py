"""Matches the names of a claim with those of its quote: a surname for a whole name, a pronoun for the name before it, another of its kind.

Must not take two names for one because they are alike.
"""

from __future__ import annotations

import re
from functools import cache

from caselore.intel.bounds import ENOUGH, about
from caselore.intel.likeness import excluded, same, stem, table, telling, words

NAME = r"(?:[A-Z][\w’'.&-]*)(?: (?:& )?[A-Z][\w’'.&-]*)*"
_NONE = frozenset({"The", "A", "In", "It", "Its", "An", "On", "At", "By", "For", "As", "This", "These", "That"})  # fmt: skip


def named(quote: str, title: str = "") -> str:
    """Give a quote in which a pronoun at the head of a sentence is replaced by the name before it."""
    name, found = title.split("(", 1)[0].split("\n", 1)[0].strip(), []
    for part in re.split(r"(?<=[.!?;])\s+", quote):
        put = re.sub(r"^(?:She|He|It|They)\b", lambda _: name, part) if name else part  # noqa: B023
        found.append(put)
        first = re.search(NAME, put)
        if first and first.group() not in _NONE:
            name = first.group()
    return " ".join(found)


def by_surname(claim: str, quote: str) -> str:
    """Give a claim with those names shortened that its quote gives by the last word alone: `Sakurai`, `Byron`."""
    for match in re.finditer(
        r"\b(?P<given>(?:[A-Z][\w’'.-]* ){1,2})(?P<last>[A-Z][a-z][\w’'-]+)\b(?! [A-Z&])", claim
    ):
        last, given = match["last"], match["given"].split()
        alone = re.findall(rf"(?:(\w+)\W+)?\b{re.escape(last)}(?:['’]s)?\b(?! [A-Z&])", quote)
        others = [one for one in alone if one[:1].isupper() and one not in {*given, *_HEADS}]
        said = any(re.search(rf"\b{re.escape(one)}\b", quote) for one in given)
        if alone and not others and not said:
            claim = claim.replace(match.group(), last, 1)
    return claim


_HEADS = frozenset(
    [
        "The",
        "A",
        "An",
        "In",
        "On",
        "At",
        "By",
        "For",
        "When",
        "While",
        "After",
        "Before",
        "And",
        "But",
        "If",
        "As",
        "Mr",
        "Mrs",
        "Ms",
        "Dr",
        "Sir",
        "Lord",
        "Lady",
        "Dame",
    ]
)


_PLACED = re.compile(
    r"(?P<g>\w+)\s+(?P<p>in|at|from|of|by|to|as)\s+(?:(?:the|a|an)\s+)?(?:[\w'’]+\s+){0,3}$"
)


def another(claim: str, lost: str, quote: str, context: str) -> str:
    """Give what a quote says in the place of a name or word of a claim that it does not say; empty where nothing.

    Two stand in one place that are of one kind by a line of `exclusive`, that share their first or last word, or
    that follow a word of which there is but one: `born in`, `directed by`, `minister of`.
    """
    at = claim.find(lost)
    rest = f"{claim[:at]} {claim[at + len(lost) :]}"
    for sentence in re.split(r"(?<=[.!?;])\s+", quote):
        if about(rest, sentence, context) < ENOUGH:
            continue
        every = frozenset(one.stem for one in words(sentence))
        shut = next((found for one in telling(lost) if (found := excluded(one.stem, every))), "")
        other = (
            shut or _of_its_kind(lost, sentence) or _in_its_place(claim[:at], lost, rest, sentence)
        )
        if other:
            return other
    return ""


def _of_its_kind(lost: str, sentence: str) -> str:
    parts = lost.split()
    for match in re.finditer(NAME, sentence):
        theirs = match.group().rstrip(".'’").split()
        if len(parts) > 1 < len(theirs) and (
            parts[-1] == theirs[-1] or (parts[0] == theirs[0] and len(parts) == len(theirs))
        ):
            return " ".join(theirs)
    return ""


def _in_its_place(before: str, lost: str, rest: str, sentence: str) -> str:
    own = _PLACED.search(before)
    if own is None or stem(own["g"]) not in _once():
        return ""
    for match in re.finditer(
        rf"(?P<g>\w+)\s+{own['p']}\s+(?:(?:the|a|an)\s+)?(?P<x>[^.,;]{{2,60}})", sentence
    ):
        told = telling(match["x"])
        if told and all(one.text in f"{before} {rest}" for one in told[:1]):
            continue  # the claim says that as well: Scotland's capital, Edinburgh
        if same(stem(match["g"]), stem(own["g"])) and match["x"][0].isupper() >= lost[
            0
        ].isupper() - ("of" in match["x"]):
            return " ".join(match["x"].split()[:3])
    return ""


@cache
def _once() -> frozenset[str]:
    return frozenset(stem(word) for word in table()["once"].split())


_BY = re.compile(
    rf"\b(?P<v>[a-z]{{3,}})\s+(?:\w+ly\s+)?by\s+(?:the\s+|an?\s+)?(?:[a-z]+\s+){{0,2}}(?P<n>{NAME}(?:(?:,\s+|\s+and\s+|,\s+and\s+){NAME})*)"
)


def other_doer(claim: str, quote: str) -> str:
    """Give by whom a quote says that it was done, where a claim names somebody else: `directed by`."""
    for own in _BY.finditer(claim):
        theirs = [one["n"] for one in _BY.finditer(quote) if same(stem(one["v"]), stem(own["v"]))]
        mine = {one.stem for one in telling(own["n"])}
        if (
            theirs
            and mine
            and not any(mine & {one.stem for one in telling(each)} for each in theirs)
        ):
            return theirs[0]
    return ""
