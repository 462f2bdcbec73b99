"""The memory under the two verbs of other agent memories: `retain_incident` and `recall`.

For code that was written to that form. Must not be another way in: each row goes the way of an
import, so what nobody confirmed is kept and never recalled as a fix.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from caselore.errors import BadInput
from caselore.wiring import documents, open_app
from caselore.wiring.app import App

FIELDS = (
    "deployment_id", "service", "branch", "environment", "commit", "status", "error", "root_cause",
    "infrastructure_change", "resolution", "outcome", "related_historical_incident",
)  # fmt: skip


class IncidentMemory:
    """Incidents of twelve fields, kept and recalled. Use it in a `with`, or call `.close()`."""

    def __init__(self, home_or_url: str | os.PathLike[str] | App | None = None) -> None:
        """Open a memory by its folder or address, or take an application that is open."""
        self.app = home_or_url if isinstance(home_or_url, App) else open_app(home_or_url)

    def __enter__(self) -> IncidentMemory:
        """Use it in a `with`."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close at the end of a `with`."""
        self.close()

    def close(self) -> None:
        """Close the store."""
        self.app.close()

    def retain_incident(
        self, incident: Mapping[str, Any] | None = None, /, **fields: Any
    ) -> dict[str, Any]:
        """Keep an incident; kept again, it is the same one. Gives it as `incidents` lists it.

        It counts as confirmed only if it names `confirmed_by` and `confirmed_at`.
        Raises: BadInput for what cannot be kept.
        """
        row = {**(incident or {}), **fields}
        report = self.app.import_incidents([row]).report
        for _, reason in report.refused:
            raise BadInput(reason, hint="Fields: " + ", ".join(FIELDS))
        return documents.case_line(self.app.memory.get(str(row["deployment_id"])))

    def recall(
        self, query: str, limit: int = 5, *, service: str = "", environment: str = ""
    ) -> list[dict[str, Any]]:
        """Give confirmed incidents like the words, best first; nothing where nothing is known.

        Each has the twelve fields, and `incident`, `score`, `confirmed_by` and `reasons`.
        """
        filters = {"service": service, "environment": environment}
        found = self.app.recall(query, limit=limit, filters=filters)
        return [_given_back(hit) for hit in found.precedents]


def _given_back(hit: Any) -> dict[str, Any]:
    body, told = hit.case.record.body, hit.case.outcome
    known = dict(body.attributes)
    fields = {
        "deployment_id": body.deployment,
        "service": body.service,
        "branch": body.branch,
        "environment": body.environment,
        "commit": body.commit,
        "error": body.block,
        "root_cause": told.cause if told else "",
        "resolution": told.resolution if told else "",
        "outcome": told.result if told else "",
        "related_historical_incident": next(iter(hit.case.precedents), ""),
    }
    return {
        **{name: fields.get(name, known.get(name, "")) for name in FIELDS},
        "incident": hit.case.id,
        "score": hit.score,
        "confirmed_by": told.confirmed_by if told else "",
        "reasons": [f"{one.points:+g} {one.name}" for one in hit.signals],
    }
