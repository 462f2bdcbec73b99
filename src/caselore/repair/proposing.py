"""Writes what a green after a repair proposes into the memory, in the worker's name.

Must not confirm, nor decide what is proposed: the account has it, in the green's own transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from caselore.errors import NotFound, Refused, WrongUse
from caselore.memory.records import Actor, Role
from caselore.repair.account import Account, Outgoing


class Proposer:
    """Proposes what waits for the memory; after a kill in between the next one goes on."""

    def __init__(self, account: Account, actor: Actor, clock: Callable[[], datetime]) -> None:
        """Take from an account, as `actor`; a proposal itself is in the worker's name."""
        self._account, self._actor, self._clock = account, actor, clock

    def propose(self, outgoing: Outgoing) -> None:
        """Propose once for each incident. Raises: Unavailable, with what is missing kept."""
        worker = Actor(str(outgoing.event["by"]), Role.AGENT)
        words = str(outgoing.event["resolution"])
        for incident in outgoing.event["incidents"]:
            with suppress(NotFound, Refused, WrongUse):  # erased, or settled by a person meanwhile
                self._account.memory.propose_once(incident, words, worker)
        self._account.taken(outgoing, self._actor, self._clock())
