"""Takes in closed incidents and exported records, each refusal with its line and reason.

Must not lose a good line over a bad one, write half a line, or bring back what was erased.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from caselore.errors import BadInput, Unavailable
from caselore.guards.secrets import redact
from caselore.memory import gate, tombstones
from caselore.memory.bank import halfway
from caselore.memory.closed import Screen, Sign, read_closed
from caselore.memory.encoding import Body
from caselore.memory.exhibit_transfer import Arrived, is_exhibit_row, take
from caselore.memory.exports import Said, fingerprint, read_exported
from caselore.memory.groups import is_grouping_row
from caselore.memory.groups import take as take_grouping
from caselore.memory.lateness import marked
from caselore.memory.ports import Reads, Store
from caselore.memory.projection import spoken_by
from caselore.memory.records import Actor, ImportReport, Incident
from caselore.memory.rows import CaseRow
from caselore.memory.seals import Checked
from caselore.memory.writing import Pen, identity, observe_body, refuse_erased

BATCH = 500  # lines of one transaction
LINE_LIMIT = 2_000_000  # characters of one line


class Unreadable(NamedTuple):
    """A line that holds no row, and why."""

    reason: str


class Arrival(NamedTuple):
    """A line, read: an incident with what was said of it, not yet written."""

    id: str
    known_as: str
    service: str
    log_digest: str
    incident: Callable[[], Incident]
    happened_at: datetime | None
    sources: tuple[str, ...]
    findings: tuple[str, ...]
    origin: Body
    said: tuple[Said, ...]
    new_id: str = ""
    """Its id here if it is new and brings none."""


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


def read_lines(lines: Iterable[str | bytes]) -> Iterator[tuple[int, Any]]:
    """Give each line of a JSONL file with its number; what is no JSON comes as Unreadable."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, _read_line(line)


