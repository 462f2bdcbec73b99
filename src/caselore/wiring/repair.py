"""The repair loop as the faces call it.

Must not hold a rule of the loop: it reads the policy, opens what is needed and passes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from caselore.errors import WrongUse
from caselore.repair import recorded
from caselore.repair.policy import Policy
from caselore.repair.simulation import Simulation
from caselore.settings import Settings, nearest


def policy_of(given: Mapping[str, Any]) -> Policy:
    """Read the bounds of caselore.toml over the defaults.

    Raises: WrongUse for an unknown name; BadInput for a bound that is none.
    """
    known = tuple(one.name for one in fields(Policy))
    for name in given:
        if name not in known:
            raise WrongUse(f"[repair.policy] has no {name!r}.", hint=nearest(name, known))
    return Policy(**given)


@dataclass(frozen=True)
class RepairDesk:
    """The verbs of the repair loop."""

    settings: Settings

    @property
    def policy(self) -> Policy:
        """Give the bounds in force. Raises: WrongUse or BadInput for what cannot be one."""
        return policy_of(self.settings.repair.get("policy", {}))

    def simulate(
        self, lines: Iterable[bytes], attempts: int | None = None, settle: int = 0
    ) -> tuple[Simulation, list[recorded.Told]]:
        """Read a recording and give what tells it again. Raises: BadInput for what is none."""
        policy = replace(self.policy, settle=settle)
        if attempts is not None:
            policy = replace(policy, attempts=attempts)
        return Simulation(policy), list(recorded.read(lines))
