"""Reads a folder of pages: HTML, feeds and text, with addresses and times from its site.json.

Must not read outside the folder, nor what was fetched after the moment that is asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from caselore.errors import BadInput, NotFound
from caselore.guards.names import quoted
from caselore.intel.collect.reading import (
    MAX_BYTES,
    decode,
    feed_pages,
    html_page,
    is_feed,
    plain_page,
    told_by_its_feed,
)
from caselore.intel.pages import Page

_HTML = frozenset({".html", ".htm", ".xhtml"})
_FEEDS = frozenset({".xml", ".rss", ".atom"})
_TEXT = frozenset({".txt", ".md", ".markdown", ".text"})
MAX_FILES = 20_000


class Entry(NamedTuple):
    """One version of one page, as the folder lists it."""

    url: str
    file: Path | None
    fetched_at: datetime
    status: int = 200
    location: str = ""
    media: str = ""
    etag: str = ""
    modified: str = ""
    by_file: bool = False
    """Only the file's own time says when it was fetched: copying a folder makes it new."""


class Brought(NamedTuple):
    """What a source brought: pages in the order of their fetching, and what it left out and why."""

    pages: tuple[Page, ...]
    left_out: tuple[tuple[str, str], ...]


def read_folder(folder: Path, as_of: datetime | None) -> Brought:
    """Read what a folder held at a moment, or all of it. Raises NotFound and BadInput."""
    if not folder.is_dir():
        raise NotFound(
            f"there is no folder {folder}", hint="Give a folder of pages or an address."
        )
    every = list(_entries(folder))
    entries = [one for one in every if as_of is None or one.fetched_at <= as_of]
    entries.sort(key=lambda one: (one.fetched_at, one.url, str(one.file)))
    barred = _barred(entries)
    pages: list[Page] = []
    left = _saved_later(folder, every, as_of)
    for entry in entries:
        reason = _reason(entry, barred)
        if reason:
            left.append((entry.url, reason))
        elif entry.file is not None:
            try:
                pages += _pages(entry, folder)
            except BadInput as error:  # one page that cannot be read must not cost the others
                left.append((entry.url, str(error)))
    pages = [_followed(one, entries) for one in pages]
    return Brought(tuple(_without_doubles(pages)), tuple(dict.fromkeys(left)))


def _saved_later(
    folder: Path, entries: list[Entry], as_of: datetime | None
) -> list[tuple[str, str]]:
    """Tell of files that only their own time bars: a copied folder would else look like an empty week."""
    if as_of is None:
        return []
    late = [one for one in entries if one.by_file and one.fetched_at > as_of]
    if not late:
        return []
    saved = "1 file is" if len(late) == 1 else f"{len(late):,} files are"
    return [(str(folder), f"{saved} newer than {as_of:%Y-%m-%d}; give fetch times in a site.json")]


def _entries(folder: Path) -> Iterator[Entry]:
    listed = folder / "site.json"
    if listed.is_file():
        yield from _listed(folder, listed)
        return
    for number, file in enumerate(sorted(folder.rglob("*"))):
        if number > MAX_FILES:
            raise BadInput(f"{folder} holds more than {MAX_FILES:,} files")
        if (
            file.is_file()
            and not file.is_symlink()
            and file.suffix.lower() in _HTML | _FEEDS | _TEXT
        ):
            name = file.relative_to(folder).as_posix()
            at = _dated_name(name)
            yield Entry(name, file, at or _mtime(file), by_file=at is None)


def _dated_name(name: str) -> datetime | None:
    """Take the day that a folder or file is named after: snapshots are often kept so."""
    found = re.search(r"(?:^|[/_.-])(20\d\d)-(\d\d)-(\d\d)(?=[/_.-])", name)
    try:
        return datetime.fromisoformat("-".join(found.groups()) + "T00:00+00:00") if found else None
    except ValueError:
        return None


def _listed(folder: Path, listed: Path) -> Iterator[Entry]:
    try:
        site = json.loads(listed.read_text("utf-8-sig"))
        rows = site["pages"] if isinstance(site, dict) else site
        entries = [_entry(folder, row) for row in rows]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(
            f"{listed} is no list of pages: {type(error).__name__} {error}",
            hint='It reads {"pages": [{"url": "…", "file": "a.html", "fetched_at": "2026-10-03T08:00:00Z"}]}.',
        ) from error
    yield from entries
    named = {entry.file for entry in entries}
    for file in sorted(folder.rglob("*")):
        known = file.resolve() in named or file.name == "site.json"
        if (
            file.is_file()
            and not file.is_symlink()
            and not known
            and file.suffix.lower() in _HTML | _FEEDS
        ):
            yield Entry(file.relative_to(folder).as_posix(), file, _mtime(file), by_file=True)


