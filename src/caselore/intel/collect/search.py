"""Finds pages by words: SearXNG, Brave or Tavily over plain HTTP, or a folder of pages without a network.

What a provider answers is a list of addresses to look at, nothing more: its summaries are not kept,
and each address passes the same guard as one that a person names.
Must not fetch what it finds, nor send a key to another host than the provider's.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlencode, urlsplit

import httpx

from caselore.errors import BadInput, Unavailable
from caselore.guards.names import check_url
from caselore.intel.collect.folder import Brought, read_folder
from caselore.memory.filing import words_of

MOST_BYTES = 2_000_000
SECONDS = 20.0
RESULTS = 10
LONGEST = 400  # characters of a query


class Hit(NamedTuple):
    """One page that a provider names."""

    url: str
    title: str


Fetch = Callable[[str], Brought]
"""Reads an address of the web, as it does one that a person names."""


class SearchProvider(Protocol):
    """Finds pages by words; the best first, each address once."""

    @property
    def name(self) -> str: ...

    def search(self, query: str, limit: int = RESULTS) -> tuple[Hit, ...]:
        """Give what is found. Raises Unavailable where the provider does not answer soundly."""

    def opened(self, hit: Hit, fetch: Fetch) -> Brought:
        """Give the pages of a hit: from the web, unless the provider has them itself."""


class OfTheWeb:
    """What the providers share that only name addresses."""

    def opened(self, hit: Hit, fetch: Fetch) -> Brought:
        """Fetch the address. See `SearchProvider`."""
        return fetch(hit.url)


@dataclass(frozen=True)
class Searxng(OfTheWeb):
    """A SearXNG of one's own, asked for JSON."""

    address: str
    name: str = "searxng"

    def search(self, query: str, limit: int = RESULTS) -> tuple[Hit, ...]:
        """Ask it. See `SearchProvider`."""
        told = _asked(
            "GET", f"{self.address.rstrip('/')}/search", query={"q": query[:LONGEST], "format": "json"},
            on_403="SearXNG answers JSON only where its settings say `formats: [html, json]`, with the limiter off.",
        )  # fmt: skip
        return _hits(told.get("results"), limit)


@dataclass(frozen=True)
class Brave(OfTheWeb):
    """The search of Brave, with a key."""

    key: str = field(repr=False)
    address: str = "https://api.search.brave.com"
    name: str = "brave"

    def search(self, query: str, limit: int = RESULTS) -> tuple[Hit, ...]:
        """Ask it. See `SearchProvider`."""
        told = _asked(
            "GET", f"{self.address.rstrip('/')}/res/v1/web/search",
            query={"q": query[:LONGEST], "count": str(min(20, limit))},
            headers={"X-Subscription-Token": self.key}, on_403="The key of Brave is not accepted.",
        )  # fmt: skip
        web = told.get("web")
        return _hits(web.get("results") if isinstance(web, dict) else None, limit)


@dataclass(frozen=True)
class Tavily(OfTheWeb):
    """The search of Tavily, with a key."""

    key: str = field(repr=False)
    address: str = "https://api.tavily.com"
    name: str = "tavily"

    def search(self, query: str, limit: int = RESULTS) -> tuple[Hit, ...]:
        """Ask it. See `SearchProvider`."""
        told = _asked(
            "POST", f"{self.address.rstrip('/')}/search", body={"query": query[:LONGEST], "max_results": min(20, limit)},
            headers={"Authorization": f"Bearer {self.key}"}, on_403="The key of Tavily is not accepted.",
        )  # fmt: skip
        return _hits(told.get("results"), limit)


