"""Compares a sought text with what the store keeps of some cases: how alike, failing in which way.

Must not rank: how many points a likeness is worth stands in `ranking`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import fsum, log

from caselore.memory.encoding import Body
from caselore.memory.kinds import kinds
from caselore.memory.measured import Sought
from caselore.memory.ports import Evidence
from caselore.memory.rows import CaseRow
from caselore.memory.terms import Grams, alike, codes, covered, grams_of, masked

CODES = 0.05  # what words with a digit weigh as they stand: enough to tell 137 from 143


def parts(incident: Body) -> tuple[str, str]:
    """Give what an incident keeps of its log: the block, and all that is shown of it."""
    shown = "\n".join(part["text"] for part in incident["excerpt"])
    return str(incident["block"]), shown


class Texts:
    """Compares the sought text with records re-read from the store."""

    def __init__(
        self, known: Evidence, bank: str, sought: Sought, rows: Sequence[CaseRow]
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
        self._rows = tuple(rows) if sought.question else ()
        self.asked = bool(self._rows)
        """Whether it is a question, and there is something that it can be held to."""
        self._weights: dict[int | str, float] | None = None
        self._whole = 0.0
        self._stand: dict[str, Grams] = {}
        self._shares: dict[str, float] = {}

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
        if self._codes and not self._sought.pasted:
            return self._with_codes(row)
        return self._measured(self._plain(row))

    def covered(self, row: CaseRow) -> float:
        """Give how much of a question stands in a case, 0 to 1, its values masked."""
        if not self._rows or not self._own or row.seq not in self._bodies:
            return 0.0
        return self._measured(self._plain(row))

    def rareness(self, row: CaseRow) -> float:
        """Give how much of a question stands in a case, 0 to 1, what few failures say more.

        Counted are the failures compared, each once however often it came: so more of the same
        changes nothing, and what every log says (its runner, its clean-up) tells nothing.
        """
        if not self._rows or not self._own or row.seq not in self._bodies:
            return 0.0
        if self._weights is None:
            self._weights = self._weighed()
            self._whole = fsum(self._weights.values())  # the same in whatever order they come
        text = self._plain(row)
        if text not in self._shares:
            share = fsum(map(self._weights.__getitem__, self._shared(text)))
            self._shares[text] = share / self._whole if self._whole else 0.0
        found = self._shares[text]
        stand = self._standing(row) if self._codes else found
        return round((1 - CODES) * found + CODES * stand, 4)

    def _weighed(self) -> dict[int | str, float]:
        """Give what each run of the question is worth: the less, the more failures hold it.

        Squared, as in a cosine: it counts for the question and for the text that shares it. Then
        chance in lines that most failures hold cannot outweigh the few runs that tell them apart.
        """
        failures: dict[str, set[int | str]] = {}
        for row in self._rows:
            if row.seq in self._bodies:
                name = row.id if row.generic else row.signature
                failures.setdefault(name, set()).update(self._shared(self._plain(row)))
        many = len(failures)
        often = Counter(gram for held in failures.values() for gram in held)
        worth = [log(1 + (many - n + 0.5) / (n + 0.5)) ** 2 for n in range(many + 1)]
        return {gram: worth[max(1, often[gram])] for gram in self._asked()} if many else {}

    def _shared(self, text: str) -> Grams:
        """Give the runs of the question that stand in a text; of equal texts once."""
        if text not in self._stand:
            self._stand[text] = self._asked() & grams_of(text)
        return self._stand[text]

    def _asked(self) -> Grams:
        if self._grams is None:
            self._grams = grams_of(self._own)
        return self._grams

    def _with_codes(self, row: CaseRow) -> float:
        """Let what is masked in a question count as it stands: TS2322 is no TS2304."""
        return round((self._measured(self._plain(row)) + self._standing(row)) / 2, 3)

    def _standing(self, row: CaseRow) -> float:
        text = self._text(row)
        return sum(code in text for code in self._codes) / len(self._codes)

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

    def _measured(self, text: str) -> float:
        if text not in self._known:
            self._known[text] = self._measure(text)
        return self._known[text]

    def _measure(self, text: str) -> float:
        if self._sought.question:
            return round(covered(self._asked(), self._shared(text)), 3)
        if text == self._own:
            return 1.0
        return round(alike(self._asked(), grams_of(text)), 3)
