"""The half of the store in memory that keeps jobs.

Must not judge or derive: rows in, rows out, as the real stores do.
"""

from __future__ import annotations


class MemoryLater:
    """Jobs and schedules."""

    def _jobs(self, bank, **equal):
        rows = sorted(self.later.values(), key=lambda row: row.seq)
        return [
            row
            for row in rows
            if row.bank == bank and all(getattr(row, name) == one for name, one in equal.items())
        ]

    def _keep(self, row):
        self.later[row.bank, row.id] = row

    def jobs_due(self, bank, now):
        waiting = any(row.due_at <= now for row in self._jobs(bank, state="waiting"))
        return waiting or any(row.until < now for row in self._jobs(bank, state="running"))

    def jobs_in(self, bank, state, limit):
        return self._jobs(bank, state=state)[:limit]

    def schedule(self, bank, name):
        return self.schedules.get((bank, name), "")

    def add_job(self, row):
        if row.once and self._jobs(row.bank, once=row.once, state="waiting"):
            return False
        last = max((one.seq for one in self._jobs(row.bank)), default=0)
        self._keep(row._replace(seq=last + 1))
        return True

    def free_jobs(self, bank, now, words):
        for row in self._jobs(bank, state="running"):
            if row.until < now:
                self._keep(row._replace(state="waiting", holder="", until="", error=words))

    def take_jobs(self, bank, kinds, place, now, hold, limit):
        free = [row for row in self._jobs(bank, state="waiting") if self._free(row, place, now)]
        fit = [row for row in free if row.kind in kinds]
        chosen = sorted(fit, key=lambda row: (row.due_at, row.seq))[:limit]
        holder, until = hold
        taken = [
            row._replace(state="running", holder=holder, until=until, tries=row.tries + 1)
            for row in chosen
        ]
        for row in taken:
            self._keep(row)
        return sorted(taken, key=lambda row: row.seq)

    def _free(self, row, place, now):
        before = [
            one
            for one in self._jobs(row.bank, lock=row.lock)
            if row.lock and one.state != "failed" and one.id != row.id
            if one.state == "running" or one.seq < row.seq
        ]
        return row.due_at <= now and row.place in ("", place) and not before

    def hold_jobs(self, bank, holder, until):
        for row in self._jobs(bank, state="running", holder=holder):
            self._keep(row._replace(until=until))

    def _held(self, bank, hold):
        id, holder, tries = hold
        return self._jobs(bank, id=id, holder=holder, tries=tries, state="running")

    def end_job(self, bank, hold):
        for row in self._held(bank, hold):
            del self.later[bank, row.id]

    def leave_job(self, bank, hold, state, due_at, error, free):
        for row in self._held(bank, hold):
            tries = row.tries - free
            self._keep(
                row._replace(
                    state=state, holder="", until="", due_at=due_at, tries=tries, error=error
                )
            )

    def try_job(self, bank, id, now):
        for row in self._jobs(bank, id=id, state="failed"):
            self._keep(row._replace(state="waiting", tries=0, due_at=now))

    def forget_failures(self, bank, before):
        for row in self._jobs(bank, state="failed"):
            if row.due_at < before:
                del self.later[bank, row.id]

    def put_schedule(self, bank, name, last_at):
        self.schedules[bank, name] = last_at
