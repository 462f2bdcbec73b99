"""Says who is calling: by token, by a coding agent's marker, by a terminal, or else a CI job.

Must not ask the store or the environment by itself: it is given what they say.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caselore.errors import GateRefused
from caselore.memory.records import Actor, Role, TokenRole

if TYPE_CHECKING:
    from caselore.memory.records import TokenInfo
    from caselore.settings import Settings

_MAY_CLAIM = {
    Role.HUMAN: frozenset({Role.CI, Role.AGENT, Role.IMPORT}),
    Role.CI: frozenset({Role.AGENT}),
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and whether anything but the lack of a terminal speaks for it."""

    actor: Actor
    vouched: bool
    """A token or an agent's marker named the caller; without either, a bank may be set up."""
    admin: bool = False
    """Whether the caller may keep the house: a person at the store's own machine, or an admin."""

    def importing(self) -> Actor:
        """Give the identity under which this caller imports rows that name other people."""
        trusted = not self.vouched or self.actor.role is Role.HUMAN
        return Actor(self.actor.name, Role.IMPORT) if trusted else self.actor

    def must_keep_house(self, role: str) -> None:
        """Let only an admin make an admin. Raises: GateRefused."""
        if role == TokenRole.ADMIN and not self.admin:
            raise GateRefused(
                f"{self.actor} may not make an admin; nothing was changed.",
                hint="An admin does, or a person at the machine of the memory, without a token.",
            )

    def claim(self, wanted: Actor) -> Actor:
        """Let a caller act under another name only where that gives away rights, never gains any.

        Raises: GateRefused for an identity that the caller has not proven.
        """
        if wanted == self.actor or wanted.role in _MAY_CLAIM.get(self.actor.role, ()):
            return wanted
        raise GateRefused(
            f"This process is {self.actor} and cannot act as {wanted}; nothing was changed.",
            hint="Give a token of that identity: actor=TOKEN, or CASELORE_TOKEN.",
        )


def interactive() -> bool:
    """Tell whether a person can be at the keyboard: input and some output are a terminal."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    reads, *writes = (stream is not None and stream.isatty() for stream in streams)
    return reads and any(writes)


def unproven(settings: Settings, *, at_terminal: bool) -> Caller:
    """Name a caller that holds no token."""
    if settings.marker is not None:
        return Caller(Actor(settings.agent, Role.AGENT), vouched=True)
    role = Role.HUMAN if at_terminal else Role.CI
    return Caller(Actor(_plain(settings.user), role), vouched=False, admin=True)


def bearer(info: TokenInfo) -> Caller:
    """Name the caller that holds a token."""
    return Caller(info.actor, vouched=True, admin=info.role is TokenRole.ADMIN)


def _plain(name: str) -> str:
    """Keep the printable part of a local user's name, which anyone may set to anything."""
    return "".join(letter for letter in name if letter.isprintable())[:100].strip() or "unknown"
