"""Keeps work that is to be done later: what is due when, and which process is at it.

Must not know what any work is, nor run it; what is kept here is no part of the account.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from caselore.memory.bank import Bank
from caselore.memory.encoding import stamp
from caselore.memory.later_ports import JobRow

WAITING, RUNNING, FAILED = "waiting", "running", "failed"
_KEPT = timedelta(days=30)  # so long a failed job can be looked at
_DIED = "its process gave no sign of life"


Wanted = tuple[str, str, str, str, str, datetime]
"""Kind, lock, once, place, about, due."""
Left = tuple[str, int, str, datetime, str, bool]
"""Id, tries, state (empty where it is done), due, words, whether this try counts."""


class Later(Bank):
    """The verbs about jobs."""

    def add_jobs(self, jobs: Iterable[Wanted]) -> int:
        """Put in jobs; give how many are new.

        One is not put in where another of the same `once` waits already.
        """
        with self._store.writing(self.bank) as view:
            return sum(view.add_job(self._row(one)) for one in jobs)

    def _row(self, job: Wanted) -> JobRow:
        kind, lock, once, place, about, due = job
        id = f"job_{self._random()[:24]}"
        return JobRow(
            self.bank, id, 0, kind, lock, once, place, about, stamp(due), WAITING, 0, "", "", ""
        )

    def take_jobs(
        self,
        kinds: Collection[str],
        place: str,
        holder: str,
        now: datetime,
        seconds: float,
        limit: int,
    ) -> Sequence[JobRow]:
        """Hold jobs that are due for so long, of each lock at most one, in order.

        What another process held and gave no sign of life for is due again.
        """
        at = stamp(now)
        with self._store.reading() as view:
            if not view.jobs_due(self.bank, at):
                return []
        hold = (holder, stamp(now + timedelta(seconds=seconds)))
        with self._store.writing(self.bank) as view:
            view.free_jobs(self.bank, at, _DIED)
            return view.take_jobs(self.bank, kinds, place, at, hold, limit)

    def hold_jobs(self, holder: str, now: datetime, seconds: float) -> None:
        """Give a sign of life for all jobs that a holder has."""
        with self._store.writing(self.bank) as view:
            view.hold_jobs(self.bank, holder, stamp(now + timedelta(seconds=seconds)))

    def leave_jobs(self, holder: str, left: Sequence[Left], now: datetime) -> None:
        """Leave jobs as they ended, in one transaction; of none that another holds by now."""
        with self._store.writing(self.bank) as view:
            for id, tries, state, due, words, counted in left:
                hold = (id, holder, tries)
                if state:
                    view.leave_job(self.bank, hold, state, stamp(due), words, not counted)
                else:
                    view.end_job(self.bank, hold)
            if any(state == FAILED for _, _, state, *_ in left):
                view.forget_failures(self.bank, stamp(now - _KEPT))

    def jobs(self, state: str, limit: int = 1_000) -> list[JobRow]:
        """Give the jobs in a state, in the order in which they were put in."""
        with self._store.reading() as view:
            return view.jobs_in(self.bank, state, limit)

    def try_job(self, id: str, now: datetime) -> None:
        """Let a failed job be tried again from the beginning."""
        with self._store.writing(self.bank) as view:
            view.try_job(self.bank, id, stamp(now))

    def schedule_jobs(
        self, name: str, last: datetime, jobs: Sequence[tuple[datetime, Wanted]]
    ) -> int:
        """Put in the jobs of a schedule whose due times are new, once for all processes.

        `jobs` are pairs of a due time and a job. A schedule that is not known yet begins at
        `last`: nothing of it is due before. Gives how many were put in.
        """
        with self._store.reading() as view:
            known = view.schedule(self.bank, name)
        if known >= stamp(last):
            return 0
        with self._store.writing(self.bank) as view:
            known = view.schedule(self.bank, name)
            if known >= stamp(last):
                return 0
            view.put_schedule(self.bank, name, stamp(last))
            new = [one for due, one in jobs if known and stamp(due) > known]
            return sum(view.add_job(self._row(one)) for one in new)
