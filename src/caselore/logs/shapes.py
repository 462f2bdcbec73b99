"""Find failure output of tools that no reader knows, by the shapes that such output has.

Must not name a tool: every rule here is about form, and has to hold for a tool never seen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final

from caselore.logs.blocks import Block, indent
from caselore.logs.page import Page
from caselore.logs.sections import Region
from caselore.logs.signs import Marked
from caselore.logs.weights import MEDIUM, PLACE, VERDICT, WEAK, lead, logged, weight_of

_HEAD_PLACE: Final = re.compile(r"^\s*(?:\w+: )?[^\s:(]+\.[A-Za-z]\w{0,4}[:(][0-9]+")
_ECHOES: Final = ("command", "section", "echo", "exit", "ruler")
_NUMBERED: Final = re.compile(r"^\s*(?:\[?([0-9]{1,4})[).\]]) +\S|^Failure ([0-9]+)")
_TALE: Final = ("frame", "medium", "strong", "weak")
_BESIDE: Final = ("talk", "frame", "advice", "usage", "fine")  # stands round what was wrong
_MORE_BELOW: Final = re.compile(r":$|\b[0-9]+ (?:\w+ )?errors? (?:for|in|found)\b")
_WAITING: Final = re.compile(r"(?i)\b(?:pending|skipped|expected|todo|ignored|slow)")
_MESSAGE_OF: Final = 12  # lines of a message between an exception and its steps
_MARGIN: Final = re.compile(r"^(?:[=|#>!*]+ |E  +)(?=\S)")  # what a runner puts before each line
_BODY, _STACK = 60, 400  # lines that may hang under one
_STOPPED: Final = (124, 137, 143)  # exit statuses of time-out, kill and terminate
_LISTED, _NAMES = 47.0, 36.0  # failures with their details; a list of names only
_NAMED: Final = 8.0  # an error under the item that it broke, beside one that was only printed
_PARAGRAPH: Final = 10
_ANNOUNCED: Final = 6  # lines under one that ends in a colon
_FEW: Final = 40  # lines of output that can be shown whole
_MESSAGE, _WORDY = 3, 2000  # lines, characters of a line
_WELL: Final = ("command", "section", "exit", "ok", "success", "passed", "fine", "summary", "talk")
_REPEATS, _KEY = 3, 300
_OFTEN, _COMMON = 24, 12.0  # times, points
_DIGITS: Final = re.compile(r"[0-9]+")
_MOST_HITS: Final = 600


def shape_blocks(
    page: Page, marked: Marked, barriers: frozenset[int], failed: tuple[Region, ...]
) -> list[Block]:
    """Find blocks by shape alone."""
    found = list(_numbered(page, marked, barriers))
    found += _headed(page, marked, barriers)
    found += _lines(page, marked, barriers, failed)
    found += [_stopped(region) for region in failed[:3] if region.status in _STOPPED]
    for region in failed[:3]:
        found += _short(page, marked, region)
        found += _above(page, marked, region.end)
    if not failed:
        found += _message(page, marked)
        found += [b for i in marked.lines("wrapper", "exit")[:12] for b in _above(page, marked, i)]
    return found


def _lines(
    page: Page, marked: Marked, barriers: frozenset[int], failed: Sequence[Region]
) -> Iterator[Block]:
    """Give a block round each line that states trouble, with the body that hangs under it.

    A line that a command printed many times is looked at the first and last few times only.
    """
    last = -1
    hits = 0
    for i, common in _outer_repeats(page, marked, failed):
        if i <= last:
            continue
        weight = weight_of(page, marked, i)
        if weight <= 1 or hits > _MOST_HITS:
            continue
        hits += 1
        end = _body(page, marked, i, barriers)
        best = lead(page, marked, range(i, end + 1))
        verdict = marked.has(i, "verdict") and end > i and not logged(marked, i)
        heavy = weight_of(page, marked, best)
        frames = sum(1 for k in range(i, end + 1) if marked.has(k, "frame"))
        if verdict:
            heavy = max(heavy + (_NAMED if best > i else 0.0), VERDICT + 8.0)
        heavy += (4 if frames > 1 else 0) - (0.0 if verdict else common)
        placed = bool(_HEAD_PLACE.match(page.lines[best][:200]))
        sure = verdict or placed or marked.has(best, "crash", "unexpected")
        why = "failed item and its details" if verdict else "line that states an error"
        yield Block(i, end, best, heavy, why, bottom=frames < 2 and not sure)
        last = end


def _outer_repeats(
    page: Page, marked: Marked, failed: Sequence[Region]
) -> list[tuple[int, float]]:
    """List the lines with signs, without the middle ones of those that a command repeats.

    Each with the points that it loses for being common: what a command says all the time it also
    says while all is well.
    """
    places: dict[tuple[int, str], list[int]] = {}
    order = sorted(marked.signs)
    keys = _DIGITS.sub("0", "\n".join([page.lines[i][:_KEY] for i in order])).split("\n")
    for i, key in zip(order, keys, strict=False):  # no line at all is one empty key
        part = next((n for n, region in enumerate(failed) if i in region), -1) if failed else -1
        places.setdefault((part, key), []).append(i)
    few = (
        [
            (i, _common(len(each)))
            for i in (each if len(each) <= 2 * _REPEATS else each[:_REPEATS] + each[-_REPEATS:])
        ]
        for each in places.values()
    )
    return sorted(chain.from_iterable(few))


def _common(times: int) -> float:
    """Give the points that a line loses that a command printed so many times."""
    return min(_COMMON, 3.0 * math.log2(times / _OFTEN)) if times > _OFTEN else 0.0


def _body(page: Page, marked: Marked, head: int, barriers: frozenset[int]) -> int:
    """Follow what belongs under a line: deeper lines, frames, the rest of its paragraph."""
    deep = indent(page.lines[head])
    announced = bool(_MORE_BELOW.search(page.lines[head][:400].rstrip()))
    margin = m.group() if (m := _MARGIN.match(page.lines[head])) else ""
    last, blanks, near = head, 0, head
    opened = marked.has(head, "opener")
    longest = _STACK if opened else _BODY
    for i in range(head + 1, min(len(page.lines), head + longest)):
        line = page.lines[i]
        if i in barriers or marked.has(i, "wrapper", "exit", "command", "section", "ok"):
            break
        if not line.strip():
            blanks += 1
            if blanks > 1:
                break
            continue
        opened = opened or marked.has(i, "opener")
        told = marked.has(i, *_TALE) or (announced and i - head <= _ANNOUNCED)
        hangs = _deeper(line, deep) or (margin and line.startswith(margin) and not blanks)
        if hangs or marked.has(i, "frame") or _under_ruler(marked, head, last, i):
            pass
        elif opened and not blanks and not marked.has(i, "opener"):
            near, opened = i, False  # what was thrown, below its steps
        elif (blanks or i - near > _PARAGRAPH or not told) and not _message_of(
            page, marked, head, i
        ):
            break
        last, blanks = i, 0
    while last > head and marked.has(last, "ruler") and not _deeper(page.lines[last], deep):
        last -= 1
    return last


def _deeper(line: str, deep: int) -> bool:
    """Say whether a line hangs under one that is indented by so much."""
    return indent(line) > deep or line.lstrip()[:1] in ("^", "~", "|")


def _message_of(page: Page, marked: Marked, head: int, i: int) -> bool:
    """Say whether a line is a part of what an exception says: its steps follow soon."""
    if not marked.has(head, "strong", "verdict") or marked.has(i, "verdict", "ruler", "summary"):
        return False
    for k in range(i + 1, min(len(page.lines), i + _MESSAGE_OF)):
        if marked.has(k, "frame"):
            return True
        if marked.has(k, "verdict", "ruler", "wrapper", "exit", "command", "section", "strong"):
            return False
    return False


def _under_ruler(marked: Marked, head: int, last: int, i: int) -> bool:
    """Say whether a line is the ruler between a failed item and what is told of it."""
    return last == head and marked.has(head, "verdict") and marked.has(i, "ruler")


def _numbered(page: Page, marked: Marked, barriers: frozenset[int]) -> Iterator[Block]:
    """Find lists of numbered failures under a line that names failures."""
    for head in marked.lines("heading", "verdict", "weak", "summary"):
        first = _past_rulers(page, marked, head + 1)
        if (
            first is None
            or first - head > 4
            or first in barriers
            or _WAITING.search(page.lines[head])
        ):
            continue
        number = _NUMBERED.match(page.lines[first])
        if number is None or int(number.group(1) or number.group(2)) > 1:
            continue
        yield from _items(page, marked, first, barriers)


def _items(page: Page, marked: Marked, first: int, barriers: frozenset[int]) -> Iterator[Block]:
    """Cut a numbered list into its items."""
    start, count, deep = first, 1, indent(page.lines[first])
    last = first
    for i in range(first + 1, min(len(page.lines), first + 400)):
        line = page.lines[i]
        if i in barriers or marked.has(i, "exit", "command", "wrapper"):
            break
        if not line.strip():
            continue
        number = _NUMBERED.match(line)
        if (
            number
            and int(number.group(1) or number.group(2)) == count + 1
            and indent(line) <= deep + 2
        ):
            yield _item(page, marked, start, last)
            start, count = i, count + 1
        elif (
            indent(line) <= deep and marked.has(i, "summary", "ruler", "heading") and i - last > 1
        ):
            break
        last = i
    yield _item(page, marked, start, last)


def _item(page: Page, marked: Marked, start: int, last: int) -> Block:
    """Make a block of one numbered item; its line is the strongest, else the first below."""
    inside = range(start + 1, last + 1)
    best = lead(page, marked, inside) if inside else start
    if not weight_of(page, marked, best):
        best = _next_full(page, start + 1) or start
    line = best if best <= last else start
    return Block(start, last, line, 58.0, "numbered failure", unit=page.lines[start].strip()[:200])


def _headed(page: Page, marked: Marked, barriers: frozenset[int]) -> Iterator[Block]:
    """Find what stands below a heading that names failures, to the next ruler or tally."""
    for head in marked.lines("heading"):
        first = _past_rulers(page, marked, head + 1)
        if _WAITING.search(page.lines[head]):
            continue
        if first is None or first - head > 6 or first in barriers:
            continue
        last = _section_end(page, marked, first, barriers)
        if last is None:
            continue
        best = lead(page, marked, range(first, last + 1))
        telling = weight_of(page, marked, best) >= MEDIUM - 10
        line, weight = (best, _LISTED) if telling else (first, _NAMES)
        yield Block(first, last, line, weight, "listed under failures")


def _section_end(page: Page, marked: Marked, first: int, barriers: frozenset[int]) -> int | None:
    """Find the last line of a section; None where it holds nothing."""
    last = None
    for i in range(first, min(len(page.lines), first + 80)):
        if i in barriers or marked.has(i, "exit", "command", "wrapper", "heading"):
            break
        if i > first and marked.has(i, "ruler", "summary") and indent(page.lines[i]) == 0:
            break
        if page.lines[i].strip():
            last = i
    return last


def _next_full(page: Page, i: int) -> int | None:
    """Give the next line that is not blank."""
    while i < len(page.lines):
        if page.lines[i].strip():
            return i
        i += 1
    return None


def _past_rulers(page: Page, marked: Marked, i: int) -> int | None:
    """Give the next line that is neither blank nor a ruler."""
    full = _next_full(page, i)
    while full is not None and marked.has(full, "ruler"):
        full = _next_full(page, full + 1)
    return full


def _short(page: Page, marked: Marked, region: Region) -> Iterator[Block]:
    """Take the whole output of a failed command that said little."""
    telling = (i for i in range(region.first, region.end) if _tells(page, marked, i))
    inside = list(islice(telling, _FEW + 1))
    if not inside or len(inside) > _FEW:
        return
    inside = [i for i in inside if not marked.has(i, "wrapper")] or inside
    best = lead(page, marked, inside)
    if not weight_of(page, marked, best):
        quiet = [k for k in inside if not marked.has(k, *_BESIDE)]
        placed = [k for k in quiet if _HEAD_PLACE.match(page.lines[k][:200])]
        placed = placed or [k for k in quiet if PLACE.search(page.lines[k][:200])]
        best = placed[0] if placed else _last_word(page, marked, inside)
    why = "all that the failed command printed"
    yield Block(inside[0], inside[-1], best, 27.0, why, around=True)


def _last_word(page: Page, marked: Marked, lines: Sequence[int]) -> int:
    """Give the last of these lines that is no detail of another and no advice."""
    quiet = [i for i in lines if not marked.has(i, *_BESIDE)]
    least = min((indent(page.lines[i]) for i in quiet), default=0)
    return next((i for i in reversed(quiet) if indent(page.lines[i]) == least), lines[-1])


def _message(page: Page, marked: Marked) -> Iterator[Block]:
    """Take a text of very few lines for an error message, which need not say that it is one."""
    lines = [i for i, text in enumerate(page.lines[:40]) if text.strip()]
    if not 0 < len(lines) <= _MESSAGE or len(page.lines) > 40 or page.marks:
        return
    if any(marked.has(i, *_WELL) or not page.lines[i].isprintable() for i in lines):
        return
    if len(page.lines[lines[-1]]) < _WORDY:
        yield Block(lines[0], lines[-1], lines[-1], WEAK, "all there is", around=True)


def _stopped(region: Region) -> Block:
    """Point at the marker of a command stopped from outside: it had no time to say why."""
    return Block(
        region.marker, region.marker, region.marker, 66.0, "stopped from outside", sure=True
    )


def _tells(page: Page, marked: Marked, i: int) -> bool:
    """Say whether a line is output, not an echo or a marker."""
    return bool(page.lines[i].strip()) and not marked.has(i, *_ECHOES)


def _above(page: Page, marked: Marked, marker: int) -> Iterator[Block]:
    """Take the paragraph above a wrapper or an exit marker."""
    i = marker - 1
    while (
        i > 0
        and marker - i < 30
        and (not page.lines[i].strip() or marked.has(i, "wrapper", "exit", "ruler"))
    ):
        i -= 1
    last = i
    while (
        i > 0
        and last - i < 10
        and page.lines[i].strip()
        and not marked.has(i, "command", "section", "exit", "wrapper")
    ):
        i -= 1
    first = i + 1 if i < last else last
    if (
        last < 0
        or not page.lines[last].strip()
        or marked.has(last, "wrapper", "exit", "ruler", "section")
    ):
        return
    best = lead(page, marked, range(first, last + 1))
    if not weight_of(page, marked, best):
        best = _last_word(page, marked, range(first, last + 1))
    why = "last output before the failure was reported"
    yield Block(first, last, best, 24.0, why, around=True)
