"""Says who may send a form: somebody whom something names, from a page of their own session.

Must not judge what a form says: the gate does.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Form

from caselore.errors import GateRefused, Unidentified
from caselore.faces.http.access import Reader, must_keep_house, must_write
from caselore.wiring.door import Visitor

Field = Annotated[str, Form(max_length=20_000)]


def own(visitor: Reader, csrf: Field = "") -> Visitor:
    """Give a caller who sent a form of our own.

    Raises: Unidentified, or GateRefused for a form of another page.
    """
    if visitor.actor is None:
        raise Unidentified(hint="Sign in first.")
    if visitor.csrf and csrf != visitor.csrf:
        raise GateRefused(
            "This form is not from a page of this session; nothing was changed.",
            hint="Open the page again and send it once more.",
        )
    return visitor


Own = Annotated[Visitor, Depends(own)]


def acting(visitor: Own) -> Visitor:
    """Give a caller who may write. Raises: GateRefused for a reader."""
    must_write(visitor)
    return visitor


def keeping(visitor: Own) -> Visitor:
    """Give a caller who may keep the house. Raises: GateRefused."""
    must_keep_house(visitor)
    return visitor


Acting = Annotated[Visitor, Depends(acting)]
Keeping = Annotated[Visitor, Depends(keeping)]
