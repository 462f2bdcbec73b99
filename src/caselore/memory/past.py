"""Shows a bank as it stood after a certain entry of its ledger, whatever was said later.

Must not answer from what a later entry wrote. Only what was erased since is missing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from caselore.memory.ledger import Stored
from caselore.memory.ports import ANYWHERE, RETURNS, Alike, Evidence, Narrow, Reads, Tally
from caselore.memory.projection import project
from caselore.memory.records import Status
from caselore.memory.rows import CaseRow, Fixing, LinkRow, Put

EVERY = tuple(status.value for status in Status)
ALL = 2**31
_NOWHERE = frozenset({Status.QUARANTINED.value, Status.RETRACTED.value})
GROWTH = 4  # times as many rows are looked at where those of today do not tell the past


def known_at(view: Reads, bank: str, until: str) -> tuple[Evidence, int]:
    """Give what was known at a time, and the last entry of then; empty means now, and 0."""
    last = view.last_seq(bank, until) if until else 0
    return (Past(view, bank, last) if until else view), last


class Past:
    """The evidence of one bank up to an entry, from a view of today."""

    def __init__(self, view: Evidence, bank: str, last: int) -> None:
        """Look back from `view`, whose bank ended with the entry `last` then."""
        self._view, self._bank, self._last = view, bank, last
        self._then: dict[str, CaseRow | None] = {}
        self._of: dict[str, list[CaseRow]] = {}
        self._given_anew: list[str] | None = None

    def bodies(self, bank: str, seqs: Collection[int]) -> dict[int, str]:
        """Give payloads of entries of then."""
        return self._view.bodies(bank, [seq for seq in seqs if seq <= self._last])

    def entries(self, bank: str, subject: str = "") -> Iterator[Stored]:
        """Give the entries up to then."""
        return (one for one in self._view.entries(bank, subject) if one.entry.seq <= self._last)

    def case(self, bank: str, id: str) -> CaseRow | None:
        """Give one case as it stood."""
        row = self._view.case(bank, id)
        return next(iter(self._as_they_stood([row])), None) if row else None

    def cases_of(self, bank: str, ids: Collection[str]) -> dict[str, CaseRow]:
        """Give cases as they stood."""
        rows = self._view.cases_of(bank, ids).values()
        return {row.id: row for row in self._as_they_stood(rows)}

    def named(self, bank: str, name: str) -> list[CaseRow]:
        """Give the cases that bore a name."""
        return self._as_they_stood(self._view.named(bank, name))

    def near(
        self, bank: str, asked: Sequence[tuple[Alike, int]], narrow: Narrow = ANYWHERE
    ) -> list[CaseRow]:
        """Give the newest cases of each way and status that was asked for, as they stood."""
        return [row for alike, limit in asked for row in self._near(bank, alike, limit, narrow)]

    def _near(
        self, bank: str, alike: Alike, limit: int, narrow: Narrow = ANYWHERE
    ) -> list[CaseRow]:
        if not self._last:
            return []
        wide = alike._replace(statuses=EVERY)
        narrow = narrow._replace(last=self._last)
        anew = [row for row in self._anew() if wide.fits(row) and narrow.admits(row)]
        most = limit
        while True:
            now = self._view.near(bank, [(wide, most)], narrow)
            then = [row for row in self._as_they_stood(now) if wide.fits(row)]
            rows = sorted({row.id: row for row in (*then, *anew)}.values(), key=_age, reverse=True)
            chosen = [[row for row in rows if row.status == one][:limit] for one in alike.statuses]
            if self._told(now, most, chosen, limit):
                return [row for some in chosen for row in some]
            most *= GROWTH

    def _told(
        self, now: list[CaseRow], most: int, chosen: list[list[CaseRow]], limit: int
    ) -> bool:
        """Say whether no row beyond those that were looked at could be among the chosen."""
        times = Counter(row.status for row in now)
        cut = [one for one in times if times[one] >= most]
        ends = [min(_age(row) for row in now if row.status == one) for one in cut]
        return not ends or all(
            len(some) == limit and _age(some[-1]) >= max(ends) for some in chosen
        )

    def tallies(self, bank: str, signatures: Collection[str]) -> dict[str, list[Tally]]:
        """Count what had been confirmed of some signatures."""
        return {signature: self._tally(signature) for signature in signatures}

    def _tally(self, signature: str) -> list[Tally]:
        rows = self._signed(signature)
        confirmed = (row for row in rows if row.status == Status.CONFIRMED.value)
        groups = Counter((row.fix, row.result, row.confirmed_by) for row in confirmed)
        return [Tally(*key, times) for key, times in sorted(groups.items())]

    def fared(
        self, bank: str, signatures: Collection[str], fixed: Sequence[Fixing], sought: str
    ) -> tuple[dict[str, list[Tally]], list[int]]:
        """Count what had been confirmed of signatures, and what had come back after a time."""
        returns = [
            min(RETURNS, sum(self._came_back(row, one, sought) for row in self._signed(one[0])))
            for one in fixed
        ]
        return self.tallies(bank, signatures), returns

    def _came_back(self, row: CaseRow, fixed: Fixing, sought: str) -> bool:
        _, service, at = fixed
        other = row.service == service and row.happened_at > at and row.id != sought
        return other and bool(row.counts) and row.status not in _NOWHERE

    def told_of(
        self, bank: str, subjects: Collection[str], names: Collection[str]
    ) -> tuple[list[Stored], list[LinkRow]]:
        """Give the entries up to then about some records, and the links that had been made."""
        said, links = self._view.told_of(bank, subjects, names)
        return [one for one in said if one.entry.seq <= self._last], self._said(links)

    def links_of(self, bank: str, subject: str) -> list[LinkRow]:
        """Give what a record had named."""
        return self._said(self._view.links_of(bank, subject))

    def links_to(self, bank: str, targets: Collection[str]) -> list[LinkRow]:
        """Give by what a record had been named."""
        return self._said(self._view.links_to(bank, targets))

    def related(self, bank: str, relation: str) -> list[LinkRow]:
        """Give every link of one kind that had been made."""
        return self._said(self._view.related(bank, relation))

    def told_apart(self, bank: str, id: str, signature: str) -> set[str]:
        """Give what a person had said is not the same as a record or its signature's failures."""
        own, apart = self.case(bank, id) if id else None, set[str]()
        for link in self.related(bank, "unlike"):
            for one, other in ((link.subject, link.target), (link.target, link.subject)):
                a, b = self.case(bank, one), self.case(bank, other)
                if one == id or (a and b and a.signature == signature != b.signature):
                    apart.add(other)
                if own and a and b and _rerun(a, own) and not _rerun(a, b):
                    apart |= {row.id for row in self._runs(b)}
        return apart

    def _runs(self, row: CaseRow) -> list[CaseRow]:
        """Give the failures of the same job, run again."""
        others = self.named(row.bank, row.deployment) if row.deployment else []
        return [row, *(one for one in others if _rerun(row, one))]

    def touched(self, bank: str, ids: Collection[str], after: int) -> set[str]:
        """Give which records were spoken of between an entry and then."""
        return {
            id
            for id in self._view.touched(bank, ids, after)
            if any(one.entry.seq > after for one in self.entries(bank, id))
        }

    def signed_anew(self, bank: str, after: int) -> list[str]:
        """Give the records that were given another identity between an entry and then."""
        ids = self._view.signed_anew(bank, after)
        return [id for id in ids if id in self.touched(bank, [id], after)]

    def _said(self, links: Iterable[LinkRow]) -> list[LinkRow]:
        return [link for link in links if link.seq <= self._last]

    def _signed(self, signature: str) -> list[CaseRow]:
        """Give every case that had a signature."""
        if signature not in self._of:
            alike = Alike(EVERY, signature=signature)
            self._of[signature] = self._near(self._bank, alike, ALL)
        return self._of[signature]

    def _anew(self) -> list[CaseRow]:
        """Give, as they stood, the cases that another signature was given since."""
        if self._given_anew is None:
            self._given_anew = self._view.signed_anew(self._bank, self._last)
        return list(self.cases_of(self._bank, self._given_anew).values())

    def _as_they_stood(self, rows: Iterable[CaseRow]) -> list[CaseRow]:
        """Give rows as the entries up to then left them; what came later is left out."""
        known = [row for row in rows if row.seq <= self._last]
        new = [row.id for row in known if row.id not in self._then]
        later = self._view.touched(self._bank, new, self._last) if new else set()
        for row in known:
            if row.id not in self._then:
                self._then[row.id] = self._replayed(row.id) if row.id in later else row
        return [then for row in known if (then := self._then[row.id])]

    def _replayed(self, id: str) -> CaseRow | None:
        row = None
        for entry, payload in self.entries(self._bank, id):
            for change in project(entry, json.loads(payload.body), row) if payload else ():
                if isinstance(change, Put) and isinstance(change.row, CaseRow):
                    row = change.row
        return row


def _age(row: CaseRow) -> tuple[str, str]:
    return row.happened_at, row.id


def _rerun(one: CaseRow, other: CaseRow) -> bool:
    """Say whether two failures are one, or of one deployment of a service, equally signed."""
    if one.id == other.id:
        return True
    same = (one.service, one.deployment, one.signature)
    return bool(one.deployment) and same == (other.service, other.deployment, other.signature)
