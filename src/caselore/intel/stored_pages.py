"""Pages as they are stored: filed, read again, and found for what cites them.

Must not change a character of a page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from caselore.errors import NotFound
from caselore.intel import briefing
from caselore.intel.dossier import Dossier
from caselore.intel.entities import Book
from caselore.intel.pages import Block, Page
from caselore.memory.api import Memory
from caselore.memory.encoding import digest, stamp
from caselore.memory.evidence import Snapshot
from caselore.memory.exhibits import Exhibit, Filing


def snapshot_filing(page: Page) -> Filing:
    """Give what is filed of a page."""
    body = Snapshot(
        url=page.url, text=page.text, digest=page.digest, fetched_at=stamp(page.fetched_at) if page.fetched_at else "",
        title=page.title[:2_000], final_url=page.final_url, media=page.media, published=page.published,
        published_from=page.published_from, publisher=page.facts.publisher[:200], tier=page.tier,
        etag=page.etag, modified=page.modified, private=page.private,
    )  # fmt: skip
    at = page.fetched_at
    assert at is not None
    known = digest("page", page.url, page.digest, page.title, page.published)
    return Filing(body, known, at, at, findings=page.findings)


def reread(one: Exhibit) -> Page:
    """Give a stored page again as a page of plain lines."""
    body = one.body
    assert isinstance(body, Snapshot)
    blocks, at = [], 0
    for line in body.text.split("\n"):
        kind = "row" if "\t" in line else "text"
        blocks.append(Block(kind, at, at + len(line)))
        at += len(line) + 1
    return Page(
        body.url, body.text, body.title, tuple(one for one in blocks if one.last > one.first),
        fetched_at=one.happened_at, published=body.published, published_from=body.published_from,
        media=body.media, snapshot=one.id, tier=body.tier,
    )  # fmt: skip


@dataclass
class Citing:
    """Finds the page of each quote, once."""

    memory: Memory
    book: Book

    def all(self, dossiers: Iterable[Dossier]) -> list[briefing.Cited]:
        """Give each event with its page."""
        return [self.one(dossier) for dossier in dossiers]

    def one(self, dossier: Dossier) -> briefing.Cited:
        """Give one event with its page; one whose page is gone cites nothing."""
        entity = self.book.by_name(dossier.event.competitor)
        names = (*entity.names, *entity.slugs) if entity else (dossier.event.competitor,)
        try:
            page = self.memory.exhibit(dossier.best.snapshot)
        except NotFound:
            return briefing.Cited(dossier, "", "", "", names)
        body = page.body
        assert isinstance(body, Snapshot)
        held = page.status.value in {"quarantined", "retracted"}
        return briefing.Cited(dossier, body.text, body.title, dossier.date, names, held)
