"""Keeps the repair loop's account: tracked changes, attempts, what leaves, hints and leases.

Must not know the rules of the loop, nor append by itself: `gate.write` is the only way in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from caselore.errors import WrongUse
from caselore.memory import naming
from caselore.memory.bank import Bank
from caselore.memory.encoding import Body, digest, stamp
from caselore.memory.ledger import Entry, Stored
from caselore.memory.loop_ports import InboxRow, LeaseRow
from caselore.memory.records import Actor
from caselore.memory.rows import AttemptRow, ChangeRow, OutboxRow
from caselore.memory.writing import must_pass, proposal_body


class LoopRows(NamedTuple):
    """What a step needs of one change: bounded, however long its history is."""

    change: ChangeRow
    attempts: tuple[AttemptRow, ...]
    """The newest, the newest delivered ones, and those of the pipelines asked for, in order."""
    outbox: tuple[OutboxRow, ...] = ()
    """The events that wait to be taken."""
    sent: Callable[[str], Sequence[OutboxRow]] = lambda id: ()
    """Gives an event that ever left, once for each target; only inside the transaction."""


class LoopEntry(NamedTuple):
    """What somebody wants to write about a change: an action, and the rows that follow."""

    action: str
    body: Body


class Hint(NamedTuple):
    """Word from outside that something happened; never what happened."""

    source: str
    key: str
    """By this the same delivery is the same hint again."""
    change: str
    received_at: datetime


def change_id(host: str, project: str, iid: str) -> str:
    """Give the id of a change; two projects may both have a !7."""
    return f"chg_{digest('change', host, project, iid)[:24]}"


class Loops(Bank):
    """The verbs about the repair loop."""

    def loop_rows(self, id: str, pipelines: Collection[str] = ()) -> LoopRows | None:
        """Give what a step needs of a change whose `pipelines` were read."""
        with self._store.reading() as view:
            row = view.change(self.bank, id)
            return row and LoopRows(row, tuple(view.attempts_some(self.bank, id, pipelines)))

    def loop_attempts(self, id: str) -> list[AttemptRow]:
        """Give every attempt of a change, in order."""
        with self._store.reading() as view:
            return view.attempts(self.bank, id)

    def loop_due(self, now: datetime, after: str, limit: int) -> list[ChangeRow]:
        """Give the live changes whose next look is due, in the order of their ids."""
        with self._store.reading() as view:
            return view.changes_due(self.bank, stamp(now), after, limit)

    def loop_live(self, ids: Collection[str]) -> list[ChangeRow]:
        """Give those of some changes that are live."""
        with self._store.reading() as view:
            return view.changes_by_id(self.bank, ids)

    def look_next(self, due: Mapping[str, datetime]) -> None:
        """Say when changes are looked at next."""
        with self._store.writing(self.bank) as view:
            view.put_looks(self.bank, {change: stamp(at) for change, at in due.items()})

    def loop_changes(
        self, state: str = "", after: str = "", limit: int = 1_000
    ) -> list[ChangeRow]:
        """Give tracked changes in the order of their ids, those after one."""
        with self._store.reading() as view:
            return view.changes(self.bank, state, after, limit)

    def loop_write(
        self,
        id: str,
        actor: Actor,
        decide: Callable[[LoopRows | None], LoopEntry | None],
        pipelines: Collection[str] = (),
    ) -> Entry | None:
        """Let `decide` turn what is stored into what is written, in one transaction.

        `pipelines` are those whose attempts it must know, however old.

        Raises: GateRefused, with the refusal kept in the ledger.
        """
        with self._store.writing(self.bank) as view:
            row = view.change(self.bank, id)
            rows = row and LoopRows(
                row,
                tuple(view.attempts_some(self.bank, id, pipelines)),
                tuple(view.outgoing_open(self.bank, id)),
                partial(view.outgoing_one, self.bank),
            )
            wanted = decide(rows)
            if wanted is None:
                return None
            written = self._pen(view).write(wanted.action, id, wanted.body, actor)
        must_pass(written)
        return written.entry

    def loop_outgoing(
        self, target: str = "", after: int = 0, limit: int = 1_000
    ) -> list[OutboxRow]:
        """Give the events that wait to be taken, by anybody or by one target, in order."""
        with self._store.reading() as view:
            return view.outgoing(self.bank, target, after, limit)

    def loop_open(self, change: str) -> list[OutboxRow]:
        """Give the events of a change that wait to be taken."""
        with self._store.reading() as view:
            return view.outgoing_open(self.bank, change)

    def loop_event(self, id: str) -> list[OutboxRow]:
        """Give one event, once for each target."""
        with self._store.reading() as view:
            return view.outgoing_one(self.bank, id)

    def loop_events(self, change: str) -> list[OutboxRow]:
        """Give all events of a change, in order."""
        with self._store.reading() as view:
            return view.outgoing_of(self.bank, change)

    def loop_history(self, id: str) -> Iterator[tuple[Entry, Body]]:
        """Give all that was written of a change, in order."""
        with self._store.reading() as view:
            for entry, payload in view.entries(self.bank, id):
                if payload is not None:
                    yield entry, json.loads(payload.body)

    def propose_once(self, id: str, resolution: str, actor: Actor) -> None:
        """Keep a proposal, unless this actor made the same one; also with several at once."""
        body = proposal_body("", resolution, ())
        with self._store.writing(self.bank) as view:
            row = naming.resolve(view, self.bank, id)
            if _proposed(view.entries(self.bank, row.id), body, actor):
                return
            written = self._pen(view).write("propose", row.id, body, actor)
        must_pass(written)
        self._index.catch_up(self.bank)

    # Hints and leases: no part of the account

    def hear(self, hints: Collection[Hint]) -> None:
        """Keep hints; one that was heard before is kept once."""
        rows = [
            InboxRow(self.bank, one.source, one.key, one.change, stamp(one.received_at), "")
            for one in hints
        ]
        with self._store.writing(self.bank) as view:
            view.hear(rows)

    def heard(self, limit: int = 1_000) -> list[InboxRow]:
        """Give the hints that nobody looked at yet, in order."""
        with self._store.reading() as view:
            return view.heard(self.bank, limit)

    def attend(self, change: str, until: str) -> None:
        """Mark the hints about a change, received up to a time, as looked at."""
        at = self._clock()
        with self._store.writing(self.bank) as view:
            view.attend(self.bank, change, until, stamp(at))
            view.forget_hints(self.bank, stamp(at - _REMEMBERED))

    def lease(self, name: str, holder: str, now: datetime, seconds: float) -> LeaseRow | None:
        """Take a lease, or hold one's own for longer; None while another holds it.

        Each new holder's fence is higher than every one before.
        """
        with self._store.writing(self.bank) as view:
            held = view.lease(self.bank, name)
            own = held is not None and held.holder == holder
            if held is not None and not own and held.until > stamp(now):
                return None
            fence, tries = (held.fence, held.tries) if held else (0, 0)
            renewed = own and held is not None and held.until > stamp(now)
            until = stamp(now + timedelta(seconds=seconds))
            row = LeaseRow(
                self.bank, name, holder, fence if renewed else fence + 1, until,
                tries if renewed else tries + 1,
            )  # fmt: skip
            view.put_lease(row)
            return row

    def end_lease(self, lease: LeaseRow) -> None:
        """Let go of a lease, unless another holds it by now."""
        with self._store.writing(self.bank) as view:
            view.end_lease(self.bank, lease.name, lease.fence)

    def leased(self, name: str) -> LeaseRow | None:
        """Give who holds something."""
        with self._store.reading() as view:
            return view.lease(self.bank, name)


_REMEMBERED = timedelta(days=7)  # so long a delivery that comes again is known


def must_be_tracked(rows: LoopRows | None, url: str) -> LoopRows:
    """Raise WrongUse where a change is not tracked."""
    if rows is None:
        raise WrongUse(
            f"{url} is not tracked.",
            hint=f"Track it first: caselore repair track {url} --worker NAME",
        )
    return rows


def _proposed(said: Iterable[Stored], body: Body, actor: Actor) -> bool:
    """Tell whether an actor proposed the same before."""
    own = ("propose", actor.name, actor.role.value)
    return any(
        payload is not None
        and (entry.action, entry.actor, entry.role) == own
        and json.loads(payload.body)["resolution"] == body["resolution"]
        for entry, payload in said
    )
