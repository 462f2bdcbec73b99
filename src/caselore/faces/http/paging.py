"""Turns places in a list into opaque cursors and back.

Must not accept a cursor that it did not write.
"""

from __future__ import annotations

import base64
import binascii

from caselore.errors import BadInput

LEAST, MOST, USUAL = 1, 200, 50


def cursor(*parts: str | int) -> str:
    """Write a place as a cursor."""
    text = "\n".join(str(part) for part in parts)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def place(text: str, size: int) -> list[str]:
    """Read a cursor of so many parts. Raises: BadInput."""
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        parts = base64.b64decode(padded, b"-_", validate=True).decode().split("\n")
    except (binascii.Error, UnicodeError, ValueError):
        parts = []
    if len(parts) != size or any("\0" in part for part in parts):
        raise BadInput("This cursor is none that was given out.", hint="Begin without one.")
    return parts


def number(text: str) -> int:
    """Read a cursor that is one number. Raises: BadInput."""
    (part,) = place(text, 1)
    if not (part.isascii() and part.isdigit() and len(part) < 16):
        raise BadInput("This cursor is none that was given out.", hint="Begin without one.")
    return int(part)
