"""Match many patterns at once over bytes: by hyperscan, else google-re2, else re, all alike.

Must not know what the patterns mean, and must not let a pattern see across a line end.
"""

from __future__ import annotations

import hashlib
import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

Found = list[tuple[int, int]]
Find = Callable[[bytes], Found]
"""Bytes -> (offset in the line, pattern number) for each hit."""
Hits = dict[int, set[int]]
"""Line index -> the numbers of the patterns that match in that line."""

_SPACE: Final = r" \t\r\f\x0b"  # \v is a class of several characters to some engines
_TAILS: Final = (".*$", ".*", r"\s*$", r"\s*", r"\S*", r"\w*")
_INDENTED: Final = re.compile(r"\^\[ \\t\\r\\f\\x0b\]([*+])(?!\?)")
_LINE_CAP: Final = 4096
# Bytes scanned before compiling hyperscan pays: a second for all patterns of lines, and it saves
# 15 ms a megabyte of quiet log, 85 of one full of errors.
_COMPILE_AFTER: Final = 12_000_000

ENGINES: Final = ("hyperscan", "re2", "re")
_settings: dict[str, Path | None] = {"cache": None}


def use_cache(folder: Path | None) -> None:
    """Keep compiled pattern databases in this folder, so that later processes start fast."""
    _settings["cache"] = folder


def one_line(pattern: str) -> str:
    r"""Rewrite a pattern so that nothing in it can match a line end, and so that it ends early.

    `\s`, `\W`, `\D` and `[^...]` match a newline by themselves, which would join two lines.
    """
    out: list[str] = []
    inside = False
    i = 0
    while i < len(pattern):
        two = pattern[i : i + 2]
        if two[0] == "\\":
            out.append(_escape(two, inside))
            i += 2
        elif inside:
            inside = two[0] != "]"
            out.append(two[0])
            i += 1
        elif two == "[^":
            out.append(r"[^\n")
            inside, i = True, i + 2
        else:
            inside = two[0] == "["
            out.append(two[0])
            i += 1
    return _short_tail(_plain_groups("".join(out)))


def _escape(two: str, inside: bool) -> str:
    """Give the newline-free form of one escape."""
    if two == r"\s":
        return _SPACE if inside else f"[{_SPACE}]"
    if not inside and two in (r"\W", r"\D"):
        return r"[^\n0-9A-Za-z_]" if two == r"\W" else r"[^\n0-9]"
    return two


def _plain_groups(pattern: str) -> str:
    """Drop group names, which not every engine takes."""
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


def _short_tail(pattern: str) -> str:
    """Drop an optional tail: it changes no answer, and each length would be one more hit."""
    for tail in _TAILS:
        if (
            pattern.endswith(tail)
            and not pattern.endswith("\\" + tail)
            and len(pattern) > len(tail)
        ):
            return _short_tail(pattern[: -len(tail)])
    if pattern.endswith("+") and pattern[-2:-1] not in ("\\", "]", ")", ""):
        return pattern[:-1]
    return pattern


def loose(pattern: str) -> str:
    """Let a pattern that takes white space at the start of a line begin after any.

    Hyperscan loses matches of such patterns, which ones depends on the others beside them; what
    this finds too much is looked at again.
    """
    found = _INDENTED.match(pattern)
    if found is None:
        return pattern
    start = f"(?:^|[{_SPACE}])" if found.group(1) == "*" else f"[{_SPACE}]"
    return start + pattern[found.end() :]


