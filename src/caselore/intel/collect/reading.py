"""Turns what was fetched into a page: markup, feeds and plain text alike.

Must not fetch.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

from caselore.errors import BadInput
from caselore.guards.names import URL_LIMIT, check_url
from caselore.intel.collect.html_text import read_html
from caselore.intel.collect.page_dates import day_in_markup, published
from caselore.intel.collect.structured import read_scripts
from caselore.intel.pages import Block, Page, text_page

_META_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_XML_CHARSET = re.compile(rb"<\?xml[^>]+encoding\s*=\s*[\"']([\w-]+)")
MAX_BYTES = 5_000_000


_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip


def decode(data: bytes, charset: str = "") -> str:
    """Give the text of bytes: by what the server, the markup or the bytes themselves say."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data.decode(name, "replace").lstrip("\ufeff")
    head = data[:2_000]
    found = _META_CHARSET.search(head) or _XML_CHARSET.search(head)
    for name in (charset, found[1].decode("ascii", "replace") if found else "", "utf-8-sig"):
        if name:
            try:
                return data.decode(name)
            except (LookupError, UnicodeDecodeError):
                continue
    return data.decode("cp1252", "replace")


def is_feed(text: str, media: str = "") -> bool:
    """Say whether a text is an RSS or Atom feed."""
    head = text[:1_000].lstrip("\ufeff \r\n\t").lower()
    return (
        "rss" in media or "atom" in media or head.startswith(("<?xml", "<rss", "<feed", "<rdf"))
    ) and bool(re.search(r"<(?:rss|feed|rdf:rdf)\b", head))


def html_page(markup: str, url: str, fetched_at: datetime, **more: Any) -> Page:
    """Read a page of markup."""
    read = read_html(markup, url)
    facts = read_scripts(read.scripts)
    lines = _first_lines(read.text, read.blocks)
    modified = str(more.pop("last_modified", ""))
    seen = fetched_at.date().isoformat()
    day, told = published(facts.published, read.metas, read.times, lines, url, modified, seen)
    publisher = facts.publisher or read.metas.get("og:site_name", "")
    return Page(
        url=url,
        text=read.text,
        title=read.title or facts.headline,
        blocks=read.blocks,
        fetched_at=fetched_at,
        published=day,
        published_from=told,
        canonical=read.canonical,
        site=read.site,
        facts=facts if publisher == facts.publisher else _published_by(facts, publisher),
        hidden=(
            *read.hidden,
            *(read.metas.get(name, "") for name in ("description", "og:description")),
        ),
        **more,
    )


def _first_lines(text: str, blocks: Sequence[Block]) -> list[str]:
    """Give the first lines of a text; of its headings only those that are nothing but a day."""
    return [
        line
        for one in blocks[:12]
        if one.kind != "row"
        and (line := text[one.first : one.last])
        and (one.kind != "heading" or len(line) < 32)
    ][:9]


def _published_by(facts: Any, publisher: str) -> Any:
    from dataclasses import replace  # noqa: PLC0415

    return replace(facts, publisher=publisher)


def plain_page(text: str, url: str, fetched_at: datetime, **more: Any) -> Page:
    """Read a page of plain text or Markdown."""
    modified = str(more.pop("last_modified", ""))
    page = text_page(url, text, fetched_at=fetched_at, **more)
    lines = _first_lines(page.text, page.blocks)
    day, told = published("", {}, (), lines, url, modified, fetched_at.date().isoformat())
    return page.having(published=day, published_from=told)


def feed_pages(data: bytes | str, url: str, fetched_at: datetime, **more: Any) -> Iterator[Page]:
    """Read each entry of a feed as a page of its own, under the address that it links."""
    import feedparser  # type: ignore[import-untyped]  # noqa: PLC0415 - only feeds need it

    more.pop("last_modified", None)
    parsed = feedparser.parse(data)
    for entry in parsed.entries[:500]:
        link = joined(url, str(entry.get("link") or ""))
        day = _entry_day(entry)
        title = unescape(re.sub(r"<[^>]+>", "", entry.get("title") or "")).strip()
        content = entry.get("content") or []
        body = (content[0].get("value") if content else "") or entry.get("summary") or ""
        markup = f"<main><h1>{_escaped(title)}</h1><div>{body}</div></main>"
        try:
            page = html_page(markup, link, fetched_at, **more)
        except BadInput:  # its body cannot be read; its title still stands
            page = html_page(f"<main><h1>{_escaped(title)}</h1></main>", link, fetched_at, **more)
        yield page.having(
            title=title or page.title,
            published=day or page.published,
            published_from="feed" if day else page.published_from,
            media="application/feed-entry",
            source=url,
        )


def joined(url: str, link: str) -> str:
    """Give the address that a link leads to; the page's own where it is none."""
    try:
        return check_url(urljoin(url, link))
    except (ValueError, BadInput):  # an address that cannot be parted, or is none of the web
        return url


def told_by_its_feed(entry: Page) -> Page:
    """Give what only a feed says the feed's own address where it links another site.

    Anybody's feed may link a newspaper: the words beside the link are still the feed's.
    """
    feed, link = urlsplit(entry.source).hostname or "", urlsplit(entry.url).hostname or ""
    one, other = feed.removeprefix("www."), link.removeprefix("www.")
    if not one or one == other or one.endswith(f".{other}") or other.endswith(f".{one}"):
        return entry
    return entry.having(url=f"{entry.source.split('#', 1)[0]}#{entry.url}"[:URL_LIMIT])


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _entry_day(entry: Any) -> str:
    for name in ("published", "issued", "date", "created", "updated", "modified"):
        day = day_in_markup(entry.get(name) or "")
        if day:
            return day
        parsed = entry.get(f"{name}_parsed")
        if parsed:
            return date(*parsed[:3]).isoformat()
    return ""
