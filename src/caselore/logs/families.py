"""Name the family of a failure from a readable table, which callers may extend.

Must not decide whether two failures are the same: a family is a kind, not an identity.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

from caselore.errors import BadInput
from caselore.logs.sieve import Sieve

CLASSES: Final = ("code", "configuration", "dependency", "infrastructure", "flaky", "unknown")
_LINES: Final = 60
_WIDTH: Final = 600
_OVER_HINT: Final = 5  # families of the table that outrank a hint of a reader
_SURE: Final = frozenset({"lint", "type-check"})  # hints that no word in a finding may outrank
_OVER_BY_LINE: Final = ("authentication", "registry", "network", "timeout")
# Hints that say where a cause showed, not what it was: the failing line may know better.
_OPEN: Final = frozenset(
    (
        "authentication",
        "configuration",
        "crash",
        "dependency-conflict",
        "migration",
        "missing-variable",
        "runner",
        "test-assertion",
        "test-error",
    )
)
# Families that say that something ended, not what it was that ended.
_VAGUE: Final = frozenset(("timeout", "unknown", "configuration", "test-error", "runner", "crash"))
_STOPPED: Final = re.compile(
    r"(?i)time[ds]?[ -]?out|deadline|took (?:longer|too long)|gave up|no response|cancel|abort"
    r"|killed|rolled back|terminated|stopped|exceed|still running|limit|in time\b"
)
_MIGRATION: Final = re.compile(
    r"(?i)(?:\b|_)migrat(?:ion|ions|ing|e)(?:\b|_)|schema change|\bbackfill|\bALTER TABLE\b"
    r"|\balembic\b|\bflyway\b|\bliquibase\b|\bknex\b|\bsequelize\b"
)
_ANNOUNCES: Final = re.compile(r"(?i):\s*$|\bhooks? failed\b|\bnot ready\b")
_UNDER: Final = 3  # lines: the one that announces, and two more
_CLAIM: Final = re.compile(r"(?i)\bassert|\bexpect(?:ed|s)?\b")


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of failure."""

    name: str
    kind: str
    patterns: tuple[re.Pattern[str], ...]

    def matches(self, lines: Sequence[str]) -> bool:
        """Say whether any line shows this family."""
        return any(pattern.search(line) for pattern in self.patterns for line in lines)


def families_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Family, ...]:
    """Read families from tables with name, class and patterns. Raises BadInput on a bad one."""
    return tuple(_family(row) for row in rows)


def _family(row: Mapping[str, Any]) -> Family:
    """Check and compile one family."""
    name, kind = str(row.get("name", "")), str(row.get("class", ""))
    if not name or kind not in CLASSES:
        raise BadInput(
            f"family {name or '?'}: it needs a name and a class out of {', '.join(CLASSES)}"
        )
    try:
        patterns = tuple(re.compile(p, re.I) for p in row.get("patterns", ()))
    except re.error as problem:
        raise BadInput(f"family {name}: {problem}") from problem
    return Family(name, kind, patterns)


@cache
def shipped() -> tuple[Family, ...]:
    """Load families.toml."""
    text = resources.files("caselore.logs").joinpath("families.toml").read_text(encoding="utf-8")
    return families_of(tomllib.loads(text)["family"])


@cache
def _by_name() -> Mapping[str, Family]:
    return {family.name: family for family in shipped()}


@cache
def _sieve() -> tuple[Sieve, tuple[tuple[str, re.Pattern[str]], ...]]:
    """Give all shipped patterns behind one pass, each with the name of its family."""
    rows = tuple((family.name, one) for family in shipped() for one in family.patterns)
    return Sieve([pattern for _, pattern in rows]), rows


@lru_cache(maxsize=4096)
def _shown_by(line: str) -> frozenset[str]:
    """Name the shipped families that a line shows."""
    sieve, rows = _sieve()
    likely = (rows[number] for number in sieve.may_match(line))
    return frozenset(name for name, pattern in likely if pattern.search(line))


def family_of(
    lines: Sequence[str],
    hint: str = "",
    extra: Sequence[Family] = (),
    above: Sequence[str] = (),
) -> Family:
    """Name the family of a block, its failing line first; `hint` is what its reader thinks.

    `above` is what the failed command said before the block.
    """
    found = _by_block(lines, hint, extra)
    stopped = found.name in _VAGUE and any(map(_cut_short, _said(lines)))
    if stopped and _migrating([*lines, *above]):
        return _by_name()["migration"]
    return found


def _said(lines: Sequence[str]) -> list[str]:
    """Give the failing line, and what stands under it where it only announces that."""
    if not lines or not (_ANNOUNCES.search(lines[0][:_WIDTH]) and lines[0] in lines[1:]):
        return list(lines[:1])
    at = list(lines).index(lines[0], 1)
    return list(lines[at : at + _UNDER])


def _cut_short(line: str) -> bool:
    """Say whether a failing line speaks of time, or of something that was stopped."""
    return bool(_STOPPED.search(line[:_WIDTH])) and not _CLAIM.search(line[:_WIDTH])


def _migrating(lines: Sequence[str]) -> bool:
    """Say whether a database migration was going on: its end is that of the migration."""
    return any(_MIGRATION.search(line[:_WIDTH]) for line in lines)


def _by_block(lines: Sequence[str], hint: str, extra: Sequence[Family]) -> Family:
    seen = [line[:_WIDTH] for line in lines[:_LINES]]
    for family in extra:
        if family.matches(seen):
            return family
    table = _by_name()
    if hint in _SURE:
        return table[hint]
    told = _told_by_line(table, seen, hint)
    if told is not None:
        return told
    limit = _OVER_HINT if hint in table else len(table)
    shows = frozenset[str]().union(*map(_shown_by, seen))
    found = next((name for name in list(table)[:limit] if name in shows), hint)
    return table.get(found, table["unknown"])


def _told_by_line(table: Mapping[str, Family], seen: Sequence[str], hint: str) -> Family | None:
    """Let the failing line itself say that time, the network or a registry was the cause."""
    if hint not in _OPEN or not seen or _CLAIM.search(seen[0]):
        return None
    names = ("network",) if hint == "migration" else _OVER_BY_LINE
    said = _said(seen)
    shows = frozenset[str]().union(*map(_shown_by, said))
    return next((table[n] for n in names if n in shows), None)


def class_of(name: str, extra: Sequence[Family] = ()) -> str:
    """Give the class of a family by its name."""
    return next((f.kind for f in (*extra, *shipped()) if f.name == name), "unknown")
