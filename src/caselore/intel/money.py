"""Reads amounts of money, percentages and counts out of text, each at its place.

Must not guess a currency that the text does not name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_SIGNS = {
    "US$": "USD", "U.S.$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD", "S$": "SGD",
    "HK$": "HKD", "NZ$": "NZD", "R$": "BRL", "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "Y": "JPY",
    "₹": "INR", "₩": "KRW", "₪": "ILS", "zł": "PLN", "￥": "JPY", "₺": "TRY",
}  # fmt: skip
_WORDS = {
    "us dollars": "USD", "u.s. dollars": "USD", "dollars": "USD", "dollar": "USD", "bucks": "USD",
    "usd": "USD", "euros": "EUR", "euro": "EUR", "eur": "EUR", "pounds sterling": "GBP",
    "pounds": "GBP", "pound": "GBP", "gbp": "GBP", "sterling": "GBP", "yen": "JPY", "jpy": "JPY",
    "yuan": "CNY", "rmb": "CNY", "cny": "CNY", "rupees": "INR", "rupee": "INR", "inr": "INR", "swiss francs": "CHF",
    "chf": "CHF", "francs": "CHF", "cad": "CAD", "aud": "AUD", "sgd": "SGD", "sek": "SEK",
    "nok": "NOK", "dkk": "DKK", "kronor": "SEK", "kroner": "DKK", "pln": "PLN", "zloty": "PLN",
    "brl": "BRL", "reais": "BRL", "krw": "KRW", "won": "KRW", "ils": "ILS", "shekels": "ILS",
    "dólares": "USD", "dollari": "USD", "dólar": "USD", "円": "JPY", "元": "CNY",
    "canadian dollars": "CAD", "australian dollars": "AUD", "singapore dollars": "SGD",
    "cents": "USD", "cent": "USD", "buck": "USD", "quid": "GBP", "pence": "GBP",
    "czk": "CZK", "huf": "HUF", "zar": "ZAR", "mxn": "MXN", "nzd": "NZD", "hkd": "HKD",
    "aed": "AED", "thb": "THB", "kr": "", "kr.": "", "crowns": "",
}  # fmt: skip
_PARTS = {"half": 0.5, "a": 1.0, "an": 1.0, "and": 0.0}
_CODES = {"rs": "INR", "rs.": "INR", "p": "GBP"}
_HUNDREDTHS = frozenset({"cent", "cents", "pence", "p"})
_SCALES = {
    "k": 1e3, "thousand": 1e3, "tsd": 1e3, "mille": 1e3, "mil": 1e3, "m": 1e6, "mn": 1e6, "mm": 1e6,
    "mio": 1e6, "mln": 1e6, "bln": 1e9, "trn": 1e12, "million": 1e6, "millions": 1e6, "millionen": 1e6, "millones": 1e6,
    "millón": 1e6, "milioni": 1e6, "milhões": 1e6, "b": 1e9, "bn": 1e9, "mrd": 1e9, "billion": 1e9,
    "billions": 1e9, "milliarden": 1e9, "milliarde": 1e9, "milliards": 1e9, "mil millones": 1e9,
    "miliardi": 1e9, "trillion": 1e12, "hundred": 1e2, "crore": 1e7, "lakh": 1e5, "万": 1e4, "億": 1e8,
}  # fmt: skip
_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = {
    word: 10 * n for n, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}  # fmt: skip
COUNT_WORDS = {word: n for n, word in enumerate(_SMALL)} | _TENS | {
    "a dozen": 12, "dozen": 12, "two dozen": 24, "hundred": 100, "a hundred": 100,
    "fünf": 5, "zehn": 10, "zwölf": 12, "fünfzehn": 15, "zwanzig": 20, "dreißig": 30, "fünfzig": 50,
    "hundert": 100, "cinq": 5, "dix": 10, "douze": 12, "quinze": 15, "vingt": 20, "trente": 30,
    "cinquante": 50, "cent": 100, "diez": 10, "doce": 12, "quince": 15, "veinte": 20, "treinta": 30,
    "cincuenta": 50, "cien": 100,
}  # fmt: skip

_NUM = r"\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?"
_SCALE = "|".join(sorted(map(re.escape, _SCALES), key=len, reverse=True))
_SIGN = "|".join(
    r"\bY(?=\d)" if one == "Y" else re.escape(one) for one in sorted(_SIGNS, key=len, reverse=True)
)
_WORD = "|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True))
_SPELLED = (
    r"(?:(?:half a|an?)(?=[ -](?:million|billion|thousand|hundred|crore|lakh)\b)|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|"
    + "|".join(_SMALL[1:])
    + ")"
)
_MONEY = re.compile(
    rf"(?P<s1>{_SIGN}|\b(?:Rs\.?(?=\s?\d)|(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|ZAR|MXN|BRL|KRW|CNY|INR|SGD|NZD|HKD|AED)\b))\s?(?P<n1>{_NUM})(?:(?:\s|-|\u00a0)?(?P<k1>{_SCALE})\b\.?)?(?:\s?(?P<c1>USD|CAD|AUD|SGD|NZD|HKD)\b)?"
    rf"|(?<![\w.,])(?P<n2>{_NUM}|{_SPELLED}(?:\s+hundred(?:\s+and\s+{_SPELLED})?)?)(?:(?:\s|-|\u00a0)?(?P<k2>{_SCALE})\b\.?)?\s*(?:(?:de|di|d['’])\s*)?-?(?P<s2>{_SIGN}|(?<!\d{{3}})(?<=\d)p\b|(?:{_WORD})\b)",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    rf"(?<![\w.,])(?P<n>\d+(?:[.,]\d+)?|{_SPELLED})\s*(?:%|percent\b|per cent\b|pct\b|prozent\b|pour ?cent\b|por ciento\b)",
    re.IGNORECASE,
)
_COUNT = re.compile(
    rf"(?<![\w.,$€£])(?P<n>(?P<h>a|one|two|three|four|five|six|seven|eight|nine) hundred(?: and (?P<r>{_SPELLED}))?|\d{{1,3}}(?:[,.]\d{{3}})+|\d{{1,6}}|{'|'.join(sorted(map(re.escape, COUNT_WORDS), key=len, reverse=True))})(?:[- ](?P<t>one|two|three|four|five|six|seven|eight|nine)\b)?(?![\d.,]*[%€$£]|\s*(?:thousand|percent|million|billion|m\b|bn))",
    re.IGNORECASE,
)


class Amount(NamedTuple):
    """One amount of money."""

    first: int
    last: int
    value: float
    currency: str


class Share(NamedTuple):
    """One percentage."""

    first: int
    last: int
    value: float


class Count(NamedTuple):
    """One whole number."""

    first: int
    last: int
    value: int


def amounts(text: str) -> Iterator[Amount]:
    """Give the amounts of money in a text, in order."""
    for match in _MONEY.finditer(text):
        sign = (match["s1"] or match["s2"]).strip()
        scale = (match["k1"] or match["k2"] or "").lower()
        value = _number(match["n1"] or match["n2"], scale)
        if value is None:
            continue
        currency = match["c1"] or _SIGNS.get(sign) or _SIGNS.get(sign.upper())
        if currency is None:
            currency = _WORDS.get(sign.lower(), _CODES.get(sign.lower(), sign.upper()))
        if sign.lower() in _HUNDREDTHS:
            value /= 100
        last = match.end()
        while last > match.start() and text[last - 1] in ".,":
            last -= 1
        yield Amount(match.start(), last, round(value, 4), currency.upper())


def names_amount(text: str) -> bool:
    """Say whether a text names an amount of money."""
    return next(amounts(text), None) is not None


def _number(text: str, scale: str) -> float | None:
    lowered = text.lower()
    value = parse_number(text) if lowered[0].isdigit() else spelled(lowered)
    if value is None:
        return None
    return round(value * _SCALES.get(scale, 1.0), 4)


def spelled(text: str) -> float | None:
    """Read a number in words, up to nine hundred."""
    total = 0.0
    for word in re.split(r"[-\s]+", text.lower().replace("half a", "half")):
        if word == "hundred":
            total = (total or 1) * 100
        elif word in _PARTS:
            total += _PARTS[word]
        elif word in COUNT_WORDS:
            total += COUNT_WORDS[word]
        else:
            return None
    return total


def parse_number(text: str) -> float | None:
    """Read 1,200.50 and 1.200,50 and 1 200,50 alike."""
    bare = re.sub(r"[\s'’\u00a0\u202f]", "", text)
    comma, dot = bare.rfind(","), bare.rfind(".")
    if comma >= 0 and dot >= 0:
        decimal, other = (",", ".") if comma > dot else (".", ",")
        bare = bare.replace(other, "").replace(decimal, ".")
    elif comma >= 0 or dot >= 0:
        sign = "," if comma >= 0 else "."
        groups = bare.split(sign)
        thousands = all(len(one) == 3 for one in groups[1:]) and len(groups[0]) <= 3
        if thousands and (len(groups) > 2 or (sign == "," and groups[0] != "0")):
            bare = bare.replace(sign, "")
        else:
            bare = bare.replace(sign, ".")
    try:
        return float(bare)
    except ValueError:
        return None


def shares(text: str) -> Iterator[Share]:
    """Give the percentages of a text, in order."""
    for match in _PERCENT.finditer(text):
        number = match["n"]
        value = parse_number(number) if number[0].isdigit() else spelled(number.lower())
        if value is not None:
            yield Share(match.start(), match.end(), value)


def counts(text: str) -> Iterator[Count]:
    """Give the whole numbers of a text, in order, also those in words."""
    for match in _COUNT.finditer(text):
        number = match["n"].lower()
        if match["h"]:
            value = 100 * (_SMALL.index(match["h"].lower()) if match["h"].lower() in _SMALL else 1)
            value += sum(
                COUNT_WORDS[one] for one in re.findall(r"\w+", (match["r"] or "").lower())
            )
        elif number[0].isdigit():
            value = int(re.sub(r"[,.]", "", number))
        else:
            value = COUNT_WORDS[number] + (COUNT_WORDS[match["t"].lower()] if match["t"] else 0)
        if value:
            yield Count(match.start(), match.end(), value)
