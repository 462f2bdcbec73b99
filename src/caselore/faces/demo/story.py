"""Tells the loop over jobs that really run and really fail: fail, diagnose, fix, confirm, recall.

Must not touch any home but its own throw-away one, nor go on when a step answers something else
than it should: a demonstration that only prints is worth nothing.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from caselore.errors import CaseloreError
from caselore.faces.demo.stage import Stage

FIX = "batches of 500 records"
CAUSE = "One transaction held the write lock past the limit"


class DemoFailed(CaseloreError):
    """The demonstration did not go as it should."""

    code = "demo_failed"
    hint = "`caselore doctor` checks the installation; `demo --keep` leaves the home to look at."


def run(*, keep: bool, as_json: bool) -> int:
    """Play the story and give the exit code. Raises: DemoFailed at the first unexpected answer."""
    home = Path(tempfile.mkdtemp(prefix="caselore-demo-"))
    began = time.monotonic()
    try:
        stage = Stage(home, quiet=as_json)
        done = [_step(number, scene, stage) for number, scene in enumerate(SCENES, start=1)]
        stage.close(time.monotonic() - began, kept=home if keep else None)
    finally:
        if not keep:
            shutil.rmtree(home, ignore_errors=True)
    if as_json:
        seconds = round(time.monotonic() - began, 1)
        print(json.dumps({"ok": True, "seconds": seconds, "steps": done}))
    return 0


def _step(number: int, scene: Callable[[Stage], Any], stage: Stage) -> dict[str, Any]:
    title = (scene.__doc__ or "").strip().splitlines()[0].rstrip(".")
    stage.heading(number, len(SCENES), title)
    return {"step": title, "answer": scene(stage)}


def _expect(true: bool, what: str, document: dict[str, Any]) -> None:
    if not true:
        raise DemoFailed(f"Expected {what}, got: {json.dumps(document)[:1500]}")


def first_failure(stage: Stage) -> Any:
    """Deployment 1017 fails: a large table, one transaction, a time limit."""
    log = stage.deploy("1017", "0042_settlement_fee", rows=240_000, fails=True)
    stage.remark("Nothing was ever confirmed, so there is nothing to recommend, and it says so:")
    found = stage.diagnose(log, "1017", sufficient=False)
    _expect(found["fix"] == [] and found["precedents"] == [], "no fix without evidence", found)
    return {"sufficient": found["sufficient"], "family": found["reading"]["signature"]["family"]}


def fix_and_confirm(stage: Stage) -> Any:
    """The team migrates in batches of 500; that works, a person confirms it."""
    stage.deploy("1018", "0042_settlement_fee", rows=240_000, batch=500)
    stage.remark("480 short transactions instead of a long one. Ana, a person, says what it was:")
    case = stage.caselore(
        *("confirm", "1017", "--cause", CAUSE),
        *("--resolution", f"Ran the backfill in {FIX}, one commit each"),
        *("--result", "succeeded", "--proof", "deployment 1018"),
    )
    _expect(case["status"] == "confirmed", "#1017 to be confirmed", case)
    return {"status": case["status"], "confirmed_by": case["outcome"]["confirmed_by"]}


def same_cause_other_words(stage: Stage) -> Any:
    """Deployment 1057 fails: another table, other numbers, another message."""
    log = stage.deploy("1057", "0057_refund_country", rows=220_000, guard="database", fails=True)
    stage.remark(f'Look at "Recommended Fix": {FIX}, with #1017 as its evidence.')
    found = stage.diagnose(log, "1057", sufficient=True)
    cited = {cite for one in found["fix"] if FIX in one["text"] for cite in one["cites"]}
    named = [one for one in found["precedents"] if one["deployment"] == "1017"]
    _expect(bool(named) and named[0]["incident"] in cited, f'"{FIX}" cited from #1017', found)
    return {"fix": found["fix"], "precedents": [one["deployment"] for one in found["precedents"]]}


def unrelated(stage: Stage) -> Any:
    """A user-service fails for want of a variable: that fix is not offered."""
    log = stage.user_service("1058")
    stage.remark("Another service, another family: the migration's fix must not appear.")
    found = stage.diagnose(log, "1058", sufficient=False, service="user-service")
    _expect(FIX not in json.dumps(found["fix"]), "no migration fix for a missing variable", found)
    return {"sufficient": found["sufficient"], "family": found["reading"]["signature"]["family"]}


def chain(stage: Stage) -> Any:
    """1057 is deployed in batches too, confirmed, and linked to its precedent."""
    stage.deploy("1059", "0057_refund_country", rows=220_000, batch=500)
    case = stage.caselore(
        *("confirm", "1057", "--cause", CAUSE),
        *("--resolution", f"Backfilled refunds in {FIX}, as in #1017"),
        *("--result", "succeeded", "--precedent", "1017", "--proof", "deployment 1059"),
    )
    _expect(len(case["precedents"]) == 1, "#1057 to follow #1017", case)
    stage.remark("Look at the chain: #1057 → #1017.")
    shown = stage.caselore("show", "1057")
    linked = {one["deployment"] for one in shown["chain"]}
    _expect("1017" in linked, "the chain to name #1017", shown)
    return {"chain": sorted(linked | {"1057"}, reverse=True)}


def two_precedents(stage: Stage) -> Any:
    """A third failure has two confirmed precedents."""
    log = stage.deploy("1063", "0063_dispute_window", rows=260_000, guard="database", fails=True)
    stage.remark('Look at "Precedents, and why": #1057 and #1017, each with its sum.')
    found = stage.diagnose(log, "1063", sufficient=True)
    confirmed = [one["deployment"] for one in found["precedents"] if one["outcome"]]
    _expect(sorted(confirmed) == ["1017", "1057"], "two confirmed precedents", found)
    _expect(FIX in json.dumps(found["fix"]), f'"{FIX}" again', found)
    return {"precedents": confirmed}


def ledger(stage: Stage) -> Any:
    """Every write of this story stands in a chain that anyone can check."""
    found = stage.caselore("ledger", "verify")
    _expect(found["ok"] is True, "a whole ledger", found)
    return {"entries": found["entries"]}


SCENES: tuple[Callable[[Stage], Any], ...] = (
    first_failure,
    fix_and_confirm,
    same_cause_other_words,
    unrelated,
    chain,
    two_precedents,
    ledger,
)
