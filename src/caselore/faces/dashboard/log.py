"""The page of a whole log: lines with anchors, folded by sections, the telling ones marked.

Must not show more at once than a browser reads quickly, nor anything but text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from caselore.faces.dashboard import shown
from caselore.faces.dashboard.page import registered, show
from caselore.faces.http.access import Reader
from caselore.wiring import documents
from caselore.wiring.shelf import Line, Whole

router = APIRouter()
LINES, SIGNS = 300, 34_000  # lines, and characters, of one page at most
BEFORE = 60  # lines of context above a line that is asked for
FOUND = 100  # lines that a search lists
_BEGIN = re.compile(
    r"section_start:\d+:([\w.-]+)(?:\[[^\]]*\])?|travis_fold:start:([\w.-]+)|##\[group\](.*)"
)
_END = re.compile(r"section_end:\d+:|travis_fold:end:|##\[endgroup\]")
_TOKENS = re.compile(
    r"section_(?:start|end):\d+:[\w.-]+(?:\[[^\]]*\])?|travis_(?:fold|time):\w+:[\w.:,=-]+"
)


@registered(router, "/incidents/{incident}/log")
def log(
    request: Request,
    visitor: Reader,
    incident: str,
    line: Annotated[int, Query(ge=0, le=10**9)] = 0,
    first: Annotated[int, Query(ge=1, le=10**9)] = 1,
    find: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Show a log from a line on, or around one, or the lines that hold some words."""
    case = visitor.app.memory.get(incident)
    kept = documents.kept_log(case)
    whole = visitor.app.whole_log(case.id, visitor.app.now()) or _excerpt(kept)
    first = max(1, line - BEFORE) if line else first
    lines = _page(whole, first)
    after = lines[-1].number + 1 if lines else 0
    document = {
        **kept,
        **documents.case_line(case),
        "whole": whole.lines == kept["lines"] and len(whole.parts) == 1,
        "page": [one._asdict() for one in lines],
        "next_line": after if any(one.number >= after for one in whole.every()) else None,
        "previous_line": _previous(whole, first),
        "found": [one._asdict() for one in _found(whole, find)] if find else None,
        "errors": _errors(kept),
    }
    return show(
        request,
        visitor,
        "log.html",
        document,
        folds=list(_folded(lines, _marks(kept))),
        find=find,
    )


def _excerpt(kept: dict[str, Any]) -> Whole:
    """Give the lines that the memory itself keeps, where the log is not kept."""
    parts = sorted(kept["excerpt"], key=lambda one: int(one["first"]))
    return Whole(
        kept["lines"], tuple((part["first"], tuple(part["text"].split("\n"))) for part in parts)
    )


def _page(whole: Whole, first: int) -> list[Line]:
    lines: list[Line] = []
    left = SIGNS
    for one in islice((one for one in whole.every() if one.number >= first), LINES):
        left -= min(len(one.text), shown.LINE) + 40
        if left < 0 and lines:
            break
        lines.append(one)
    return lines


def _previous(whole: Whole, first: int) -> int | None:
    """Give the line from which the page before begins."""
    before = [one for one in whole.every() if one.number < first]
    left, begin = SIGNS, None
    for one in reversed(before[-LINES:]):
        left -= min(len(one.text), shown.LINE) + 40
        if left < 0:
            break
        begin = one.number
    return begin


def _found(whole: Whole, words: str) -> list[Line]:
    wanted = words.casefold()
    fits = (one for one in whole.every() if wanted in one.text.casefold())
    return [Line(one.number, one.text[: shown.LINE]) for one in islice(fits, FOUND)]


def _errors(kept: dict[str, Any]) -> list[int]:
    """Give the first line of each telling range, the failing one first of all."""
    firsts = {part["first"] for part in kept["excerpt"]}
    return sorted(firsts | ({kept["failing_line"]} - {None}))


def _marks(kept: dict[str, Any]) -> dict[int, str]:
    marks = {
        number: "told"
        for part in kept["excerpt"]
        for number in range(part["first"], part["last"] + 1)
    }
    return {**marks, **({kept["failing_line"]: "fails"} if kept["failing_line"] else {})}


def _folded(lines: Iterable[Line], marks: dict[int, str]) -> Iterator[dict[str, Any]]:
    """Give the sections of a page in order, open where something in them tells."""
    fold: dict[str, Any] = {"name": "", "lines": [], "gap": 0}
    last = 0
    for number, text in lines:
        begins = _BEGIN.search(text)
        if (begins or (last and number != last + 1)) and fold["lines"]:
            yield _closed(fold)
            fold = {"name": "", "lines": [], "gap": number - last - 1}
        if begins:
            fold["name"] = next(filter(None, begins.groups()), "section")
        words = _TOKENS.sub("", text)
        plain = shown.plain(words, shown.LINE)
        fold["lines"].append({"number": number, "text": plain, "mark": marks.get(number, "")})
        if _END.search(text) and not begins:
            yield _closed(fold)
            fold = {"name": "", "lines": [], "gap": 0}
        last = number
    if fold["lines"]:
        yield _closed(fold)


def _closed(fold: dict[str, Any]) -> dict[str, Any]:
    told = any(one["mark"] for one in fold["lines"])
    return {**fold, "open": told or not fold["name"]}
