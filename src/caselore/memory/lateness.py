"""Finds verdicts that were given before the one that stands: they are kept, and change nothing.

Must not drop a verdict, nor compare by anything but the time at which it was given.
"""

from __future__ import annotations

from collections.abc import Iterable

from caselore.memory.exports import Said

SETTLES = frozenset({"confirm", "refute", "supersede", "retract", "drop"})


def marked(said: Iterable[Said], settled: str = "") -> tuple[Said, ...]:
    """Mark what is older than the verdict of the time `settled`, or than one before it.

    Without this an export from before a refutation would bring the refuted outcome back.
    """
    found = []
    for one in said:
        at = one.body.get("origin", {}).get("at", "") if one.action in SETTLES else ""
        late = bool(at) and at < settled
        found.append(one._replace(body={**one.body, "late": True}) if late else one)
        settled = max(settled, at)
    return tuple(found)