def _entry(folder: Path, row: dict[str, Any]) -> Entry:
    name = row.get("file") or row.get("path") or ""
    file = (folder / name).resolve() if name else None
    if file is not None and not file.is_relative_to(folder.resolve()):
        raise BadInput(f"{quoted(name)} lies outside the folder")
    headers = {str(key).lower(): str(value) for key, value in (row.get("headers") or {}).items()}
    status = int(row.get("status") or 200)
    at = row.get("fetched_at") or row.get("at") or row.get("date")
    return Entry(
        url=str(row["url"]),
        file=file if file is not None and file.is_file() else None,
        fetched_at=moment(str(at)) if at else _mtime(file),
        status=status,
        location=str(
            row.get("redirect")
            or row.get("redirect_to")
            or row.get("location")
            or headers.get("location")
            or ""
        ),
        media=str(
            row.get("media") or row.get("content_type") or headers.get("content-type") or ""
        ),
        etag=headers.get("etag", ""),
        modified=str(row.get("last_modified") or headers.get("last-modified") or ""),
    )


def _mtime(file: Path | None) -> datetime:
    return (
        datetime.fromtimestamp(file.stat().st_mtime, UTC)
        if file and file.is_file()
        else datetime(1970, 1, 1, tzinfo=UTC)
    )


def moment(text: str) -> datetime:
    """Read a time; without a zone it is UTC. Raises BadInput."""
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadInput(f"{quoted(text)} is no date or time") from None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _barred(entries: list[Entry]) -> dict[str, Any]:
    """Read the robots.txt of each host that the folder holds one of."""
    found: dict[str, Any] = {}
    for entry in entries:
        parts = urlsplit(entry.url)
        if parts.path == "/robots.txt" and entry.file is not None:
            from protego import Protego  # noqa: PLC0415 - only where a host has rules

            found[parts.netloc] = Protego.parse(decode(entry.file.read_bytes()))
    return found


def _reason(entry: Entry, barred: dict[str, Any]) -> str:
    parts = urlsplit(entry.url)
    if parts.path == "/robots.txt":
        return "a site's rules for robots, no page"
    rules = barred.get(parts.netloc)
    if rules is not None and not rules.can_fetch(entry.url, "caselore"):
        return "its site's robots.txt keeps robots out"
    if entry.location:
        return f"it leads to {entry.location}"
    if entry.status >= 400:
        return f"the server answered {entry.status}"
    if entry.file is None:
        return "the folder holds no file of it"
    return "it is too large" if entry.file.stat().st_size > MAX_BYTES else ""


def _pages(entry: Entry, folder: Path) -> list[Page]:
    assert entry.file is not None
    text = decode(entry.file.read_bytes())
    more = {
        "source": str(folder),
        "etag": entry.etag,
        "modified": entry.modified,
        "last_modified": entry.modified,
    }
    if is_feed(text, entry.media) or (
        entry.file.suffix.lower() in _FEEDS and is_feed(text, "rss")
    ):
        return list(feed_pages(text, entry.url, entry.fetched_at, **more))
    if entry.file.suffix.lower() in _TEXT and "<html" not in text[:2_000].lower():
        return [plain_page(text, entry.url, entry.fetched_at, **more)]
    return [html_page(text, entry.url, entry.fetched_at, **more)]


def _followed(page: Page, entries: list[Entry]) -> Page:
    """Note the canonical address of a page, so that two addresses of one page are one."""
    for entry in entries:
        if entry.location and entry.location == page.url:
            return page.having(final_url=page.url)
    return page


def _without_doubles(pages: list[Page]) -> Iterator[Page]:
    """Leave out the entry of a feed whose page is there; it only tells the page's day."""
    whole = {_bare(page.url) for page in pages if page.media != "application/feed-entry"}
    told = {
        _bare(page.url): page.published for page in pages
        if page.media == "application/feed-entry" and told_by_its_feed(page) is page
    }  # fmt: skip
    seen: set[tuple[str, str]] = set()
    for found in pages:
        key = (_bare(found.url), found.digest)
        is_entry = found.media == "application/feed-entry"
        if is_entry and (_bare(found.url) in whole or key in seen):
            continue
        seen.add(key)
        page = told_by_its_feed(found) if is_entry else found
        day = told.get(_bare(page.url), "")
        if day and not page.published:
            yield page.having(published=day, published_from="feed")
        else:
            yield page


def _bare(url: str) -> str:
    return re.sub(r"^https?://(?:www\.)?", "", url.split("#", 1)[0]).rstrip("/")
