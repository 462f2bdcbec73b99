"""The memory as every other part calls it: observe, propose, confirm, recall, explain, export.

Must not hold SQL, points or rules: the gate judges, the ranking scores, the store keeps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import chain
from typing import Any

from caselore.errors import BadInput, GateRefused, WrongUse
from caselore.memory import (
    cases,
    exhibit_transfer,
    exports,
    groups,
    naming,
    statistics,
    tombstones,
)
from caselore.memory import recall as recalling
from caselore.memory.browsing import Browsing
from caselore.memory.cases import assemble
from caselore.memory.closed import Screen, Sign
from caselore.memory.copies import Copies
from caselore.memory.counting import Counting
from caselore.memory.encoding import incident_body, stamp
from caselore.memory.exhibits import Exhibits
from caselore.memory.expiring import Expiring
from caselore.memory.grouping import Grouping
from caselore.memory.imports import Importer
from caselore.memory.later import Later
from caselore.memory.loops import Loops
from caselore.memory.measured import Sought
from caselore.memory.ports import Reads, Wanted
from caselore.memory.previews import Previews
from caselore.memory.records import (
    Actor,
    Case,
    Filters,
    FixStat,
    ImportReport,
    Incident,
    Occurrences,
    Signed,
    short,
)
from caselore.memory.seals import Checked, sealed
from caselore.memory.writing import (
    identity,
    moment,
    must_pass,
    must_stand,
    observe_body,
    outcome_body,
    proposal_body,
    refuse_erased,
    resign_body,
    superseded_body,
    vouches,
    why_body,
)


def as_it_is(text: str) -> tuple[str, tuple[str, ...]]:
    """Screen nothing: for text that was screened before."""
    return text, ()


class Memory(Expiring, Browsing, Counting, Previews, Exhibits, Loops, Later, Grouping, Copies):
    """One bank of evidence: what was seen, and what people said of it."""

    def observe(
        self,
        incident: Incident,
        actor: Actor,
        *,
        happened_at: datetime | None = None,
        sources: Iterable[str] = (),
        findings: Iterable[str] = (),
    ) -> Case:
        """Record a failure as seen; the same log of the same run is the same record again.

        Raises GateRefused where it was erased before.
        """
        known_as, at = identity(incident), self._clock()
        happened = moment("happened_at", happened_at or at)
        seen = incident_body(incident)
        body = observe_body(seen, known_as, happened, sources, findings)
        with self._store.writing(self.bank) as view:
            pen = self._pen(view)
            row = view.known(self.bank, known_as) if known_as else None
            erased = refuse_erased(view, self.bank, known_as)
            if row is None and not erased:
                written = pen.write("observe", self._new_id(), body, actor)
            elif row and vouches(row, actor):
                written = pen.write("vouch", row.id, {}, actor)
            else:
                written = None
            id = written.entry.subject if written else row.id if row else ""
        if erased:
            raise GateRefused(erased, hint="")
        if written:
            must_pass(written)
            self._caught_up()
        return self.get(id)

    def propose(
        self, id: str, cause: str, resolution: str, actor: Actor, *, findings: Iterable[str] = ()
    ) -> Case:
        """Keep what an agent thinks; it waits for a person and is never recalled."""
        return self._say("propose", id, proposal_body(cause, resolution, findings), actor)

    def confirm(
        self,
        id: str,
        *,
        cause: str,
        resolution: str,
        result: str,
        actor: Actor,
        why_failed: str = "",
        precedents: Iterable[str] = (),
        proof: Iterable[str] = (),
    ) -> Case:
        """Keep a person's verdict; precedents may be ids or deployments.

        Raises GateRefused, and NotFound where nothing bears a precedent's name.
        """
        with self._store.reading() as view:
            own = naming.resolve(view, self.bank, id).id
            named = [short("a precedent", one, needed=True) for one in precedents]
            targets = [naming.resolve(view, self.bank, name).id for name in named]
        if own in targets:
            raise BadInput("an incident is never its own precedent")
        body = outcome_body(
            cause, resolution, result, why_failed, targets, proof, confirmed_by=actor.name
        )
        return self._say("confirm", id, body, actor)

    def refute(self, id: str, why: str, actor: Actor) -> Case:
        """Keep that the written diagnosis was wrong. Raises GateRefused."""
        return self._say("refute", id, why_body(why), actor)

    def unlike(self, id: str, other: str, why: str, actor: Actor) -> Case:
        """Keep for good, both ways, that two incidents are not the same. Raises GateRefused."""
        body = {**why_body(why), "other": self.resolve(other)}
        if body["other"] == self.resolve(id):
            raise BadInput("an incident is always the same as itself")
        return self._say("unlike", id, body, actor)

    def supersede(self, id: str, by: str, why: str, actor: Actor) -> Case:
        """Keep that another record's outcome replaces this one's, which is no fix any more.

        Raises GateRefused, and WrongUse where no outcome of one of them stands.
        """
        with self._store.reading() as view:
            old = naming.resolve(view, self.bank, id)
            new = naming.resolve(view, self.bank, by)
        if old.id == new.id:
            raise BadInput("an outcome is never replaced by itself")
        must_stand(old, "the old record")
        must_stand(new, "the record that should replace it")
        return self._say("supersede", old.id, superseded_body(why, new.id), actor)

    def retract(self, id: str, why: str, actor: Actor) -> Case:
        """Withdraw a record from every answer; it stays in the ledger. Raises GateRefused."""
        return self._say("retract", id, why_body(why), actor)

    def resign(self, id: str, signed: Signed, actor: Actor) -> Case:
        """Give an incident the signature that a newer version computes. Raises GateRefused."""
        return self._say("resign", id, resign_body(signed), actor)

    def list(
        self,
        *,
        status: str | None = None,
        service: str | None = None,
        signature: str | None = None,
        family: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
    ) -> Iterator[Case]:
        """Give cases, the newest first."""
        wanted = Wanted(
            status=status or "",
            service=service or "",
            signature=signature or "",
            family=family or "",
            since=stamp(since) if since else "",
        )
        with self._store.reading() as view:
            for number, row in enumerate(view.cases(self.bank, wanted)):
                if limit is not None and number >= limit:
                    return
                yield assemble(view, row)

    def recall(
        self,
        *,
        text: str | None = None,
        incident: str | None = None,
        limit: int = 5,
        filters: Filters | None = None,
        as_of: datetime | None = None,
    ) -> recalling.Recalled:
        """Give precedents for an incident or a question, every point explained."""
        if text is None and incident is None:
            raise WrongUse("recall needs a text or an incident")
        until = stamp(as_of) if as_of else ""
        self._foresee(text if incident is None else None, recalling.TEXT_ARM)
        with self._store.reading() as view:
            sought = self._sought(view, text, incident, until)
            terms = limit, self.weights, as_of or self._clock(), filters or recalling.ANYTHING
            asking = recalling.Asking(self.bank, *terms, until)
            return recalling.recall(view, self._index, sought, asking, self._arms)

    def _sought(self, view: Reads, text: str | None, incident: str | None, until: str) -> Sought:
        """Say what is sought; an incident as it was known then, if it was."""
        if incident is None:
            return Sought(text=text or "", question=True)
        row, said = naming.told(view, self.bank, incident, until)
        seen = json.loads(said)["incident"]
        return recalling.sought_of(row, seen, self.weights.many_ways, text or "")

    def rarity(self, signature_id: str) -> float:
        """Give how rare a signature is over the services of the bank, from 0 to 1."""
        with self._store.reading() as view:
            return statistics.rarity(view, self.bank, signature_id)

    def occurrences(self, signature_id: str) -> Occurrences:
        """Give how often a signature was seen, and resolved."""
        with self._store.reading() as view:
            return statistics.occurrences(view, self.bank, signature_id)

    def fixes(self, signature_id: str) -> tuple[FixStat, ...]:
        """Give how each confirmed resolution fared on a signature."""
        with self._store.reading() as view:
            return statistics.fixes(view, self.bank, signature_id)

    def chain(self, ref: str) -> tuple[tuple[Case, int], ...]:
        """Give a case's precedents (depth below 0), itself (0) and its followers (above 0)."""
        with self._store.reading() as view:
            return cases.chain(view, naming.resolve(view, self.bank, ref))

    def import_incidents(
        self,
        rows: Iterable[tuple[int, Any]],
        actor: Actor,
        *,
        sign: Sign,
        screen: Screen = as_it_is,
        progress: Callable[[int], None] | None = None,
        person: Actor | None = None,
        seals: Checked | None = None,
    ) -> ImportReport:
        """Take in closed incidents or exported records; idempotent, each refusal with its line.

        `person` is who brings them, if one does: only a person's import erases what a row says
        was erased elsewhere. Raises StoreBusy where a reader still holds a copy of that.
        """
        by = (self._clock, self._new_id, self._random, actor, sign, screen, person)
        importer = Importer(self._store, self.bank, *by, seals or Checked())
        report = importer.run(rows, progress)
        if report.erased:
            self._scrub(f"{report.erased} records", "import FILE")
        self._caught_up(report.added + report.updated)
        return report

    def export(
        self, since: datetime | None = None, *, private: bool = False
    ) -> Iterator[dict[str, Any]]:
        """Give every record with its verdicts as rows that `import_incidents` takes.

        `private`: with the notes that nobody else is to see.
        """
        with self._store.reading() as view:
            asked = (view, self.bank, since)
            exhibits = exhibit_transfer.export(*asked, private=private)
            yield from sealed(
                chain(
                    exports.export(*asked),
                    groups.export(*asked),
                    exhibits,
                    tombstones.export(*asked),
                )
            )
