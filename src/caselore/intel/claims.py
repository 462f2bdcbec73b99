"""Checks each claim against the page that it quotes: the ladder from the stored page to the verdict.

0 the page is stored and held by no guard · 1 the quote stands at its place · 2 numbers, amounts and
days of the claim stand in quote, title or page day · 3 so do its names · 4 the quote does not deny,
doubt or merely plan what the claim states · 5 the words overlap.
Must not let a claim pass for a likeness: a rung that fails decides.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz import fuzz

from caselore.intel import agreement
from caselore.intel.days import MONTHS, days
from caselore.intel.lexicon import pattern
from caselore.intel.likeness import carried, missing, telling, words
from caselore.intel.money import COUNT_WORDS, amounts, parse_number, spelled

VERIFIED, PARTIAL, UNVERIFIED, CONTRADICTED = "verified", "partial", "unverified", "contradicted"
ALIGNED = 95.0  # likeness, 0 to 100, from which on a quote is found again at another place
MIDDLE = 0.35  # share of the claim's telling words in its evidence, below which it is not about it
SHORT, SPARED = (
    6,
    0.3,
)  # a claim of fewer telling words may miss none, a longer one this share of them
_NUMBER = pattern("claims", "number", re.IGNORECASE)
_SCALE = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "bn": 1e9,
    "b": 1e9,
    "billion": 1e9,
    "trillion": 1e12,
}
_WORDED = re.compile(
    r"\b(?:"
    + "|".join(
        sorted(
            (w for w in COUNT_WORDS if w.isascii() and w not in {"cent", "one"}),
            key=len,
            reverse=True,
        )
    )
    + r")(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?(?:\s+(?P<s>hundred|thousand|million|billion))?\b",
    re.IGNORECASE,
)
ORDINALS = [
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
]
_ORDINAL = re.compile(
    rf"\b(?:(?P<n>\d{{1,3}})(?:st|nd|rd|th)|(?P<w>{'|'.join(ORDINALS)}))\b", re.IGNORECASE
)
_MONTH = re.compile(r"(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b")
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
    for rung in (_values_stand, _days_stand, _names_stand, _polarity, _direction, _modality):
        fault = rung(text, found)
        if fault:
            return _verdict(text, found, *fault)
    return _carried(text, found)


def _is_whole_lines(text: str, quote: str) -> bool:
    """Say whether a claim is the quote, or whole lines of it in their order: then it says what it says."""
    rest = " ".join(text.split())
    for line in quote.split("\n"):
        own = " ".join(line.split())
        if own and (rest == own or rest.startswith(f"{own} ")):
            rest = rest[len(own) :].lstrip()
    return not rest or " ".join(text.split()) == " ".join(quote.split())


def _carried(text: str, found: Evidence) -> Checked:
    """Give the last rung's verdict: by the telling words that nothing beside the claim carries."""
    lost, count = missing(text, f"{found.beside}\n{' '.join(found.names)}")
    share = 1 - len(lost) / count if count else 1.0
    spared = 0 if count < SHORT else int(SPARED * count)
    if any(one.first == 0 for one in lost):
        spared = 0  # whom a claim is about is never spared
    band = VERIFIED if len(lost) <= spared else PARTIAL if share >= MIDDLE else UNVERIFIED
    told = ", ".join(one.text for one in lost[:4])
    reason = "" if band == VERIFIED else f"the quote does not say {told}"
    return Checked(text, band, reason, found.quote, found.first, found.last, round(share, 4))


Fault = tuple[str, str] | None


