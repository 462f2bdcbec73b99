"""Does a request that brings an Idempotency-Key once, and answers its repeats as the first time.

Must not keep the answer of a request that came to nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Header, Response

from caselore.errors import BadInput
from caselore.faces.http.problems import answer
from caselore.wiring.door import Visitor

Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Any text of your own: the same key with the same body is done once.",
    ),
]


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
    answers, name = visitor.app.answers, f"{visitor.app.memory.bank}\n{visitor.actor}\n{key}"
    kept = answers.claim(name, request, visitor.app.now())
    if kept:
        headers = {"Idempotency-Replayed": "true"}
        return Response(kept.body, kept.status, headers, "application/json")
    try:
        document = act()
    except BaseException:
        answers.free(name)
        raise
    text = json.dumps(document, separators=(",", ":"))
    answers.keep(name, status, text)
    return Response(text, status, None, "application/json")
