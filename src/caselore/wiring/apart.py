"""A process that screens and signs texts for an import: JSON lines in, JSON lines out.

Must not outlive who started it: it ends with its standard input. It touches no store.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from operator import attrgetter
from pathlib import Path
from typing import IO, Any

from caselore.errors import BadInput
from caselore.guards import secrets
from caselore.incidents import ingest
from caselore.logs import engine, families_of
from caselore.memory.records import Signed

Sign = Callable[[str], Signed]


def answered(asked: Mapping[str, list[str]], sign: Sign) -> dict[str, list[Any]]:
    """Screen texts, and screen and sign errors; null where one must be refused, not signed.

    Of a screened text that stayed as it was only the rules are told; of a signature its fields.
    """
    return {
        "texts": [_screened(text) for text in asked["texts"]],
        "errors": [_signed(text, sign) for text in asked["errors"]],
    }


def _screened(text: str) -> list[Any]:
    masked, rules = ingest.screen(text)
    return [None if masked == text else masked, rules]


def _signed(text: str, sign: Sign) -> list[Any] | None:
    masked, rules = _screened(text)
    try:
        return [masked, rules, _FIELDS(sign(text if masked is None else masked))]
    except BadInput:
        return None


_FIELDS = attrgetter(*(field.name for field in fields(Signed)))


def serve(source: IO[str], target: IO[str], asker: int) -> None:
    """Answer line by line; the first line says how to sign, as the caller does.

    Raises: BrokenPipeError before the next error is signed once `asker`, a process, is gone.
    """
    told = json.loads(source.readline())
    secrets.also_mask(told["mask"])
    engine.use_cache(Path(told["cache"]) if told["cache"] else None)
    families = families_of(told["families"])

    def sign(text: str) -> Signed:
        if os.getppid() != asker:
            raise BrokenPipeError("nobody waits for the answer")
        return ingest.sign(text, families)

    for line in source:
        found = answered(json.loads(line), sign)
        target.write(json.dumps(found) + "\n")
        target.flush()


if __name__ == "__main__":
    try:
        serve(sys.stdin, sys.stdout, os.getppid())
    except (BrokenPipeError, KeyboardInterrupt, ValueError):
        sys.exit(1)  # whoever asked is gone