class Engine:
    """A set of patterns, compiled once, that finds every line that any of them matches."""

    def __init__(self, patterns: Sequence[str], name: str, kind: str = "") -> None:
        """Keep the patterns; they are compiled when first used. `kind` forces one of ENGINES."""
        self.patterns = tuple(one_line(p) for p in patterns)
        self.name = name
        self._kind = kind
        self._seen = 0
        self._find: Find | None = None
        self._native = False
        self._looked_in: Path | None = None
        self._doubtful: frozenset[int] = frozenset()
        self._again: dict[int, re.Pattern[bytes]] = {}
        self._lock = threading.Lock()

    def lines(self, data: bytes, starts: Sequence[int]) -> Hits:
        """Find which patterns match in which line; `starts` are the offsets of the lines."""
        hits: Hits = {}
        find = self._matcher(len(data))
        ends = [*starts[1:], len(data) + 1]
        line, stop, numbers = 0, 0, set[int]()
        for end, number in sorted(find(data)):  # few lines, each with many hits
            if end >= stop:
                line = bisect_right(starts, end) - 1
                stop, numbers = ends[line], set()
                hits[line] = numbers
            numbers.add(number)
        return self._confirmed(hits, data, starts, ends) if self._doubtful else hits

    def _confirmed(
        self, hits: Hits, data: bytes, starts: Sequence[int], ends: Sequence[int]
    ) -> Hits:
        """Drop the hits of patterns that were searched for loosely and do not match."""
        for line in [i for i, numbers in hits.items() if not numbers.isdisjoint(self._doubtful)]:
            numbers = hits[line]
            for number in numbers & self._doubtful:
                if not self._sure(number, data, starts[line], ends[line] - 1):
                    numbers.discard(number)
            if not numbers:
                del hits[line]
        return hits

    def _sure(self, number: int, data: bytes, first: int, last: int) -> bool:
        """Ask again whether a pattern that was searched for loosely matches in this line."""
        pattern = self._again.get(number)
        if pattern is None:
            pattern = re.compile(self.patterns[number].encode(), re.M)
            self._again[number] = pattern
        return pattern.search(data, first, last) is not None

    def _matcher(self, size: int) -> Find:
        """Choose the engine: the native one when it is at hand or worth compiling."""
        with self._lock:
            self._seen += size
            if self._find is None or (not self._native and self._kind == ""):
                self._choose()
            assert self._find is not None
            return self._find

    def _choose(self) -> None:
        """Set the matcher for this call and the ones after it."""
        native = _hyperscan(self) if self._kind in ("", "hyperscan") else None
        if native is not None:
            self._find, self._native = native, True
            pairs = enumerate(zip(self.loosened, self.patterns, strict=True))
            self._doubtful = frozenset(number for number, (one, p) in pairs if one != p)
        elif self._find is None:
            second = _re2(self.patterns) if self._kind != "re" else None
            self._find = second or _re(self.patterns)

    @cached_property
    def loosened(self) -> tuple[str, ...]:
        """The patterns as hyperscan is given them."""
        return tuple(map(loose, self.patterns))

    def looks_into(self, cache: Path | None) -> bool:
        """Say whether this cache is another than at the last call."""
        before, self._looked_in = self._looked_in, cache
        return cache != before

    def wants_native(self) -> bool:
        """Say whether compiling the native database pays for what was scanned so far."""
        return self._kind == "hyperscan" or self._seen >= _COMPILE_AFTER


def _hyperscan(engine: Engine) -> Find | None:
    """Load or compile the hyperscan database; None where it is missing or not worth it yet."""
    if engine.wants_native() or _stored(engine):
        database = native_database(engine.loosened, engine.name, single=False)
        return None if database is None else _collector(database)
    return None


def _stored(engine: Engine) -> bool:
    """Say whether a compiled database lies in the cache; each cache is looked into once."""
    if not engine.looks_into(_settings["cache"]):
        return False
    place = _place(engine.loosened, engine.name, single=False)
    return place is not None and place.exists()


def _place(patterns: Sequence[str], name: str, *, single: bool) -> Path | None:
    """Name the cache file: another set of patterns is another file."""
    folder = _settings["cache"]
    if folder is None:
        return None
    return folder / f"{name}-{_key(tuple(patterns), single)}.hs"


@lru_cache(maxsize=16)  # asked again at each small log
def _key(patterns: tuple[str, ...], single: bool) -> str:
    return hashlib.sha256("\n".join((str(single), *patterns)).encode()).hexdigest()[:20]


def native_database(patterns: Sequence[str], name: str, *, single: bool) -> Any:
    """Give a hyperscan database, from the cache where it lies there; None without hyperscan."""
    try:
        import hyperscan  # noqa: PLC0415  33 ms of import that small logs need not pay
    except ImportError:
        return None
    place = _place(patterns, name, single=single)
    try:
        if place is not None and place.exists():
            database = hyperscan.loadb(place.read_bytes(), hyperscan.HS_MODE_BLOCK)
            database.scratch = hyperscan.Scratch(database)
            return database
    except (OSError, hyperscan.error):
        pass  # a damaged or foreign cache file is compiled anew below
    flags = hyperscan.HS_FLAG_MULTILINE | (hyperscan.HS_FLAG_SINGLEMATCH if single else 0)
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    expressions = [p.encode() for p in patterns]
    numbers = list(range(len(expressions)))
    try:
        database.compile(expressions=expressions, ids=numbers, elements=len(numbers), flags=flags)
    except hyperscan.error:
        return None  # a pattern of the caller that only the slower engines take
    _keep(place, bytes(hyperscan.dumpb(database)))
    return database


