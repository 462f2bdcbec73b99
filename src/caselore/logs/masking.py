"""Replace what changes from run to run in a line, rule by rule.

Must not mask words that tell two causes apart; each rule names the false positive that it avoids.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of varying text; `avoids` says which text must stay, and why it does.

    No text that lacks a digit, where `digit` says so, or one of `needs` is ever searched.
    """

    name: str
    pattern: re.Pattern[str]
    put: str
    avoids: str
    digit: bool = True
    needs: tuple[str, ...] = ()

    def mask(self, text: str) -> str:
        """Replace what varies."""
        return self.pattern.sub(_last_part if self.put == "<path>" else self.put, text)


def _rule(
    name: str, pattern: str, put: str, avoids: str, needs: str = "", *, digit: bool = True
) -> Rule:
    return Rule(name, re.compile(pattern), put, avoids, digit, tuple(needs.split()))


RULES: tuple[Rule, ...] = (
    _rule(
        "date",
        r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z| ?[+-]\d\d:?\d\d)?)?",
        "<time>",
        "a version such as 2024.1: the date needs two hyphens",
        "-",
    ),
    _rule(
        "named date",
        r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?[A-Z][a-z]{2}[a-z]*"
        r" ?\d{0,2}[\d: ]*(?:[A-Z]{3,4})?(?: \d{4})?",
        "<time>",
        "a sentence that begins with Sun or Mon: a month must follow",
        digit=False,
    ),
    _rule(
        "clock",
        r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b",
        "<time>",
        "a place in a file such as a.c:10:5: two digits are needed twice",
        ":",
    ),
    _rule(
        "uuid",
        r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b",
        "<id>",
        "words joined by hyphens: only hexadecimal groups of the right length",
        "-",
        digit=False,
    ),
    _rule(
        "ulid",
        r"\b(?=[0-9A-Z]*[A-Z])[0-7][0-9A-HJKMNP-TV-Z]{25}\b|\b(?=[0-9a-z]*[a-z])[0-7][0-9a-hjkmnp-tv-z]{25}\b",
        "<id>",
        "a constant in capitals: 26 characters of its alphabet without I, L, O and U",
    ),
    _rule(
        "url",
        r"\b(?:https?|ssh|git|ftp|tcp|jdbc:\w+|postgres(?:ql)?|mysql|redis|amqp)://[^\s'\"<>)\]]+",
        "<url>",
        "a C++ scope a::b: a scheme is needed",
        "://",
        digit=False,
    ),
    _rule(
        "e-mail",
        r"\b[\w.+-]+@[\w-]+\.[A-Za-z]{2,}\b",
        "<mail>",
        "a package with its version, left-pad@1.2.3: the last part must be letters",
        "@ .",
        digit=False,
    ),
    _rule(
        "address",
        r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b",
        "<host>",
        "a version of three parts: four are needed",
        ".",
    ),
    _rule(
        "host and port",
        r"\b(?:localhost|(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|local|internal|svc|cloud|example|test)):\d{2,5}\b",
        "<host>",
        "file.py:12: the ending must be one of a host",
        ":",
    ),
    _rule("pointer", r"\b0x[0-9a-fA-F]+\b", "<hex>", "a plain word: the 0x is needed", "0x"),
    _rule(
        "pod",
        r"(?<=[a-z0-9])-(?=[a-z]*\d)[a-z0-9]{6,10}-(?:(?=[a-z]*\d)[a-z0-9]{5}|[b-df-hj-np-tv-z]{5})\b"
        r"|(?<=[a-z])-(?=[a-z]*\d)(?=\d*[a-z])[b-df-hj-np-tvwxz2-9]{5}\b",
        "-<id>",
        "api-v2 and test-utf16: a digit is needed, and letters that are no vowels",
        "-",
    ),
    _rule(
        "digest",
        r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b",
        "<hex>",
        "deadbeef and added: letters and digits must both occur",
    ),
    _rule(
        "long hex",
        r"\b[0-9A-Fa-f]{16,}\b",
        "<hex>",
        "a short number: that is a count",
        digit=False,
    ),
    _rule(
        "path",
        r"(?<![\w<])(?:[A-Za-z]:)?(?:[\\/][\w.@+~%-]+){2,}[\\/]?",
        "<path>",
        "a fraction 1/2 or and/or: a root and two parts are needed; the file name stays",
        digit=False,
    ),
    _rule(
        "relative path",
        r"(?<![\w<])\.{1,2}(?:/[\w.@+-]+)+/?",
        "<path>",
        "an ellipsis: a slash must follow",
        "./",
        digit=False,
    ),
    _rule(
        "release",
        r"(?i)(\b(?:releas(?:es?|ed|ing)|deploy(?:s|ed|ing|ment)?|roll(?:ing|ed)? ?(?:out|back)"
        r"|promot(?:e|ed|ing)|upgrad(?:e|ed|ing)|tag|chart|version)\b:?"
        r"(?: [a-z][\w-]*:?){0,3}[ :@])"
        r"v?\d+\.\d+\.\d+(?:[-+][0-9a-z][0-9a-z.-]*)?"
        r"(?![\w.]*[,;]? (?:but|requires?|is required|conflicts?)\b)",
        r"\1<n>",
        "what a package requires, left 1.2.3-rc1: a word of releasing must precede",
        ".",
    ),
    _rule(
        "image tag",
        r"((?:[\w.-]+/)+[\w.-]+:)v?\d+\.\d+(?:\.\d+)?(?:[-+][\w.-]+)?\b",
        r"\1<n>",
        "the coordinates of a package, a:b:1.2: a slash must precede",
        "/ : .",
    ),
    _rule(
        "dated name",
        r"(?<![\w.])\d{8,17}(?=[_-][A-Za-z])",
        "<n>",
        "the number of a migration, 0042_orders: eight digits are needed, as in a date",
    ),
    _rule(
        "long duration",
        r"\b(?:\d+d)?(?:\d+h)?\d+m\d+(?:\.\d+)?s\b|\b\d+h\d+m\b",
        "<n>",
        "a name such as a1m2s: a word boundary must precede",
    ),
    _rule(
        "duration",
        r"\b\d+(?:\.\d+)?\s?(?:ms|µs|us|ns|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?)\b",
        "<n>",
        "4xx and 3rd: only units of time",
    ),
    _rule(
        "size",
        r"\b\d+(?:\.\d+)?(?:\s?(?:[kKMGT]i?B|bytes?|B)|[kKMGT]i?)\b",
        "<n>",
        "a name such as 2B2: a word boundary must follow",
    ),
    _rule(
        "numbered name",
        r"(?<=[A-Za-z][_-])\d{4,}\b",
        "<n>",
        "test_2 and issue-404: four digits are needed, as ids of runners and jobs have",
    ),
    _rule("percent", r"\b\d+(?:\.\d+)?%", "<n>", "%d in a format: a digit must precede", "%"),
    _rule(
        "number",
        r"(?<![A-Za-z_\d.-])-?\d+(?:[.,]\d+)*(?![A-Za-z_\d])|(?<=[:=#(\[x-])\d+(?![A-Za-z_])",
        "<n>",
        "digits inside a name (utf8, test_2, TS2322, E0308): they tell causes apart",
    ),
)

