"""Checks each claim against the page that it quotes: the ladder from the stored page to the verdict.

0 the page is stored and held by no guard · 1 the quote stands at its place · 2 numbers, amounts and
days of the claim stand in quote, title or page day · 3 so do its names · 4 the quote does not deny,
doubt or merely plan what the claim states · 5 the words overlap.
Must not let a claim pass for a likeness: a rung that fails decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz import fuzz

from caselore.intel import agreement, bounds, framing, naming
from caselore.intel.days import MONTHS, days
from caselore.intel.figures import YEAR, figures, numbers
from caselore.intel.likeness import carried, missing, telling, words
from caselore.intel.money import amounts

VERIFIED, PARTIAL, UNVERIFIED, CONTRADICTED = "verified", "partial", "unverified", "contradicted"
ALIGNED = 95.0  # likeness, 0 to 100, from which on a quote is found again at another place
MIDDLE = 0.35  # share of the claim's telling words in its evidence, below which it is not about it
SHORT, SPARED = (
    6,
    0.3,
)  # a claim of fewer telling words may miss none, a longer one this share of them
_MONTH = re.compile(r"(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b")
_MONTH_NAME = re.compile(rf"\b(?!may\b){_MONTH.pattern}", re.IGNORECASE)
_NAMES = re.compile(r"(?<=[\w,;:’'\"”)(] )[A-Z][\w&.+-]*\w(?:\s+[A-Z][\w&.+-]*\w)*")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a claim is checked against."""

    quote: str
    text: str
    first: int
    last: int
    title: str = ""
    day: str = ""
    names: tuple[str, ...] = ()
    """Further names by which the page's companies are known."""
    held: bool = False
    asked: str = ""
    """Questions of the quote: they name what it is about and state nothing."""

    @property
    def context(self) -> str:
        """Give what tells whom the quote speaks of."""
        return "\n".join((self.title, self.asked, *self.names))

    @property
    def beside(self) -> str:
        """Give the quote with the title that stands over it."""
        return f"{self.quote}\n{self.title}"


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim with its verdict, the reason and where its quote stands."""

    text: str
    verdict: str
    reason: str
    quote: str
    first: int
    last: int
    overlap: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Give the shape of CONTRACT."""
        return {
            "text": self.text, "verdict": self.verdict, "reason": self.reason, "quote": self.quote,
            "first": self.first, "last": self.last,
        }  # fmt: skip


def check(text: str, evidence: Evidence) -> Checked:
    """Climb the ladder with one claim; the first rung that fails gives the verdict."""
    if evidence.held:
        return _verdict(text, evidence, UNVERIFIED, "its page is held by a guard")
    place = locate(evidence.quote, evidence.text, evidence.first)
    if place is None or not evidence.quote.strip():
        return _verdict(text, evidence, UNVERIFIED, "its quote stands nowhere in the stored page")
    first, last = place
    found = replace(evidence, quote=evidence.text[first:last], first=first, last=last)
    if _is_whole_lines(text, found.quote):
        return Checked(text, VERIFIED, "", found.quote, first, last, 1.0)
    stated, asked = framing.parted(framing.unmarked(found.quote))
    stated = naming.named(stated, found.title)
    told = replace(found, quote=stated, asked=asked)
    claim = naming.by_surname(framing.bare(text), stated)
    claim, broken = bounds.settled(claim, stated, told.context)
    if broken:
        return _verdict(text, found, CONTRADICTED, broken)
    for rung in (_values_stand, _days_stand, _names_stand, _polarity, _direction, _modality):
        fault = rung(claim, told)
        if fault:
            return _verdict(text, found, *fault)
    band, reason, share = _carried(claim, told)
    return Checked(text, band, reason, found.quote, first, last, share)


def _is_whole_lines(text: str, quote: str) -> bool:
    """Say whether a claim is the quote, or whole lines of it in their order: then it says what it says."""
    rest = " ".join(text.split())
    for line in quote.split("\n"):
        own = " ".join(line.split())
        if own and (rest == own or rest.startswith(f"{own} ")):
            rest = rest[len(own) :].lstrip()
    return not rest or " ".join(text.split()) == " ".join(quote.split())


def _carried(text: str, found: Evidence) -> tuple[str, str, float]:
    """Give the last rung's verdict, reason and share: by the telling words that nothing beside the claim carries."""
    lost, count = missing(text, f"{found.beside}\n{' '.join(found.names)}")
    asked = frozenset(one.stem for one in words(found.asked))
    lost = tuple(one for one in lost if one.text[0].islower() or not carried(one.stem, asked))
    share = 1 - len(lost) / count if count else 1.0
    spared = 0 if count < SHORT else int(SPARED * count)
    if any(one.first == 0 for one in lost):
        spared = 0  # whom a claim is about is never spared
    band = VERIFIED if len(lost) <= spared else PARTIAL if share >= MIDDLE else UNVERIFIED
    for one in lost if len(lost) < SHORT / 2 else ():
        if other := naming.another(text, one.text, found.quote, found.context):
            return CONTRADICTED, f"{one.text} where it says {other}", round(share, 4)
    told = ", ".join(one.text for one in lost[:4])
    reason = "" if band == VERIFIED else f"the quote does not say {told}"
    return band, reason, round(share, 4)


Fault = tuple[str, str] | None