def _keep(place: Path | None, content: bytes) -> None:
    """Store a compiled database; a cache that cannot be written is only slower."""
    if place is None:
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = place.with_suffix(f".{threading.get_ident()}")
        fresh.write_bytes(content)
        fresh.replace(place)
    except OSError:
        return


def _collector(database: Any) -> Find:
    """Wrap a database so that it gives (end offset, pattern) pairs, in any number of threads."""
    import hyperscan  # noqa: PLC0415  it is there, else there were no database

    own = threading.local()  # a scratch space serves one search at a time

    def find(data: bytes) -> Found:
        found: Found = []
        keep = found.append
        if not hasattr(own, "scratch"):
            own.scratch = hyperscan.Scratch(database)

        def on_match(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
            keep((end, number))

        database.scan(data, match_event_handler=on_match, scratch=own.scratch)
        return found

    return find


def first_hits(patterns: Sequence[str], name: str, kind: str = "", *, worth: bool = True) -> Find:
    """Give a search that tells, of a piece of raw log, each pattern that it holds and where first.

    At most one place a pattern: a log full of errors costs no more than a quiet one. `worth`
    says whether there is enough to search for compiling the native database to pay.
    """
    short = tuple(one_line(p) for p in patterns)
    place = _place(short, name, single=True)
    native = kind == "hyperscan" or (
        kind == "" and (worth or (place is not None and place.exists()))
    )
    database = native_database(short, name, single=True) if native else None
    if database is not None:
        return _collector(database)
    return _first_by_re2(short) if kind != "re" else _first_by_re(short)


def _first_by_re2(patterns: Sequence[str]) -> Find:
    """Ask a set which patterns match at all, then each of those where."""
    chosen = _re2_set(patterns)
    if chosen is None:
        return _first_by_re(patterns)
    import re2  # noqa: PLC0415  it is there, else there were no set

    options = _re2_options(re2)
    single: dict[int, Any] = {}

    def find(data: bytes) -> Found:
        found: Found = []
        for number in chosen.Match(data) or ():
            if number not in single:
                single[number] = re2.compile(f"(?m){patterns[number]}".encode(), options)
            match = single[number].search(data)
            if match:
                found.append((match.start(), number))
        return found

    return find


def _first_by_re(patterns: Sequence[str]) -> Find:
    """Search for each pattern with the standard library."""
    compiled = [re.compile(p.encode(), re.M) for p in patterns]

    def find(data: bytes) -> Found:
        found = ((pattern.search(data), n) for n, pattern in enumerate(compiled))
        return [(match.start(), n) for match, n in found if match]

    return find


def _re2(patterns: Sequence[str]) -> Find | None:
    """Match line by line with a set of google-re2; None where that is not installed."""
    chosen = _re2_set(patterns)
    if chosen is None:
        return None

    def find(data: bytes) -> Found:
        found: Found = []
        offset = 0
        for line in data.split(b"\n"):
            if line:
                found.extend((offset, number) for number in chosen.Match(line) or ())
            offset += len(line) + 1
        return found

    return find


def _re2_options(re2: Any) -> Any:
    """Treat text as bytes, as the other engines do."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = 96 << 20
    options.log_errors = False
    return options


def _re2_set(patterns: Sequence[str]) -> Any:
    """Compile a set of google-re2; None where that is not installed."""
    try:
        import re2  # noqa: PLC0415  only where the native engine is not used
    except ImportError:
        return None
    chosen = re2.Set.SearchSet(_re2_options(re2))
    for pattern in patterns:
        chosen.Add(f"(?m){pattern}".encode())
    chosen.Compile()
    return chosen


def _re(patterns: Sequence[str]) -> Find:
    """Match with the standard library: slow, and needs nothing."""
    compiled = [re.compile(p.encode(), re.M) for p in patterns]

    def find(data: bytes) -> Found:
        found: Found = []
        for number, pattern in enumerate(compiled):
            position = 0
            while match := pattern.search(data, position):
                found.append((match.start(), number))
                position = data.find(b"\n", match.start()) + 1
                if not position:
                    break
        return found

    return find
