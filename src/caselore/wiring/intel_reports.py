"""What the intelligence desk lays out of what is known: deliveries, cards, alerts, backtests.

Must not decide what is known: it asks the desk and passes on.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caselore.intel.dossier import Dossier
    from caselore.intel.entities import Entity
    from caselore.intel.trust import Trust

Document = dict[str, Any]


class IntelReports:
    """The part of the desk that only reads."""

    _app: Any

    @property
    @abstractmethod
    def _trust(self) -> Trust: ...

    @abstractmethod
    def brief(self, run: str = "", as_of: datetime | str | None = None) -> Document:
        """Give a briefing."""

    @abstractmethod
    def competitors(self) -> list[Document]:
        """Give every competitor."""

    @abstractmethod
    def dossiers(self, name: str, as_of: datetime | str | None = None) -> list[Dossier]:
        """Give a competitor's events."""

    @staticmethod
    @abstractmethod
    def moment(value: datetime | str) -> datetime:
        """Read a day or a time."""

    @abstractmethod
    def history(self, name: str) -> list[Document]:
        """Give a competitor's events as documents."""

    @abstractmethod
    def _named(self, name: str) -> str: ...
    @abstractmethod
    def _entity(self, name: str) -> Entity: ...

    def held(self, id: str) -> Document | None:
        """Give a page or event that a guard holds, with what was found; none for other ids.

        Raises: NotFound where no such one is held.
        """
        from caselore.errors import NotFound  # noqa: PLC0415
        from caselore.memory.evidence import PREFIXES, to_body  # noqa: PLC0415

        if not id.startswith(tuple(PREFIXES.values())):
            return None
        one = self._app.memory.exhibit(id)
        if one.status.value != "quarantined":
            raise NotFound(f"{id} is not held", hint="`caselore quarantine list` lists what is.")
        return {
            "id": one.id,
            "kind": one.kind.value,
            "status": one.status.value,
            "by": str(one.actor),
            "recorded_at": one.recorded_at.isoformat(),
            "findings": list(one.findings),
            "body": to_body(one.body),
        }

    def backtest(self, folder: str, competitors: Iterable[str] = (), *, days: int = 7) -> Document:
        """Replay a dated folder in a memory of its own. Raises: BadInput, NotFound."""
        from caselore.intel.backtest import backtest  # noqa: PLC0415
        from caselore.wiring import throw_away_memory  # noqa: PLC0415

        names = tuple(competitors) or tuple(one["competitor"] for one in self.competitors())
        with throw_away_memory(self._app.settings.bank) as memory:
            entities = tuple(self._entity(name) for name in names)
            return backtest(
                memory, Path(folder).expanduser(), entities, self._app.now(), self._trust, days
            )

    def deliver(self, form: str, run: str = "", as_of: datetime | str | None = None) -> str:
        """Lay a briefing out as md, html, json, slack, email, text or rss."""
        from caselore.intel.delivery import deliver  # noqa: PLC0415

        return deliver(self.brief(run, as_of), form)

    def verify(self, rows: Iterable[Any]) -> Document:
        """Hold claims against the evidence beside them, and score that by their labels.

        Raises: BadInput.
        """
        from caselore.intel.labelled import judged, read_pairs, scores  # noqa: PLC0415

        told = [(one, judged(one)) for one in read_pairs(rows)]
        return {
            "claims": [{**found.to_json(), "label": one.label or None} for one, found in told],
            "scores": scores(told),
        }

    def battlecard(self, name: str, as_of: datetime | str | None = None) -> Document:
        """Give what to know of a competitor, or was known by a moment, with age and evidence."""
        from caselore.intel.cards import battlecard  # noqa: PLC0415

        own = self._named(name)
        now = self.moment(as_of) if as_of else self._app.now()
        return battlecard(own, self.dossiers(own, as_of), now)

    def pricing(self, name: str, as_of: datetime | str | None = None) -> list[Document]:
        """Give the history of a competitor's prices, plan by plan, as it was known by a moment."""
        from caselore.intel.cards import price_history  # noqa: PLC0415

        return price_history(self.dossiers(name, as_of))

    def alerts(self, threshold: float = 7.0, since: str = "") -> list[Document]:
        """Give events of an impact from a threshold on, each with the rule that fired."""
        from caselore.intel.cards import alerts  # noqa: PLC0415

        found = [one for row in self.competitors() for one in self.dossiers(row["competitor"])]
        return alerts(found, threshold, since)

    def events(self) -> Iterator[Document]:
        """Give every event of the bank, competitor by competitor."""
        for row in self.competitors():
            yield from self.history(row["competitor"])
