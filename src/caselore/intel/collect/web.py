"""Fetches pages and feeds over HTTP: only public addresses, only what robots.txt allows, bounded.

The address is resolved once and the connection goes to what was checked, so that a name cannot
point elsewhere between the check and the request.
Must not follow a redirect unchecked, send a cookie or a login, or read more than its limits.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpx
from protego import Protego

from caselore.errors import BadInput, GuardRefused, Unavailable
from caselore.guards.names import check_url, quoted
from caselore.intel.collect.folder import Brought
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
from caselore.memory.api import Memory
from caselore.memory.evidence import Snapshot
from caselore.memory.exhibit_ports import Sought
from caselore.memory.records import Kind

AGENT = "caselore"
HEADERS = {
    "User-Agent": "caselore (+competitive intelligence; honours robots.txt)",
    "Accept": "text/html,application/xhtml+xml,application/rss+xml,application/atom+xml,text/plain;q=0.8,*/*;q=0.1",
}


class Barred(GuardRefused):
    """A site keeps robots out of what a redirect leads to; it was not asked for."""


@dataclass(frozen=True)
class Limits:
    """What one fetch may take."""

    seconds: float = 20.0
    bytes: int = MAX_BYTES
    redirects: int = 5
    linked: int = 30
    """Pages that a feed links and that are fetched, too."""
    pause: float = 0.2
    """Seconds between two requests to one host."""
    private: bool = False
    """Also addresses of this network: for an intranet, and for tests."""


@dataclass
class Fetcher:
    """Fetches within limits; keeps each host's rules for robots for one run."""

    limits: Limits
    rules: dict[str, Protego | None] = field(default_factory=dict)
    last: dict[str, float] = field(default_factory=dict)

    def get(
        self,
        url: str,
        headers: dict[str, str] | None = None,
        permit: Callable[[str], bool] = lambda url: True,
    ) -> tuple[str, int, httpx.Headers, bytes]:
        """Give the final address, status, headers and body; `permit` is asked before each redirect is followed.

        Raises GuardRefused, BadInput and Unavailable.
        """
        deadline = time.monotonic() + self.limits.seconds
        for _ in range(self.limits.redirects + 1):
            status, answered, body = self._once(url, headers or {}, deadline)
            location = answered.get("location")
            if status not in {301, 302, 303, 307, 308} or not location:
                return url, status, answered, body
            with _mapped(url):
                url = urljoin(url, location)
            self.check(url)
            if not permit(url):
                raise Barred(f"{url}, to which it leads, is closed to robots by its site")
        raise GuardRefused(f"{url} redirects more than {self.limits.redirects} times")

    def check(self, url: str) -> str:
        """Give the address to connect to. Raises GuardRefused for one that is not public."""
        check_url(url)
        with _mapped(url):
            parts = urlsplit(url)
            port = parts.port or (443 if parts.scheme == "https" else 80)
        if parts.username or parts.password:
            raise GuardRefused("an address with a login in it is not fetched")
        host = parts.hostname or ""
        if not self.limits.private and port not in {80, 443, 8080, 8443}:
            raise GuardRefused(f"port {port} is not fetched from")
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise Unavailable(f"{host} cannot be found: {error.strerror or error}") from error
        except UnicodeError as error:
            raise BadInput(f"{quoted(host)} is no name of a host") from error
        addresses = [str(one[4][0]) for one in found]
        if not self.limits.private:
            for one in addresses:
                if not is_public(one):
                    raise GuardRefused(f"{host} is at {one}, which is not a public address")
        return addresses[0]

    def _once(
        self, url: str, headers: dict[str, str], deadline: float
    ) -> tuple[int, httpx.Headers, bytes]:
        address = self.check(url)
        parts = urlsplit(url)
        shown = f"[{address}]" if ":" in address else address
        port = f":{parts.port}" if parts.port else ""
        pinned = urlunsplit((parts.scheme, shown + port, parts.path or "/", parts.query, ""))
        self._wait(parts.netloc)
        left = max(0.1, deadline - time.monotonic())
        with (
            _mapped(url),
            httpx.Client(timeout=left, follow_redirects=False, trust_env=False) as client,
            _cut_off(left) as trace,
        ):
            request = client.build_request(
                "GET",
                pinned,
                headers={**HEADERS, **headers, "Host": parts.netloc},
                extensions={"sni_hostname": parts.hostname or "", "trace": trace},
            )
            answer = client.send(request, stream=True)
            try:
                body = b"".join(self._bounded(answer, url, deadline))
            finally:
                answer.close()
        return answer.status_code, answer.headers, body

    def _bounded(self, answer: httpx.Response, url: str, deadline: float) -> Iterator[bytes]:
        size = 0
        for piece in answer.iter_bytes():
            size += len(piece)
            if size > self.limits.bytes:
                raise GuardRefused(f"{url} is larger than {self.limits.bytes:,} bytes")
            if time.monotonic() >= deadline:
                self._late(url)
            yield piece
        if (
            time.monotonic() >= deadline
        ):  # cut off, a body without a length ends as if it were whole
            self._late(url)

    def _late(self, url: str) -> NoReturn:
        raise Unavailable(f"{url} took longer than {self.limits.seconds:g} s")

    def _wait(self, host: str) -> None:
        since = time.monotonic() - self.last.get(host, 0.0)
        if since < self.limits.pause:
            time.sleep(self.limits.pause - since)
        self.last[host] = time.monotonic()

    def allowed(self, url: str) -> bool:
        """Say whether a site's robots.txt lets us in; one that cannot be read does not."""
        parts = urlsplit(url)
        root = f"{parts.scheme}://{parts.netloc}"
        if root not in self.rules:
            try:
                _, status, _, body = self.get(f"{root}/robots.txt")
                self.rules[root] = Protego.parse(decode(body) if status < 400 else "")
                if status >= 500:
                    self.rules[root] = None
            except Unavailable:
                self.rules[root] = None
        rules = self.rules[root]
        return rules is not None and bool(rules.can_fetch(url, AGENT))


