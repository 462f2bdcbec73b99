"""Finds what rules of retention let go, says why, and removes it the way that `erase` does.

Must not remove on the word of anyone but a person, nor what a record that stays names, unless
the rule says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from caselore.errors import StoreDamaged, Unavailable
from caselore.memory import gate
from caselore.memory.bank import halfway
from caselore.memory.cases import followers, supersedes
from caselore.memory.encoding import stamp
from caselore.memory.exhibit_ports import Sought
from caselore.memory.keeping import Keeping
from caselore.memory.ports import Reads, Wanted, Writes
from caselore.memory.records import Actor, Kind, Status
from caselore.memory.replay import gaps
from caselore.memory.retention import Rule
from caselore.memory.rows import CaseRow, ExhibitRow, GreenRow
from caselore.memory.writing import Pen, must_pass, why_body

BATCH = 100  # things that go in one transaction
HOUSE = "retention"  # the subject of entries about what belongs to no record
_PAGE = re.compile(r"snp_\w+")


class Going(NamedTuple):
    """One thing that a rule lets go."""

    id: str
    kind: str
    at: str
    why: str
    seqs: tuple[int, ...] = ()
    """The ledger entries whose content goes; without any, the record goes as a whole."""


class Staying(NamedTuple):
    """One thing that stays although a rule would let it go."""

    id: str
    kind: str
    why: str


class Due(NamedTuple):
    """What one rule lets go, and what it would but for a reason."""

    rule: Rule
    going: tuple[Going, ...]
    staying: tuple[Staying, ...]


class Expiring(Keeping):
    """The verbs of retention."""

    def retention_due(self, rules: Iterable[Rule]) -> tuple[Due, ...]:
        """Say what each rule lets go now; what one took is not asked of the next."""
        with self._store.reading() as view:
            return Survey(view, self.bank, self._clock()).of(rules)

    def retention_apply(
        self, due: Iterable[Due], actor: Actor, progress: Callable[[int], None] | None = None
    ) -> int:
        """Remove what is due still, some at a time; give how much went. Cut off, call again.

        Raises GateRefused unless a person; StoreBusy where a reader still holds a copy.
        """
        todo = [(one.rule, thing) for one in due for thing in one.going]
        if not todo:
            return 0
        self._must_be_a_person(actor)
        done = 0
        for begin in range(0, len(todo), BATCH):
            done += self._let_go(todo[begin : begin + BATCH], actor, done)
            if progress:
                progress(done)
        self._scrub(f"{done} things", "retention apply")
        return done

    def _let_go(self, some: Sequence[tuple[Rule, Going]], actor: Actor, before: int) -> int:
        """Remove some things in one transaction; cut off, say what is gone already."""
        try:
            with self._store.writing(self.bank) as view:
                return _Removal(view, self._pen(view), self._clock(), actor).all_of(some)
        except Unavailable as error:
            if not before:
                raise
            words = f"{before} things are removed, the rest is still there"
            raise halfway(error, words, "Call `caselore retention apply` again.") from error

    def _must_be_a_person(self, actor: Actor) -> None:
        """Raise GateRefused for anybody else, and keep that it was tried."""
        draft = gate.Draft(self.bank, "expire", HOUSE, {}, actor)
        if gate.judge(draft, person_acted=True):
            with self._store.writing(self.bank) as view:
                written = self._pen(view).write("expire", HOUSE, {}, actor)
            must_pass(written)

    def mend(self, why: str, actor: Actor) -> tuple[int, ...]:
        """Account for passing runs whose content an earlier version removed without saying so.

        Gives the entries; none where the ledger has no such gap. Raises GateRefused unless a
        person; StoreDamaged where anything else is missing, which nothing can make up for.
        """
        with self._store.reading() as view:
            missing = gaps(view, self.bank)
        lost = [one for one in missing if one.action != "green"]
        if lost:
            raise StoreDamaged(
                f"entry {lost[0].seq} ({lost[0].action}) has lost its content, which is no fault "
                "that a mending accounts for"
            )
        seqs = tuple(one.seq for one in missing)
        if seqs:
            with self._store.writing(self.bank) as view:
                body = {**why_body(why), "forgets": list(seqs)}
                written = self._pen(view).write("expire", HOUSE, body, actor)
            must_pass(written)
        return seqs


class Survey:
    """Looks through one bank for what is due."""

    def __init__(self, view: Reads, bank: str, now: datetime) -> None:
        """Look at a bank as it is, at a time."""
        self._view, self._bank, self._now = view, bank, now
        self._finders: dict[str, Callable[[Rule], Iterator[Going]]] = {
            "incidents": self._incidents,
            "quarantine": self._held,
            "calls": self._calls,
            "greens": self._greens,
            "pages": lambda rule: self._exhibits(rule, Kind.SNAPSHOT),
            "briefings": lambda rule: self._exhibits(rule, Kind.BRIEFING),
        }

    def of(self, rules: Iterable[Rule]) -> tuple[Due, ...]:
        """Say what each rule lets go."""
        taken: dict[str, tuple[Rule, Going]] = {}
        found: list[tuple[Rule, list[Going]]] = []
        for rule in rules:
            own = [one for one in self._finders[rule.what](rule) if one.id not in taken]
            taken.update((one.id, (rule, one)) for one in own)
            found.append((rule, own))
        named_by = self._named_by(taken)
        stays = _staying(taken, named_by)
        return tuple(
            Due(
                rule,
                tuple(_told(one, named_by) for one in own if one.id not in stays),
                tuple(_kept(one, stays[one.id]) for one in own if one.id in stays),
            )
            for rule, own in found
        )

    def _why(self, rule: Rule, at: str) -> str:
        return f"{rule.name}: {rule.words()}; {at[:10]}"

    def _incidents(self, rule: Rule) -> Iterator[Going]:
        for row in self._view.cases(self._bank, Wanted()):
            if rule.fits(row, self._now) and self._rested(rule, row.id):
                why = self._why(rule, row.happened_at)
                yield Going(row.id, "incident", row.happened_at, why)

    def _rested(self, rule: Rule, id: str) -> bool:
        if rule.untouched is None:
            return True
        said = (entry.at for entry, _ in self._view.entries(self._bank, id))
        return rule.rested(max(said), self._now)

    def _held(self, rule: Rule) -> Iterator[Going]:
        seen = set()
        for held in self._view.held(self._bank):
            if held.subject in seen:
                continue
            seen.add(held.subject)
            case = self._view.case(self._bank, held.subject)
            row = case or self._view.exhibit(self._bank, held.subject)
            if row is not None and row.status == Status.QUARANTINED.value:
                if rule.aged(row.recorded_at, self._now):
                    why = self._why(rule, row.recorded_at)
                    yield Going(row.id, row.kind, row.recorded_at, why)
            elif isinstance(row, CaseRow):
                yield from self._held_proposals(rule, row)

    def _held_proposals(self, rule: Rule, row: CaseRow) -> Iterator[Going]:
        """Give the proposals that a guard holds of a record that stays; all of them or none."""
        seqs = {one.seq for one in self._view.held(self._bank, row.id)}
        times = [one.at for one, _ in self._view.entries(self._bank, row.id) if one.seq in seqs]
        newest = max(times)
        if rule.aged(newest, self._now):
            why, own = self._why(rule, newest), tuple(sorted(seqs))
            yield Going(f"{row.id} (proposals)", "proposal", newest, why, own)

    def _calls(self, rule: Rule) -> Iterator[Going]:
        for entry, payload in self._view.asked(self._bank, ""):
            if payload is not None and rule.aged(entry.at, self._now):
                why = self._why(rule, entry.at)
                yield Going(f"entry {entry.seq}", "call", entry.at, why, (entry.seq,))

    def _greens(self, rule: Rule) -> Iterator[Going]:
        rows = [row for row in self._view.rows("greens") if isinstance(row, GreenRow)]
        own = sorted((row for row in rows if row.bank == self._bank), key=lambda one: one.seq)
        newest = {(row.service, row.stage): row.seq for row in own}
        for row in own:
            ((entry, _), *_) = self._view.entries_after(self._bank, row.seq - 1, 1)
            if row.seq != newest[row.service, row.stage] and rule.aged(entry.at, self._now):
                why = self._why(rule, entry.at)
                yield Going(f"entry {row.seq}", "green", entry.at, why, (row.seq,))

    def _exhibits(self, rule: Rule, kind: Kind) -> Iterator[Going]:
        for row in self._view.exhibits(self._bank, Sought(kind.value)):
            if rule.aged(row.known_at, self._now) and self._rested(rule, row.id):
                yield Going(row.id, kind.value, row.known_at, self._why(rule, row.known_at))

    def _named_by(self, taken: dict[str, tuple[Rule, Going]]) -> dict[str, set[str]]:
        """Give, of each record that would go, the records that name it."""
        briefed = self._briefed() if any(id.startswith("snp_") for id in taken) else {}
        return {
            id: {*self._naming(id, one), *briefed.get(id, ())}
            for id, (_, one) in taken.items()
            if not one.seqs
        }

    def _naming(self, id: str, one: Going) -> Iterator[str]:
        row = self._view.case(self._bank, id) if one.kind == Kind.INCIDENT.value else None
        if row is not None:
            yield from followers(self._view, row)
            yield from supersedes(self._view, row)
            return
        for link in self._view.links_to(self._bank, [id]):
            if self._view.exhibit(self._bank, link.subject) is not None:
                yield link.subject

    def _briefed(self) -> dict[str, set[str]]:
        """Give the briefings that cite each page."""
        found: dict[str, set[str]] = {}
        for row in self._view.exhibits(self._bank, Sought(Kind.BRIEFING.value)):
            body = self._view.bodies(self._bank, [row.seq]).get(row.seq, "")
            for page in set(_PAGE.findall(body)):
                found.setdefault(page, set()).add(row.id)
        return found


def _staying(
    taken: dict[str, tuple[Rule, Going]], named_by: dict[str, set[str]]
) -> dict[str, set[str]]:
    """Give what stays, and by what it is named that stays, too, until nothing more follows."""
    stays: dict[str, set[str]] = {}
    while True:
        more = {
            id: naming
            for id, all_naming in named_by.items()
            if id not in stays and not taken[id][0].cited
            for naming in [{one for one in all_naming if one not in taken or one in stays}]
            if naming
        }
        if not more:
            return stays
        stays |= more


def _told(one: Going, named_by: dict[str, set[str]]) -> Going:
    naming = sorted(named_by.get(one.id, ()))
    return one._replace(why=f"{one.why}; named by {_some(naming)}") if naming else one


def _kept(one: Going, naming: set[str]) -> Staying:
    return Staying(one.id, one.kind, f"{_some(sorted(naming))} names it")


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return ", ".join(ids[:3]) + more


class _Removal:
    """Removes things in one transaction, each only if it is due still."""

    def __init__(self, view: Writes, pen: Pen, now: datetime, actor: Actor) -> None:
        self._view, self._pen, self._now, self._actor = view, pen, now, actor

    def all_of(self, things: Sequence[tuple[Rule, Going]]) -> int:
        """Give how many went."""
        done = 0
        for rule, one in things:
            if not one.seqs:
                done += self._record(rule, one)
            elif one.kind == "proposal":
                done += self._proposals(one)
        for rule in dict.fromkeys(rule for rule, _ in things):
            loose = [one for own, one in things if own is rule and one.kind in {"call", "green"}]
            done += self._loose(rule, loose)
        return done

    def _record(self, rule: Rule, one: Going) -> int:
        bank = self._pen.bank
        row = self._view.case(bank, one.id) or self._view.exhibit(bank, one.id)
        if row is None or not self._due(rule, row):
            return 0
        body = {**why_body(one.why), "known_as": row.known_as}
        must_pass(self._pen.write("erase", row.id, body, self._actor))
        return 1

    def _due(self, rule: Rule, row: CaseRow | ExhibitRow) -> bool:
        """Look again: somebody may have confirmed or released it since the survey."""
        if rule.what == "quarantine":
            return row.status == Status.QUARANTINED.value
        return not isinstance(row, CaseRow) or rule.fits(row, self._now)

    def _proposals(self, one: Going) -> int:
        id, held = one.id.partition(" ")[0], set(one.seqs)
        if {row.seq for row in self._view.held(self._pen.bank, id)} != held:
            return 0
        body = {**why_body(one.why), "proposals": list(one.seqs)}
        must_pass(self._pen.write("drop", id, body, self._actor))
        self._expire(id, one.why, one.seqs)
        return 1

    def _loose(self, rule: Rule, things: Sequence[Going]) -> int:
        """Let go of calls and passing runs with one entry."""
        there = self._view.bodies(self._pen.bank, [seq for one in things for seq in one.seqs])
        if there:
            # What a run that goes had forgotten is forgotten by this entry from now on.
            older = (seq for body in there.values() for seq in json.loads(body).get("forgets", ()))
            why = f"{rule.name}: {rule.words()}; until {stamp(self._now)[:10]}"
            self._expire(HOUSE, why, sorted({*there, *older}))
        return len(there)

    def _expire(self, subject: str, why: str, seqs: Sequence[int]) -> None:
        body = {**why_body(why), "forgets": list(seqs)}
        must_pass(self._pen.write("expire", subject, body, self._actor))
