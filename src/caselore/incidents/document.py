"""The sections of a diagnosis as frozen values: quotes, cited sentences, what was withheld.

Must not decide what may stand in them; the checker does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Quote:
    """A literal span of a record, and which part of it that is."""

    quote: str
    cites: tuple[str, ...]
    part: str = ""

    def to_json(self) -> dict[str, Any]:
        """Give CONTRACT's shape, with the part beside it."""
        return {"cites": list(self.cites), "quote": self.quote, "part": self.part}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A statement with the records and log lines that carry it."""

    text: str
    cites: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    def to_json(self, *, lines: bool = True) -> dict[str, Any]:
        """Give CONTRACT's shape; a fix has no lines."""
        shape: dict[str, Any] = {"text": self.text, "cites": list(self.cites)}
        return {**shape, "lines": list(self.lines)} if lines else shape


@dataclass(frozen=True, slots=True)
class Document:
    """Historical Evidence, Diagnosis and Recommended Fix."""

    evidence: tuple[Quote, ...] = ()
    diagnosis: tuple[Sentence, ...] = ()
    fix: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Withheld:
    """A text that did not pass the checker, and why."""

    text: str
    reason: str

    def to_json(self) -> dict[str, str]:
        """Give CONTRACT's shape."""
        return {"text": self.text, "reason": self.reason}
