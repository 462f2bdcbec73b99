"""Counts the tests that a log says were run, by the closing lines of the common frameworks.

Must not guess: a log without such a line has no count, and counts of different tools never meet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO, NamedTuple

_CHUNK = 1024 * 1024
_COLOUR = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_PART = re.compile(rb"(\d+) ([a-z]+)")


class Tally(NamedTuple):
    """How many tests ran, and how many were left out."""

    ran: int
    skipped: int


Found = re.Match[bytes]


def _parts(text: bytes) -> Mapping[str, int]:
    """Read `1 failed, 40 passed` in whatever order."""
    return Counter({word.decode(): int(number) for number, word in _PART.findall(text)})


def _number(found: Found, name: str) -> int:
    return int(found[name] or 0)


def _pytest(found: Found) -> Tally:
    parts = _parts(found["pytest"])
    ran = ("passed", "failed", "error", "errors", "xfailed", "xpassed")
    return Tally(sum(parts[one] for one in ran), parts["skipped"] + parts["deselected"])


def _unittest(found: Found) -> Tally:
    out = _number(found, "unittest_out")
    return Tally(max(0, _number(found, "unittest") - out), out)


def _listed(name: str) -> Callable[[Found], Tally]:
    """Read a list of parts of which some did not run."""

    def read(found: Found) -> Tally:
        parts = _parts(found[name])
        ran = ("passed", "failed", "passing", "failing")
        return Tally(sum(parts[one] for one in ran), parts["skipped"] + parts["ignored"])

    return read


def _total(name: str) -> Callable[[Found], Tally]:
    """Read a total, from which what was left out is taken."""

    def read(found: Found) -> Tally:
        out = _number(found, f"{name}_out")
        return Tally(max(0, _number(found, name) - out), out)

    return read


def _mocha(found: Found) -> Tally:
    parts = _parts(found["mocha"] + b" " + found["mocha_more"])
    return Tally(parts["passing"] + parts["failing"], parts["pending"])


def _go(found: Found) -> Tally:
    skipped = found["go"] == b"SKIP"
    return Tally(int(not skipped), int(skipped))


_TOOLS: dict[str, tuple[bytes, Callable[[Found], Tally]]] = {
    "pytest": (
        rb"(?<!tests, )(?<!test, )(?P<pytest>%(one)s(?:, %(one)s)*) in \d[\d.:]*s?\b"
        % {b"one": rb"\d+ (?:passed|failed|errors?|skipped|deselected|x?failed|xpassed|warnings?"
                   rb"|rerun|subtests passed)"},
        _pytest,
    ),
    "unittest": (
        rb"Ran (?P<unittest>\d+) tests? in [\d.]+s(?:(?:[^\n]*\n){1,3}?[^\n]*?\b(?:OK|FAILED)"
        rb"(?: \([^)\n]*?skipped=(?P<unittest_out>\d+)[^)\n]*\))?)?",
        _unittest,
    ),
    "jest": (rb"Tests: +(?P<jest>(?:\d+ [a-z]+, )*)\d+ total", _listed("jest")),
    "vitest": (rb"Tests +(?P<vitest>\d+ [a-z]+(?: \| \d+ [a-z]+)*) \(\d+\)", _listed("vitest")),
    "mocha": (
        rb"(?P<mocha>\d+ passing) \([^)\n]+\)(?P<mocha_more>(?:\s+\d+ (?:pending|failing))*)",
        _mocha,
    ),
    "go": (rb"--- (?P<go>PASS|FAIL|SKIP): \w", _go),
    "go packages": (
        rb"\b(?P<gopkg>ok|FAIL)[ \t]+\S+\t(?:\d[\d.]*s|\(cached\))", lambda _: Tally(1, 0)
    ),
    "gotestsum": (
        rb"DONE (?:\d+ runs, )?(?P<gotestsum>\d+) tests?(?:, (?P<gotestsum_out>\d+) skipped)?",
        _total("gotestsum"),
    ),
    "cargo": (
        rb"test result: \w+\. (?P<cargo>\d+ passed; \d+ failed; \d+ ignored);",
        _listed("cargo"),
    ),
    "maven": (
        rb"Tests run: (?P<maven>\d+), Failures: \d+, Errors: \d+, Skipped: (?P<maven_out>\d++)"
        rb"(?!,)",
        _total("maven"),
    ),
    "dotnet": (
        rb"Failed: +\d+, Passed: +\d+, Skipped: +(?P<dotnet_out>\d+), Total: +(?P<dotnet>\d+)",
        _total("dotnet"),
    ),
    "rspec": (
        rb"(?P<rspec>\d+) examples?, \d+ failures?(?:, (?P<rspec_out>\d+) pending)?",
        _total("rspec"),
    ),
    "minitest": (
        rb"(?P<minitest>\d+) (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, "
        rb"(?P<minitest_out>\d+) skips",
        _total("minitest"),
    ),
    "phpunit": (
        rb"(?:OK \(|Tests: )(?P<phpunit>\d+)(?: tests?)?, (?:Assertions: )?\d+"
        rb"(?:[^\n]*?Skipped: (?P<phpunit_out>\d+))?",
        _total("phpunit"),
    ),
    "ctest": (
        rb"\d+% tests passed, \d+ tests failed out of (?P<ctest>\d+)(?P<ctest_out>)",
        _total("ctest"),
    ),
    "gtest": (
        rb"\[=+\] (?P<gtest>\d+) tests? from \d+ test (?:suites?|cases?) ran(?P<gtest_out>)",
        _total("gtest"),
    ),
    "playwright": (
        rb"(?m)(?P<playwright>\d+) passed \([\d.]+m?s\)(?P<playwright_out>)", _total("playwright")
    ),
    "node": (rb"(?m)^\W*tests (?P<node>\d+)$(?P<node_out>)", _total("node")),
    "exunit": (
        rb"(?P<exunit>\d+) tests?, \d+ failures?(?:, (?P<exunit_out>\d+) (?:skipped|excluded))?",
        _total("exunit"),
    ),
}  # fmt: skip
_HINTS = re.compile(
    rb"passed|passing|Ran \d|total|--- (?:PASS|FAIL|SKIP)|\t(?:\d|\(cached)|DONE|Tests run|Total:"
    rb"|examples?,|assertions|Assertions|tests? from|tests \d|failures?\b|error|skipped"
)
_READ = {name: (re.compile(pattern), read) for name, (pattern, read) in _TOOLS.items()}


def tally(log: BinaryIO) -> dict[str, Tally]:
    """Count what a log says was run, by tool; several closing lines of one tool are added up."""
    found: dict[str, Tally] = {}
    for text in _texts(log):
        if not _HINTS.search(text):
            continue
        for name, (pattern, read) in _READ.items():
            for one in pattern.finditer(text):
                told, before = read(one), found.get(name, Tally(0, 0))
                found[name] = Tally(before.ran + told.ran, before.skipped + told.skipped)
    return found


def _texts(log: BinaryIO) -> Iterator[bytes]:
    """Give a log in pieces that end with a line, colours left out.

    A closing line of several lines that a piece parts is lost: one in a thousand megabytes.
    """
    rest = b""
    while chunk := log.read(_CHUNK):
        whole, end, rest = (rest + chunk).rpartition(b"\n")
        yield _COLOUR.sub(b"", whole + end).replace(b"\r", b"")
        rest = rest[-_CHUNK:]
    yield _COLOUR.sub(b"", rest).replace(b"\r", b"")


def fewer(
    green: Mapping[str, Tally], before: Mapping[str, Tally], least: float = 1.0
) -> tuple[str, ...]:
    """Say for which tools fewer tests ran than `least` of those before, or more were left out."""
    found = []
    for name in sorted(green.keys() & before.keys()):
        now, then = green[name], before[name]
        if now.ran < then.ran * least:
            found.append(f"{name} ran {now.ran} tests instead of {then.ran}")
        elif now.skipped * least > then.skipped:
            found.append(f"{name} left out {now.skipped} tests instead of {then.skipped}")
    return tuple(found)
