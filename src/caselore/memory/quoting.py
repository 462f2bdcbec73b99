"""Looks up a quote in the stored page that it is said to come from.

Must not write, and must not take a quote that stands anywhere but at its place.
"""

from __future__ import annotations

import json

from caselore.memory.encoding import Body
from caselore.memory.ports import Reads
from caselore.memory.records import Kind, Status


def quote_stands(view: Reads, bank: str, body: Body) -> bool:
    """Say whether a body's report quotes a stored page word for word, one that no guard holds."""
    report = body.get("report") or body.get("filed", {}).get("report")
    page = view.exhibit(bank, report["snapshot"]) if report else None
    if page is None or page.kind != Kind.SNAPSHOT.value or page.status != Status.OBSERVED.value:
        return False
    text = json.loads(view.bodies(bank, [page.seq])[page.seq])["filed"]["text"]
    return bool(report["quote"]) and text[report["first"] : report["last"]] == report["quote"]