class FolderSearch:
    """Pages of a folder, ranked by BM25: no key, no network, the same answer every time."""

    name = "folder"

    def __init__(self, folder: Path, as_of: datetime | None = None) -> None:
        """Read the folder. Raises NotFound and BadInput."""
        self._brought = read_folder(folder, as_of)
        self._words = [words_of(f"{one.title} {one.text}") for one in self._brought.pages]

    def search(self, query: str, limit: int = RESULTS) -> tuple[Hit, ...]:
        """Rank the pages. See `SearchProvider`."""
        scored = zip(self._scores(words_of(query[:LONGEST])), self._brought.pages, strict=True)
        best = sorted(scored, key=lambda one: (-one[0], one[1].url))
        rows = [{"url": one.url, "title": one.title} for score, one in best if score > 0]
        return _hits(rows, limit)

    def opened(self, hit: Hit, fetch: Fetch) -> Brought:
        """Give the folder's own pages of the address. See `SearchProvider`."""
        return Brought(tuple(one for one in self._brought.pages if one.url == hit.url), ())

    def _scores(self, wanted: list[str]) -> list[float]:
        """Score each page. Source: Robertson and Zaragoza 2009, k1 = 1.2, b = 0.75, each word once a page."""
        total = len(self._words) or 1
        mean = sum(map(len, self._words)) / total or 1.0
        sets = [set(one) for one in self._words]
        rarity = {
            word: math.log(1 + (total - df + 0.5) / (df + 0.5))
            for word in wanted
            if (df := sum(word in one for one in sets))
        }
        return [
            sum(rarity[word] for word in rarity if word in one)
            * 2.2 / (1 + 1.2 * (0.25 + 0.75 * len(words) / mean))
            for one, words in zip(sets, self._words, strict=True)
        ]  # fmt: skip


def queries(topic: str, competitors: tuple[str, ...]) -> Iterator[str]:
    """Give what to ask a provider for: each competitor with the topic."""
    for name in competitors:
        yield " ".join(f'"{name}" {topic}'.split())


def _hits(rows: Any, limit: int) -> tuple[Hit, ...]:
    """Read rows leniently: what names no address of the web, or one that lies about it, is left out."""
    found: dict[str, Hit] = {}
    for row in rows if isinstance(rows, list) else ():
        url = row.get("url") if isinstance(row, dict) else None
        if isinstance(url, str) and _is_address(url):
            found.setdefault(url, Hit(url, str(row.get("title") or "")[:300]))
    return tuple(found.values())[:limit]


def _is_address(url: str) -> bool:
    """Say whether an address is one that may be looked at; where it leads is checked when it is fetched."""
    try:
        return not urlsplit(check_url(url)).username
    except (BadInput, ValueError):
        return False


def _asked(
    method: str,
    url: str,
    *,
    query: Mapping[str, str] | None = None,
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    on_403: str = "",
) -> dict[str, Any]:
    """Ask once, bounded in bytes and time, and follow no redirect: a key goes to its own host only."""
    host = urlsplit(url).hostname or url
    full = f"{url}?{urlencode(query)}" if query else url
    sent = {"Accept": "application/json", "User-Agent": "caselore", **(headers or {})}
    deadline = time.monotonic() + SECONDS
    try:
        with (
            httpx.Client(timeout=SECONDS, follow_redirects=False, trust_env=False) as client,
            client.stream(method, full, headers=sent, json=body) as answer,
        ):
            if answer.status_code != 200:
                raise Unavailable(
                    f"{host} answered {answer.status_code}", hint=_hint(answer.status_code, on_403)
                )
            data = b"".join(_bounded(answer, host, deadline))
    except httpx.HTTPError as error:
        raise Unavailable(f"{host} does not answer: {type(error).__name__}", hint="") from error
    try:
        told = json.loads(data)
    except ValueError:
        raise Unavailable(f"{host} answered no JSON", hint=on_403) from None
    return told if isinstance(told, dict) else {}


def _bounded(answer: httpx.Response, host: str, deadline: float) -> Iterator[bytes]:
    size = 0
    for piece in answer.iter_bytes():
        size += len(piece)
        if size > MOST_BYTES or time.monotonic() > deadline:
            raise Unavailable(f"{host} answers too much or too slowly", hint="")
        yield piece


def _hint(status: int, on_403: str) -> str:
    if status in {401, 403}:
        return on_403
    return "Its limit is reached; the next run tries again." if status == 429 else ""
