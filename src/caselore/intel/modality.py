"""Tells what a sentence does to what it says: deny it, doubt it, plan it, look back at it.

Must not decide what becomes of it.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import pairwise

from caselore.intel.days import Day, apart
from caselore.intel.lexicon import pattern
from caselore.intel.pages import Page
from caselore.intel.sentences import ASIDE

STALE = 52  # days from the first of a month to a page, from which on its news of that month is old


_NOUN = re.compile(
    r"(?:acquisition|purchase|takeover|merger|deal|partnership|launch|round|increase|rise|hiring|layoffs?|report|rumou?r|plan)s?\b",
    re.IGNORECASE,
)


class Mode(StrEnum):
    """How a sentence says something."""

    ASSERTED = "asserted"
    PLANNED = "planned"
    RUMOURED = "rumoured"
    DENIED = "denied"
    PAST = "past"
    """A look back at something that is no news."""
    CORRECTED = "corrected"
    """It says what was wrongly said before."""


_HARMLESS = pattern("modality", "harmless", re.IGNORECASE)
_DENIED = pattern("modality", "denied", re.IGNORECASE)
_NEGATED = pattern("modality", "negated", re.IGNORECASE)
NEAR = 40  # characters behind what is told in which a bare `not` is about it
_ASIDES = re.compile(
    r":\s| (?:because|where|so that|so its?|a \w+ (?:can|could|is)) ", re.IGNORECASE
)
_RUMOURED = pattern("modality", "rumoured", re.IGNORECASE)
_PLANNED = pattern("modality", "planned", re.IGNORECASE)
_PAST = pattern("modality", "past", re.IGNORECASE)
_CORRECTED = pattern("modality", "corrected", re.IGNORECASE)
_QUESTION = re.compile(r"\?[\"'”’)\]]*\s*$")


_SINCE = re.compile(
    r"\b(?:since|before|until|when|after|following|seit|depuis|desde que) (?:[\w’']+ ){0,3}$",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"^\W*(?:if|were|should|suppose|imagine|had)\b.*\b(?:would|could|might|may)\b", re.IGNORECASE
)
_MODAL = re.compile(
    r"(?<!said it )(?<!says it )(?<!announced it )(?<!said they )(?<!that it )(?<!said he )(?<!said she )"
    r"\b(?:would|could|should|might|ought to)(?: \w+){0,2}\s*$",
    re.IGNORECASE,
)
_HABIT = pattern("modality", "habit", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|whether)\b[^,;]*$|(?:^|[,;:]\s*|\b(?:and|but|even|only|of|question|asked|wonders?|decided?|clear|knows?)\s+)(?:if|unless|whether|should|suppose|wenn|falls|si)\b[^,;]*$",
    re.IGNORECASE,
)


_OPINION = pattern("modality", "opinion", re.IGNORECASE)
_SATIRE = pattern("modality", "satire", re.IGNORECASE)
_HIS_OWN = pattern("modality", "his_own", re.IGNORECASE)


def is_opinion(page: Page) -> bool:
    """Say whether a page gives somebody's thoughts or jokes, not news: it asserts nothing."""
    return bool(
        _OPINION.search(page.title)
        or _OPINION.search(page.url)
        or _HIS_OWN.search(page.text[-600:])
        or any(_SATIRE.search(page.part(one)) for one in page.blocks if one.last - one.first < 200)
    )


_VACANCY = re.compile(
    r"^\W*(?:vacancy|job (?:opening|posting|offer|description)|open position|stellenanzeige|offre d['’]emploi)\b"
    r"|\((?:m/f/d|m/w/d|f/m/d|w/m/d|f/h|h/f|m/f|m/f/x|all genders)\)",
    re.IGNORECASE,
)


def is_vacancy(page: Page) -> bool:
    """Say whether a page offers one job: what it says of its employer besides is praise, not news."""
    return page.facts.kind == "JobPosting" or bool(_VACANCY.search(page.title))


def is_correction(text: str) -> bool:
    """Say whether a sentence corrects something that was said before."""
    return bool(_CORRECTED.search(text))


def is_denial(text: str) -> bool:
    """Say whether a sentence denies what it is about."""
    bare = _HARMLESS.sub(" ", text)
    return bool(_DENIED.search(bare) or _NEGATED.search(bare))


def is_rumour(text: str) -> bool:
    """Say whether a sentence gives hearsay or a mere possibility."""
    return bool(_RUMOURED.search(text)) or bool(_QUESTION.search(text))


def mode_of(text: str, trigger: int, named: tuple[Day, ...], page_day: str) -> Mode:
    """Tell how a sentence says what its trigger at an offset says."""
    if is_correction(text):
        return Mode.CORRECTED
    first, last = _clause(text, trigger)
    clause = text[first:last]
    if _denies(text, clause, trigger, last):
        return Mode.DENIED
    if (
        is_rumour(_up_to_reason(text, trigger))
        or _SUPPOSED.search(text[:trigger])
        or _is_thought(text, trigger)
    ):
        return Mode.RUMOURED
    if _looks_back(text, trigger, named, page_day):
        return Mode.PAST
    if _HABIT.search(clause):
        return Mode.PAST
    before = text[max(0, trigger - 60) : trigger + 30]
    return Mode.PLANNED if _PLANNED.search(before) else Mode.ASSERTED


