"""Gives what is kept of the repair loop the JSON shapes that every face shares.

Must not leave out, add up or judge anything: one field in, one field out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caselore.repair.account import Remembered
from caselore.wiring.repair import RepairDesk

Document = dict[str, Any]


def page(
    repair: RepairDesk, state: str, after: str, limit: int, cursor: Callable[..., str]
) -> Document:
    """Give one page of changes, in the order of their ids."""
    rows = repair.account.listed(state, after, limit + 1)
    return {
        "items": [repair.status(row.id) for row in rows[:limit]],
        "next_cursor": cursor(rows[limit - 1].id) if len(rows) > limit else None,
    }


def whole(repair: RepairDesk, id: str) -> Document:
    """Give one change with its attempts and its history. Raises: NotFound."""
    found = repair.find(id)
    return {
        **found.status(repair.policy.attempts),
        "label": found.state.ref.label,
        "attempts": [one.to_json() for one in repair.account.attempts(found.id)],
        "events": [
            {"id": one.id, "type": one.type, "to": one.target, "status": one.status}
            for one in repair.account.events(found.id)
        ],
        "history": [remembered(one) for one in repair.account.history(found.id)],
    }


def remembered(one: Remembered) -> Document:
    """Give one step of a change's history."""
    return {
        "seq": one.seq,
        "at": one.at,
        "actor": one.actor,
        "action": one.action,
        "state": one.state,
        "pipeline_fail_count": one.failures,
        "notes": list(one.notes),
    }
