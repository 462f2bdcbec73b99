"""The part of the application by which people correct and keep the memory.

Must not hold policy: it names the caller and passes on to the memory, whose gate decides.
"""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from caselore.errors import GateRefused
from caselore.wiring.reading import Reader
from caselore.wiring.results import Judged, Swept
from caselore.wiring.sources import clean

if TYPE_CHECKING:
    from caselore.memory.api import Memory
    from caselore.memory.aside_ports import Aside
    from caselore.memory.copies import Copied
    from caselore.memory.grouping import Grouped
    from caselore.memory.records import Actor
    from caselore.wiring.retention import RetentionDesk
    from caselore.wiring.shelf import Whole
    from caselore.wiring.sweeping import Sweep


class Erased(NamedTuple):
    """What was erased, and what became of its copies."""

    incident: str
    swept: Swept
    told_in: tuple[str, ...] = ()
    """Changes whose events, handed to a worker, still tell of it: `erase` them, too."""

    def to_json(self) -> dict[str, Any]:
        """Give it as plain JSON values."""
        told = {"incident": self.incident, "erased": True, "told_in": list(self.told_in)}
        return {**told, **self.swept.to_json()}


class Keeper(Reader):
    """What people do to records after the fact; `App` is one."""

    @property
    @abstractmethod
    def memory(self) -> Memory:
        """Give the memory that is kept."""

    @cached_property
    def aside(self) -> Aside:
        """Give the place of what is kept beside the memory for a while."""
        from caselore.wiring import shelf  # noqa: PLC0415

        return shelf.place(self.settings)

    def whole_log(self, incident: str, now: datetime) -> Whole | None:
        """Give an incident's whole log by its id, if it is kept."""
        from caselore.wiring import shelf  # noqa: PLC0415

        return shelf.whole(self.aside, self.memory.bank, incident, now)

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
        return self.erase_everywhere(incident, why, actor).incident

    def erase_everywhere(
        self, incident: str, why: str, actor: Actor | str | None = None
    ) -> Erased:
        """Remove content for good, in every backup too; say which backups were out of reach.

        Raises: GateRefused unless a person; StoreBusy where a reader still holds a copy.
        """
        sweep = self.sweep(f"erase {incident}")
        id = self.memory.erase(incident, clean(why), self._acting(actor))
        return Erased(id, sweep.end([id]), self.memory.told_in(id))

    def withdrawn(self) -> str:
        """Withdraw what was erased from a mirror; give what hindered it. Here there is none."""
        return ""

    def sweep(self, command: str) -> Sweep:
        """Begin to reach every copy of what is erased from now on; `command` is what calls.

        Cut off before its end, it is finished by the next call that erases. Raises: StoreBusy.
        """
        from caselore.wiring.sweeping import Sweep  # noqa: PLC0415

        return Sweep(self, command)

    @cached_property
    def retention(self) -> RetentionDesk:
        """Give what lets go by rule."""
        from caselore.wiring.retention import RetentionDesk  # noqa: PLC0415

        return RetentionDesk(self, lambda: self._acting(None))

    def mend(self, why: str, actor: Actor | str | None = None) -> tuple[int, ...]:
        """Account for passing runs that an earlier version forgot without saying so.

        Raises: GateRefused unless a person; StoreDamaged where anything else is missing.
        """
        return self.memory.mend(clean(why), self._acting(actor))

    def backup(self, file: Path | str, actor: Actor | str | None = None) -> Copied:
        """Copy every bank into one verified SQLite file, and keep its place in the ledger.

        Raises: GateRefused for an agent; WrongUse for the file of another store.
        """
        from caselore.wiring import backup  # noqa: PLC0415

        return backup.make(self.memory, Path(file), self._acting(actor))

    def restore(self, file: Path | str) -> Copied:
        """Bring a backup into this store, which is empty or holds the beginning of its history.

        Raises: GateRefused for an agent; NotFound; WrongUse for a store with another history.
        """
        from caselore.wiring import backup  # noqa: PLC0415

        actor = self._acting(None)
        if actor.role.value == "agent":
            raise GateRefused("an agent may not restore a backup")
        return backup.restore(self.memory, Path(file))

    def release(self, subject: str, why: str, actor: Actor | str | None = None) -> Judged:
        """Let something out of quarantine. Raises: GateRefused unless a person."""
        return Judged(self.memory.release(subject, clean(why), self._acting(actor)))

    def drop(self, subject: str, why: str, actor: Actor | str | None = None) -> Judged:
        """Keep something out for good. Raises: GateRefused unless a person."""
        return Judged(self.memory.drop(subject, clean(why), self._acting(actor)))

    def judge_exhibit(
        self, action: str, subject: str, why: str, actor: Actor | str | None = None
    ) -> dict[str, str]:
        """Release, drop or retract a page or an event. Raises: GateRefused unless a person."""
        one = self.memory.judge_exhibit(action, subject, clean(why), self._acting(actor))
        return {"id": one.id, "kind": one.kind.value, "status": one.status.value}
