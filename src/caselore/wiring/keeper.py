"""The part of the application by which people correct and keep the memory.

Must not hold policy: it names the caller and passes on to the memory, whose gate decides.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from caselore.wiring.reading import Reader
from caselore.wiring.results import Judged
from caselore.wiring.sources import clean

if TYPE_CHECKING:
    from caselore.memory.api import Memory
    from caselore.memory.grouping import Grouped
    from caselore.memory.records import Actor


class Keeper(Reader):
    """What people do to records after the fact; `App` is one."""

    @property
    @abstractmethod
    def memory(self) -> Memory:
        """Give the memory that is kept."""

    @abstractmethod
    def _acting(self, actor: Actor | str | None) -> Actor:
        """Name the caller."""

    def supersede(
        self, incident: str, by: str, why: str, actor: Actor | str | None = None
    ) -> Judged:
        """Say, as a person, that another incident's outcome replaces this one's.

        Raises: GateRefused unless a person; WrongUse where one of them has no outcome.
        """
        return Judged(self.memory.supersede(incident, by, clean(why), self._acting(actor)))

    def merge(self, one: str, into: str, why: str, actor: Actor | str | None = None) -> Grouped:
        """Let two signatures count as the same failure; an incident's name means its signature.

        Raises: GateRefused unless a person; NotFound; WrongUse for a generic signature.
        """
        return self.memory.merge(one, into, clean(why), self._acting(actor))

    def split(self, ref: str, why: str, actor: Actor | str | None = None) -> Grouped:
        """Let a signature count with no other again, or one incident with no other incident.

        Raises: GateRefused unless a person; NotFound; WrongUse where it stands alone.
        """
        return self.memory.split(ref, clean(why), self._acting(actor))

    def erase(self, incident: str, why: str, actor: Actor | str | None = None) -> str:
        """Remove content for good and give the id. Raises: GateRefused unless a person."""
        return self.memory.erase(incident, clean(why), self._acting(actor))

    def release(self, subject: str, why: str, actor: Actor | str | None = None) -> Judged:
        """Let something out of quarantine. Raises: GateRefused unless a person."""
        return Judged(self.memory.release(subject, clean(why), self._acting(actor)))

    def drop(self, subject: str, why: str, actor: Actor | str | None = None) -> Judged:
        """Keep something out for good. Raises: GateRefused unless a person."""
        return Judged(self.memory.drop(subject, clean(why), self._acting(actor)))
