"""The model desk: what the faces and the other desks call for language models.

Must not hold policy: it chooses the model by the settings, puts limits and account on, passes on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from caselore.wiring import models

if TYPE_CHECKING:
    from caselore.incidents.drafting import Draft
    from caselore.incidents.summary import Summary
    from caselore.llm.grounded import Phraser
    from caselore.memory.api import Memory
    from caselore.memory.records import Actor, Case, ModelCall
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


class Drafted(NamedTuple):
    """What was drafted for an incident, and whether it waits for a person now."""

    case: Case
    draft: Draft
    proposed: bool

    def to_json(self) -> dict[str, Any]:
        """Give it as plain JSON values, with what a person does next."""
        return {
            "incident": self.case.id,
            "status": self.case.status.value,
            "proposed": self.proposed,
            **self.draft.to_json(),
            "next": self.next_steps(),
        }

    def next_steps(self) -> list[str]:
        """Say how a person takes it in one step."""
        if not self.proposed:
            return []
        cause = "" if self.draft.cause else " --cause '…'"
        taking = f"caselore confirm {self.case.id} --as-proposed{cause}"
        return [f"{taking} --result succeeded"]


class ModelDesk:
    """Language models of one application: none unless a setting names one."""

    def __init__(self, app: Host) -> None:
        """Work for an application."""
        self._app = app

    def phraser(
        self,
        subject: str,
        model: str | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Phraser | None:
        """Give what asks the named or configured model about one subject; none without a model.

        All questions about a subject share its limits, and each is in the ledger under it. `tell`
        hears how far a question is.
        Raises: WrongUse for a name that is none; Unavailable where its package or key is missing.
        """
        chosen = models.model_of(self._app.settings, model)
        if chosen is None:
            return None
        from caselore.llm.grounded import GroundedModel  # noqa: PLC0415

        limits = models.limits_of(self._app.settings.model_limits)
        who = self._app.caller()
        asking = models.metered(chosen, self._app.memory, who, limits, self._app.now, tell)
        return GroundedModel(asking(subject))

    def draft(
        self,
        incident: str,
        diff: str,
        *,
        model: str | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Drafted:
        """Draft cause and resolution from a change and keep them as proposed, for a person.

        Raises: NotFound or Ambiguous; BadInput for a text that is no change; GateRefused for who
        may not propose; Unavailable for a model that cannot be used.
        """
        from caselore.incidents import drafting, service  # noqa: PLC0415

        case = self._app.memory.get(incident)
        drafted = drafting.draft(case, diff, self.phraser(case.id, model, tell))
        cause, resolution = drafted.said
        proposed = bool(cause or resolution)
        if proposed:
            who = self._app.caller()
            case = service.propose(self._app.memory, case.id, cause, resolution, who)
        return Drafted(case, drafted, proposed)

    def summary(
        self,
        chain: Iterable[Case],
        model: str | None = "none",
        tell: Callable[[str], None] | None = None,
    ) -> Summary | None:
        """Tell a chain in one paragraph; a model is asked only where one is named.

        Raises: Unavailable for a model that cannot be used.
        """
        from caselore.incidents.summary import summarise  # noqa: PLC0415

        cases = tuple(chain)
        asked = self.phraser(cases[-1].id, model, tell) if len(cases) > 1 else None
        return summarise(cases, asked)

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
