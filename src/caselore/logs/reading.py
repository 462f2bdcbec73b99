"""What reading a log gives: plain frozen records, and their JSON form.

Must not compute anything; it only carries.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Range:
    """Lines of the log that are shown, with why. Numbers are 1-based, both ends included."""

    first: int
    last: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Signature:
    """The computed identity of a failure."""

    id: str
    family: str
    tool: str
    unit: str
    error: str
    message: str
    frame: str
    specificity: float
    generic: bool
    head: str = ""
    body: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """One of the failures of a job that do not follow from each other, by its line."""

    line: int
    why: str
    tool: str
    unit: str


@dataclass(frozen=True, slots=True)
class Redaction:
    """A secret that was masked in what is shown."""

    line: int
    rule: str


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Text in the log that tries to instruct whoever reads it."""

    line: int
    rule: str
    view: str


@dataclass(frozen=True, slots=True)
class Reading:
    """One log, read down to the lines that matter."""

    log: str
    lines: int
    bytes: int
    truncated: bool
    failing_line: int | None
    excerpt: tuple[Range, ...]
    signature: Signature
    redactions: tuple[Redaction, ...]
    injection: tuple[Suspicion, ...]
    digest: str
    block: str
    notes: tuple[str, ...]
    green: str | None
    causes: tuple[Cause, ...] = ()

    def to_json(self, text: bool = True) -> dict[str, Any]:
        """Give the shape of CONTRACT `read`; `text=False` leaves the excerpt's text out."""
        ranges = [asdict(r) for r in self.excerpt]
        if not text:
            for each in ranges:
                del each["text"]
        signature = asdict(self.signature)
        for part in ("head", "body"):
            del signature[part]
        return {
            "log": self.log,
            "lines": self.lines,
            "bytes": self.bytes,
            "truncated": self.truncated,
            "failing_line": self.failing_line,
            "excerpt": ranges,
            "causes": [asdict(c) for c in self.causes],
            "signature": signature,
            "redactions": [asdict(r) for r in self.redactions],
            "injection": [asdict(s) for s in self.injection],
            **({"digest": self.digest} if self.digest else {}),
            "green": self.green,
            "notes": list(self.notes),
        }