_SEVERITY = re.compile(
    r"^\s*(?:##\[error\]\s*|::error[^:]*::\s*)?(?:"
    r"[\[(]?(?i:error|fatal|critical|severe|err)[\])]?(?:\s*[:|]+\s*| +- +)"
    r"|[\[(](?i:error|fatal|critical|severe|err)[\])]\s*"
    r"|(?:ERROR|FATAL|CRITICAL|SEVERE)\s+)?(?=.*[A-Za-z])"
)
_PAIR = r'[a-z_.]+=(?:"[^"]*"|[^\s"]\S*|) '
_PAIRS = re.compile(  # level=error msg="..." and the pairs after it
    rf"^(?:{_PAIR})*?(?:level|lvl|severity)=\S+ (?:(?!msg|message){_PAIR})*"
    r'(?:msg|message)=(?:"((?:[^"\\]|\\.)*)"|([^"].*?)(?= [a-z_.]+=|$))((?: \S.*)?)$'
)
_BASE = re.compile(r"([\w.@+~%-]+)[\\/]?$")
_DIGIT = re.compile(r"\d")
_SPACES = re.compile(r"\s+")
_GAUGES = re.compile(r"(?:<n>[ ,;:/x]*){2,}")


@lru_cache(maxsize=8192)
def masked(line: str) -> str:
    """Give a line with every varying part replaced; of a path only the last part stays."""
    text = line[:2000]
    digit = _DIGIT.search(text) is not None
    for rule in RULES:
        if rule.digit and not digit:
            continue
        for need in rule.needs:
            if need not in text:
                break
        else:
            before, text = text, rule.mask(text)
            if digit and text is not before:
                digit = _DIGIT.search(text) is not None
    return _SPACES.sub(" ", _GAUGES.sub("<n> ", text)).strip()


def plain(line: str) -> str:
    """Give a masked line without a leading severity: whoever reports an error adds or drops it."""
    text = masked(line)
    if pairs := _PAIRS.search(text):
        text = "".join(part or "" for part in pairs.groups()).strip()
    return _SEVERITY.sub("", text, count=1)


def _last_part(match: re.Match[str]) -> str:
    """Keep the file name of a path: it names the unit, its folders name the machine."""
    base = _BASE.search(match.group())
    return (
        f"<path>/{base.group(1)}" if base and any(c.isalpha() for c in base.group(1)) else "<path>"
    )


_QUICK = bytes.maketrans(b"0123456789", b"0" * 10)
_RUNS = re.compile(rb"\b(?=[a-f]*0)[0a-f]{7,}\b|0[0.,:]*")
_TEMPORARY = re.compile(rb"/tmp/[^\s'\":,)]+|/var/folders/[^\s'\":,)]+")


def quick(line: bytes) -> bytes:
    """Mask digits, hex and temporary paths of a raw line: cheap, for comparing whole logs."""
    text = line.translate(_QUICK)
    if b"/tmp/" in text or b"/var/folders/" in text:
        text = _TEMPORARY.sub(b"/tmp/0", text)
    return _RUNS.sub(b"0", text).strip()
