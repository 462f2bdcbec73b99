"""Reads days out of text: absolute ones in several languages, and relative ones to a page's day.

A day is written 2026-10-03. What names only a month or a quarter gives its first day and says so.
Must not read a clock: what "yesterday" is relative to is an argument.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

_MONTHS = {
    1: "january jan januar janvier janv enero ene gennaio gen janeiro januari jänner",
    2: "february feb februar février fevrier févr febrero febbraio fevereiro februari",
    3: "march mar märz maerz mars marzo março maart",
    4: "april apr avril avr abril aprile",
    5: "may mai mayo maggio maio mei",
    6: "june jun juni juin junio giugno junho",
    7: "july jul juli juillet juil julio luglio julho",
    8: "august aug août aout agosto ago augustus",
    9: "september sept sep septembre septiembre settembre setembro",
    10: "october oct oktober okt octobre octubre ottobre outubro",
    11: "november nov novembre noviembre novembro",
    12: "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro",
}
MONTHS = {word: number for number, words in _MONTHS.items() for word in words.split()}
_DAYS = {
    0: "monday mon montag lundi lunes lunedì", 1: "tuesday tue tues dienstag mardi martes martedì",
    2: "wednesday wed mittwoch mercredi miércoles mercoledì",
    3: "thursday thu thur thurs donnerstag jeudi jueves giovedì",
    4: "friday fri freitag vendredi viernes venerdì",
    5: "saturday sat samstag samedi sábado sabato", 6: "sunday sun sonntag dimanche domingo domenica",
}  # fmt: skip
WEEKDAYS = {word: number for number, words in _DAYS.items() for word in words.split()}
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip

MOST_AHEAD = 2  # months by which a month without a year may lie ahead: else the past one is meant
_HOLIDAYS = {
    r"valentine['’]?s(?: day)?": (2, 14), r"new year['’]?s day": (1, 1), "boxing day": (12, 26),
    "christmas day": (12, 25), "christmas eve": (12, 24), "halloween": (10, 31), r"april fools?['’]?(?: day)?": (4, 1),
    r"st\.? patrick['’]?s day": (3, 17), r"new year['’]?s eve": (12, 31), "leap day": (2, 29),
}  # fmt: skip
_M = "|".join(sorted(MONTHS, key=len, reverse=True))
_LARGE = "|".join(word for word in MONTHS if len(word) > 4 or word in {"may", "june", "july"})
_W = "|".join(sorted((word for word in WEEKDAYS if len(word) > 3), key=len, reverse=True))
_ORD = r"(?:st|nd|rd|th|er|\.|º|ª)?"
_PATTERNS = (
    ("iso", r"(?<![\d/.-])(?P<y>(?:19|20)\d\d)[-/.](?P<m>0?[1-9]|1[0-2])[-/.](?P<d>0?[1-9]|[12]\d|3[01])(?![\d-])(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?"),
    ("dmy", rf"(?<![\w$€£])(?<!\d[.,])(?P<d>0?[1-9]|[12]\d|3[01]){_ORD}\s+(?:de\s+|of\s+)?(?P<mon>{_M})\b(?!\.?\s\d{{1,2}},?\s(?:19|20)\d\d)\.?,?(?:\s+(?:de\s+|del\s+)?(?P<y>(?:19|20)\d\d)\b)?"),
    ("dmy", rf"(?<![\w$€£-])(?P<d>0?[1-9]|[12]\d|3[01])-(?P<mon>{_M})-(?P<y>(?:19|20)\d\d)(?![\d-])"),
    ("mdy", rf"\b(?P<mon>{_M})\b\.?\s+(?P<d>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?\b(?![\d:%]|\.\d)(?:,?\s+(?P<y>(?:19|20)\d\d)\b)?"),
    ("dotted", r"(?<![\d.])(?P<d>0?[1-9]|[12]\d|3[01])\.(?P<m>0?[1-9]|1[0-2])\.(?P<y>(?:19|20)\d\d)(?![\d.])"),
    ("slashed", r"(?<![\d/])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>(?:19|20)\d\d)(?![\d/])"),
    ("cjk", r"(?P<y>20\d\d)\s*年\s*(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*日"),
    ("month", rf"\b(?P<mon>{_M})\b\.?,?\s+(?:de\s+)?(?P<y>(?:19|20)\d\d)\b"),
    ("bare", rf"(?:\b(?:in|since|during|of|early|late|mid|last)[ -]|, )(?P<mon>{_LARGE})\b(?!\.?,?\s+(?:de\s+)?\d)"),
    ("quarter", r"\bQ(?P<q>[1-4])\s*,?\s*(?P<y>20\d\d)\b"),
    ("holiday", rf"\b(?P<h>{'|'.join(_HOLIDAYS)})\b"),
    ("today", r"\b(?:today|this (?:morning|afternoon|evening)|earlier today|tonight|heute|aujourd['’]hui|hoy|oggi|hoje)\b"),
    ("yesterday", r"\b(?:yesterday|gestern|hier(?= (?:soir|matin))|ayer|ieri|ontem)\b"),
    ("tomorrow", r"\b(?:tomorrow|morgen(?= )|demain|mañana)\b"),
    ("ago", r"\b(?P<n>\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten)\s+(?P<u>day|week|month|year)s?\s+ago\b"),
    ("weekday", rf"\b(?P<rel>last|this past|past|next|this|coming)?\s*\b(?P<w>{_W})\b(?!\s*[-–]\s*(?:{_W}))"),
    ("lastspan", r"\b(?P<rel>last|next|this|previous)\s+(?P<u>week|month|year|quarter|spring|summer|autumn|fall|winter)\b"),
    ("year", r"\b(?:(?:in|since|during|back in|en|im Jahr)\s+(?P<y>(?:19|20)\d\d)\b|(?:(?<=, )|(?<=\())(?P<z>(?:19|20)\d\d)(?=[,;)]))"),
)  # fmt: skip


def _numbered(number: int, pattern: str) -> str:
    """Give a pattern's groups names of its own among all patterns."""
    return f"(?P<k{number}>" + re.sub(r"\(\?P<([a-z]+)>", rf"(?P<\g<1>{number}>", pattern) + ")"


