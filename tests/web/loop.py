"""A change whose pipelines fail until its breaker trips, told to a served memory."""

from __future__ import annotations

import json
from dataclasses import replace

from caselore.memory import Actor, Role
from caselore.repair import recorded
from caselore.repair.account import Account
from caselore.repair.observations import Delivered

CHANGE = "https://git.example/pay/-/merge_requests/42"
WATCHER = Actor("watcher", Role.SYSTEM)


def fail(served, id, times):
    """Let so many attempts fail, each taken by the worker."""
    policy = replace(served.app.repair.policy, settle=0, same_failure=20)
    account = Account(served.app.memory, policy)
    for number in range(1, times + 1):
        told = {
            "at": f"2026-11-01T10:{number:02d}:00Z",
            "change": CHANGE,
            "head": f"aaa{number}",
            "pusher": "worker",
            "pipeline": {
                "id": number,
                "sha": f"aaa{number}",
                "source": "merge_request_event",
                "status": "failed",
                "jobs": [
                    {
                        "id": number,
                        "name": "test",
                        "status": "failed",
                        "allow_failure": False,
                        "failure_reason": "script_failure",
                        "fingerprint": f"sig1:{number}",
                    }
                ],
            },
        }
        (one,) = recorded.read([json.dumps(told)])
        step = account.step(id, one.seen, WATCHER)
        for event in step.events if step else ():
            account.step(id, Delivered(one.seen.at, event.id), WATCHER)
