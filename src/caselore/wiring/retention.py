"""The desk of retention: what the rules of the settings let go, and letting it go everywhere.

Must not hold a rule: the settings name them, the memory judges each record by them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from caselore.wiring.results import Swept

if TYPE_CHECKING:
    from caselore.memory.api import Memory
    from caselore.memory.expiring import Due
    from caselore.memory.ledger import Verification
    from caselore.memory.retention import Rule
    from caselore.settings import Settings
    from caselore.wiring.sweeping import Sweep


@dataclass(frozen=True, slots=True)
class Kept:
    """What rules let go, or would; and after it went, how the ledger and all copies stand."""

    due: tuple[Due, ...]
    removed: int | None = None
    """None where nothing was to be removed, only told."""
    swept: Swept = field(default_factory=Swept)
    ledger: Verification | None = None

    @property
    def sound(self) -> bool:
        """Say whether the ledger verifies, as far as it was asked."""
        return self.ledger is None or self.ledger.ok

    def to_json(self) -> dict[str, Any]:
        """Give it as plain JSON values."""
        return {
            "dry_run": self.removed is None,
            "due": sum(len(one.going) for one in self.due),
            "removed": self.removed or 0,
            "rules": [_rule(one) for one in self.due],
            **self.swept.to_json(),
            "verified": None if self.ledger is None else self.ledger.ok,
        }


def _rule(one: Due) -> dict[str, Any]:
    going = [{"id": each.id, "kind": each.kind, "why": each.why} for each in one.going]
    return {
        "rule": one.rule.name,
        "what": one.rule.what,
        "words": one.rule.words(),
        "going": going,
        "kept": [each._asdict() for each in one.staying],
    }


class House(Protocol):
    """What the desk needs of the application."""

    @property
    def settings(self) -> Settings: ...
    @property
    def memory(self) -> Memory: ...
    def sweep(self, command: str) -> Sweep: ...


class RetentionDesk:
    """Retention, as every face calls it."""

    def __init__(self, app: House, acting: Callable[[], Any]) -> None:
        """Serve an application; `acting` names the caller."""
        self._app, self._acting = app, acting

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Give the rules of the settings. Raises: WrongUse."""
        from caselore.memory.retention import read_rules  # noqa: PLC0415

        return read_rules(self._app.settings.retention)

    def due(self) -> Kept:
        """Say what goes and why, and what stays although it is old. Raises: WrongUse."""
        return Kept(self._app.memory.retention_due(self.rules))

    def apply(self, progress: Callable[[int], None] | None = None) -> Kept:
        """Remove what is due, in every copy, too; cut off, it goes on at the next call.

        Raises: GateRefused unless a person; WrongUse for an unsound rule; StoreBusy where a reader
        still holds a copy.
        """
        memory, actor = self._app.memory, self._acting()
        due = memory.retention_due(self.rules)
        sweep = self._app.sweep("retention apply")
        removed = memory.retention_apply(due, actor, progress)
        return Kept(due, removed, sweep.end(), memory.ledger_verify())
