"""The model desk: what the faces and the other desks call for language models.

Must not hold policy: it chooses the model by the settings, puts limits and account on, passes on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from caselore.wiring import models

if TYPE_CHECKING:
    from caselore.llm.grounded import Phraser
    from caselore.memory.api import Memory
    from caselore.memory.records import Actor, ModelCall
    from caselore.settings import Settings


class Host(Protocol):
    """What the desk needs of the application that it belongs to."""

    @property
    def settings(self) -> Settings: ...
    @property
    def now(self) -> Callable[[], datetime]: ...
    @property
    def memory(self) -> Memory: ...
    def caller(self) -> Actor: ...


class ModelDesk:
    """Language models of one application: none unless a setting names one."""

    def __init__(self, app: Host) -> None:
        """Work for an application."""
        self._app = app

    def phraser(self, subject: str, model: str | None = None) -> Phraser | None:
        """Give what asks the named or configured model about one subject; none without a model.

        All questions about a subject share its limits, and each is in the ledger under it.
        Raises: WrongUse for a name that is none; Unavailable where its package or key is missing.
        """
        chosen = models.model_of(self._app.settings, model)
        if chosen is None:
            return None
        from caselore.llm.grounded import GroundedModel  # noqa: PLC0415

        limits = models.limits_of(self._app.settings.model_limits)
        who = self._app.caller()
        asking = models.metered(chosen, self._app.memory, who, limits, self._app.now)
        return GroundedModel(asking(subject))

    def usage(self, days: int = 7) -> list[dict[str, Any]]:
        """Add up what models were asked on the last days (UTC), by day and model."""
        since = self._app.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        groups: dict[tuple[str, str], list[ModelCall]] = defaultdict(list)
        for call in self._app.memory.calls(since - timedelta(days=days - 1)):
            at = call.at or datetime.min.replace(tzinfo=UTC)
            groups[f"{at:%Y-%m-%d}", call.model].append(call)
        return [_total(day, model, found) for (day, model), found in sorted(groups.items())]


def _total(day: str, model: str, found: list[ModelCall]) -> dict[str, Any]:
    return {
        "day": day,
        "model": model,
        "calls": len(found),
        "failed": sum(one.result != "answered" for one in found),
        "tokens_read": sum(one.read for one in found),
        "tokens_written": sum(one.written for one in found),
        "dollars": round(sum(one.dollars or 0.0 for one in found), 6),
        "unpriced": sum(one.dollars is None for one in found),
        "seconds": round(sum(one.seconds for one in found), 1),
    }
