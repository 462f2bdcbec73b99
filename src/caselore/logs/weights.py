"""Weigh single lines by what they say, and choose of several lines the one to point at.

Must not name a tool, nor look beyond the lines that it is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from caselore.logs.blocks import indent, quoted
from caselore.logs.page import Page
from caselore.logs.signs import Marked

STRONG, VERDICT, MEDIUM, WEAK, WARN = 50.0, 44.0, 31.0, 16.0, 10.0
PLACE: Final = re.compile(r"[\w-]\.[A-Za-z]{1,5}[:(][0-9]+| at \S+ line [0-9]+\.?$")
NEARLY: Final = 4.0
_NEVER: Final = ("wrapper", "exit", "command", "section", "ruler", "ok")
_ANNOUNCES: Final = re.compile(
    r"^\W*(?:[A-Za-z]+ ){0,2}(?i:errors?|failed|failures?)(?: [A-Za-z]+){0,3}:\s*$"
)
_FILE_ONLY: Final = re.compile(r"^\s*\W*[A-Z]{2,8}\W+\S+\s*$")  # FAIL src/cart.test.js


def weight_of(page: Page, marked: Marked, i: int) -> float:
    """Weigh one line by what it says, on the readers' scale; 0 for one that never fails."""
    if i not in marked.signs:
        return 0.0
    known = marked.weights.get(i)
    if known is None:
        known = marked.weights[i] = _weighed(page, marked, i)
    return known


def _weighed(page: Page, marked: Marked, i: int) -> float:
    """Weigh a line that carries signs."""
    if marked.has(i, *_NEVER) or quoted(page, marked, i):
        return 0.0
    found = marked.signs.get(i, frozenset())
    weight = 0.0
    for sign, value in (
        ("strong", STRONG),
        ("verdict", VERDICT),
        ("medium", MEDIUM),
        ("weak", WEAK),
        ("warn", WARN),
    ):
        if sign in found:
            weight = value
            break
    if not weight:
        return 0.0
    weight += _adjusted(found, page.lines[i])
    if "logged" in found and marked.talks:
        weight -= 18
    return max(weight, 1.0)


def _adjusted(found: frozenset[str], line: str) -> float:
    """Add what the other signs of a line say about it."""
    change = 0.0
    change += 4 if "strong" in found and found & {"medium", "weak"} else 0
    change += 4 if "medium" in found and "weak" in found else 0
    change += 4 if PLACE.search(line[:400]) else 0
    change += 8 if "gutter" in found else 0
    change -= 30 if "fine" in found else 0
    change -= 30 if "flag" in found and "strong" not in found else 0
    change -= 20 if "progress" in found and not found & {"strong", "verdict"} else 0
    counts = found & {"summary", "heading"} and "unexpected" not in found
    change -= 22 if counts else 0
    change -= 25 if found & {"frame", "usage"} else 0
    change -= 12 if "retry" in found else 0
    change -= 30 if "talk" in found else 0
    change -= 45 if "source" in found else 0
    told = "unexpected" in found or ("crash" in found and "verdict" not in found)
    change += 10 if told else 0
    change -= 12 if "warn" in found and "strong" not in found else 0
    return change


def lead(page: Page, marked: Marked, lines: Sequence[int]) -> int:
    """Give the first of these lines that says about as much as the one that says most."""
    most = max(weight_of(page, marked, i) for i in lines)
    first = next(i for i in lines if weight_of(page, marked, i) >= most - NEARLY)
    if marked.has(first, "unexpected"):
        return first
    opener = next((i for i in lines if marked.has(i, "opener")), None)
    if opener is not None and (opener == first or marked.has(first, "verdict")):
        return _thrown(page, marked, opener, lines)
    if marked.has(first, "verdict") and not marked.has(first, "strong"):
        return _told_below(page, marked, first, lines)
    if _ANNOUNCES.match(page.lines[first]):
        below = (i for i in lines if i > first and page.lines[i].strip())
        told = next(below, first)
        return told if weight_of(page, marked, told) >= MEDIUM else first
    return first


def _told_below(page: Page, marked: Marked, head: int, lines: Sequence[int]) -> int:
    """Give what the body under a failed item says; the item itself where the body says little."""
    body = [i for i in lines if i > head and not marked.has(i, "verdict", "ruler")]
    body = [i for i in body if page.lines[i].strip()]
    most = max((weight_of(page, marked, i) for i in body), default=0.0)
    if most >= MEDIUM - NEARLY:
        return next(i for i in body if weight_of(page, marked, i) >= most - NEARLY)
    bare = _FILE_ONLY.match(page.lines[head][:400]) and body
    return body[0] if bare else head


def _thrown(page: Page, marked: Marked, opener: int, lines: Sequence[int]) -> int:
    """Give the line with which a stack ends that opens at `opener`; the opener where it is cut."""
    deep = indent(page.lines[opener])
    for i in lines:
        text = page.lines[i]
        if i <= opener or not text.strip() or marked.has(i, "frame", "opener"):
            continue
        if indent(text) <= deep and not quoted(page, marked, i):
            return i
    return opener


def logged(marked: Marked, i: int) -> bool:
    """Say whether a line is one of a program's own log that talks a lot."""
    return marked.talks and marked.has(i, "logged")
