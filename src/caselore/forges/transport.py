"""One HTTP transport for every forge: host rule, retries, rate limits, paging, ETags, byte caps.

Must not know a forge's routes, follow a redirect off the host with a token, or retry what is not
safe to send twice. Everything that can go wrong ends as NotFound, or a leaf of ForgeUnavailable.
"""

from __future__ import annotations

import json
import random
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, TypeVar, cast
from urllib.parse import urlsplit

import httpx

from caselore.errors import (
    CaseloreError,
    ForgeGarbled,
    ForgeLimited,
    ForgeSlow,
    ForgeUnavailable,
    NotFound,
)

MOST_JSON = 32 * 1024 * 1024  # bytes of one answer
MOST_LOG = 200 * 1024 * 1024  # bytes of one log; beyond, head and tail are kept
TAIL = 20 * 1024 * 1024
IN_MEMORY = 1024 * 1024
TRIES = 4
LONGEST_WAIT = 60.0  # seconds between two tries; a forge that asks for more is busy
FIRST_WAIT = 0.5
MOST_PAGES = 200
REMEMBERED = 512  # answers kept for their ETag
READING = 30.0  # seconds without a byte
WHOLE = 120.0  # seconds of one answer; of a log, ten times that
_REDIRECTS = 5
Taken = TypeVar("Taken")
_OURS = {"User-Agent": "caselore", "Accept-Encoding": "gzip"}
_IDEMPOTENT = frozenset({"GET", "PUT"})


@dataclass
class Counters:
    """What went wrong, so that a lying forge is seen; nothing else changes by it."""

    asked: int = 0
    retried: int = 0
    failed: int = 0
    unchanged: int = 0


@dataclass(frozen=True)
class Answer:
    """A sound answer: its JSON and its headers."""

    value: Any
    headers: Mapping[str, str]