def _denies(text: str, clause: str, trigger: int, last: int) -> bool:
    """Say whether a sentence denies what it tells: by a word of denial in its clause, or a `not` nearby."""
    if _DENIED.search(_HARMLESS.sub(" ", clause)):
        return True
    cut = _ASIDES.search(text, trigger)
    end = min(trigger + NEAR, last, cut.start() if cut else last)
    first = max(0, text.find(clause))
    near = is_denial(text[first:end]) or _whole_denied(text, trigger, last)
    return near or (is_denial(text[:end]) and _governs(text, trigger))


def _whole_denied(text: str, trigger: int, last: int) -> bool:
    """Say whether what stands before the verb of a denial is its subject: `the purchase will not happen`."""
    noun = _NOUN.match(text, trigger)
    return bool(noun) and is_denial(text[trigger:last])


def _up_to_reason(text: str, trigger: int) -> str:
    """Give a sentence without the reason behind what it tells: `recalls it because the latch may open`."""
    at = text.find(" because ", trigger)
    return text if at < 0 else text[:at]


def _is_thought(text: str, trigger: int) -> bool:
    """Say whether a sentence only thinks of what its trigger says: `could buy`, `if it were to, it would`."""
    return bool(_HYPOTHETICAL.search(text) or _MODAL.search(text[:trigger]))


def _governs(text: str, trigger: int) -> bool:
    """Say whether a denial stands before the trigger with no new main clause between."""
    head = text[:trigger]
    return not re.search(r";|\b(?:but|however|although|instead)\b", head, re.IGNORECASE)


_PARTS = re.compile(r",? (?:while|whereas) ", re.IGNORECASE)


def clause_of(text: str, at: int) -> tuple[int, int]:
    """Give where the part of a sentence around an offset begins and ends that has a doer of its own."""
    cuts = [0, *(one.end() for one in _PARTS.finditer(text)), len(text)]
    return next((a, b) for a, b in pairwise(cuts) if at < b or b == len(text))


def _clause(text: str, trigger: int) -> tuple[int, int]:
    """Give where the clause around an offset begins and ends."""
    first = max(
        (text.rfind(mark, 0, trigger) for mark in (";", " but ", " while ", " although ")),
        default=0,
    )
    ends = [
        at
        for mark in (
            ";",
            " but ",
            " while ",
            " although ",
            ", and ",
            ", which ",
            ", who ",
            ", says ",
            ", said ",
            " that ",
            ", without ",
            " because ",
        )
        if (at := text.find(mark, trigger)) >= 0
    ]
    return max(0, first), min(ends, default=len(text))


_TOLD = pattern("modality", "past_tense", re.IGNORECASE)


def _long_over(one: Day, page_day: str, told: bool) -> bool:
    """Say whether what names only a month or a year lies well behind a page; `told`: in the past tense.

    A month without a year may as well lie ahead: `opens in September`.
    """
    if one.year_given and one.day[:4] < page_day[:4]:
        return True
    return told and one.day < page_day and apart(one.day, page_day) > STALE


_IT_HAD = re.compile(
    r"(\b(?:said|says|announced|confirmed|reported|disclosed|revealed|told \w+|wrote)\b[^.;]{0,40}"
    r"\b(?:it|they|he|she|the (?:company|firm|group|bank)) ha)d\b", re.IGNORECASE,
)  # fmt: skip
"""What somebody says now that it `had` done is news: `said on Monday it had raised`."""


def _looks_back(text: str, trigger: int, named: tuple[Day, ...], page_day: str) -> bool:
    aside = [one.span() for one in ASIDE.finditer(text) if not one.start() <= trigger < one.end()]
    text = _IT_HAD.sub(r"\1s", text)
    for first, last in aside:  # `which two sisters founded in 2004`
        text = text[:first] + " " * (last - first) + text[last:]
    if _SINCE.search(text[:trigger]):
        return True
    near = text[max(0, trigger - 45) : trigger + 25]
    match = _PAST.search(near)
    if match and trigger - max(0, trigger - 45) >= match.start() - 2:
        return True
    whole = _PAST.search(text)
    if whole and not re.search(
        r"\b(?:today|this week|on monday|announce[sd]?)\b", text, re.IGNORECASE
    ):
        spot = whole.group().lower()
        if re.search(r"ago|last|earlier|back in|year|mois|mes|jahr", spot) and not re.search(
            r"compared|from|versus|up|than",
            text[max(0, whole.start() - 20) : whole.start()],
            re.IGNORECASE,
        ):
            return True
    vague = [
        one for one in named
        if one.kind == "vague" and abs(one.first - trigger) < 90
        and not any(first <= one.first < last for first, last in aside)
    ]  # fmt: skip
    exact = [one for one in named if one.kind != "vague"]
    told = _TOLD.search(text[max(0, trigger - 5) : trigger + 25])
    old = [one for one in vague if page_day and _long_over(one, page_day, bool(told))]
    return bool(old) and not exact
