"""Joins and parts signatures as people say: from then on their failures count as one, or not.

Must not compute an identity, nor let anyone but a person decide.
"""

from __future__ import annotations

from typing import NamedTuple

from caselore.errors import NotFound, WrongUse
from caselore.guards.names import quoted
from caselore.memory import naming
from caselore.memory.bank import Bank
from caselore.memory.groups import Groups, groups, merge_body, split_body
from caselore.memory.ports import Reads, Wanted
from caselore.memory.projection import OWN
from caselore.memory.records import Actor
from caselore.memory.rows import CaseRow
from caselore.memory.writing import must_pass, why_body

SCHEMES = ("sig", OWN)  # how signatures begin; other names are those of incidents


class Grouped(NamedTuple):
    """What counts as one failure now."""

    signatures: tuple[str, ...]
    incidents: int


class Grouping(Bank):
    """The verbs by which people correct what counts as the same failure."""

    def merge(self, one: str, into: str, why: str, actor: Actor) -> Grouped:
        """Let two signatures count as one failure; an incident's name means its signature.

        Raises GateRefused unless a person, NotFound, and WrongUse for a generic one.
        """
        with self._store.writing(self.bank) as view:
            first, second = (self._meant(view, ref) for ref in (one, into))
            known = groups(view, self.bank)
            for row in (first, second):
                _must_tell(row)
            if second.signature in known.of(first.signature):
                raise WrongUse("They count as the same failure already.", hint=_LOOK)
            body = merge_body(why, second.signature)
            written = self._pen(view).write("merge", first.signature, body, actor)
        must_pass(written)
        return self.grouped(second.signature)

    def split(self, ref: str, why: str, actor: Actor) -> Grouped:
        """Let a signature count with no other, or one incident with no other incident.

        Raises GateRefused unless a person, NotFound, and WrongUse where it stands alone.
        """
        with self._store.writing(self.bank) as view:
            row = self._meant(view, ref)
            joined = groups(view, self.bank).joined(row.signature)
            if ref.startswith(SCHEMES):
                _must_be_joined(joined, row.signature)
                action, subject = "split", row.signature
                body = split_body(why, joined)
            else:
                _must_be_one_of_several(row)
                action, subject, body = "single_out", row.id, why_body(why)
            written = self._pen(view).write(action, subject, body, actor)
        must_pass(written)
        return self.grouped(row.signature if action == "split" else OWN + row.id)

    def grouped(self, signature: str) -> Grouped:
        """Give what counts as one failure with a signature, and how many incidents that are."""
        with self._store.reading() as view:
            members = groups(view, self.bank).of(signature)
            return Grouped(members, sum(view.seen(self.bank, one).times for one in members))

    def _groups(self, view: Reads) -> Groups:
        return groups(view, self.bank)

    def _meant(self, view: Reads, ref: str) -> CaseRow:
        """Give an incident, or some incident of a signature."""
        if not ref.startswith(SCHEMES):
            return naming.resolve(view, self.bank, ref)
        row = next(iter(view.cases(self.bank, Wanted(signature=ref))), None)
        if row is None:
            raise NotFound(f"no incident has the signature {quoted(ref)}")
        return row


def _must_tell(row: CaseRow) -> None:
    if row.generic:
        raise WrongUse(
            f"{row.signature} is generic: it does not tell one failure from another.",
            hint="Link the two incidents with `caselore confirm … --precedent ID` instead.",
        )


def _must_be_joined(joined: tuple[str, ...], signature: str) -> None:
    if not joined:
        raise WrongUse(f"{signature} counts with no other signature.", hint=_LOOK)


def _must_be_one_of_several(row: CaseRow) -> None:
    if row.signature.startswith(OWN):
        raise WrongUse(f"{row.id} counts with no other incident.", hint=_LOOK)


_LOOK = "`caselore show INCIDENT` names what counts as the same failure."
