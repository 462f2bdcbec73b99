"""Find failures in reports of test runners and checkers: ruled sections, lists, final reports.

Must not name a tool: every rule here is about form, and has to hold for a tool never seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from caselore.logs.blocks import Block, indent
from caselore.logs.page import Page
from caselore.logs.signs import Marked
from caselore.logs.weights import MEDIUM, lead, weight_of

_RULED: Final = re.compile(r"^\s*([-=_*#~─━⎯═])[-=_*#~─━⎯═]+ +(\S.*?\S?) +[-=_*#~─━⎯═]{3,}")
_BROKEN: Final = re.compile(r"(?i)\b(?:fail(?:ures?|ed|ing)?|errors?|broken)\b")
_GROUP: Final = re.compile(
    r"(?i)^\W*(?:(?:test|all|[0-9]+)s? )?(?:fail(?:ures?|ed|ing)?|errors?)(?: tests?)?[\W0-9]*$"
)
_BESIDE: Final = re.compile(
    r"(?i)\b(?:summary|captured|warnings?|slowest|coverage|expected)\b|\b(?:no|0) (?:fail|err)"
)
_TELLING: Final = 20  # characters: a shorter text is repeated by chance
_LITTLE: Final = 3  # lines of an item without its details
_REPORT: Final = 40
_LATER: Final = 6.0
_LONGEST: Final = 400
_ITEM, _FOUND = 58.0, 42.0
_APART: Final = 2  # lines between two findings: a blank one and the name of the next file
_TALKS: Final = ("warn", "frame", "talk", "logged", "source", "fine")


@dataclass(frozen=True, slots=True)
class _Head:
    """A line that names, inside a ruler, what stands below it."""

    line: int
    rule: str
    name: str


def report_blocks(page: Page, marked: Marked, barriers: frozenset[int]) -> list[Block]:
    """Find blocks in reports."""
    return [*_sections(page, marked, barriers), *_findings(page, marked, barriers)]


def _sections(page: Page, marked: Marked, barriers: frozenset[int]) -> Iterator[Block]:
    """Give the ruled sections that tell of one failed item each.

    A ruled heading that only says FAILURES opens a group: the sections under it have other rules.
    """
    heads = list(_heads(page, marked))
    group = ""
    for number, head in enumerate(heads):
        if _GROUP.match(head.name):
            group = head.rule
            continue
        if head.rule == group:
            group = ""
        if _BESIDE.search(head.name) or not (group or _BROKEN.search(head.name)):
            continue
        last = _section_end(page, marked, heads, number, group, barriers)
        body = [i for i in range(head.line + 1, last + 1) if page.lines[i].strip()]
        if not body:
            continue
        best = lead(page, marked, body)
        if weight_of(page, marked, best) >= MEDIUM:
            why = "section of a failed item"
            yield Block(head.line, last, best, _ITEM, why, unit=head.name[:200])


def _heads(page: Page, marked: Marked) -> Iterator[_Head]:
    """List the ruled headings."""
    for i in marked.lines("ruled"):
        if found := _RULED.match(page.lines[i][:400]):
            yield _Head(i, found.group(1), found.group(2))


def _section_end(
    page: Page,
    marked: Marked,
    heads: Sequence[_Head],
    number: int,
    group: str,
    barriers: frozenset[int],
) -> int:
    """Find where a section ends: at the next heading of its own rule or of its group's."""
    head = heads[number]
    below = islice(heads, number + 1, number + _LONGEST)  # a heading takes a line at least
    stop = next((h.line for h in below if h.rule in (head.rule, group)), len(page.lines))
    stop = min(stop, head.line + _LONGEST, len(page.lines))
    for i in range(head.line + 1, stop):
        over = i in barriers or marked.has(i, "exit", "wrapper")
        if over or (marked.has(i, "verdict") and not indent(page.lines[i])):
            stop = i
            break
    while stop > head.line + 1 and not page.lines[stop - 1].strip():
        stop -= 1
    return stop - 1


def _findings(page: Page, marked: Marked, barriers: frozenset[int]) -> Iterator[Block]:
    """Give lists of findings."""
    run: list[int] = []
    for i in marked.lines("finding"):
        if run and (i - run[-1] > _APART + 1 or not barriers.isdisjoint(range(run[-1], i))):
            yield from _list(page, marked, run)
            run = []
        run.append(i)
    yield from _list(page, marked, run)


def _list(page: Page, marked: Marked, run: Sequence[int]) -> Iterator[Block]:
    """Point at the first finding that is called an error; at the first, where none is called so.

    Of findings alike in kind the words do not say which one matters most.
    """
    errors = [i for i in run if marked.has(i, "strong") and not marked.has(i, *_TALKS)]
    if len(run) < 2 or not (errors or all(not marked.has(i, *_TALKS) for i in run)):
        return
    first = (errors or run)[0]
    weight = max(weight_of(page, marked, i) for i in errors) if errors else _FOUND
    yield Block(first, run[-1], first, weight, "list of findings", bottom=not errors, sure=True)


def again_blocks(
    page: Page, marked: Marked, blocks: Sequence[Block], barriers: frozenset[int]
) -> list[Block]:
    """Find failed items that a final report tells of once more, and with its details."""
    told: dict[str, Block] = {}
    for block in blocks:
        key = _words(page.lines[block.first])
        bare = not block.tool and block.last - block.first < _LITTLE
        if bare and marked.has(block.first, "verdict") and len(key) >= _TELLING:
            told.setdefault(key, block)
    if not told:
        return []
    later: dict[str, int] = {}
    for i, line in enumerate(page.lines):
        if len(line) >= _TELLING and (key := _words(line)) in told and i > told[key].last + _APART:
            later[key] = i
    found = (_again(page, marked, told[key], i, barriers) for key, i in later.items())
    return [block for block in found if block is not None]


def _again(
    page: Page, marked: Marked, block: Block, line: int, barriers: frozenset[int]
) -> Block | None:
    """Give the part of a report round a line that repeats a block; None where it tells little."""
    first = last = line
    while (
        first
        and line - first < _APART
        and indent(page.lines[first - 1]) < indent(page.lines[line])
    ):
        if marked.has(first - 1, "ruler", "summary", "command") or first - 1 in barriers:
            break
        first -= 1
    while not page.lines[first].strip():
        first += 1
    for i in range(line + 1, min(len(page.lines), line + _REPORT)):
        if i in barriers or marked.has(i, "exit", "command", "wrapper", "ruler", "summary"):
            break
        if page.lines[i].strip():
            last = i
        elif i - last > 1:
            break
    if last - line < _LITTLE:
        return None
    return Block(first, last, line, block.weight + _LATER, "final report of a failed item")


def _words(line: str) -> str:
    """Give a line without the marks and spaces round its words."""
    return line.strip(" \t\r-*#|>\u2717\u2718\u2716\u00d7\u2715\u274c\u2022")
