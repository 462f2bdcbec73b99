"""A small language for what a repair loop may be told.

Must not know the rules: it only writes observations, one an hour, in the order of arrival.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from caselore.repair import recorded
from caselore.repair.policy import Policy
from caselore.repair.simulation import Simulation

CHANGE = "https://git.example/pay/-/merge_requests/42"
START = datetime(2026, 11, 1, 10, tzinfo=UTC)
AT_ONCE = Policy(settle=0)


def job(id, status="failed", *, fingerprint=None, name="test", reason="script_failure", **more):
    row = {"id": id, "name": name, "status": status, "allow_failure": False, **more}
    if status == "failed":
        row["failure_reason"] = reason
        row["fingerprint"] = f"sig1:{id}" if fingerprint is None else fingerprint
    return row


def pipeline(id, sha, status="failed", jobs=None, **more):
    own = [job(id * 10, status)] if jobs is None else jobs
    given = {"source": "merge_request_event", **more}
    return {"id": id, "sha": sha, "status": status, "jobs": own, **given}


def of(head, id, status="failed", jobs=None, *, pusher="worker", sha=None, **more):
    """One reading: the head, who pushed it, and a pipeline."""
    row = pipeline(id, sha or head, status, jobs, **more)
    return {"head": head, "pusher": pusher, "pipeline": row}


def red(head, id, fingerprint=None, **more):
    return of(head, id, "failed", [job(id * 10, fingerprint=fingerprint)], **more)


def green(head, id, **more):
    return of(head, id, "success", **more)


def after(ref, id, sha, status="failed", **more):
    return {"ref": ref, "pipeline": {"id": id, "sha": sha, "status": status, "jobs": [], **more}}


def error(kind):
    return {"error": kind}


def reds(count, start=1):
    """Distinct failures, each of its own push."""
    return [red(f"c{n}", n) for n in range(start, start + count)]


MERGED = {"state": "merged", "merge_sha": "mmm1"}
CLOSED = {"state": "closed"}
DEAD, ALIVE = {"worker": "dead"}, {"worker": "alive"}
BY_ANA = {"rearm": {"by": "human:ana", "why": "the runner was broken"}}


def lines(*rows, change=CHANGE):
    """Number the rows by the hour, unless a row says its own time."""
    for place, row in enumerate(rows):
        at = (START + timedelta(hours=place)).isoformat().replace("+00:00", "Z")
        yield json.dumps({"at": at, "change": change, **row})


def tell(*rows, policy=AT_ONCE, change=CHANGE):
    """Tell rows of one change; gives the events and where it ends."""
    simulation = Simulation(policy)
    events = list(simulation.tell(recorded.read(lines(*rows, change=change))))
    return events, simulation.statuses()[0]


def at(minutes, row):
    """Give a row a time of its own, in minutes from the start."""
    moment = (START + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")
    return {"at": moment, **row}
