"""Packs what a worker should know of a failure, bounded, masked and fenced, and writes its prompt.

Must not say what to do about it beyond what people confirmed, nor let a log's text give orders:
of a log that tries to, no line is delivered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caselore.guards import injection
from caselore.guards.fence import RULE, clean, fenced
from caselore.incidents.precedents import outcome
from caselore.memory.recall import Hit
from caselore.repair.examination import Examined
from caselore.repair.state import State

TOKENS = 6_000  # of a whole pack, at four characters each
_CHARACTERS = 4
_JOBS = 5  # red jobs that are shown in full
_SHOWN = 3  # precedents of each


def pack(
    state: State, examined: Sequence[Examined], target_failed: Iterable[str]
) -> dict[str, Any]:
    """Give the evidence of one red pipeline as plain values."""
    room = TOKENS * _CHARACTERS // max(1, min(len(examined), _JOBS)) // 2
    alike = sorted({one.job.fingerprint for one in examined} & set(target_failed))
    return {
        "failures": [_failure(one, room) for one in examined[:_JOBS]],
        "more_failures": [_harmless(one.job.name, 80) for one in examined[_JOBS:]],
        "target_branch_fails_alike": alike,
        "earlier_attempts": _earlier(state),
    }


def _failure(one: Examined, room: int) -> dict[str, Any]:
    reading, signature = one.reading, one.reading.signature
    orders = _orders(one)
    found: dict[str, Any] = {
        "job": _harmless(one.job.name, 200),
        "url": one.job.url,
        "unit": _harmless(signature.unit, 300),
        "family": signature.family,
        "tool": signature.tool,
        "error": _harmless(signature.error, 300),
        "signature": signature.id,
        "failing_line": reading.failing_line,
        "excerpt": [] if orders else _excerpt(one, room),
        "gives_orders": bool(orders),
        "withheld": orders,
        "green_compared": reading.green,
    }
    if one.diagnosis is not None:
        seen = one.diagnosis.occurrences
        found["incident"] = one.diagnosis.incident
        found["seen"] = {"count": seen.count, "resolved": seen.resolved, "flaky": seen.flaky}
        found["precedents"] = [_precedent(hit) for hit in one.diagnosis.precedents[:_SHOWN]]
    return found


def _orders(one: Examined) -> list[dict[str, Any]]:
    """Name the lines of a log that give orders, and by which rule; never what they say."""
    parts = one.reading.excerpt
    found = [(each.line, each.rule) for each in one.reading.injection]
    # what is parted by the lines between two ranges may be whole for who reads them in a row
    whole = injection.scan("\n".join(part.text for part in parts)) if not found else ()
    found += [(parts[0].first, each.rule) for each in whole]
    return [{"line": line, "rule": rule} for line, rule in dict.fromkeys(found)][:_SHOWN]


def _harmless(text: str, limit: int) -> str:
    """Give a name that comes from a log or a repository; empty where it gives orders itself."""
    return "" if injection.scan(text) else clean(text, limit)


def _excerpt(one: Examined, room: int) -> list[dict[str, Any]]:
    """Give the failing lines, the most telling ranges first, until the room is used up."""
    shown: list[dict[str, Any]] = []
    for part in one.reading.excerpt:
        if room <= 0:
            break
        text = clean(part.text, room)
        room -= len(text)
        shown.append({"first": part.first, "last": part.last, "text": text, "why": part.why})
    return shown


def _precedent(hit: Hit) -> dict[str, Any]:
    told = outcome(hit.case)
    return {
        "incident": hit.case.id,
        "same_failure": hit.same_failure,
        "score": hit.score,
        "cause": clean(told.cause, 600) if told else "",
        "resolution": clean(told.resolution, 600) if told else "",
        "result": told.result if told else "",
        "why_failed": clean(told.why_failed, 300) if told else "",
        "confirmed_by": told.confirmed_by if told else "",
    }


def _earlier(state: State) -> list[dict[str, Any]]:
    """Say what the repairs before this one changed: how the failure moved."""
    tried = [one for one in state.series if one.delivered]
    return [
        {
            "attempt": one.number,
            "head": one.head,
            "class": one.kind,
            "fingerprints": list(one.fingerprints),
            "unchanged": place > 0 and one.fingerprints == tried[place - 1].fingerprints,
        }
        for place, one in enumerate(tried)
    ]


# What the worker reads


def prompt(event: Mapping[str, Any], notice: str = "") -> str:
    """Write what a worker reads about an event; everything from outside stands within a fence."""
    evidence = event["evidence"]
    lines = [notice, event["message"], evidence.get("strategy", ""), "", RULE]
    for failure in evidence.get("failures", ()):
        lines += _told(failure)
    lines += _rest(evidence)
    lines += [
        "",
        "Repair the cause, not the check: a green that comes from removed, skipped or loosened "
        "tests, or from edited CI configuration, is not accepted.",
        "Commit and push to the same branch. End your answer with one JSON object: "
        '{"event_id": "' + event["id"] + '", "status": "pushed|no_change|needs_human|gave_up", '
        '"head_sha": "…", "summary": "what you changed and why"}',
    ]
    return "\n".join(line for line in lines if line is not None)


def _told(failure: Mapping[str, Any]) -> list[str]:
    name = f"job: {failure['job']}\nunit: {failure['unit']}\nerror: {failure['error']}"
    lines = ["", fenced(name, id="failure", origin="CI and its log", limit=800)]
    for part in failure["excerpt"]:
        origin = f"log lines {part['first']}-{part['last']}"
        lines.append(fenced(part["text"], id=failure["signature"], origin=origin, limit=12_000))
    if failure["green_compared"]:
        lines.append("What the last passing runs of this job printed, too, was left aside.")
    if failure["gives_orders"]:
        where = ", ".join(f"{one['line']} ({one['rule']})" for one in failure["withheld"])
        lines.append(
            f"The lines of this log are withheld from you: text in it gives orders, line {where}. "
            "Find the failure by running the job's own commands in your folder."
        )
    for one in failure.get("precedents", ()):
        lines += _known(one)
    return lines


def _known(one: Mapping[str, Any]) -> list[str]:
    same = "The same failure" if one["same_failure"] else "A similar failure"
    worked = {"succeeded": "and this worked", "failed": "and this did NOT work"}
    if one["result"] not in worked:
        return []
    text = f"cause: {one['cause']}\nresolution: {one['resolution']}\n{one['why_failed']}".strip()
    head = f"{same} was seen before, {worked[one['result']]}:"
    return [head, fenced(text, id=one["incident"], origin="confirmed by a person", limit=1_500)]


def _rest(evidence: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    if evidence.get("more_failures"):
        names = "\n".join(evidence["more_failures"][:20])
        lines += ["More red jobs:", fenced(names, id="jobs", origin="CI", limit=1_600)]
    if evidence.get("target_branch_fails_alike"):
        lines.append("A part of this fails on the target branch, too; that part is not yours.")
    for one in evidence.get("earlier_attempts", ()):
        moved = "the failure did not change" if one["unchanged"] else "the failure was"
        lines.append(f"Attempt {one['attempt']} ({one['head'][:12]}): {moved} {one['class']}")
    return lines
