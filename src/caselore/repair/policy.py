"""The bounds of the repair loop, as data.

Must not hold a value that means "unlimited": every bound is a positive number below a ceiling.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import timedelta

from caselore.errors import BadInput

CEILINGS = {
    "attempts": 20,
    "settle": 3_600,
    "same_failure": 20,
    "infra_reruns": 10,
    "infra_limit": 50,
    "flake_reruns": 10,
    "gone_after": 20,
    "restores": 10,
    "silence": 7 * 86_400,
    "post_merge": 30 * 86_400,
    "cost_per_change": 10_000_000_000,
    "cost_per_day": 100_000_000_000,
}
MAY_BE_ZERO = frozenset({"settle", "infra_reruns", "flake_reruns", "restores"})


@dataclass(frozen=True, slots=True)
class Policy:
    """How much the loop may spend on one change, and when it stops. Times are seconds.

    Costs are millionths of the currency that the workers report in. Raises BadInput for a bound
    that is not positive, or so high that it would be none.
    """

    attempts: int = 5
    """Failures that go to the worker in a row; the next one trips the breaker."""
    settle: int = 60
    """How long a verdict must stand, in two readings, before it counts."""
    same_failure: int = 3
    """The same failure this often in a row, after repairs, trips early."""
    infra_reruns: int = 2
    infra_limit: int = 6
    """Failures of the infrastructure in a row, after which the change is parked."""
    flake_reruns: int = 2
    gone_after: int = 3
    """Answers "not found" in a row, after which the change is taken for gone."""
    restores: int = 3
    """How often a dead worker is started again before a person is asked."""
    silence: int = 6 * 3_600
    """How long a worker's push may be without a pipeline before a person is told."""
    post_merge: int = 86_400
    """How long the target branch and tags are watched after the merge."""
    cost_per_change: int = 20_000_000
    cost_per_day: int = 200_000_000
    """Of all changes together; no rearming gives it back."""
    manual_is_green: bool = False
    """Whether a pipeline that only waits for a manual job resets the count."""

    def __post_init__(self) -> None:
        """Check every bound. Raises BadInput."""
        for name, ceiling in CEILINGS.items():
            _check(name, getattr(self, name), ceiling)

    def settled(self, since: timedelta) -> bool:
        """Tell whether a verdict that stands so long may count."""
        return since >= timedelta(seconds=self.settle)

    def to_json(self) -> dict[str, int | bool]:
        """Give every bound by its name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


def _check(name: str, value: object, ceiling: int) -> None:
    lowest = 0 if name in MAY_BE_ZERO else 1
    sound = isinstance(value, int) and not isinstance(value, bool)
    if not sound or not lowest <= value <= ceiling:  # type: ignore[operator]
        raise BadInput(
            f"The policy's {name} must be a whole number from {lowest} to {ceiling:,}; "
            "there is no value for unlimited."
        )
