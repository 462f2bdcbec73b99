"""Tells whether words of a claim are carried by words of a quote, or contradicted: stems, groups and opposites.

Must not take a likeness for an identity: a word that is in no group stands only for itself.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+(?:[’'.&-][^\W_]+)*|%")
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("edly", ""), ("ed", ""), ("es", ""), ("s", ""), ("ly", ""))  # fmt: skip


class Word(NamedTuple):
    """One word at its place."""

    first: int
    text: str
    stem: str


@cache
def table() -> dict[str, str]:
    """Give the file beside this module."""
    text = resources.files("caselore.intel").joinpath("likeness.toml").read_text("utf-8")
    found: dict[str, str] = tomllib.loads(text)
    return found


@cache
def shape(name: str) -> re.Pattern[str]:
    """Give one of its patterns."""
    return re.compile(table()[name].replace("\n", ""), re.IGNORECASE)


@cache
def _irregular() -> dict[str, str]:
    return dict(line.split() for line in table()["irregular"].split("\n") if line)


@cache
def _light() -> frozenset[str]:
    return frozenset(table()["light"].split())


@cache
def _groups() -> dict[str, frozenset[str]]:
    """Give for each stem the stems that say the same."""
    found: dict[str, frozenset[str]] = {}
    for line in table()["same"].strip().split("\n"):
        group = frozenset(stem(word) for word in line.split())
        for one in group:
            found[one] = found.get(one, frozenset()) | group
    return found


@cache
def _contraries() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in table()["opposite"].strip().split("\n"):
        sides = [frozenset(stem(word) for word in side.split()) for side in line.split("/")]
        for own, other in (sides, sides[::-1]):
            for one in own:
                found[one] = found.get(one, frozenset()) | other
    return found


_BRITISH = ((re.compile(r"([^aeiou])our(s|ed|ing|able|ful|ite)?$"), r"\1or\2"), (re.compile(r"(?<=[a-z]{4})is(e[sd]?|ing|ation|ations)$"), r"iz\1"), (re.compile(r"(?<=[a-z])[oa]e(?=[a-z]{3})"), "e"), (re.compile(r"(?<=[bt])re$"), "er"))  # fmt: skip


def _spelled(low: str) -> str:
    """Give a word in one of the two ways in which English spells it: `tumor`, `sensitize`, `diarrhea`."""
    if len(low) > 4:
        for old, new in _BRITISH:
            low = old.sub(new, low)
    return low


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Give a word without its ending."""
    low = _spelled(re.sub(r"['’]s?$", "", word.casefold()))
    if low in _irregular():
        return _irregular()[low]
    for ending, put in _ENDINGS:
        if low.endswith(ending) and len(low) - len(ending) >= 3 and not low.endswith("ss"):
            low = low[: -len(ending)] + put
            break
    if len(low) > 4 and low[-1] == low[-2] and low[-1] not in "lsz":
        low = low[:-1]
    return low[:-1] if len(low) > 4 and low.endswith("e") else low


def words(text: str) -> tuple[Word, ...]:
    """Give the words of a text in order."""
    found = []
    for match in _WORD.finditer(text.replace("’", "'")):
        at = match.start()
        for part in match.group().split("-"):
            if at > match.start() and part in {"up", "down", "out", "off", "in", "on", "over"}:
                continue  # a follow-up does not go up
            found.append(Word(at, part, stem(part)))
            at += len(part) + 1
    return tuple(found)


def telling(text: str) -> tuple[Word, ...]:
    """Give the words of a text that carry a fact, without numbers."""
    return tuple(
        one for one in words(text)
        if one.text.casefold() not in _light() and len(one.stem) > 1 and not one.text[0].isdigit()
    )  # fmt: skip


def same(one: str, other: str) -> bool:
    """Say whether two stems say the same: equal, of one group, or one the beginning of the other."""
    if one == other or other in _groups().get(one, ()):
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < 4 or len(long) - len(short) > 4:
        return False
    return long.startswith(short) or (len(short) >= 6 and long.startswith(short[:-1]))


_NOT = ("un", "in", "il", "im", "ir", "dis", "non", "de", "a")
_SIDES = (("up", "down"), ("over", "under"), ("hyper", "hypo"), ("pro", "anti"), ("pre", "post"))


def contrary(one: str, other: str) -> bool:
    """Say whether two stems exclude each other."""
    return other in _contraries().get(one, ()) or _prefixed(one, other) or _prefixed(other, one)


def _prefixed(one: str, other: str) -> bool:
    """Say whether one stem is the other turned round by what stands before it: `illegal`, `downregulate`."""
    if len(other) >= 5 and one.endswith(other) and one[: -len(other)] in _NOT[:7]:
        return True
    return any(
        one.startswith(left) and other.startswith(right) and len(one) > len(left) + 3
        and one[len(left) :] == other[len(right) :]
        for left, right in _SIDES
    )  # fmt: skip


@cache
def _kinds() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in table()["exclusive"].strip().split("\n"):
        group = frozenset(stem(word) for word in line.split())
        found |= dict.fromkeys(group, group)
    return found


def excluded(word: str, stems: frozenset[str]) -> str:
    """Give the one of some stems that stands where a word of its kind could: Irish, where a claim says Welsh."""
    group = _kinds().get(word, frozenset())
    return "" if word in stems else min(group & stems, default="")


def carried(word: str, stems: frozenset[str]) -> bool:
    """Say whether a stem is carried by one of some."""
    return word in stems or any(same(word, other) for other in stems)


def missing(claim: str, beside: str) -> tuple[tuple[Word, ...], int]:
    """Give the telling words of a claim that no word beside it carries, and how many it has."""
    own = telling(claim)
    known = frozenset(one.stem for one in words(beside))
    return tuple(one for one in own if not carried(one.stem, known)), len(own)
