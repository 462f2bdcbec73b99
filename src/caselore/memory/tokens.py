"""Makes and recognises tokens: shown once, kept only as an Argon2id hash.

Must not store, log or return a token's text but to the one who creates it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from caselore.errors import Ambiguous, BadInput, NotFound, Refused
from caselore.guards import names
from caselore.memory.encoding import Body, stamp, unstamp
from caselore.memory.records import Actor, Role, TokenInfo, TokenRole
from caselore.memory.rows import TokenRow

if TYPE_CHECKING:
    from argon2 import PasswordHasher

_SHAPE = re.compile(r"clt_([0-9a-f]{12})_([0-9a-f]{64})")
# The secret has 256 random bits: the hash need not be slow to be safe, only one-way.
TIME_COST, MEMORY_COST = 1, 1024  # passes, KiB


def mint(draw: Callable[[], str]) -> tuple[str, str]:
    """Give a new token's id and text from a source of random hex digits."""
    digits = ""
    while len(digits) < 76:
        digits += draw()
    return digits[:12], f"clt_{digits[:12]}_{digits[12:76]}"


def token_body(
    role: TokenRole, name: str, text: str, expires: datetime | None, actor: Actor, at: datetime
) -> Body:
    """Give what the ledger keeps of a new token. Raises BadInput for a date in the past."""
    check = names.check_person if role.acts_as is Role.HUMAN else names.check_name
    if expires is not None and expires <= at:
        raise BadInput("the expiry date is past")
    return {
        "name": check(name, "token's name"),
        "role": role.value,
        "hash": _hash(text),
        "created_at": stamp(at),
        "created_by": str(actor),
        "expires_at": stamp(expires) if expires else "",
    }


def revoked_body(row: TokenRow) -> Body:
    """Give what the ledger keeps of a revoked token."""
    kept = ("name", "role", "hash", "created_at", "created_by", "expires_at")
    return {name: getattr(row, name) for name in kept}


def info(row: TokenRow) -> TokenInfo:
    """Give what may be shown of a token."""
    return TokenInfo(
        id=row.id,
        name=row.name,
        role=TokenRole(row.role),
        created_at=unstamp(row.created_at),
        created_by=Actor.parse(row.created_by),
        expires_at=unstamp(row.expires_at) if row.expires_at else None,
        revoked_at=unstamp(row.revoked_at) if row.revoked_at else None,
    )


def pick(rows: list[TokenRow], name_or_id: str) -> TokenRow:
    """Give the living token of that id or name. Raises NotFound or Ambiguous."""
    fits = [one for one in rows if name_or_id in {one.id, one.name} and not one.revoked_at]
    if not fits:
        words = f"no token is named {names.quoted(name_or_id)}"
        raise NotFound(words, hint="See `caselore token list`.")
    if len(fits) > 1:
        ids = ", ".join(one.id for one in fits)
        raise Ambiguous(f"{names.quoted(name_or_id)} fits several tokens: {ids}")
    return fits[0]


def recognise(text: str, rows: list[TokenRow], now: datetime) -> TokenInfo:
    """Give the token that this text is. Raises Refused, with the reason."""
    shape = _SHAPE.fullmatch(text.strip())
    row = next((one for one in rows if shape and one.id == shape[1]), None)
    if row is None or not _matches(row.hash, text.strip()):
        raise Refused("this token is unknown here", hint=_HINT)
    if row.revoked_at:
        raise Refused(f"the token {row.name} was revoked on {row.revoked_at[:10]}", hint=_HINT)
    if row.expires_at and row.expires_at <= stamp(now):
        raise Refused(f"the token {row.name} expired on {row.expires_at[:10]}", hint=_HINT)
    return info(row)


_HINT = "A person makes a new one with `caselore token create`."


def _hash(text: str) -> str:
    return _hasher().hash(text)


def _matches(kept: str, text: str) -> bool:
    from argon2.exceptions import Argon2Error, InvalidHashError  # noqa: PLC0415

    try:
        return _hasher().verify(kept, text)
    except (Argon2Error, InvalidHashError):
        return False


def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher  # noqa: PLC0415 - only tokens need it; 20 ms to import

    return PasswordHasher(time_cost=TIME_COST, memory_cost=MEMORY_COST, parallelism=1)
