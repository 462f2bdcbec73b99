"""The seven stages' one protocol, their shared budget and their audit.

Must not hold what a stage does: each stage is a plain function beside its subject.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from caselore.errors import CaseloreError

COMPLETED, PARTIAL, LIMIT, FAILED = (
    "completed", "completed_with_partial_failures", "stopped_at_limit", "failed",
)  # fmt: skip
NAMES = (
    "Discovery", "Research", "Memory", "Analyst", "Strategy Evolution", "Prediction", "Writer",
)  # fmt: skip
In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
Made = TypeVar("Made")


class Stage(Protocol[In_contra, Out_co]):
    """One step of a run: typed in, typed out."""

    def __call__(self, given: In_contra, /) -> Out_co: ...


class LimitReached(CaseloreError):
    """The run's budget is used up; what was taken in so far is stored."""

    code = "limit_reached"
    exit_code = 1


@dataclass
class Budget:
    """What all stages of a run share."""

    pages: int = 5_000
    steps: int = 200_000
    used_pages: int = 0
    used_steps: int = 0

    def page(self) -> None:
        """Count a page. Raises LimitReached."""
        self.used_pages += 1
        if self.used_pages > self.pages:
            raise LimitReached(f"more than {self.pages} pages")

    def step(self) -> None:
        """Count a step. Raises LimitReached."""
        self.used_steps += 1
        if self.used_steps > self.steps:
            raise LimitReached(f"more than {self.steps} steps")


@dataclass
class Audit:
    """What each stage did, for the run's record."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    limit: str = ""

    def run(
        self, name: str, stage: Callable[[], Made], nothing: Made, count: Callable[[Made], int]
    ) -> Made:
        """Run one stage; its failure is written down and leaves nothing of it."""
        try:
            made = stage()
        except LimitReached as error:
            self.limit = str(error)
            self.lines.append({"stage": name, "state": LIMIT, "why": str(error)})
            return nothing
        except CaseloreError as error:
            self.failures.append(f"{name}: {error}")
            self.lines.append({"stage": name, "state": FAILED, "why": str(error)})
            return nothing
        self.lines.append({"stage": name, "state": COMPLETED, "made": count(made)})
        return made

    def status(self) -> str:
        """Give the state of the whole run."""
        if self.limit:
            return LIMIT
        if len(self.failures) == len(self.lines) and self.failures:
            return FAILED
        return PARTIAL if self.failures else COMPLETED
