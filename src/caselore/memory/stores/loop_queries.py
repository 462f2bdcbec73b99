"""The queries about the repair loop, for both databases.

Must not judge or derive: rows in, rows out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from caselore.memory.loop_ports import COUNTED, NEWEST, InboxRow, LeaseRow
from caselore.memory.rows import AttemptRow, ChangeRow, OutboxRow
from caselore.memory.stores.asking import Asking


class LoopQueries(Asking):
    """Tracked changes, their attempts, what leaves and what comes in."""

    def change(self, bank: str, id: str) -> ChangeRow | None:
        row = next(iter(self._ask("change", bank=bank, id=id)), None)
        return ChangeRow(*row) if row else None

    def changes(
        self, bank: str, state: str = "", after: str = "", limit: int = 1_000_000
    ) -> list[ChangeRow]:
        found = self._ask("changes_in", bank=bank, state=state, after=after, limit=limit)
        return [ChangeRow(*row) for row in found]

    def changes_telling(self, bank: str, text: str) -> list[str]:
        return [id for (id,) in self._ask("changes_telling", bank=bank, text=text)]

    def attempts(self, bank: str, change: str) -> list[AttemptRow]:
        return [AttemptRow(*row) for row in self._ask("attempts_of", bank=bank, change=change)]

    def changes_due(self, bank: str, now: str, after: str, limit: int) -> list[ChangeRow]:
        found = self._ask("changes_due", bank=bank, now=now, after=after, limit=limit)
        return [ChangeRow(*row) for row in found]

    def changes_by_id(self, bank: str, ids: Collection[str]) -> list[ChangeRow]:
        found = self._ask("changes_by_id", bank=bank, ids=self._keys(ids))
        return [ChangeRow(*row) for row in found]

    def attempts_some(
        self, bank: str, change: str, pipelines: Collection[str]
    ) -> list[AttemptRow]:
        found = self._ask(
            "attempts_some", bank=bank, change=change, pipelines=self._keys(pipelines),
            newest=NEWEST, counted=COUNTED,
        )  # fmt: skip
        return [AttemptRow(*row) for row in found]

    def outgoing(
        self, bank: str, target: str = "", after: int = 0, limit: int = 1_000
    ) -> list[OutboxRow]:
        found = self._ask("outgoing", bank=bank, target=target, after=after, limit=limit)
        return [OutboxRow(*row) for row in found]

    def outgoing_of(self, bank: str, change: str) -> list[OutboxRow]:
        return [OutboxRow(*row) for row in self._ask("outgoing_of", bank=bank, change=change)]

    def outgoing_open(self, bank: str, change: str) -> list[OutboxRow]:
        return [OutboxRow(*row) for row in self._ask("outgoing_open", bank=bank, change=change)]

    def outgoing_one(self, bank: str, id: str) -> list[OutboxRow]:
        return [OutboxRow(*row) for row in self._ask("outgoing_one", bank=bank, id=id)]

    def heard(self, bank: str, limit: int) -> list[InboxRow]:
        return [InboxRow(*row) for row in self._ask("heard", bank=bank, limit=limit)]

    def lease(self, bank: str, name: str) -> LeaseRow | None:
        row = next(iter(self._ask("lease", bank=bank, name=name)), None)
        return LeaseRow(*row) if row else None

    def hear(self, rows: list[InboxRow]) -> None:
        self._put("put_inbox", rows)

    def attend(self, bank: str, change: str, until: str, at: str) -> None:
        self._ask("forget_heard", bank=bank, change=change, until=until, at=at)

    def put_looks(self, bank: str, due: Mapping[str, str]) -> None:
        self._put("put_looks", [(bank, change, at) for change, at in due.items()])

    def forget_hints(self, bank: str, before: str) -> None:
        self._ask("forget_old_inbox", bank=bank, before=before)

    def put_lease(self, row: LeaseRow) -> None:
        self._put("put_leases", [row])

    def end_lease(self, bank: str, name: str, fence: int) -> None:
        self._ask("forget_lease", bank=bank, name=name, fence=fence)
