"""The queries about work that is to be done later, for both databases.

Must not judge or derive: rows in, rows out.
"""

from __future__ import annotations

from collections.abc import Collection

from caselore.memory.later_ports import Hold, JobRow
from caselore.memory.stores.asking import Asking


class LaterQueries(Asking):
    """Jobs and schedules."""

    def jobs_due(self, bank: str, now: str) -> bool:
        ((due,),) = self._ask("jobs_due", bank=bank, now=now)
        return bool(due)

    def jobs_in(self, bank: str, state: str, limit: int) -> list[JobRow]:
        found = self._ask("jobs_in", bank=bank, state=state, limit=limit)
        return [JobRow(*row) for row in found]

    def schedule(self, bank: str, name: str) -> str:
        return "".join(at for (at,) in self._ask("schedule", bank=bank, name=name))

    def add_job(self, row: JobRow) -> bool:
        values = row._asdict()
        given = {name: values[name] for name in _GIVEN}
        return bool(list(self._ask("add_job", **given)))

    def free_jobs(self, bank: str, now: str, words: str) -> None:
        self._ask("forget_stalled", bank=bank, now=now, words=words)

    def take_jobs(
        self,
        bank: str,
        kinds: Collection[str],
        place: str,
        now: str,
        hold: tuple[str, str],
        limit: int,
    ) -> list[JobRow]:
        holder, until = hold
        found = self._ask(
            "take_jobs", bank=bank, kinds=self._keys(kinds), place=place, now=now,
            holder=holder, until=until, limit=limit,
        )  # fmt: skip
        return sorted((JobRow(*row) for row in found), key=lambda row: row.seq)

    def hold_jobs(self, bank: str, holder: str, until: str) -> None:
        self._ask("forget_until", bank=bank, holder=holder, until=until)

    def end_job(self, bank: str, hold: Hold) -> None:
        id, holder, tries = hold
        self._ask("forget_job", bank=bank, id=id, holder=holder, tries=tries)

    def leave_job(
        self, bank: str, hold: Hold, state: str, due_at: str, error: str, free: bool
    ) -> None:
        id, holder, tries = hold
        self._ask(
            "forget_take", bank=bank, id=id, holder=holder, tries=tries,
            state=state, due_at=due_at, error=error, back=int(free),
        )  # fmt: skip

    def try_job(self, bank: str, id: str, now: str) -> None:
        self._ask("forget_failure", bank=bank, id=id, now=now)

    def forget_failures(self, bank: str, before: str) -> None:
        self._ask("forget_old_failures", bank=bank, before=before)

    def put_schedule(self, bank: str, name: str, last_at: str) -> None:
        self._put("put_schedule", [(bank, name, last_at)])


_GIVEN = ("bank", "id", "kind", "lock", "once", "place", "about", "due_at")
