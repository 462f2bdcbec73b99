"""What is sought, and a stored case with what was measured of it: what a ranking goes by.

Must not measure or weigh anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from caselore.memory.rows import CaseRow


@dataclass(frozen=True, slots=True)
class Sought:
    """What precedents are sought for: a failure, or a question in somebody's words."""

    id: str = ""
    signature: str = ""
    group: tuple[str, ...] = ()
    """The signatures that count as one with it, as people said; itself included."""
    generic: bool = True
    family: str = ""
    unit: str = ""
    service: str = ""
    environment: str = ""
    branch: str = ""
    deployment: str = ""
    text: str = ""
    kinds: frozenset[str] = frozenset()
    question: bool = False
    happened_at: str = ""

    @property
    def pasted(self) -> bool:
        """Say whether a question is lines of a log rather than a sentence: most of it is noise."""
        return self.question and "\n" in self.text.strip()


class Candidate(NamedTuple):
    """A stored case with what was measured of it against the sought one."""

    row: CaseRow
    likeness: float
    confirmers: tuple[str, ...]
    kinds: frozenset[str] = frozenset()
    failures: int = 0
    """Cases in which the same fix did not work on the same failure, and who says so."""
    deniers: tuple[str, ...] = ()
    returns: int = 0
    """How often the failure came back to its service after this fix."""
    replaced_by: str = ""
    closeness: float | None = None
    """Deviations above what is unrelated to the question, by its meaning; none if unmeasured."""
    rareness: float = 0.0
    """How much of a question stands in it, what few failures say counting more."""
    covered: float = 0.0
    """How much of a question stands in it, values masked, everything counting alike."""
    places: tuple[str, ...] = ()
    """Which further arms brought it, and where they put it."""
