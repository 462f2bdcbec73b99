"""Compute the identity of a failure from its block: parts, id, specificity, and how two compare.

Must not read history: the rarity that a bank knows comes in as an argument.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from typing import Final

from caselore.logs.masking import masked, plain
from caselore.logs.reading import Signature

VERSION: Final = "sig1"
BODY_LINES: Final = 20
GENERIC_BELOW: Final = 0.3
_HEAD_WIDTH: Final = 160  # a longer line says more than a generic head; it also bounds the search
_FRAME: Final = re.compile(
    r"^\s*(?:at |File \"|#\d+ |from \S+:\d+|\.\.\. \d+ more|in \S+:\d+|goroutine \d+"
    r"|\S+\.(?:go|rs|js|ts|php|exs?|rb|py):\d+)"
)
_OWN_FRAME: Final = re.compile(
    r"[\w./@-]+\.(?:py|js|ts|tsx|jsx|rb|go|rs|java|kt|scala|php|exs?|cs|c|cc|cpp|hs|swift)\b"
)
_FOREIGN: Final = re.compile(
    r"node_modules|site-packages|dist-packages|/usr/|/lib/|\bgems/|\bvendor/|java\.|org\.junit|internal/"
)
_WORD: Final = re.compile(r"[A-Za-z][\w.$-]{2,}")
_ERROR: Final = re.compile(
    r"\b((?:\w+(?:\.|::))*[A-Z]\w*(?:Error|Exception|Failure|Fault|Panic))\b|\b((?:TS|E|CS|SC|MD|C)\d{3,5})\b"
)
_COUNTS: Final = re.compile(
    r"^\W*\d+ (?:failed|failing|passed|errors?|failures?)\b|Time:|Finished in|took"
)


@cache
def _heads() -> tuple[tuple[re.Pattern[str], ...], frozenset[str]]:
    """Load heads.toml: lines and words that identify nothing."""
    text = resources.files("caselore.logs").joinpath("heads.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    patterns = tuple(re.compile(pattern, re.I) for pattern in table["heads"])
    return patterns, frozenset(table["common"].split())


@dataclass(frozen=True, slots=True)
class Facts:
    """What the top block says about itself; plain text, secrets already masked."""

    tool: str
    line: str
    block: tuple[str, ...]
    unit: str = ""
    error: str = ""
    message: str = ""
    frame: str = ""


def sign(
    facts: Facts, family: str, rarity: Callable[[Signature], float] | None = None
) -> Signature:
    """Compute the signature of a block."""
    line = plain(facts.line)
    head = plain(next((text for text in facts.block if text.strip()), ""))
    body = _body(facts.block)
    error = facts.error or _error(facts.line, facts.block)
    unit = masked(facts.unit)
    frame = facts.frame or _frame(facts.block)
    message = plain(facts.message) or line
    told = "\n".join(body)
    prior = _prior(line, message, told, unit)
    draft = Signature(
        _id(facts.tool, unit, error, line, head, told), family, facts.tool, unit[:200], error,
        message[:500], masked(frame)[:200], round(prior, 2), prior < GENERIC_BELOW,
        head[:300], told,
    )  # fmt: skip
    return draft if rarity is None else with_rarity(draft, rarity(draft))


def with_rarity(signature: Signature, rarity: float) -> Signature:
    """Weigh the prior by the bank's history: 0 for seen everywhere, 1 for nowhere else."""
    value = signature.specificity * max(0.0, min(1.0, rarity))
    return replace(
        signature, specificity=round(value, 2), generic=signature.generic or value < GENERIC_BELOW
    )


def refused(signature: Signature) -> Signature:
    """Mark a signature as no identity: its line also stands in a passing run."""
    return replace(signature, specificity=min(signature.specificity, 0.1), generic=True)


def nothing(family: str = "unknown") -> Signature:
    """Give the signature of a log that shows no failure."""
    return Signature(
        f"{VERSION}:{hashlib.sha256(b'').hexdigest()[:32]}", family, "", "", "", "", "", 0.0, True
    )


def _id(*parts: str) -> str:
    """Hash the parts; a change of what is hashed is a new VERSION."""
    text = "\x1e".join(parts)
    return f"{VERSION}:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:32]}"


def _body(block: Sequence[str]) -> list[str]:
    """Give the first masked lines of a block that are neither frames nor counts nor blank."""
    lines = (
        text
        for text in block
        if text.strip() and not _FRAME.match(text) and not _COUNTS.search(text)
    )
    return [plain(text) for text, _ in zip(lines, range(BODY_LINES), strict=False)]


def _error(line: str, block: Sequence[str]) -> str:
    """Find the type of error: on the line itself, else the first in the block."""
    for text in (line, *block[:40]):
        if match := _ERROR.search(text[:500]):
            return match.group(1) or match.group(2)
    return ""


def _frame(block: Sequence[str]) -> str:
    """Find the first stack frame that lies in the project itself."""
    for text in block[:80]:
        if (
            _FRAME.match(text[:500])
            and _OWN_FRAME.search(text[:500])
            and not _FOREIGN.search(text[:500])
        ):
            return text.strip()
    return ""


@lru_cache(maxsize=512)
def is_generic(line: str) -> bool:
    """Say whether a masked line is one that never identifies a failure alone."""
    return len(line) <= _HEAD_WIDTH and any(pattern.search(line) for pattern in _heads()[0])


def words_of(line: str) -> int:
    """Count the words of a line that not every failure uses; 0 for one that identifies nothing."""
    text = plain(line)
    return 0 if is_generic(text) else len({w.lower() for w in _WORD.findall(text)} - _heads()[1])


@lru_cache(maxsize=512)
def _prior(line: str, message: str, body: str, unit: str) -> float:
    """Estimate without any history how much these words tell."""
    common = _heads()[1]
    words = {w.lower() for w in _WORD.findall(f"{line} {message}")} - common
    more = {w.lower() for w in _WORD.findall(body)} - common - words
    told = 1 - 0.65 ** len(words)
    around = 1 - 0.93 ** len(more)
    value = 0.72 * told + 0.18 * around + (0.1 if unit else 0.0)
    if is_generic(line):
        value = min(value, 0.29 if unit else 0.2)
    return min(value, 0.99)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of two signatures, compared."""

    name: str
    same: bool
    one: str
    other: str


def explain(a: Signature, b: Signature) -> tuple[Part, ...]:
    """Say which parts of two signatures agree and which differ."""
    names = ("family", "tool", "unit", "error", "message", "frame", "head", "body")
    return tuple(
        Part(n, getattr(a, n) == getattr(b, n), getattr(a, n), getattr(b, n)) for n in names
    )