def _read_line(line: str | bytes) -> Any:
    if len(line) > LINE_LIMIT:
        return Unreadable(f"the line has {len(line):,} characters; the limit is {LINE_LIMIT:,}")
    try:
        text = line.decode("utf-8-sig") if isinstance(line, bytes) else line.removeprefix("\ufeff")
        return json.loads(text, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        return Unreadable(f"not UTF-8 at byte {error.start + 1}")
    except RecursionError:
        return Unreadable("nested too deeply")
    except ValueError as error:
        return Unreadable(f"not JSON: {error}")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


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
        tally, source, done = Tally(), self._as_exported(rows), 0
        while batch := list(islice(source, BATCH)):
            tally = self._stored(batch, tally, done)
            done += len(batch)
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
        read = list(self._each(self._read, batch, now, refused))
        came = [one for _, one in read if isinstance(one, Arrival)]
        names = [name for one in came for name in (one.known_as, one.id) if name]
        with self.store.reading() as seen:
            known = seen.foresee(self.bank, names)
        ready = list(self._each(self._signed, read, known, refused))
        with self.store.writing(self.bank) as view:
            view.foresee(self.bank, names, _ids(ready))
            pen = Pen(view, self.bank, now, self.salt)
            for _ in self._each(partial(self._write_one, pen), ready, before, refused):
                pass
        before.refused += sorted(refused)
        return before

    def _each(
        self,
        step: Callable[[Any, Any], Any],
        rows: Iterable[tuple[int, Any]],
        more: Any,
        refused: list[tuple[int, str]],
    ) -> Iterator[tuple[int, Any]]:
        """Take a step with each line; one that is refused goes no further, with its reason."""
        for number, row in rows:
            try:
                yield number, step(row, more)
            except BadInput as error:
                refused.append((number, redact(str(error)).text))

    def _signed(self, row: Any, known: Collection[str]) -> Any:
        """Sign what is new here: what is known keeps the signature that it has."""
        if not isinstance(row, Arrival) or row.known_as in known:
            return row
        incident = row.incident()
        return row._replace(incident=lambda: incident, new_id=self.new_id())

    def _write_one(self, pen: Pen, row: Any, tally: Tally) -> None:
        if isinstance(row, Arrival):
            self._take(pen, row, tally)
        elif is_grouping_row(row):
            new = take_grouping(pen, row, self.actor)
            tally.added, tally.known = tally.added + new, tally.known + (not new)
        elif tombstones.is_tombstone_row(row):
            _count_stone(tally, tombstones.take(pen, row, self.actor, self.person))
        else:
            _count_exhibit(tally, take(pen, row, self.actor))

    def _read(self, row: Any, now: datetime) -> Arrival | dict[str, Any]:
        if isinstance(row, Unreadable):
            raise BadInput(row.reason)
        if not isinstance(row, dict):
            raise BadInput(f"the line is no JSON object but {type(row).__name__}")
        if "caselore" in row:
            of_own_kind = (is_exhibit_row, is_grouping_row, tombstones.is_tombstone_row)
            as_it_is = any(fits(row) for fits in of_own_kind)
            return row if as_it_is else _exported(*read_exported(row))
        closed = read_closed(row, self.screen, now)
        return Arrival(
            id="",
            known_as=closed.known_as,
            service=closed.fields["service"],
            log_digest=closed.log_digest,
            incident=partial(closed.incident, self.sign),
            happened_at=closed.happened_at,
            sources=(),
            findings=closed.findings,
            origin={},
            said=(Said(closed.verdict, closed.body),) if closed.verdict else (),
        )

    def _take(self, pen: Pen, arrival: Arrival, tally: Tally) -> None:
        erased = refuse_erased(pen.store, self.bank, arrival.id, arrival.known_as)
        if erased:
            raise BadInput(erased)
        row = _present(pen.store, self.bank, arrival)
        news = _news(pen.store, row, arrival)
        first = [] if row else [self._observed(arrival, pen.at)]
        drafts = first + [self._draft(one, new=row is None) for one in news]
        self._refuse(pen, drafts)
        self._write(pen, row.id if row else arrival.id or arrival.new_id or self.new_id(), drafts)
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

    def _write(self, pen: Pen, id: str, drafts: list[gate.Draft]) -> None:
        proposals: list[int] = []
        for draft in drafts:
            body = draft.body
            if "proposals" in body:
                body = {**body, "proposals": proposals}
            written = pen.write(draft.action, id, body, draft.actor, history=draft.history)
            if draft.action == "propose" and body["findings"]:
                proposals.append(written.entry.seq)


def _ids(rows: list[tuple[int, Any]]) -> list[str]:
    """Give the ids that rows bring, or are given here."""
    came = (one for _, one in rows if isinstance(one, Arrival))
    return [one.id or one.new_id for one in came if one.id or one.new_id]


def _exported(
    id: str, incident: Incident, happened_at: datetime, *rest: *tuple[Any, ...]
) -> Arrival:
    key, service, log = identity(incident), incident.service, incident.log_digest
    return Arrival(id, key, service, log, lambda: incident, happened_at, *rest)


def _present(view: Reads, bank: str, arrival: Arrival) -> CaseRow | None:
    row = view.case(bank, arrival.id) if arrival.id else None
    if row is None:
        return view.known(bank, arrival.known_as) if arrival.known_as else None
    if (row.log_digest, row.service) != (arrival.log_digest, arrival.service):
        raise BadInput(f"the id {arrival.id} belongs to another incident here")
    return row


def _news(view: Reads, row: CaseRow | None, arrival: Arrival) -> tuple[Said, ...]:
    """Give what was not yet said of a record here; what newer words undid is marked as late."""
    if row is None or not arrival.said:
        return marked(arrival.said)
    heard, words, settled = set(), set(), ""
    for entry, payload in view.entries(row.bank, row.id):
        if payload is not None:
            body = json.loads(payload.body)
            who, at = spoken_by(entry, body)
            heard.add(fingerprint(entry.action, who, at, body))
            words.add(fingerprint(entry.action, "", "", body))
            settled = at if entry.seq == row.verdict_seq else settled
    return marked([one for one in arrival.said if not _heard(one, heard, words)], settled)


def _heard(one: Said, heard: set[str], words: set[str]) -> bool:
    origin = one.body.get("origin")
    if origin is None:  # an unsigned proposal has no date of its own: its words decide
        return fingerprint(one.action, "", "", one.body) in words
    return fingerprint(one.action, origin["actor"], origin["at"], one.body) in heard


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
