"""Takes in closed incidents and exported records, each refusal with its line and reason.

Must not lose a good line over a bad one, write half a line, or bring back what was erased.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from caselore.errors import BadInput, Unavailable
from caselore.guards.secrets import redact
from caselore.memory import gate, tombstones
from caselore.memory.arrivals import Arrival, Unreadable, read, weight
from caselore.memory.bank import halfway
from caselore.memory.closed import Screen, Sign
from caselore.memory.exhibit_transfer import Arrived, take
from caselore.memory.exports import Said
from caselore.memory.groups import is_grouping_row
from caselore.memory.groups import take as take_grouping
from caselore.memory.heard import Heard
from caselore.memory.lateness import marked
from caselore.memory.ports import Reads, Store
from caselore.memory.records import Actor, ImportReport
from caselore.memory.rows import CaseRow
from caselore.memory.seals import Checked
from caselore.memory.writing import Pen, observe_body, refuse_erased

BATCH = 2_000  # lines of one transaction; fewer in the first ones
FIRST = 500
HEAVY = 8_000_000  # characters of its rows after which it ends


@dataclass(slots=True)
class Tally:
    """What became of the lines so far."""

    added: int = 0
    known: int = 0
    updated: int = 0
    confirmed: int = 0
    waiting: int = 0
    gone: list[str] = field(default_factory=list)
    refused: list[tuple[int, str]] = field(default_factory=list)

    def report(self) -> ImportReport:
        """Give the final count."""
        counts = (self.updated, self.confirmed, self.waiting, tuple(self.gone))
        return ImportReport(self.added, self.known, tuple(self.refused), *counts)


@dataclass(frozen=True, slots=True)
class Importer:
    """Writes lines in batches; a batch is kept whole or not at all."""

    store: Store
    bank: str
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    salt: Callable[[], str]
    actor: Actor
    sign: Sign
    screen: Screen
    person: Actor | None = None
    """Who brings the rows, if that is a person: only then is anything erased or withdrawn."""
    seals: Checked = field(default_factory=Checked)

    def run(
        self, rows: Iterable[tuple[int, Any]], progress: Callable[[int], None] | None
    ) -> ImportReport:
        """Take in every row; `progress` hears how many lines are safely stored."""
        tally, source, done, most = Tally(), self._as_exported(rows), 0, FIRST
        while batch := _some(source, min(most, BATCH)):
            tally = self._stored(batch, tally, done)
            done, most = done + len(batch), 2 * most
            if progress:
                progress(done)
        return tally.report()

    def _as_exported(self, rows: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
        """Give the rows, those that are not as they were exported with the reason instead."""
        number = 0
        for number, row in rows:
            reason = self.seals.fault(row)
            yield number, Unreadable(reason) if reason else row
        cut = self.seals.end()
        if cut:
            yield number + 1, Unreadable(cut)

    def _stored(self, batch: list[tuple[int, Any]], before: Tally, done: int) -> Tally:
        """Write a batch; where that cannot be, say that those before it are in."""
        try:
            return self._batch(batch, before)
        except Unavailable as error:
            if not done:
                raise
            words = f"The first {done:,} lines are in, the next were not written"
            raise halfway(error, words, "Import the file again: what is known is left.") from error

    def _batch(self, batch: list[tuple[int, Any]], before: Tally) -> Tally:
        """Read and sign the lines first, so that no other writer waits for that."""
        now, refused = self.clock(), list[tuple[int, str]]()
        reading = partial(read, screen=self.screen, sign=self.sign, now=now)
        came = list(self._each(reading, batch, refused))
        read_here = [one for _, one in came if isinstance(one, Arrival)]
        names = [name for one in read_here for name in (one.known_as, one.id) if name]
        with self.store.reading() as seen:
            bare = [one.known_as for one in read_here if not one.id]
            known = seen.recognised(self.bank, bare)
        ready = list(self._each(partial(self._signed, known=known), came, refused))
        with self.store.writing(self.bank) as view:
            view.foresee(self.bank, names, _ids(ready))
            pen = Pen(view, self.bank, now, self.salt)
            heard = Heard(view, self.bank, _here(view, self.bank, ready))
            for _ in self._each(partial(self._write_one, pen, heard, before), ready, refused):
                pass
        before.refused += sorted(refused)
        return before

    def _each(
        self,
        step: Callable[[Any], Any],
        rows: Iterable[tuple[int, Any]],
        refused: list[tuple[int, str]],
    ) -> Iterator[tuple[int, Any]]:
        """Take a step with each line; one that is refused goes no further, with its reason."""
        for number, row in rows:
            try:
                yield number, step(row)
            except BadInput as error:
                refused.append((number, redact(str(error)).text))

    def _signed(self, row: Any, known: Collection[str]) -> Any:
        """Sign what is new here: what is known keeps the signature that it has."""
        if not isinstance(row, Arrival) or row.id or row.known_as in known:
            return row
        incident = row.incident()
        return row._replace(incident=lambda: incident, new_id=self.new_id())

    def _write_one(self, pen: Pen, heard: Heard, tally: Tally, row: Any) -> None:
        if isinstance(row, Arrival):
            self._take(pen, heard, row, tally)
        elif is_grouping_row(row):
            new = take_grouping(pen, row, self.actor)
            tally.added, tally.known = tally.added + new, tally.known + (not new)
        elif tombstones.is_tombstone_row(row):
            _count_stone(tally, tombstones.take(pen, row, self.actor, self.person))
        else:
            _count_exhibit(tally, take(pen, row, self.actor))

    def _take(self, pen: Pen, heard: Heard, arrival: Arrival, tally: Tally) -> None:
        erased = refuse_erased(pen.store, self.bank, arrival.id, arrival.known_as)
        if erased:
            raise BadInput(erased)
        row = _present(pen.store, self.bank, arrival)
        news = heard.news(row, arrival.said) if row and arrival.said else marked(arrival.said)
        first = [] if row else [self._observed(arrival, pen.at)]
        drafts = first + [self._draft(one, new=row is None) for one in news]
        self._refuse(pen, drafts)
        id = row.id if row else arrival.id or arrival.new_id or self.new_id()
        self._write(pen, heard, id, drafts)
        _count(tally, row, news)

    def _draft(self, one: Said, *, new: bool) -> gate.Draft:
        """Give what a row says of a record; of one that stands here a person may say more."""
        history = gate.TABLE[one.action][self.actor.role] is gate.HISTORY
        actor = self.person if history and not new and self.person else self.actor
        return gate.Draft(self.bank, one.action, "", one.body, actor, history=new)

    def _observed(self, arrival: Arrival, at: datetime) -> gate.Draft:
        body = observe_body(
            arrival.incident(),
            arrival.known_as,
            arrival.happened_at or at,
            arrival.sources,
            arrival.findings,
        )
        body = {**body, "origin": arrival.origin} if arrival.origin else body
        return gate.Draft(self.bank, "observe", "", body, self.actor)

    def _refuse(self, pen: Pen, drafts: list[gate.Draft]) -> None:
        """Refuse a line whole where the gate would refuse a part of it. Raises BadInput."""
        for draft in drafts:
            if gate.judge(draft, person_acted=True):
                written = pen.write(
                    draft.action, "", draft.body, draft.actor, history=draft.history
                )
                raise BadInput(written.refusal)

    def _write(self, pen: Pen, heard: Heard, id: str, drafts: list[gate.Draft]) -> None:
        proposals: list[int] = []
        for draft in drafts:
            body = draft.body
            if "proposals" in body:
                body = {**body, "proposals": proposals}
            written = pen.write(draft.action, id, body, draft.actor, history=draft.history)
            if draft.action != "observe":
                heard.note(written.entry, body)
            if draft.action == "propose" and body["findings"]:
                proposals.append(written.entry.seq)


def _some(rows: Iterator[tuple[int, Any]], most: int) -> list[tuple[int, Any]]:
    """Give the next rows, so many as go in one transaction."""
    batch, heavy = list[tuple[int, Any]](), 0
    for one in rows:
        batch.append(one)
        heavy += weight(one[1])
        if len(batch) >= most or heavy >= HEAVY:
            break
    return batch


def _ids(rows: list[tuple[int, Any]]) -> list[str]:
    """Give the ids that rows bring, or are given here."""
    came = (one for _, one in rows if isinstance(one, Arrival))
    return [one.id or one.new_id for one in came if one.id or one.new_id]


def _here(view: Reads, bank: str, rows: list[tuple[int, Any]]) -> list[str]:
    """Give the records of which rows say something and that stand here already."""
    came = (one for _, one in rows if isinstance(one, Arrival) and one.said)
    found = (_standing(view, bank, one) for one in came)
    return [row.id for row in found if row]


def _standing(view: Reads, bank: str, arrival: Arrival) -> CaseRow | None:
    row = view.case(bank, arrival.id) if arrival.id else None
    return row or (view.known(bank, arrival.known_as) if arrival.known_as else None)


def _present(view: Reads, bank: str, arrival: Arrival) -> CaseRow | None:
    row = _standing(view, bank, arrival)
    if row is None or row.id != arrival.id:
        return row
    if (row.log_digest, row.service) != (arrival.log_digest, arrival.service):
        raise BadInput(f"the id {arrival.id} belongs to another incident here")
    return row


def _count_stone(tally: Tally, buried: tombstones.Buried) -> None:
    tally.added += buried.added and not buried.gone
    tally.known += not buried.added and not buried.gone
    tally.gone += [buried.gone] if buried.gone else []


def _count_exhibit(tally: Tally, arrived: Arrived) -> None:
    tally.added += arrived.added
    tally.known += not arrived.added and not arrived.news
    tally.updated += not arrived.added and bool(arrived.news)


def _count(tally: Tally, row: CaseRow | None, news: tuple[Said, ...]) -> None:
    tally.added += row is None
    tally.known += row is not None and not news
    tally.updated += row is not None and bool(news)
    tally.confirmed += any(one.action == "confirm" for one in news)
    tally.waiting += bool(news) and all(one.action == "propose" for one in news)
