"""Keeps one comment on a change: written once, then in its own place.

Must not say anything of its own, nor touch what others wrote.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from caselore.forges.transport import Transport
from caselore.forges.values import word

SHOWN = 300  # comments among which ours is looked for, the oldest first


def remark(
    ask: Transport,
    at: tuple[str, str, str],
    written: Iterable[dict[str, Any]],
    marker: str,
    text: str,
) -> None:
    """Write the comment that carries a marker, unless it says the same already.

    `at`: where a new one goes, by which method one is changed, and where those stand.
    """
    path, method, place = at
    mine = next(
        (one for one in islice(written, SHOWN) if word(one, "body").startswith(marker)), None
    )
    body = {"body": f"{marker}\n{text}"}
    if mine is None:
        ask.send("POST", path, body)
    elif word(mine, "body").strip() != body["body"].strip():
        ask.send(method, f"{place}/{word(mine, 'id', needed=True)}", body)
