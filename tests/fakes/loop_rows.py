"""One entry about a tracked change, in which every table of the repair loop gets a row.

Must not know the rules of the loop.
"""

from __future__ import annotations

from caselore.memory.loops import LoopEntry

CHANGE = {
    "url": "https://git.example/pay/-/merge_requests/42", "project": "pay", "iid": "42",
    "state": "repairing", "pipeline_fail_count": 1, "max_attempts": 5, "worker": "coder",
    "head": "aaa1", "updated_at": "2026-11-01T10:00:00.000000Z", "document": "{}",
}  # fmt: skip
ATTEMPT = {
    "key": "k1", "place": 0, "number": 1, "delivered": 1, "verdict": "red", "kind": "script",
    "head": "aaa1", "pipeline": "7", "at": "2026-11-01T10:00:00.000000Z", "decision": "counted",
    "document": "{}",
}  # fmt: skip
EVENT = {
    "id": "evt_1", "target": "worker", "type": "pipeline_failed", "status": "delivered",
    "at": "2026-11-01T10:00:00.000000Z", "document": "{}",
}  # fmt: skip


def loop_entry(action, actor):
    """Give the arguments of `loop_write`."""
    body = {"change": CHANGE, "attempts": [ATTEMPT], "outbox": [EVENT], "notes": ["counted"]}
    return "chg_1", actor, lambda _: LoopEntry(action, body)
