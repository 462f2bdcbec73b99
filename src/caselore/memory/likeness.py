"""Compares a sought text with what the store keeps of some cases: how alike, failing in which way.

Must not rank: how many points a likeness is worth stands in `ranking`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping

from caselore.memory.encoding import Body
from caselore.memory.kinds import kinds
from caselore.memory.ports import Evidence
from caselore.memory.ranking import Sought
from caselore.memory.rows import CaseRow
from caselore.memory.terms import Grams, alike, codes, covered, grams_of, masked


def parts(incident: Body) -> tuple[str, str]:
    """Give what an incident keeps of its log: the block, and all that is shown of it."""
    shown = "\n".join(part["text"] for part in incident["excerpt"])
    return str(incident["block"]), shown


class Texts:
    """Compares the sought text with records re-read from the store."""

    def __init__(
        self, known: Evidence, bank: str, sought: Sought, rows: Iterable[CaseRow]
    ) -> None:
        """Read what is compared of these rows."""
        self._sought = sought
        self._grams: Grams | None = None
        self._codes = codes(sought.text) if sought.question else ()
        self._known: dict[str, float] = {}
        self._told: dict[str, frozenset[str]] = {}
        self._masked: dict[str, str] = {}
        seqs = {seq for row in rows for seq in self._wanted(row)}
        self._bodies: Mapping[int, str] = known.bodies(bank, sorted(seqs)) if seqs else {}
        self.read: dict[int, Body] = {}
        """The payloads that were looked into, by the numbers of their entries."""
        self._own = masked(sought.text) if sought.text else ""

    def hear(self, bodies: Mapping[int, str]) -> None:
        """Take payloads of more rows, which were read for another reason."""
        self._bodies = {**self._bodies, **bodies}

    def _wanted(self, row: CaseRow) -> tuple[int, ...]:
        said = self._sought.question and row.outcome_seq
        replaced = row.status == "superseded"
        also = (row.outcome_seq,) * bool(said) + (row.verdict_seq,) * replaced
        return (row.seq, *also)

    def replacement(self, row: CaseRow) -> str:
        """Name the record that replaces a superseded one, if that was read."""
        if row.status != "superseded" or row.verdict_seq not in self._bodies:
            return ""
        return str(json.loads(self._bodies[row.verdict_seq])["by"])

    def likeness(self, row: CaseRow) -> float:
        """Give how alike a case's text and the sought one are, 0 to 1; 0 if it was not read."""
        if not self._own or row.seq not in self._bodies:
            return 0.0
        if self._codes:
            return self._with_codes(row)
        text = self._plain(row)
        if text not in self._known:
            self._known[text] = self._measure(text)
        return self._known[text]

    def _with_codes(self, row: CaseRow) -> float:
        """Let what is masked in a question count as it stands: TS2322 is no TS2304."""
        text = self._text(row)
        stand = sum(code in text for code in self._codes) / len(self._codes)
        return round((self._measure(self._plain(row)) + stand) / 2, 3)

    def kinds(self, row: CaseRow, asked: Collection[str]) -> frozenset[str]:
        """Give the ways in which a case of one of the families asked for failed.

        Its block is read only if its line tells none.
        """
        if row.family not in asked or row.family != self._sought.family:
            return frozenset()
        if row.seq not in self._bodies:
            return frozenset()
        told = kinds(row.title)
        if told:
            return told
        text = self._plain(row)
        if text not in self._told:
            self._told[text] = kinds(*parts(self._incident(row)))
        return self._told[text]

    def _plain(self, row: CaseRow) -> str:
        """Give a case's text without values: what failed the same way again is read once."""
        if row.id not in self._masked:
            self._masked[row.id] = masked(self._text(row))
        return self._masked[row.id]

    def _incident(self, row: CaseRow) -> Body:
        if row.seq not in self.read:
            self.read[row.seq] = json.loads(self._bodies[row.seq])
        incident: Body = self.read[row.seq]["incident"]
        return incident

    def _text(self, row: CaseRow) -> str:
        block = str(self._incident(row)["block"])
        if not self._sought.question:
            return block
        outcome = json.loads(self._bodies.get(row.outcome_seq, "{}"))
        said = (outcome.get("cause", ""), outcome.get("resolution", ""))
        return "\n".join((row.service, row.unit, row.title, *said, block))

    def _measure(self, text: str) -> float:
        if text == self._own and not self._sought.question:
            return 1.0
        if self._grams is None:
            self._grams = grams_of(self._own)
        compare = covered if self._sought.question else alike
        return round(compare(self._grams, grams_of(text)), 3)