def _values_stand(text: str, found: Evidence) -> Fault:
    told = numbers(found.beside)
    missing = numbers(text) - told - _of_day(found.day) - _years_of_days(found.beside)
    if missing:
        shown = ", ".join(f"{one:,.10g}" for one in sorted(missing))
        other = bounds.rival(text, missing, found.quote, found.context)
        return CONTRADICTED if other else UNVERIFIED, f"the quote does not say {shown}"
    own, theirs = _money(text), _money(found.beside)
    if own - theirs and theirs:
        return CONTRADICTED, f"the quote is in {', '.join(sorted(sign for _, sign in theirs))}"
    figure = agreement.misplaced(text, found.quote) or agreement.other_unit(text, found.quote)
    return (CONTRADICTED, f"the quote says {figure} of something else") if figure else None


def _days_stand(text: str, found: Evidence) -> Fault:
    told = _days(found.beside, found.day)
    wrong = _days(text) - _days(found.beside) - {found.day} - told
    wrong |= _months(text) - {one[:7] for one in told} - _months(found.beside) - {found.day[:7]}
    wrong -= _months_of_years(found.beside)
    return (
        (CONTRADICTED if told else PARTIAL, f"the day {min(wrong)} is not in the quote")
        if wrong
        else None
    )


def _polarity(text: str, found: Evidence) -> Fault:
    why = agreement.denial(text, found.quote)
    return (CONTRADICTED, why) if why else None


def _direction(text: str, found: Evidence) -> Fault:
    why = (
        agreement.turned(text, found.quote, found.context)
        or agreement.roles(text, found.quote)
        or _done_by(text, found.quote)
        or bounds.ranked(text, found.quote)
    )
    return (CONTRADICTED, why) if why else None


def _done_by(text: str, quote: str) -> str:
    other = naming.other_doer(text, quote)
    return f"the quote says that it was done by {other}" if other else ""


def _names_stand(text: str, found: Evidence) -> Fault:
    strangers = _strangers(text, f"{found.quote}\n{found.context}")
    if not strangers:
        return None
    for one in strangers:
        if other := naming.another(text, one, found.quote, found.context):
            return CONTRADICTED, f"{one} where it says {other}"
    return UNVERIFIED, f"the quote does not name {', '.join(strangers[:3])}"


def _modality(text: str, found: Evidence) -> Fault:
    if agreement.hedged(text, found.quote):
        return PARTIAL, "the quote says it as a plan or a possibility only"
    return None


def _verdict(text: str, evidence: Evidence, verdict: str, reason: str) -> Checked:
    return Checked(text, verdict, reason, evidence.quote, evidence.first, evidence.last)


def locate(quote: str, text: str, first: int) -> tuple[int, int] | None:
    """Give the place of a quote: at its offset, else literally, else nearly literally, else none."""
    if quote and text[first : first + len(quote)] == quote:
        return first, first + len(quote)
    flat, places = _flattened(text)
    wanted, _ = _flattened(quote)
    wanted = wanted.strip()
    at = flat.find(wanted) if wanted else -1
    if at >= 0:
        return places[at], places[at + len(wanted) - 1] + 1
    if len(wanted) >= 20:
        found = fuzz.partial_ratio_alignment(wanted, flat, score_cutoff=ALIGNED)
        if found and numbers(wanted) <= numbers(flat[found.dest_start : found.dest_end]):
            return places[found.dest_start], places[max(found.dest_start, found.dest_end - 1)] + 1
    return None


_ALIKE = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "–": "-",
        "—": "-",
        "‑": "-",
        "\u00a0": " ",
        "\t": " ",
        "\n": " ",
    }
)


def _flattened(text: str) -> tuple[str, list[int]]:
    """Give a text with blanks, quotation marks and dashes alike, and where each sign stood."""
    out: list[str] = []
    places: list[int] = []
    for at, letter in enumerate(text.translate(_ALIKE)):
        if letter.isspace() and out and out[-1] == " ":
            continue
        out.append(" " if letter.isspace() else letter)
        places.append(at)
    return "".join(out), places


def _years_of_days(text: str) -> set[float]:
    return {float(one.day[:4]) for one in days(text) if one.kind == "absolute" and one.year_given}


def _of_day(day: str) -> set[float]:
    return {float(part) for part in day.split("-")} if day else set()


def _money(text: str) -> set[tuple[float, str]]:
    return {(one.value, one.currency) for one in amounts(text)}


def _days(text: str, anchor: str = "") -> set[str]:
    return {
        one.day
        for one in days(text, anchor)
        if one.kind == "absolute" or (anchor and one.kind == "relative")
    }


def _months(text: str) -> set[str]:
    """Give the months that a text names without a day."""
    return {
        one.day[:7]
        for one in days(text)
        if one.kind == "vague" and _MONTH.match(text[one.first : one.last].lower())
    }


def _months_of_years(text: str) -> set[str]:
    """Give each month that a text names without a year in each of the years that it names."""
    years = {one.value for one in figures(text) if one.kind == YEAR} | {float(one.day[:4]) for one in days(text) if one.kind == "absolute" and one.year_given}  # fmt: skip
    named = {MONTHS[match.group().lower()] for match in _MONTH_NAME.finditer(text)}
    return {f"{year:.0f}-{month:02}" for year in years for month in named}


def _strangers(text: str, beside: str) -> list[str]:
    """Give the names of a claim of which a word is not beside it."""
    known = frozenset(one.stem for one in words(beside))
    found = []
    for match in _NAMES.finditer(text):
        own = [one for one in telling(match.group()) if one.stem not in MONTHS]
        if any(not carried(one.stem, known) for one in own):
            found.append(match.group())
    return found
