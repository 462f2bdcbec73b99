"""Holds what a claim says of a number, more than, at most, about, half, the second largest, against the quote's own number.

Must not take two numbers for one because they are near: a bound is kept only by a number of the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caselore.intel.days import days
from caselore.intel.figures import COUNT, DAY, MONEY, RANK, SHARE, YEAR, Figure, figures, numbers
from caselore.intel.likeness import carried, same, shape, stem, telling, words

SENTENCE = re.compile(r"(?<=[.!?;])\s+")
ENOUGH = 0.5  # share of a claim's telling words in a sentence, from which on it speaks of the same
_FRACTIONS = {"half": 50.0, "a half": 50.0, "a third": 100 / 3, "one third": 100 / 3, "two thirds": 200 / 3, "a quarter": 25.0, "one quarter": 25.0, "three quarters": 75.0}  # fmt: skip
_PART = re.compile(rf"(?P<n>{'|'.join(sorted(_FRACTIONS, key=len, reverse=True))})\b(?:\s+of\b)?", re.IGNORECASE)  # fmt: skip
_SUPERLATIVE = re.compile(
    r"\b(?:(?P<some>one of the|among the)\s+|(?P<o>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,3}(?:st|nd|rd|th))[- ])?(?:most\s+)?(?P<w>(?:[a-z]{3,}est|most [a-z]+))\b(?:\s+(?P<of>[a-z]+))?",
    re.IGNORECASE,
)


class Bound(NamedTuple):
    """What a claim says of a number without saying the number itself."""

    first: int
    last: int
    side: str
    """`over`, `under` or `near`."""
    value: float
    kind: str
    of: str
    """The stem of the word that the number counts; empty where none follows."""

    def keeps(self, value: float) -> bool:
        """Say whether a number keeps to it."""
        if self.side == "near":
            return _rounded(value, self.value)
        if value == self.value:
            return True
        return value > self.value if self.side == "over" else value < self.value


def _rounded(exact: float, told: float) -> bool:
    """Say whether a number is another one rounded, or both are one."""
    if exact == told:
        return True
    digits = len(f"{told:.10g}".replace(".", "").strip("0"))
    return 0 < digits < 3 and abs(float(f"{exact:.{digits}g}") - told) <= abs(told) * 1e-9


def bounds(claim: str) -> Iterator[Bound]:
    """Give the bounds that a claim sets."""
    told = figures(claim)
    for match in shape("bound").finditer(claim):
        side = next(name for name in ("over", "under", "near") if match[name])
        part = _PART.match(claim, match.end())
        if part is not None:
            yield Bound(match.start(), part.end(), side, _FRACTIONS[part["n"].lower()], SHARE, "")  # fmt: skip
            continue
        near = [one for one in told if match.end() <= one.first <= match.end() + 1]
        if near:
            figure = max(near, key=lambda one: one.last)
            yield Bound(match.start(), figure.last, side, figure.value, figure.kind, _counted(claim, figure.last))  # fmt: skip
    for match in shape("majority").finditer(claim):
        yield Bound(match.start(), match.end(), "over", 50.0, SHARE, "")


def _counted(text: str, at: int) -> str:
    """Give the stem of the first telling word behind a number."""
    behind = telling(text[at : at + 40].split(",", 1)[0])
    return behind[0].stem if behind else ""


def settled(claim: str, quote: str, context: str) -> tuple[str, str]:
    """Give a claim without the bounds that its quote keeps, and the first one that it breaks.

    A bound that no number of the quote is of stays in the claim.
    """
    for one in sorted(bounds(claim), key=lambda one: -one.first):
        rivals = [each for each in _of_the_same(claim, one, quote, context) if not _loose(each[0], one, each[1])]  # fmt: skip
        if any(one.keeps(figure.value) for figure, _ in rivals):
            claim = f"{claim[: one.first]}{claim[one.last :]}"
        elif rivals:
            return claim, f"the quote says {rivals[0][0].value:,.10g}"
    return claim, ""


def _loose(figure: Figure, bound: Bound, sentence: str) -> bool:
    """Say whether a number of a quote is itself a bound of the other side."""
    before = sentence[max(0, figure.first - 20) : figure.first]
    other = next((match for match in shape("bound").finditer(before) if len(before) - match.end() <= 1), None)  # fmt: skip
    return other is not None and (other["under"] if bound.side == "over" else other["over"]) is not None  # fmt: skip


def _of_the_same(
    claim: str, bound: Bound, quote: str, context: str
) -> Iterator[tuple[Figure, str]]:
    for sentence in SENTENCE.split(quote):
        near = about(claim[: bound.first] + claim[bound.last :], sentence, context)
        for figure in figures(sentence):
            if figure.kind in {YEAR, RANK, DAY} or not _alike(figure, bound):
                continue
            counted = _counted(sentence, figure.last)
            if (bound.of and counted and (same(bound.of, counted) or _follows(bound.of, sentence, figure))) or (
                near >= ENOUGH and (not bound.of or bound.kind in {MONEY, SHARE})
            ):  # fmt: skip
                yield figure, sentence


def _alike(figure: Figure, bound: Bound) -> bool:
    return figure.kind == bound.kind


def _follows(stem_: str, sentence: str, figure: Figure) -> bool:
    """Say whether a word stands behind a number before the next one does."""
    rest = re.split(
        r"(?<!of )(?<!of the )(?<!of its )(?<!of their )\d|,",
        sentence[figure.last : figure.last + 60],
    )[0]
    return carried(stem_, frozenset(one.stem for one in words(rest)[:4]))


def about(claim: str, sentence: str, context: str = "") -> float:
    """Give the share of a claim's telling words that a sentence or what stands over it carries."""
    own = telling(claim)
    known = frozenset(one.stem for one in words(f"{sentence}\n{context}"))
    return sum(carried(one.stem, known) for one in own) / len(own) if own else 1.0


