"""The tools of competitive intelligence: what was seen of competitors, with its quotes.

Must not hold a tool that judges: an event of an agent stands on a quote, or the gate refuses it.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from pydantic import Field

from caselore.faces.mcp import identity
from caselore.faces.mcp.answering import PROPOSES, READS, Answer, Asked, answering
from caselore.wiring.app import App

Competitor = Annotated[str, Field(min_length=1, max_length=200, description="Its name.")]
Day = Annotated[str, Field(max_length=40, description="A day, 2026-10-03.")]


class IntelTools:
    """The tools over one application."""

    def __init__(self, app: App) -> None:
        """Serve an application."""
        self._app = app

    def get_history(
        self,
        context: Asked,
        competitor: Competitor,
        event_type: Annotated[str, Field(max_length=40)] = "",
        since: Day = "",
        limit: Annotated[int, Field(ge=1, le=50)] = 20,
    ) -> Answer:
        """Give a competitor's events, the newest first, each with its quote and its origins."""
        intel = identity.reading(self._app, context).intel
        found = intel.history(competitor, event_type=event_type, since=since, limit=limit)
        return {"competitor": competitor, "events": found}

    def get_profile(self, context: Asked, competitor: Competitor) -> Answer:
        """Sum a competitor up: events, independent origins, confidence and risk, with why."""
        return identity.reading(self._app, context).intel.profile(competitor).to_json()

    def get_strategy(self, context: Asked, competitor: Competitor) -> Answer:
        """Give the hypotheses about a competitor's strategy with their revisions."""
        found = identity.reading(self._app, context).intel.strategy(competitor)
        return {"competitor": competitor, "strategies": found}

    def get_predictions(self, context: Asked, competitor: Competitor) -> Answer:
        """Give the predictions about a competitor and how they were graded."""
        found = identity.reading(self._app, context).intel.predictions(competitor)
        return {"competitor": competitor, "predictions": found}

    def store_event(
        self,
        context: Asked,
        competitor: Competitor,
        event_type: Annotated[
            str,
            Field(
                max_length=40,
                description="feature_launch, pricing_change, hiring, acquisition, funding, "
                "partnership or market_signal",
            ),
        ],
        title: Annotated[str, Field(min_length=1, max_length=2_000)],
        quote: Annotated[
            str, Field(min_length=1, max_length=20_000, description="Word for word of the page.")
        ],
        snapshot: Annotated[
            str, Field(min_length=1, max_length=200, description="The id of the stored page.")
        ],
        date: Day = "",
        amount: Annotated[float | None, Field(ge=0)] = None,
        currency: Annotated[str, Field(max_length=3)] = "",
    ) -> Answer:
        """Keep an event that a stored page tells of; without its quote there it is refused."""
        given: dict[str, Any] = {
            "competitor": competitor,
            "event_type": event_type,
            "title": title,
            "quote": quote,
            "snapshot": snapshot,
            "date": date,
            "amount": amount,
            "currency": currency,
        }
        said = {name: value for name, value in given.items() if value not in ("", None)}
        return identity.writing(self._app, context).intel.store_event(said)

    def register(self, server: MCPServer[Any]) -> None:
        """Offer the tools."""
        for tool in (self.get_history, self.get_profile, self.get_strategy, self.get_predictions):
            server.add_tool(answering(tool), annotations=READS)
        server.add_tool(answering(self.store_event), annotations=PROPOSES)