_ANY = re.compile(
    "|".join(_numbered(number, one) for number, (_, one) in enumerate(_PATTERNS)), re.IGNORECASE
)
_DAYFIRST_HINT = re.compile(r"(?<!\d)(?:1[3-9]|2\d|3[01])/\d{1,2}/20\d\d")


class Day(NamedTuple):
    """One mention of a day."""

    first: int
    last: int
    day: str
    kind: str
    """absolute, relative, or vague where it only narrows the day down."""
    year_given: bool = True


def days(text: str, anchor: str = "") -> tuple[Day, ...]:
    """Give the days that a text names, in order; relative ones only where the anchor is known."""
    found = pairwise((*_read(text, parse_iso(anchor)), None))
    return tuple(one for one, after in found if one and not _leads_to(one, after, text))


def _leads_to(one: Day, after: Day | None, text: str) -> bool:
    """Say whether a weekday only stands before the date that it is of: `Monday, 1 June`."""
    return (
        after is not None
        and one.kind == "relative"
        and after.kind == "absolute"
        and text[one.first : one.last].strip().lower().endswith("day")
        and not text[one.last : after.first].strip(" ,.")
    )


def _read(text: str, base: date | None) -> Iterator[Day]:
    day_first = bool(_DAYFIRST_HINT.search(text))
    for match in _ANY.finditer(text):
        if re.search(r"\b(?:may|march|mar|sat|sun)\b", match.group()):
            continue  # a verb or a part of a word, not a month: those are written large
        number = next(n for n in range(len(_PATTERNS)) if match.group(f"k{n}") is not None)
        name = _PATTERNS[number][0]
        parts = {
            key[: -len(str(number))]: value
            for key, value in match.groupdict().items()
            if value is not None
            and key.endswith(str(number))
            and not key.startswith("k")
            and re.fullmatch(rf"[a-z]+{number}", key)
        }
        found = _day(name, parts, base, day_first)
        if found:
            day, kind = found
            given = name not in {"dmy", "mdy", "bare"} or "y" in parts
            yield Day(match.start(), match.end(), day.isoformat(), kind, given)


def _day(
    name: str, parts: dict[str, str], base: date | None, day_first: bool
) -> tuple[date, str] | None:
    if name in {"iso", "dotted", "cjk"}:
        return _sound(int(parts["y"]), int(parts["m"]), int(parts["d"]))
    if name in {"dmy", "mdy"}:
        return _named(parts, base)
    if name == "slashed":
        return _slashed(parts, base, day_first)
    if name == "month":
        found = _sound(int(parts["y"]), MONTHS[parts["mon"].lower()], 1)
        return (found[0], "vague") if found else None
    if name == "quarter":
        return date(int(parts["y"]), 3 * int(parts["q"]) - 2, 1), "vague"
    if name == "year":
        return date(int(parts.get("y") or parts["z"]), 1, 1), "vague"
    return _relative(name, parts, base) if base else None


def _slashed(parts: dict[str, str], base: date | None, day_first: bool) -> tuple[date, str] | None:
    """Read 11/02/2026 by what stands beside it, else as the reading nearer to the day of its page."""
    a, b, year = int(parts["a"]), int(parts["b"]), int(parts["y"])
    both = [one for one in (_sound(year, a, b), _sound(year, b, a)) if one]
    if len(both) < 2:
        return both[0] if both else None
    if day_first:
        return both[1]
    if base is None:
        return both[0]
    # a page tells of what was: a reading that lies ahead of it is the wrong one
    return min(
        both, key=lambda one: (one[0] > base + timedelta(days=1), abs((one[0] - base).days))
    )


