"""The parts of the application that have a desk of their own: repair, later work, intel, models.

Must not hold policy, and must not load a part before it is asked for.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from caselore.wiring.keeper import Keeper

if TYPE_CHECKING:
    from caselore.jobs.ports import Jobs
    from caselore.memory.records import Actor
    from caselore.wiring.hindsight import HindsightDesk
    from caselore.wiring.intel import IntelDesk
    from caselore.wiring.model_desk import ModelDesk
    from caselore.wiring.repair import RepairDesk


@dataclass(frozen=True)
class Desks(Keeper):
    """What hands the application to its parts; `App` is one."""

    now: Callable[[], datetime]

    @abstractmethod
    def caller(self) -> Actor:
        """Tell who calls."""

    @cached_property
    def repair(self) -> RepairDesk:
        """Give the repair loop."""
        from caselore.wiring.repair import Parts, RepairDesk  # noqa: PLC0415

        return RepairDesk(
            Parts(
                self.settings,
                self.now,
                lambda: self.memory,
                self.caller,
                lambda file, name, passed: self._read(
                    file, passed, name, 40, lambda one: self.memory.rarity(one.id), digest=True
                ),
                lambda: self.jobs,
            )
        )

    @cached_property
    def jobs(self) -> Jobs:
        """Give what runs work later. Who works with it registers what does each kind."""
        from caselore.wiring.jobs import engine  # noqa: PLC0415

        return engine(self.settings, self.memory, self.now)

    @cached_property
    def intel(self) -> IntelDesk:
        """Give competitive intelligence."""
        from caselore.wiring.intel import IntelDesk  # noqa: PLC0415

        return IntelDesk(self)

    @cached_property
    def hindsight(self) -> HindsightDesk:
        """Give the mirror in a Hindsight bank."""
        from caselore.wiring.hindsight import HindsightDesk  # noqa: PLC0415

        return HindsightDesk(self)

    def withdrawn(self) -> str:
        """Withdraw what was erased from a mirror; give what hindered it."""
        return self.hindsight.withdrawn() if self.hindsight.wanted else ""

    @cached_property
    def model(self) -> ModelDesk:
        """Give the language model that the settings name."""
        from caselore.wiring.model_desk import ModelDesk  # noqa: PLC0415

        return ModelDesk(self)