def _values_stand(text: str, found: Evidence) -> Fault:
    told = numbers(found.beside)
    missing = {
        one
        for one in numbers(text) - told - _of_day(found.day) - _years_of_days(found.beside)
        if not agreement.bounded(text, one, told, found.quote)
    }
    if missing:
        shown = ", ".join(f"{one:,.10g}" for one in sorted(missing))
        kind = CONTRADICTED if numbers(found.quote) else UNVERIFIED
        return kind, f"the quote does not say {shown}"
    own, theirs = _money(text), _money(found.beside)
    if own - theirs and theirs:
        return CONTRADICTED, f"the quote is in {', '.join(sorted(sign for _, sign in theirs))}"
    figure = agreement.misplaced(text, found.quote) or agreement.other_unit(text, found.quote)
    return (CONTRADICTED, f"the quote says {figure} of something else") if figure else None


def _days_stand(text: str, found: Evidence) -> Fault:
    told = _days(found.beside, found.day)
    wrong = _days(text) - _days(found.beside) - {found.day} - told
    wrong |= _months(text) - {one[:7] for one in told} - _months(found.beside) - {found.day[:7]}
    return (
        (CONTRADICTED if told else PARTIAL, f"the day {min(wrong)} is not in the quote")
        if wrong
        else None
    )


def _polarity(text: str, found: Evidence) -> Fault:
    why = agreement.denial(text, found.quote)
    return (CONTRADICTED, why) if why else None


def _direction(text: str, found: Evidence) -> Fault:
    why = agreement.turned(text, found.quote) or agreement.roles(text, found.quote)
    return (CONTRADICTED, why) if why else None


def _names_stand(text: str, found: Evidence) -> Fault:
    strangers = _strangers(text, f"{found.beside}\n{' '.join(found.names)}")
    return (
        (UNVERIFIED, f"the quote does not name {', '.join(strangers[:3])}") if strangers else None
    )


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


def numbers(text: str) -> set[float]:
    """Give the numbers of a text by value: 1.2 million and 1,200,000 are one."""
    plain = _without_days(unicodedata.normalize("NFKC", text))
    found: set[float] = set()
    for match in _NUMBER.finditer(plain):
        found |= _values(match.group())
    for one in amounts(plain):
        found.add(one.value)
    for match in _WORDED.finditer(plain):
        words = match.group()[: len(match.group()) - len(match["s"] or "")].strip()
        value = spelled(words) if words else 1.0
        if value is not None:
            found.add(value * {"hundred": 1e2, **_SCALE}.get((match["s"] or "").lower(), 1.0))
    if re.search(r"\bnumber one\b", plain, re.IGNORECASE):
        found.add(1.0)
    for match in _ORDINAL.finditer(plain):
        found.add(float(match["n"] or 2 + ORDINALS.index(match["w"].lower()) + 1))
    for decade in re.findall(r"\b((?:19|20)\d0)(?:['’]?s)\b", plain):
        found.add(float(decade))
    for a, b in re.findall(r"\b((?:19|20)\d\d)[-–](\d\d)\b(?!-\d)", plain):
        found |= {float(a), float(a[:2] + b)}
    return found


def _without_days(text: str) -> str:
    """Blank the whole days of a text: they are compared as days, not as numbers."""
    for one in days(text):
        if one.kind == "absolute" and one.year_given:
            text = text[: one.first] + " " * (one.last - one.first) + text[one.last :]
    return text


def _values(text: str) -> set[float]:
    match = re.fullmatch(
        r"[$€£¥]?(?P<n>\d[\d,.\u00a0\u202f]*?)[.,]?\s?(?P<s>%|percent|k|m|mn|bn|b|thousand|million|billion|trillion)?",
        text.strip(),
        re.IGNORECASE,
    )
    value = parse_number(match["n"]) if match else None
    if value is None or match is None:
        return set()
    return {round(value * _SCALE.get((match["s"] or "").lower(), 1.0), 4)}


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


def _strangers(text: str, beside: str) -> list[str]:
    """Give the names of a claim of which a word is not beside it."""
    known = frozenset(one.stem for one in words(beside))
    found = []
    for match in _NAMES.finditer(text):
        own = [one for one in telling(match.group()) if one.stem not in MONTHS]
        if any(not carried(one.stem, known) for one in own):
            found.append(match.group())
    return found
