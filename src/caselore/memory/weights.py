"""The points of a ranking, each a setting that a person can change.

Must not compute anything: `ranking` adds them up.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """The points of a ranking; all but recency move in steps, so recency only breaks ties."""

    same_signature: float = 40
    same_unit: float = 15
    same_family: float = 15
    same_service: float = 20
    succeeded: float = 25
    failed: float = -10
    same_environment: float = 5
    same_branch_kind: float = 5
    text: float = 20
    text_step: float = 2.5
    confirmers: float = 10
    per_confirmer: float = 5
    regression: float = -5
    """A fix that was confirmed and after which the same failure came back to the same service."""
    contradicted: float = -5
    """For each case in which the same fix did not work on the same failure."""
    contradicted_most: float = -20
    recurring: float = -5
    """For each time that the failure came back to the service after this fix."""
    recurring_most: float = -15
    superseded: float = -10
    """An outcome that a person replaced by another record's."""
    recency: float = 2
    recency_days: float = 90
    other_family: float = -30
    floor: float = 35
    """Least points for likeness alone, outcome and recency left out, to be called similar."""
    broad_floor: float = 55
    """The same where the family is broad: two failing tests are often unrelated."""
    broad_families: tuple[str, ...] = (
        "test-assertion",
        "test-error",
        "compile",
        "type-check",
        "lint",
        "crash",
        "timeout",
        "configuration",
        "runner",
        "flaky",
    )
    many_ways: tuple[str, ...] = ("migration", "network")
    """Families that tell where it failed, not how: for them the way of failing is compared."""
    hardly_alike: float = 0.15
    """Least part of equal text where the way of failing is not told."""
    question: float = 0.3
    """Least part of a person's question that must stand in a record for it to be an answer."""
    question_rare: float = 0.2
    """The same of pasted lines, with what few failures say counting more: noise is no answer."""
    meaning: float = 15
    """Most points for closeness in meaning, if vectors are on; words count if they give more."""
    meaning_full: float = 8
    """Deviations above unrelated texts that give all of these points."""
    meaning_floor: float = 5
    """Least deviations by which a record that shares no words with a question is an answer."""

    def __post_init__(self) -> None:
        """Refuse weights by which recency could decide between unequals."""
        if not 0 <= self.recency < self.text_step:
            raise ValueError("recency must weigh less than one step of the text signal")
