"""Refuses markup whose parsing would cost its square: elements nested, or one element's attributes, by the ten thousand.

Must not refuse what people write: an element that its successor closes is not counted as open.
"""

from __future__ import annotations

import re

from caselore.errors import BadInput

DEEP = 10_000  # open elements; measured, parsing takes a tenth of a second there and grows with the square
ATTRIBUTES = 5_000  # of one element, by its blanks
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)((?:[^>\"']++|\"[^\"]*+\"|'[^']*+'|[\"'])*+)")
_CLOSED_BY_THE_NEXT = frozenset(["p", "li", "dt", "dd", "tr", "td", "th", "option"])
_EMPTY = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "source",
        "track",
        "wbr",
    ]
)
_RAW = frozenset({"script", "style", "textarea", "title"})


def check_burden(markup: str) -> None:
    """Look through markup once. Raises BadInput where a parser would be held up."""
    depth, at = 0, 0
    while match := _TAG.search(markup, at):
        closing, name, rest = match.groups()
        at = match.end()
        if len(rest) > ATTRIBUTES and len(rest.split(maxsplit=ATTRIBUTES)) > ATTRIBUTES:
            raise BadInput("its markup holds an element with too many attributes to be read")
        name = name.lower()
        if name in _RAW and not closing:  # what looks like elements there is text
            at = _end_of(name, markup, at)
            continue
        if name not in _CLOSED_BY_THE_NEXT and name not in _EMPTY and not rest.endswith("/"):
            depth = max(0, depth - 1) if closing else depth + 1
        if depth > DEEP:
            raise BadInput("its markup is nested too deep to be read")


def _end_of(name: str, markup: str, at: int) -> int:
    match = re.compile(rf"</{name}", re.IGNORECASE).search(markup, at)
    return match.end() if match else len(markup)
