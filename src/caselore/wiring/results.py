"""What the Python interface gives back: typed, with `.to_json()` in the shapes of CONTRACT.

Must not compute: it carries what the memory returned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caselore.incidents.precedents import recalled_json
from caselore.memory.copies import Reached
from caselore.memory.recall import Hit, Recalled
from caselore.memory.records import Case, ImportReport, Outcome
from caselore.wiring import documents


@dataclass(frozen=True, slots=True)
class Judged:
    """An incident after a verdict."""

    case: Case

    @property
    def incident(self) -> str:
        """Give the incident's id."""
        return self.case.id

    @property
    def deployment(self) -> str:
        """Give the deployment's number or name."""
        return self.case.record.body.deployment

    @property
    def status(self) -> str:
        """Tell how far it may be trusted now."""
        return self.case.status.value

    @property
    def outcome(self) -> Outcome | None:
        """Give what a person confirmed."""
        return self.case.outcome

    @property
    def precedents(self) -> tuple[str, ...]:
        """Name the incidents that it follows."""
        return self.case.precedents

    def to_json(self) -> dict[str, Any]:
        """Give one line of `incidents`."""
        return documents.case_line(self.case)


@dataclass(frozen=True, slots=True)
class Found:
    """What a recall found."""

    recalled: Recalled

    @property
    def precedents(self) -> tuple[Hit, ...]:
        """Give the confirmed precedents, best first."""
        return self.recalled.hits

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """Give what was near, each with the reason why it is not one."""
        return self.recalled.nearest

    @property
    def considered(self) -> int:
        """Tell how many incidents were compared."""
        return self.recalled.considered

    @property
    def notes(self) -> tuple[str, ...]:
        """Tell which further arm could not answer, or not from all, and why."""
        return self.recalled.notes

    def to_json(self) -> dict[str, Any]:
        """Give precedents and the nearest, each with its signals."""
        return recalled_json(self.recalled)


@dataclass(frozen=True, slots=True)
class Swept:
    """What became of the copies of what was erased."""

    backups: tuple[Reached, ...] = ()
    mirror: str = ""
    """What hindered the withdrawal from a mirror; empty where it is gone there, or none is."""
    server: str = ""
    """What only a database server's own people can let go; empty where there is no server."""

    def to_json(self) -> dict[str, Any]:
        """Give it as plain JSON values; a mirror is named only where a copy is left there."""
        return {
            "backups": [one._asdict() for one in self.backups],
            **({"mirror": self.mirror} if self.mirror else {}),
            **({"server": self.server} if self.server else {}),
        }

    def left(self) -> list[str]:
        """Say of each copy that is left where it is, and why."""
        told = [f"{one.path}: {one.reason}" for one in self.backups if one.reason]
        mirror = [f"the mirror: {self.mirror}"] if self.mirror else []
        return [*told, *mirror, *([self.server] if self.server else [])]


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of an import."""

    report: ImportReport
    swept: Swept = Swept()
    """What became of the copies elsewhere, where rows said that something was erased."""

    @property
    def added(self) -> int:
        """Tell how many incidents are new."""
        return self.report.added

    @property
    def known(self) -> int:
        """Tell how many were known already."""
        return self.report.known

    @property
    def refused(self) -> tuple[tuple[int, str], ...]:
        """Give the refused lines with their reasons, in order."""
        return self.report.refused

    def to_json(self) -> dict[str, Any]:
        """Give the counts and each refused line."""
        return {**documents.report(self.report), **self.swept.to_json()}