@dataclass
class Transport:
    """Talks to one forge under one base address."""

    base: str
    headers: Mapping[str, str]
    also: frozenset[str] = frozenset()
    """Hosts beside the base's that a redirect of a log may lead to."""
    wait: Callable[[float], None] = time.sleep
    dice: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    counters: Counters = field(default_factory=Counters)
    _etags: OrderedDict[str, tuple[str, Answer]] = field(default_factory=OrderedDict, repr=False)
    _rest_until: float = 0.0

    def __post_init__(self) -> None:
        """Open the connection pool; certificates are checked, proxies of the environment used."""
        self._client = httpx.Client(
            timeout=httpx.Timeout(READING, connect=10.0),
            follow_redirects=False,
            limits=httpx.Limits(max_connections=8),
        )
        self._host = urlsplit(self.base).netloc

    def close(self) -> None:
        """Close the pool."""
        self._client.close()

    # -- JSON ---

    def get(self, path: str, **query: Any) -> Answer:
        """Read one JSON answer. Raises: NotFound, ForgeUnavailable."""
        return self._json("GET", path, query, None)

    def send(self, method: str, path: str, body: Any = None) -> Answer:
        """Write something. Raises: NotFound, ForgeUnavailable."""
        return self._json(method, path, {}, body)

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """Read a list page by page, by `Link: rel=next` or `x-next-page`."""
        address: str | None = self._address(path, query)
        for _ in range(MOST_PAGES):
            if address is None:
                return
            answer = self._json("GET", address, {}, None)
            yield answer.value
            address = self._next(answer, address)
        raise ForgeGarbled(f"The forge gave more than {MOST_PAGES} pages of one list.")

    def _next(self, answer: Answer, address: str) -> str | None:
        for part in answer.headers.get("link", "").split(","):
            target, _, rest = part.partition(";")
            if 'rel="next"' in rest or "rel=next" in rest:
                link = target.strip().strip("<>")
                self._must_be_ours(link)
                return link
        number = answer.headers.get("x-next-page", "").strip()
        if not number.isdigit():
            return None
        return str(httpx.URL(address).copy_set_param("page", number))

    def _json(self, method: str, path: str, query: Mapping[str, Any], body: Any) -> Answer:
        address = self._address(path, query)
        kept = self._etags.get(address) if method == "GET" else None
        extra = {"If-None-Match": kept[0]} if kept else {}

        def consume(response: httpx.Response) -> Answer:
            if response.status_code == 304 and kept:
                self.counters.unchanged += 1
                return kept[1]
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Answer(_parsed(self._bytes(response), response), headers)

        answer = self._asked(method, address, body, extra, consume)
        self._remember(method, address, answer)
        return answer

    def _remember(self, method: str, address: str, answer: Answer) -> None:
        tag = answer.headers.get("etag", "")
        if method == "GET" and tag:
            self._etags[address] = (tag, answer)
            self._etags.move_to_end(address)
            while len(self._etags) > REMEMBERED:
                self._etags.popitem(last=False)

    def _bytes(self, response: httpx.Response) -> bytes:
        """Read an answer within its size and its time: a forge that drips is a slow one."""
        began, data = self.clock(), bytearray()
        for chunk in response.iter_bytes():
            data += chunk
            if len(data) > MOST_JSON:
                raise ForgeGarbled(f"The forge sent more than {MOST_JSON} bytes for one answer.")
            if self.clock() - began > WHOLE:
                raise ForgeSlow(f"The forge took more than {WHOLE:.0f} seconds for one answer.")
        return bytes(data)

    # -- logs ---

    @contextmanager
    def file(self, path: str, *, most: int = MOST_LOG, **query: Any) -> Iterator[BinaryIO]:
        """Open a log as a file; of one that is longer than `most`, its head and its tail.

        A redirect to another host that is allowed is followed without the token.
        """
        with SpooledTemporaryFile(max_size=IN_MEMORY) as spool:
            file = cast("BinaryIO", spool)
            address = self._address(path, query)
            self._asked(
                "GET", address, None, {"Accept": "*/*"}, lambda one: self._poured(one, file, most)
            )
            file.seek(0)
            yield file

    def _poured(self, response: httpx.Response, out: BinaryIO, most: int) -> None:
        """Keep the head on the way, and of the rest a ring that holds the tail."""
        if response.headers.get("content-type", "").lower().startswith("text/html"):
            raise ForgeGarbled(f"{self._host} answered with a page where a log was asked for.")
        began, total, tail = self.clock(), 0, bytearray()
        keep = max(0, most - TAIL)
        try:
            for chunk in response.iter_bytes():
                fits = chunk[: max(0, keep - total)]
                out.write(fits)
                tail += chunk[len(fits) :]
                total += len(chunk)
                if len(tail) > 2 * TAIL:
                    del tail[:-TAIL]
                if self.clock() - began > 10 * WHOLE:
                    raise ForgeSlow("The forge did not finish sending the log.")
        except httpx.HTTPError:
            # what arrived is worth reading: it says that it is cut, and where
            out.write(bytes(tail) + b"\n[caselore: the forge broke off here]\n")
            return
        dropped = total - keep - min(len(tail), TAIL)
        if dropped > 0:
            out.write(b"\n[caselore: %d bytes of this log were left out here]\n" % dropped)
        out.write(bytes(tail[-TAIL:]))

    # -- asking ---

    def _asked(
        self,
        method: str,
        address: str,
        body: Any,
        extra: Mapping[str, str],
        consume: Callable[[httpx.Response], Taken],
    ) -> Taken:
        """Ask until a sound answer was taken in, the tries are used up, or it is not safe."""
        for attempt in range(1, TRIES + 1):
            self._rest()
            self.counters.asked += 1
            try:
                with self._sent(method, address, body, extra) as response:
                    _must_be_plain(response)
                    if response.status_code < 300 or response.status_code == 304:
                        return consume(response)
                    error, pause = _of_status(response), self._pause(response)
            except httpx.TimeoutException:
                error, pause = ForgeSlow(f"{self._host} did not answer in time."), None
            except httpx.HTTPError as cause:
                what = type(cause).__name__
                error, pause = ForgeUnavailable(f"{self._host} cannot be reached ({what})."), None
            self._give_up_or_wait(method, attempt, error, pause)
        raise AssertionError("the last try returns or raises")

    def _give_up_or_wait(
        self, method: str, attempt: int, error: CaseloreError, pause: float | None
    ) -> None:
        """Wait before the next try. Raises: the error where there shall be none."""
        safe = method in _IDEMPOTENT or isinstance(error, ForgeLimited)
        too_long = pause is not None and pause > LONGEST_WAIT
        again = isinstance(error, ForgeUnavailable) and error.again
        if not again or not safe or attempt == TRIES or too_long:
            self.counters.failed += 1
            raise error
        self.counters.retried += 1
        # full jitter: many watchers that were thrown out together do not come back together
        most = min(LONGEST_WAIT, FIRST_WAIT * 2**attempt)
        self.wait(pause if pause is not None else self.dice() * most)

    def _pause(self, response: httpx.Response) -> float | None:
        """Give the seconds that a forge asks for; none where it does not say."""
        said = response.headers.get("retry-after", "").strip()
        if said.isdigit():
            return float(said)
        if said:
            return _until(said, self.now())
        reset = response.headers.get("x-ratelimit-reset") or response.headers.get(
            "ratelimit-reset"
        )
        if response.status_code in (403, 429) and reset and reset.isdigit():
            return max(1.0, float(reset) - self.now())
        return None

    def _rest(self) -> None:
        """Wait where the last answer said that nothing is left until a time."""
        left = self._rest_until - self.now()
        if left > LONGEST_WAIT:
            raise ForgeLimited(f"{self._host} allows no more requests for {left:.0f} seconds.")
        if left > 0:
            self.wait(left)

    def _note_limits(self, response: httpx.Response) -> None:
        for prefix in ("x-ratelimit", "ratelimit"):
            remaining = response.headers.get(f"{prefix}-remaining", "")
            reset = response.headers.get(f"{prefix}-reset", "")
            if remaining == "0" and reset.isdigit():
                self._rest_until = float(reset)

    @contextmanager
    def _sent(
        self, method: str, address: str, body: Any, extra: Mapping[str, str]
    ) -> Iterator[httpx.Response]:
        """Send one request, following redirects by our own rule."""
        sends = {"Content-Type": "application/json"} if body is not None else {}
        headers = {**_OURS, **self.headers, **sends, **extra}
        for _ in range(_REDIRECTS):
            stream = self._client.stream(
                method, address, headers=headers, content=_body(body), follow_redirects=False
            )
            with stream as response:
                if not response.has_redirect_location:
                    self._note_limits(response)
                    yield response
                    return
                target = str(response.url.join(response.headers.get("location", "")))
            if urlsplit(target).netloc != self._host:
                self._must_be_ours(target, redirect=True)
                headers = {**_OURS, "Accept": "*/*"}  # no token to another host
            if method not in _IDEMPOTENT:
                raise ForgeGarbled(f"{self._host} redirects what was to be written.")
            address = target
        raise ForgeGarbled(f"{self._host} redirects in a circle.")

    def _must_be_ours(self, address: str, *, redirect: bool = False) -> None:
        """Raise ForgeGarbled for an address that leads to a host nobody named."""
        parts = urlsplit(address)
        same = parts.netloc == self._host and parts.scheme == urlsplit(self.base).scheme
        named = redirect and parts.scheme == "https" and _under(parts.hostname or "", self.also)
        if not (same or named):
            raise ForgeGarbled(
                f"{self._host} leads to {parts.netloc or 'nowhere'}, which is not allowed.",
                hint="Name the host under [forge] also = […] if logs are really kept there.",
            )

    def _address(self, path: str, query: Mapping[str, Any]) -> str:
        whole = path if "://" in path else f"{self.base.rstrip('/')}/{path.lstrip('/')}"
        self._must_be_ours(whole)
        url = httpx.URL(whole)
        for name, value in query.items():
            url = url.copy_add_param(name.rstrip("_"), str(value))
        return str(url)


