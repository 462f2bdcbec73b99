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
ESSENTIAL = frozenset({"Discovery", "Writer"})  # without which a run has nothing to say
In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
Given = TypeVar("Given")
Made = TypeVar("Made")


class Stage(Protocol[In_contra, Out_co]):
    """One step of a run: typed in, typed out."""

    def __call__(self, given: In_contra, /) -> Out_co: ...


class NothingRead(CaseloreError):
    """No source of a run could be read, so that nothing is known of what it was to look at."""

    code = "nothing_read"
    exit_code = 5


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
            raise LimitReached(f"more than {self.pages:,} pages; [intel.budget] pages allows more")

    def step(self) -> None:
        """Count a step. Raises LimitReached."""
        self.used_steps += 1
        if self.used_steps > self.steps:
            raise LimitReached(f"more than {self.steps:,} steps; [intel.budget] steps allows more")


@dataclass
class Audit:
    """What each stage did, for the run's record."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    limit: str = ""

    def run(
        self,
        name: str,
        stage: Stage[Given, Made],
        given: Given,
        nothing: Made,
        count: Callable[[Made], int],
    ) -> Made:
        """Run one stage; its failure is written down and leaves nothing of it.

        One that comes to a limit gives what it has made by then, and says so by `stopped`.
        """
        before = self.limit
        try:
            made = stage(given)
        except CaseloreError as error:
            self.failures.append(f"{name}: {error}")
            self.lines.append({"stage": name, "state": FAILED, "why": str(error)})
            return nothing
        line: dict[str, Any] = {"stage": name, "state": COMPLETED, "made": count(made)}
        if self.limit != before:
            line |= {"state": LIMIT, "why": self.limit}
        self.lines.append(line)
        return made

    def stopped(self, error: LimitReached) -> None:
        """Write down that a stage stopped at a limit."""
        self.limit = str(error)

    def status(self) -> str:
        """Give the state of the whole run."""
        failed = {one["stage"] for one in self.lines if one["state"] == FAILED}
        if failed & ESSENTIAL:
            return FAILED
        if self.limit:
            return LIMIT
        return PARTIAL if self.failures else COMPLETED
