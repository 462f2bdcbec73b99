"""A page as stages pass it on: its text with the places of its blocks, its day, its hidden words.

Must not fetch or judge.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import urlsplit

from caselore.intel.days import day_of

_IS_KICKER = re.compile(
    r"\W*(?:for immediate release|press release|news release|media release|embargo\w*.*|pressemitteilung"
    r"|communiqué de presse|nota de prensa|\d{1,2}[ ./-]\S+[ ./-]\d{4}|\d{4}-\d\d-\d\d)\W*",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Block:
    """One run of a page's text: a heading, a paragraph, a list item, a row of a table."""

    kind: str
    first: int
    last: int
    level: int = 0
    """Of a heading 1 to 6."""
    day: str = ""
    """The day that a time element in it names."""
    link: bool = False
    """It is nothing but a link to another page."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A price that a page's structured data gives."""

    plan: str
    amount: float
    currency: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a page's structured data says: never quoted, only compared."""

    kind: str = ""
    headline: str = ""
    published: str = ""
    modified: str = ""
    publisher: str = ""
    names: tuple[tuple[str, ...], ...] = ()
    """Groups of names of one organisation."""
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One fetched page."""

    url: str
    text: str
    title: str = ""
    blocks: tuple[Block, ...] = ()
    fetched_at: datetime | None = None
    published: str = ""
    published_from: str = ""
    final_url: str = ""
    canonical: str = ""
    site: str = ""
    """What its title ends in: mostly the name of its site."""
    media: str = "text/html"
    facts: Facts = Facts()
    hidden: tuple[str, ...] = ()
    """Words that the page holds but shows to nobody: comments, hidden elements, alternatives."""
    source: str = ""
    etag: str = ""
    modified: str = ""
    private: bool = False
    snapshot: str = ""
    """The id under which it is stored, once it is."""
    tier: str = "unknown"
    findings: tuple[str, ...] = field(default=())

    @property
    def digest(self) -> str:
        """Give the hash of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def day(self) -> str:
        """Give the day from which its words are read: of its publication, else of its fetching."""
        return self.published or day_of(self.fetched_at)

    @property
    def host(self) -> str:
        """Give the host without www; empty for a file."""
        return (urlsplit(self.final_url or self.url).hostname or "").removeprefix("www.")

    def part(self, block: Block) -> str:
        """Give a block's text."""
        return self.text[block.first : block.last]

    def having(self, **changes: object) -> Page:
        """Give the page with some fields replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]


def text_page(url: str, text: str, **more: object) -> Page:
    """Make a page of plain text: each paragraph a block, a first short line the title."""
    blocks, at = [], 0
    clean = text.replace("\r\n", "\n").replace("\r", "\n").strip("\ufeff\n ")
    for line in clean.split("\n"):
        stripped = line.strip()
        if stripped:
            first = at + line.index(stripped[0])
            bare = stripped.lstrip("#").strip()
            level = len(stripped) - len(stripped.lstrip("#"))
            first += stripped.index(bare) if bare else 0
            kind = "heading" if level else "item" if stripped[:2] in {"- ", "* "} else "text"
            blocks.append(Block(kind, first, first + len(bare), level))
        at += len(line) + 1
    lead = next(
        (
            n
            for n, one in enumerate(blocks[:4])
            if not _IS_KICKER.fullmatch(clean[one.first : one.last])
        ),
        0,
    )
    title = clean[blocks[lead].first : blocks[lead].last] if blocks else ""
    short = len(title) <= 160 and not title.endswith((".", ";", ","))
    if short and len(blocks) > lead + 1 and blocks[lead].kind == "text":
        blocks[lead] = replace(blocks[lead], kind="heading", level=1)
    page = Page(url, clean, title if short else "", tuple(blocks), media="text/plain")
    return page.having(**more)
