"""Reads the numbers of a text by value and place: digits, words, ordinals, decades and ranges; 1.2 million and 1,200,000 are one.

Must not read a day as a number: days are compared as days.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from caselore.intel.days import days
from caselore.intel.likeness import table
from caselore.intel.money import COUNT_WORDS, amounts, parse_number, spelled

MONEY, SHARE, YEAR, COUNT, RANK, DAY = "money", "share", "year", "count", "rank", "day"
_NUMBER = re.compile(table()["number"], re.IGNORECASE)
_SCALE = {word: 10.0 ** int(zeros) for word, zeros in (one.split() for one in table()["scales"].split("\n") if one)}  # fmt: skip
_PLAIN = sorted((w for w in COUNT_WORDS if w.isascii() and w not in {"cent", "one"}), key=len, reverse=True)  # fmt: skip
_WORDED = re.compile(
    rf"\b(?:{'|'.join(_PLAIN)})(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?"
    r"(?:\s+(?P<s>hundred|thousand|million|billion))?\b(?P<p>\s+(?:percent|per cent)\b)?",
    re.IGNORECASE,
)
ORDINALS = table()["ordinals"].split()
_ORDINAL = re.compile(
    rf"\b(?:(?P<n>\d{{1,3}})(?:st|nd|rd|th)|(?P<w>{'|'.join(ORDINALS)}))\b", re.IGNORECASE
)
_DECADE = re.compile(r"\b(?P<n>(?:19|20)\d0)['’]?s\b")
_SEASON = re.compile(r"\b(?P<a>(?:19|20)\d\d)[-–](?P<b>\d\d)\b(?!-\d)")
_FIRST = re.compile(r"\bnumber one\b", re.IGNORECASE)


class Figure(NamedTuple):
    """One number at its place."""

    first: int
    last: int
    value: float
    kind: str


@lru_cache(maxsize=512)
def figures(text: str) -> tuple[Figure, ...]:
    """Give the numbers of a text, in order; a number that two forms read stands twice."""
    plain = _without_days(unicodedata.normalize("NFKC", text))
    sums = [Figure(one.first, one.last, one.value, MONEY) for one in amounts(plain)]
    spans = [(one.first, one.last, MONEY) for one in sums]
    spans += [(one.first, one.last, DAY) for one in days(plain)]
    found = [*_digits(plain), *_worded(plain), *_ranks(plain)]
    return tuple(sorted({*sums, *(_within(one, spans) for one in found)}))


def _within(figure: Figure, spans: list[tuple[int, int, str]]) -> Figure:
    """Give a number as the kind of the sum or day that it is a part of."""
    kind = next((kind for first, last, kind in spans if first <= figure.first < last and figure.kind != YEAR), figure.kind)  # fmt: skip
    return figure._replace(kind=kind)


def numbers(text: str) -> set[float]:
    """Give the numbers of a text by value."""
    return {one.value for one in figures(text)}


def _digits(plain: str) -> Iterator[Figure]:
    for match in _NUMBER.finditer(plain):
        value = _value(match.group())
        if value is not None:
            yield Figure(match.start(), match.end(), value, _kind(match.group(), value))
    for match in _DECADE.finditer(plain):
        yield Figure(match.start(), match.end(), float(match["n"]), YEAR)
    for match in _SEASON.finditer(plain):
        for year in (match["a"], match["a"][:2] + match["b"]):
            yield Figure(match.start(), match.end(), float(year), YEAR)


def _kind(text: str, value: float) -> str:
    if "%" in text or "percent" in text.lower():
        return SHARE
    if text.strip()[0] in "$€£¥":
        return MONEY
    return YEAR if re.fullmatch(r"[\s.,]*(?:1[5-9]|20)\d\d[\s.,]*", text) and value else COUNT


def _worded(plain: str) -> Iterator[Figure]:
    for match in _WORDED.finditer(plain):
        words = match.group()[: (match.start("s") if match["s"] else match.start("p") if match["p"] else match.end()) - match.start()].strip()  # fmt: skip
        value = spelled(words) if words else 1.0
        if value is not None:
            scale = {"hundred": 1e2, **_SCALE}.get((match["s"] or "").lower(), 1.0)
            yield Figure(match.start(), match.end(), value * scale, SHARE if match["p"] else COUNT)
    for match in _FIRST.finditer(plain):
        yield Figure(match.start(), match.end(), 1.0, RANK)


def _ranks(plain: str) -> Iterator[Figure]:
    for match in _ORDINAL.finditer(plain):
        value = float(match["n"] or 2 + ORDINALS.index(match["w"].lower()) + 1)
        yield Figure(match.start(), match.end(), value, RANK)


def _without_days(text: str) -> str:
    """Blank the whole days of a text: they are compared as days, not as numbers."""
    for one in days(text):
        if one.kind == "absolute" and one.year_given:
            text = text[: one.first] + " " * (one.last - one.first) + text[one.last :]
    return text


def _value(text: str) -> float | None:
    match = re.fullmatch(
        r"[$€£¥]?(?P<n>\d[\d,.\u00a0\u202f]*?)[.,]?\s?(?P<s>%|[a-z]+)?",
        text.strip(),
        re.IGNORECASE,
    )
    value = parse_number(match["n"]) if match else None
    if value is None or match is None:
        return None
    return round(value * _SCALE.get((match["s"] or "").lower(), 1.0), 4)