def rival(claim: str, absent: set[float], quote: str, context: str) -> bool:
    """Say whether a quote gives another number for what a claim gives absent ones for."""
    own = numbers(claim)
    for sentence in SENTENCE.split(quote):
        if about(claim, sentence, context) < ENOUGH:
            continue
        others = [
            one for one in (*figures(sentence), *_years_of(sentence)) if one.value not in own
        ]
        for one in figures(claim):
            alike = [other for other in others if other.kind == one.kind]
            counted = _counted(claim, one.last) if one.kind == COUNT else ""
            if one.value in absent and any(not counted or _follows(counted, sentence, other) for other in alike):  # fmt: skip
                return True
    return False


def _years_of(sentence: str) -> list[Figure]:
    """Give the years of the whole days of a text."""
    return [Figure(one.first, one.last, float(one.day[:4]), YEAR) for one in days(sentence) if one.kind == "absolute" and one.year_given]  # fmt: skip


def ranked(claim: str, quote: str) -> str:
    """Say how a quote ranks what a claim calls the first, or the n-th, of its kind; empty where alike."""
    theirs = list(_SUPERLATIVE.finditer(quote))
    for own in _SUPERLATIVE.finditer(claim):
        said = [one for one in theirs if _word(one) == _word(own) and _of_one_kind(own, one)]
        if said and all(_rank(one) != _rank(own) for one in said):
            return f"the quote says {said[0].group().strip()}"
    return ""


def _of_one_kind(own: re.Match[str], other: re.Match[str]) -> bool:
    """Say whether two superlatives may be of the same: the deepest point is no lake."""
    a, b = own["of"] or "", other["of"] or ""
    return not a or not b or not telling(a) or not telling(b) or same(stem(a), stem(b))


def _word(match: re.Match[str]) -> str:
    return stem(match["w"].split()[-1])


def _rank(match: re.Match[str]) -> str:
    return "some" if match["some"] else stem(match["o"] or "first")
