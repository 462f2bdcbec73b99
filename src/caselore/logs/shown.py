"""Turn chosen lines into text that may leave: secrets masked, instructions to readers noted.

Must not choose lines, and must not let text leave that no guard has seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from caselore.guards import injection, secrets
from caselore.logs.excerpt import Span
from caselore.logs.page import Page
from caselore.logs.reading import Range, Redaction, Suspicion

_WIDTH: Final = 2000

Shown = tuple[tuple[Range, ...], tuple[Redaction, ...], tuple[Suspicion, ...]]


def shown(page: Page, spans: Sequence[Span]) -> Shown:
    """Give ranges with masked text, what was masked, and what tries to instruct the reader."""
    ranges: list[Range] = []
    masked: set[Redaction] = set()
    suspicious: set[Suspicion] = set()
    for span in spans:
        first, last = page.numbers[span.first], page.numbers[span.last]
        text = secrets.redact("\n".join(_lines(page, span)))
        masked.update(Redaction(first + f.line - 1, f.rule) for f in text.findings)
        for found in injection.scan("\n".join(page.raw(first, last))):
            suspicious.add(Suspicion(first + found.line - 1, found.rule, found.view))
        ranges.append(Range(first, last, text.text, span.why))
    order = sorted(masked, key=lambda r: (r.line, r.rule))
    return (
        tuple(ranges),
        tuple(order),
        tuple(sorted(suspicious, key=lambda s: (s.line, s.rule, s.view))),
    )


def _lines(page: Page, span: Span) -> list[str]:
    """Give every line of a span, also the blank ones that the page left out."""
    places = range(span.first, span.last + 1)
    known = {page.numbers[i]: _short(page.lines[i]) for i in places}
    first, last = page.numbers[span.first], page.numbers[span.last]
    return [known.get(number, "") for number in range(first, last + 1)]


def masked_text(lines: Sequence[str]) -> str:
    """Join lines into text without secrets."""
    return secrets.redact("\n".join(map(_short, lines))).text


def _short(line: str) -> str:
    """Shorten a line too long to read, keeping both ends."""
    if len(line) <= _WIDTH:
        return line
    half = _WIDTH // 2
    return f"{line[:half]} ... {line[-half:]}"
