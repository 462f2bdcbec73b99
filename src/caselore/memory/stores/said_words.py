"""Reads from a stored payload the few words by which its record is found, and nothing else.

Must not read a payload otherwise than all of it would be read.
"""

from __future__ import annotations

import json
from typing import Any

from caselore.memory.encoding import Body
from caselore.memory.ledger import Entry

_decoder: Any = json.JSONDecoder()
_scan = _decoder.parse_string
_OBSERVED = [(f'"{name}":"', len(name) + 4) for name in ("block", "service", "title", "unit")]
_CONFIRMED = [(f'"{name}":"', len(name) + 4) for name in ("cause", "resolution")]


def words_of(entry: Entry, payload: str) -> Body:
    """Give what `projection.spoken` and `spoken_line` read of a payload; empty for no words.

    Reading all of it takes five times as long. It is canonical JSON: there a quotation mark
    within a text has a backslash before it, so that a name with its marks and colon is a name,
    and each of these names stands once in such a payload.
    """
    if entry.action == "observe":
        said = _texts(payload, _OBSERVED)
        if said:
            block, service, title, unit = said
            incident = {"block": block, "service": service, "title": title}
            return {"incident": {**incident, "signature": {"unit": unit}}, **_late(payload)}
    elif entry.action == "confirm":
        said = _texts(payload, _CONFIRMED)
        if said:
            return {"cause": said[0], "resolution": said[1], **_late(payload)}
    read: Body = json.loads(payload)
    return read


def _late(payload: str) -> Body:
    return {"late": True} if '"late":true' in payload else {}


def _texts(payload: str, names: list[tuple[str, int]]) -> list[str]:
    """Give the texts of some names; nothing where one of them is not there."""
    found = []
    for name, size in names:
        at = payload.find(name)
        if at < 0:
            return []
        found.append(_scan(payload, at + size, True)[0])
    return found