def _must_be_plain(response: httpx.Response) -> None:
    """Raise ForgeGarbled for what is packed otherwise than was asked for, or packed twice.

    One packing of ours grows a piece of 64 KiB to some 64 MiB at most; others have no such bound.
    """
    packed = response.headers.get("content-encoding", "").strip().lower()
    if packed not in ("", "identity", "gzip"):
        raise ForgeGarbled(f"{response.url.host} packs its answers in a way nobody asked for.")


def _under(host: str, allowed: frozenset[str]) -> bool:
    return any(host == one or (one.startswith(".") and host.endswith(one)) for one in allowed)


def _body(body: Any) -> bytes | None:
    return None if body is None else json.dumps(body).encode()


def _plain(address: str) -> str:
    """Give an address without its query, which may hold what is private."""
    return address.partition("?")[0]


def _parsed(data: bytes, response: httpx.Response) -> Any:
    if not data.strip():
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        kind = response.headers.get("content-type", "unknown")[:60]
        raise ForgeGarbled(f"The forge answered {kind} where JSON was asked for.") from None


def _until(date: str, now: float) -> float | None:
    """Give the seconds until an HTTP date; none for what is no date."""
    try:
        return max(1.0, parsedate_to_datetime(date).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def _of_status(response: httpx.Response) -> CaseloreError:
    """Give the error of a status; the body is not repeated, it may hold anything."""
    status = response.status_code
    host = response.url.host
    if status in (404, 410):
        return NotFound(
            f"The forge has nothing at {_plain(str(response.url))} (HTTP {status}).",
            hint="Check the address, and whether the token may see it.",
        )
    exhausted = response.headers.get("x-ratelimit-remaining") == "0"
    if status == 429 or (status == 403 and (exhausted or "retry-after" in response.headers)):
        return ForgeLimited(f"{host} says that it was asked too often (HTTP {status}).")
    if status == 408 or status >= 500:
        return ForgeUnavailable(f"{host} has trouble of its own (HTTP {status}).", again=True)
    if status in (401, 403):
        return ForgeUnavailable(
            f"{host} refuses the token (HTTP {status}).",
            hint="Check the forge's token: it needs to read the API, and to write comments.",
            again=False,
        )
    return ForgeUnavailable(f"{host} refuses the request (HTTP {status}).", again=False)