def _named(parts: dict[str, str], base: date | None) -> tuple[date, str] | None:
    month, day = MONTHS[parts["mon"].lower()], int(parts["d"])
    if "y" in parts:
        return _sound(int(parts["y"]), month, day)
    return _nearest(month, day, base) if base else None


def _nearest(month: int, day: int, base: date) -> tuple[date, str] | None:
    near = [
        found
        for year in (base.year - 1, base.year, base.year + 1)
        if (found := _sound(year, month, day))
    ]
    # without a year the nearest such day is meant, rather a past one
    return min(
        near,
        key=lambda one: abs((one[0] - base).days) + (40 if one[0] > base else 0),
        default=None,
    )


def _bare(parts: dict[str, str], base: date) -> tuple[date, str]:
    """Read a month without a year as the last such one, or the one just ahead."""
    month = MONTHS[parts["mon"].lower()]
    ahead = (month - base.month) % 12
    months = base.year * 12 + base.month - 1 + (ahead if ahead <= MOST_AHEAD else ahead - 12)
    return date(months // 12, months % 12 + 1, 1), "vague"


def _relative(name: str, parts: dict[str, str], base: date) -> tuple[date, str] | None:
    if name == "holiday":
        return _nearest(*_holiday(parts["h"]), base)
    if name == "bare":
        return _bare(parts, base)
    if name in {"today", "yesterday", "tomorrow"}:
        step = {"today": 0, "yesterday": -1, "tomorrow": 1}[name]
        return base + timedelta(days=step), "relative"
    if name == "ago":
        return _ago(parts, base)
    if name == "weekday":
        return _weekday(parts, base), "relative"
    return _span(parts, base)


def _holiday(name: str) -> tuple[int, int]:
    """Give the month and the day on which a holiday falls each year."""
    return next(on for one, on in _HOLIDAYS.items() if re.fullmatch(one, name, re.IGNORECASE))


def _ago(parts: dict[str, str], base: date) -> tuple[date, str]:
    count = _NUMBERS.get(parts["n"].lower()) or int(parts["n"])
    unit = parts["u"].lower()
    days_of = {"day": 1, "week": 7, "month": 30, "year": 365}[unit]
    kind = "relative" if unit in {"day", "week"} else "vague"
    return base - timedelta(days=count * days_of), kind


def _weekday(parts: dict[str, str], base: date) -> date:
    wanted, rel = WEEKDAYS[parts["w"].lower()], (parts.get("rel") or "").lower()
    ahead = (wanted - base.weekday()) % 7
    if rel in {"next", "coming"}:
        return base + timedelta(days=ahead or 7)
    if rel in {"last", "past", "this past"}:
        return base - timedelta(days=(7 - ahead) if ahead else 7)
    return base - timedelta(days=(7 - ahead) % 7)


def _span(parts: dict[str, str], base: date) -> tuple[date, str]:
    step = {"last": -1, "previous": -1, "next": 1}.get(parts["rel"].lower(), 0)
    size = {"week": 7, "month": 30, "quarter": 91}.get(parts["u"].lower(), 365)
    return base + timedelta(days=step * size), "vague"


def _sound(year: int, month: int, day: int) -> tuple[date, str] | None:
    try:
        return date(year, month, day), "absolute"
    except ValueError:
        return None


def parse_iso(text: str) -> date | None:
    """Read the day at the beginning of an ISO date or time."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def one_day(text: str, anchor: str = "") -> str:
    """Give the one absolute day that a short text such as a byline names; empty where none."""
    found = [one for one in days(text, anchor) if one.kind == "absolute"]
    return found[0].day if found else ""


def lone_day(text: str, beside: int, anchor: str = "") -> Day | None:
    """Give the one absolute day of a line that is there for it: at most some words beside it, no sentence."""
    named = [one for one in days(text, anchor) if one.kind == "absolute"]
    if len(named) != 1 or text.rstrip().endswith((".", "!", "?")):
        return None
    rest = without(text, named[0])
    return named[0] if len(rest.split()) <= beside else None


def without(text: str, day: Day) -> str:
    """Give a text with a blank in place of a day."""
    return f"{text[: day.first]} {text[day.last :]}".strip()


def day_of(at: datetime | None) -> str:
    """Give the day of a time."""
    return at.date().isoformat() if at else ""


def after(day: str) -> str:
    """Give the day after a day."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def apart(one: str, other: str) -> int:
    """Give the days between two days; a large number where one is unknown."""
    a, b = parse_iso(one), parse_iso(other)
    return abs((a - b).days) if a and b else 10_000
