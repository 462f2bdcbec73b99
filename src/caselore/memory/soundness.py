"""Tells at one look that several texts need no closer one: short, plain and of one line each.

Must not refuse anything: what is not sound at one look may still be right.
"""

from __future__ import annotations

ENOUGH = 500  # characters of all texts together: no limit of a name is lower


def sound(*texts: str) -> bool:
    """Say that texts are short, plain and of one line; false where each must be asked."""
    try:
        together = "".join(texts)
    except TypeError:
        return False
    return len(together) <= ENOUGH and together.isascii() and together.isprintable()
