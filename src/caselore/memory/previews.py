"""Recalls for a failure as if it had just been observed, and writes nothing.

Must not open a writing transaction.
"""

from __future__ import annotations

from caselore.memory import recall as recalling
from caselore.memory.bank import Bank
from caselore.memory.cases import assemble, record_of
from caselore.memory.encoding import Body, incident_body, stamp
from caselore.memory.ledger import Entry
from caselore.memory.projection import project
from caselore.memory.recall import Asking, Recalled
from caselore.memory.records import Actor, Case, Filters, Incident, Status
from caselore.memory.rows import CaseRow, Put
from caselore.memory.writing import identity, observe_body

UNRECORDED = "unrecorded"


class Previews(Bank):
    """The verbs that answer for what is not stored."""

    def preview(self, incident: Incident, actor: Actor, limit: int = 5) -> tuple[Case, Recalled]:
        """Give an incident as it would be kept, and what would be recalled for it.

        Where the same log of the same run is known already, that record is given instead.
        """
        at, known_as = self._clock(), identity(incident)
        with self._store.reading() as view:
            row = view.known(self.bank, known_as) if known_as else None
            if row:
                case = assemble(view, row)
            else:
                body = observe_body(incident_body(incident), known_as, at, (), ())
                row = self._unwritten(body, actor, stamp(at))
                case = Case(record_of(row, body), Status.OBSERVED, None, (), None, (), (), False)
            known, ways = incident_body(incident), self.weights.many_ways
            sought = recalling.sought_of(row, known, ways)
            asking = Asking(self.bank, limit, self.weights, at, Filters())
            return case, recalling.recall(view, self._index, sought, asking)

    def _unwritten(self, body: Body, actor: Actor, at: str) -> CaseRow:
        """Give the row that an observation would make."""
        entry = Entry(
            self.bank, 0, at, actor.name, actor.role.value, "observe", UNRECORDED, "", "", ""
        )
        changes = project(entry, body, None)
        rows = (one.row for one in changes if isinstance(one, Put))
        return next(row for row in rows if isinstance(row, CaseRow))
