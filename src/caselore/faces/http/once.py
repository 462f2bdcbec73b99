"""Does a request that brings an Idempotency-Key once, and answers its repeats as the first time.

Must not keep the answer of a request that came to nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Header, Response

from caselore.errors import BadInput, UnderWay
from caselore.faces.http.problems import answer
from caselore.memory.aside_ports import Answer
from caselore.wiring.door import Visitor

PATIENCE, PAUSE = 5.0, 0.05  # seconds that a repeat waits for the first, and between two looks
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Any text of your own: the same key with the same body is done once.",
    ),
]


def name_of(visitor: Visitor, key: str) -> str:
    """Give the name of a caller's key in their bank."""
    return f"{visitor.app.memory.bank}\n{visitor.actor}\n{key}"


def kept(visitor: Visitor, key: str, request: str) -> Answer | None:
    """Give what a request was answered, if it is done."""
    return visitor.app.aside.answered(name_of(visitor, key), request, visitor.app.now())


def done(
    visitor: Visitor, key: str | None, request: str, act: Callable[[], Any], status: int = 201
) -> Response:
    """Do a request, or repeat what it was answered.

    Raises: Conflict where the key is another request's, or the first is still under way.
    """
    if key is None:
        return answer(act(), status)
    if not 1 <= len(key) <= 255:
        raise BadInput("An Idempotency-Key has 1 to 255 characters.")
    aside, name = visitor.app.aside, name_of(visitor, key)
    before = _claimed(visitor, name, request)
    if before:
        headers = {"Idempotency-Replayed": "true"}
        return Response(before.body, before.status, headers, "application/json")
    try:
        document = act()
    except BaseException:
        aside.free(name)
        raise
    text = json.dumps(document, separators=(",", ":"))
    aside.keep(name, status, text)
    return Response(text, status, None, "application/json")


def _claimed(visitor: Visitor, name: str, request: str) -> Answer | None:
    """Take a key, or give the answer of its first request, for which a repeat waits a while."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return visitor.app.aside.claim(name, request, visitor.app.now())
        except UnderWay:
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE)
