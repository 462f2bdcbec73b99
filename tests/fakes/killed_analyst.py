"""Runs the fictional market in a process of its own that kills itself at a chosen moment: a stage's edge, or a write.

    python killed_analyst.py PLACE DATABASE MOMENT

MOMENT is `none`, `before:STAGE`, `after:STAGE` or `write:NUMBER`; the process ends by SIGKILL, as if the power had gone.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from caselore.faces.demo import intel_site
from caselore.intel.stages import Audit
from caselore.memory.api import Memory
from caselore.settings import load
from caselore.wiring import build

AS_OF = "2026-04-30"
GUESS = {
    "competitor": "Velora", "statement": "Velora asks more for a plan", "probability": 0.7,
    "opens": "2026-01-15", "deadline": "2026-03-31",
    "resolver": {"event_type": "pricing_change", "where": [{"field": "change_percent", "op": ">=", "value": 5}]},
}  # fmt: skip
WRITES = ("file", "file_all", "corroborate", "correct", "grade")


def end() -> None:
    """End at once, with nothing tidied up."""
    os.kill(os.getpid(), signal.SIGKILL)


def at_edges(moment: str) -> None:
    """End before or after a stage."""
    whole = Audit.run

    def run(self, name, stage, given, nothing, count):
        if moment == f"before:{name}":
            end()
        made = whole(self, name, stage, given, nothing, count)
        if moment == f"after:{name}":
            end()
        return made

    Audit.run = run


def at_write(number: int) -> None:
    """End right after a write was acknowledged."""
    done = [0]

    def counted(whole):
        def write(self, *given, **more):
            made = whole(self, *given, **more)
            done[0] += 1
            if done[0] == number:
                end()
            return made

        return write

    for name in WRITES:
        setattr(Memory, name, counted(getattr(Memory, name)))


def main() -> None:
    """Run once, and tell what is known then."""
    place, database, moment = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    if moment.startswith("write:"):
        at_write(int(moment.partition(":")[2]))
    elif moment != "none":
        at_edges(moment)
    environment = {"CASELORE_DATABASE_URL": database} if database else {}
    with build(load(place / "home", environment=environment)) as app:
        app.intel.predict(GUESS)
        ran = app.intel.run(
            "tools", intel_site.names(), [str(place / "site")], as_of=AS_OF, since="last"
        )
        print(json.dumps(told(app, ran)))


def told(app, ran) -> dict[str, object]:
    """Give all that a reader sees, without the ids and times of this process."""
    events = [one for name in intel_site.names() for one in app.intel.history(name)]
    return {
        "status": ran.status,
        "events": sorted(
            [one["competitor"], one["event_type"], one["date"], one["amount"], one["origins"], one["reports"],
             one["status"], one["quote"], sorted(one["urls"]), len(one["contradictions"])]
            for one in events
        ),
        "profiles": [app.intel.profile(name, AS_OF).to_json() for name in intel_site.names()],
        "strategies": sorted(
            [one["competitor"], one["topic"], one["statement"], one["confidence"]]
            for name in intel_site.names()
            for one in app.intel.strategy(name)
        ),
        "predictions": sorted([one["statement"], one["outcome"]] for one in app.intel.predictions()),
        "new": sorted({one.text for one in ran.brief.claims}),
        "intact": app.memory.ledger_verify().ok,
    }  # fmt: skip


if __name__ == "__main__":
    main()
