"""Lays out what was read in a log for a person: numbered lines, and what they were signed as.

Must not interpret: every word comes from the reading.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from caselore.faces.terminal import Paper, safe

if TYPE_CHECKING:
    from caselore.incidents.resign import Plan
    from caselore.logs import Reading


_FAILING_ROWS = 4  # rows that the failing line may take


class Lines(Protocol):
    """A range of a log, as a reading and a record both hold it."""

    @property
    def first(self) -> int:
        """Give the first line's number."""
        ...

    @property
    def last(self) -> int:
        """Give the last line's number."""
        ...

    @property
    def text(self) -> str:
        """Give the lines."""
        ...

    @property
    def why(self) -> str:
        """Say why they are shown."""
        ...


def lines(reading: Reading, paper: Paper) -> list[str]:
    """Lay out one reading."""
    size = f"{reading.lines:,} line{'s' * (reading.lines != 1)}, {reading.bytes:,} bytes"
    cut = ", read only in part" if reading.truncated else ""
    return [
        *paper.wrap(f"{reading.log}: {size}{cut}", first=""),
        *facts(reading, paper),
        "",
        *excerpt(reading.excerpt, reading.failing_line, paper),
    ]


def facts(reading: Reading, paper: Paper, *more: tuple[str, str]) -> list[str]:
    """Name the failure and its signature, and what was masked or looked planted."""
    found = reading.signature
    sort = "generic: never called a known failure" if found.generic else f"{found.specificity:.2f}"
    rows = [
        ("family", ", ".join(dict.fromkeys(part for part in (found.family, found.tool) if part))),
        ("unit", found.unit),
        ("error", ": ".join(part for part in (found.error, found.message) if part)[:400]),
        ("signature", f"{found.id} ({sort})"),
        ("masked", _counted(f"line {one.line} {one.rule}" for one in reading.redactions)),
        ("suspicious", _counted(f"line {one.line} {one.rule}" for one in reading.injection)),
        *more,
        ("note", "; ".join(reading.notes)),
    ]
    return paper.table(rows)


def _counted(findings: Iterable[str]) -> str:
    found = list(findings)
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return ", ".join(found[:3]) + more


def excerpt(ranges: Iterable[Lines], failing_line: int | None, paper: Paper) -> list[str]:
    """Number the lines of an excerpt, in the order of the log, and mark the failing one."""
    ordered = sorted(ranges, key=lambda one: one.first)
    if not ordered:
        return ["  No failing line was found."]
    wide = len(str(ordered[-1].last))
    shown: list[str] = []
    for position, part in enumerate(ordered):
        if position and part.first > ordered[position - 1].last + 1:
            shown.append(paper.ink(f"  {'':>{wide}} …", "dim"))
        for offset, text in enumerate(part.text.split("\n")[: part.last - part.first + 1]):
            shown += _numbered(part.first + offset, wide, text, failing_line, paper)
    return shown


def _numbered(
    number: int, wide: int, text: str, failing_line: int | None, paper: Paper
) -> list[str]:
    """Number one line; the failing one is wrapped, any other is cut."""
    room = paper.width - wide - 5
    clean = safe(text.replace("\n", " "))
    if number != failing_line:
        clean = clean if len(clean) <= room else clean[: room - 1] + "…"
        return [f"  {paper.ink(f'{number:>{wide}} |', 'dim')} {clean}".rstrip()]
    pieces = textwrap.wrap(clean, room, break_on_hyphens=False) or [""]
    if len(pieces) > _FAILING_ROWS:
        pieces = [*pieces[: _FAILING_ROWS - 1], pieces[_FAILING_ROWS - 1][:-1] + "…"]
    leads = [f"> {number:>{wide}} | ", *[f"  {'':>{wide}} | "] * (len(pieces) - 1)]
    rows = zip(leads, pieces, strict=True)
    return [paper.ink(lead + piece, "red", "bold") for lead, piece in rows]


def compared(same: bool, rows: list[dict[str, Any]], paper: Paper) -> list[str]:
    """Lay out a comparison of two signatures."""
    shown = ["The same failure." if same else "Not the same failure.", ""]
    for row in rows:
        mark = paper.ink("=", "green") if row["same"] else paper.ink("x", "red")
        shown.append(f"{mark} {row['name']:<8} {paper.cut(row['one'], paper.width - 11)}")
        if not row["same"]:
            shown.append(f"  {'':<8} {paper.cut(row['other'], paper.width - 11)}")
    return shown


def resigned(found: Plan, written: int, paper: Paper) -> list[str]:
    """Lay out what re-signing changes."""
    lines = [f"{len(found.changes)} of {found.looked_at} incidents get another signature."]
    for new, old in found.merges.items():
        lines += paper.wrap(f"merge into {new}: {', '.join(old)}", first="  ", indent="    ")
    for one, parts in found.splits.items():
        lines += paper.wrap(f"split {one} into {', '.join(parts)}", first="  ", indent="    ")
    if written:
        return [*lines, f"Written: {written}."]
    if found.changes:
        lines.append("Nothing is written yet: `caselore signature resign --apply` does it.")
    return lines