def is_public(address: str) -> bool:
    """Say whether an address is one of the public internet, also within IPv6 forms of IPv4."""
    one = ipaddress.ip_address(address.split("%", maxsplit=1)[0])
    inner = getattr(one, "ipv4_mapped", None) or getattr(one, "sixtofour", None)
    if inner is not None:
        return is_public(str(inner))
    return one.is_global and not one.is_multicast and not one.is_reserved


@contextmanager
def _cut_off(seconds: float) -> Iterator[Callable[[str, dict[str, Any]], None]]:
    """Give what sees a connection being made, which is shut once its time is over.

    A limit on each read is none: whoever sends a byte a second would hold us for good.
    """
    held: list[socket.socket] = []

    def trace(name: str, info: dict[str, Any]) -> None:
        if name == "connection.connect_tcp.complete":
            # of its own, for TLS takes the socket over
            held.append(info["return_value"].get_extra_info("socket").dup())

    def shut() -> None:
        for one in held:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, shut)
    timer.daemon = True
    timer.start()
    try:
        yield trace
    finally:
        timer.cancel()
        for one in held:
            one.close()


@contextmanager
def _mapped(url: str) -> Iterator[None]:
    try:
        yield
    except (httpx.InvalidURL, UnicodeError) as error:
        raise BadInput(f"{url} cannot be fetched: {error}") from error
    except httpx.HTTPError as error:
        raise Unavailable(f"{url} does not answer: {type(error).__name__}") from error
    except ValueError as error:
        raise BadInput(f"{url} cannot be fetched: {error}") from error


def fetched(url: str, memory: Memory, now: datetime, limits: Limits) -> Brought:
    """Fetch a page, or a feed with the pages that it links; unchanged pages are not read again.

    Raises GuardRefused for an address that is not public, Unavailable where nobody answers.
    """
    fetcher = Fetcher(limits)
    pages, left = _fetch(fetcher, url, memory, now)
    if pages and all(one.media == "application/feed-entry" for one in pages):
        linked, more = _linked(fetcher, pages, memory, now, limits)
        pages, left = _merged(pages, linked), left + more
    return Brought(tuple(pages), tuple(left))


def _linked(
    fetcher: Fetcher, entries: Iterable[Page], memory: Memory, now: datetime, limits: Limits
) -> tuple[list[Page], list[tuple[str, str]]]:
    pages, left = list[Page](), list[tuple[str, str]]()
    for entry in [one for one in entries if one.url != one.source][: limits.linked]:
        try:
            found, why = _fetch(fetcher, entry.url, memory, now)
        except (Unavailable, GuardRefused, BadInput) as error:
            left.append((entry.url, str(error)))
            continue
        pages += [
            one.having(
                published=one.published or entry.published,
                published_from=one.published_from or "feed",
            )
            for one in found
        ]
        left += why
    return pages, left


def _merged(entries: Iterable[Page], linked: list[Page]) -> list[Page]:
    whole = {one.url for one in linked}
    return [*linked, *(told_by_its_feed(one) for one in entries if one.url not in whole)]


def _fetch(
    fetcher: Fetcher, url: str, memory: Memory, now: datetime
) -> tuple[list[Page], list[tuple[str, str]]]:
    fetcher.check(url)
    if not fetcher.allowed(url):
        return [], [(url, "its site's robots.txt keeps robots out")]
    try:
        final, status, headers, body = fetcher.get(url, _conditional(memory, url), fetcher.allowed)
    except Barred as error:
        return [], [(url, str(error))]
    if status == 304:
        return [], [(url, "unchanged since it was last fetched")]
    if status >= 400:
        return [], [(url, f"the server answered {status}")]
    pages = list(_read(url, final, headers, body, now))
    if not any(one.text.strip() for one in pages):
        kind = headers.get("content-type", "").split(";")[0].strip()
        return [], [(url, f"no text was found in it ({kind or 'of no said type'})")]
    return pages, []


def _conditional(memory: Memory, url: str) -> dict[str, str]:
    """Ask only for what changed since the stored version."""
    for one in memory.exhibits(Sought(Kind.SNAPSHOT.value, label=url, limit=1)):
        if isinstance(one.body, Snapshot):
            given = {"If-None-Match": one.body.etag, "If-Modified-Since": one.body.modified}
            return {name: value for name, value in given.items() if value}
    return {}


def _read(
    url: str, final: str, headers: httpx.Headers, body: bytes, now: datetime
) -> Iterator[Page]:
    media = headers.get("content-type", "").lower()
    charset = media.partition("charset=")[2].split(";")[0].strip(" \"'")
    text = decode(body, charset)
    more: dict[str, Any] = {
        "source": url, "etag": headers.get("etag", ""), "modified": headers.get("last-modified", ""),
        "last_modified": headers.get("last-modified", ""), "final_url": final if final != url else "",
    }  # fmt: skip
    if is_feed(text, media):
        yield from feed_pages(body, url, now, **more)
    elif (
        "html" in media
        or "<html" in text[:2_000].lower()
        or "<!doctype html" in text[:200].lower()
    ):
        yield html_page(text, url, now, **more)
    elif media.startswith("text/") or not media:
        yield plain_page(text, url, now, **more)
