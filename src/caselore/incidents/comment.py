"""Renders a diagnosis as a short comment for a merge request or a chat.

Must not repeat a line that gives orders to a model: agents read comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from caselore.guards import injection
from caselore.incidents import precedents
from caselore.incidents.diagnosis import Diagnosis
from caselore.incidents.document import Sentence
from caselore.logs import Range

EXCERPT_LINES = 20
NEAREST = 3

_MARKUP = re.compile(r"([\\`*_\[\]<>#|~!])")
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|www)(://|\.)")


def markdown(found: Diagnosis) -> str:
    """Give the comment: what is known, what to do, what it rests on."""
    head = "Seen before, with a confirmed fix" if found.sufficient else "Not enough evidence yet"
    lines = [f"### caselore: {head}", ""]
    for title, part in (
        ("Historical Evidence", _evidence(found)),
        ("Diagnosis", _sentences(found, found.document.diagnosis)),
        ("Recommended Fix", _sentences(found, found.document.fix)),
        ("Nearest, and why not", () if found.sufficient else _nearest(found)),
        ("Withheld", (f"- {_plain(w.reason)}" for w in found.withheld)),
    ):
        rows = list(part)
        lines += [f"**{title}**", "", *rows, ""] if rows else []
    return "\n".join([*lines, *_excerpt(found), "", f"Incident `{found.case.id}`"]) + "\n"


def _evidence(found: Diagnosis) -> Iterator[str]:
    for quote in found.document.evidence:
        yield f"- {_names(found, quote.cites)}, {quote.part}: “{_plain(quote.quote)}”"


def _sentences(found: Diagnosis, sentences: tuple[Sentence, ...]) -> Iterator[str]:
    for sentence in sentences:
        rests = [_names(found, sentence.cites), *(f"line {line}" for line in sentence.lines)]
        yield f"- {_plain(sentence.text)} ({', '.join(filter(None, rests))})"


def _nearest(found: Diagnosis) -> Iterator[str]:
    for hit in found.nearest[:NEAREST]:
        yield f"- {_plain(precedents.label(hit.case))}: {_plain(hit.why_not)}"


def _names(found: Diagnosis, ids: tuple[str, ...]) -> str:
    """Name cited records as people do."""
    hits = (*found.recalled.hits, *found.recalled.nearest)
    names = {hit.case.id: precedents.label(hit.case) for hit in hits}
    return ", ".join(_plain(names.get(id, id)) for id in ids)


def _plain(text: str) -> str:
    """Give a text as one line in which nothing is markup and no address is a link."""
    line = _MARKUP.sub(r"\\\1", " ".join(text.split()))
    return _ADDRESS.sub(
        lambda found: f"{found.group(1)}{found.group(2)[0]}\u2060{found.group(2)[1:]}", line
    )


def _excerpt(found: Diagnosis) -> Iterator[str]:
    """Give the most important range, its lines numbered, within a fence that they cannot close."""
    if not found.reading.excerpt:
        return
    rows = list(_numbered(found.reading.excerpt[0]))[:EXCERPT_LINES]
    fence = "`" * max(3, 1 + max(len(run) for run in re.findall("`*", "\n".join(rows))))
    yield from (f"{fence}text", *rows, fence)


def _numbered(part: Range) -> Iterator[str]:
    hidden = {found.line: found.rule for found in injection.scan(part.text)}
    for offset, line in enumerate(part.text.split("\n")):
        rule = hidden.get(offset + 1)
        shown = f"[left out: it gives orders to its reader ({rule})]" if rule else line
        yield f"{part.first + offset:>6}  {shown}"
