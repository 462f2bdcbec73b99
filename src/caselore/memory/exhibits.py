"""Files pages, events, strategies, predictions and briefings, and finds them again.

Must not append by itself, for `gate.write` is the only way in; nor judge what a page says.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from caselore.errors import Ambiguous, BadInput, GateRefused, NotFound, WrongUse
from caselore.guards.names import quoted
from caselore.memory.bank import Bank
from caselore.memory.cases import verdict
from caselore.memory.encoding import Body, stamp, unstamp
from caselore.memory.evidence import PREFIXES, CompetitorEvent, Finding, Report, of_body, to_body
from caselore.memory.exhibit_ports import Counted, Sought
from caselore.memory.filing import ABOUT, ACTION_OF, FOLLOWING, WORDS, words_of
from caselore.memory.ledger import Entry
from caselore.memory.naming import LEAST, erased_words
from caselore.memory.ports import Reads, Writes
from caselore.memory.records import Actor, Kind, Role, Status, Verdict, short
from caselore.memory.rows import ExhibitRow
from caselore.memory.writing import Pen, must_pass, refuse_erased, why_body

REACH = 5_000  # newest exhibits of one word that a search looks at
TOGETHER = (
    256  # exhibits read with one question; the first alone, for often nobody asks for a second
)
Link = tuple[str, str]
Said = tuple[Entry, Body]


@dataclass(frozen=True, slots=True)
class Filing:
    """One exhibit that somebody wants to file."""

    body: Finding
    known_as: str
    """By this it is the same one again; empty where each filing is a new one."""
    happened_at: datetime
    known_at: datetime
    words: str = ""
    """The text by whose words it is found."""
    links: tuple[Link, ...] = ()
    findings: tuple[str, ...] = ()
    """What guards found; with any, it is held until a person looks."""


class Filed(NamedTuple):
    """What became of a filing."""

    id: str
    new: bool
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One record that is no incident, with all that was said of it later."""

    id: str
    kind: Kind
    body: Finding
    status: Status
    actor: Actor
    happened_at: datetime
    known_at: datetime
    recorded_at: datetime
    counts: bool
    trusted: bool
    origins: int
    reports: int
    said: tuple[Verdict, ...]
    findings: tuple[str, ...] = ()


class Exhibits(Bank):
    """The verbs about records that are no incidents."""

    def file_all(self, filings: Iterable[Filing], actor: Actor) -> list[Filed]:
        """File several in one transaction; each is new, known or refused with the reason."""
        with self._store.writing(self.bank) as view:
            pen = self._pen(view)
            return [self._file(pen, one, actor) for one in filings]

    def file(self, filing: Filing, actor: Actor) -> Exhibit:
        """File one. Raises GateRefused."""
        filed = self.file_all([filing], actor)[0]
        if filed.refusal:
            raise GateRefused(filed.refusal, hint="")
        return self.exhibit(filed.id)

    def _file(self, pen: Pen, filing: Filing, actor: Actor) -> Filed:
        known = known_filing(pen.store, self.bank, filing)
        if known is not None:
            return known
        kind = filing.body.kind
        body = filing_body(filing, self._marked(pen.store, filing.body, actor))
        id = PREFIXES[kind] + self._new_id().partition("_")[2]
        written = pen.write(ACTION_OF[kind], id, body, actor)
        return Filed("" if written.refusal else id, not written.refusal, written.refusal)

    def _marked(self, view: Reads, body: Finding, actor: Actor) -> bool:
        """Say whether it stays out of every statistic: an agent's, or one that rests on such."""
        if isinstance(body, CompetitorEvent):
            return self._rests_on_marked(view, body.report, actor)
        return actor.role is Role.AGENT

    def _rests_on_marked(self, view: Reads, report: Report, actor: Actor) -> bool:
        page = view.exhibit(self.bank, report.snapshot)
        return not page.counts if page else actor.role is Role.AGENT

    def corroborate(
        self,
        id: str,
        report: Report,
        actor: Actor,
        *,
        independent: bool,
        key: str = "",
        happened_at: datetime | None = None,
    ) -> bool:
        """Add one more report to an event; give whether it was news. Raises GateRefused."""
        with self._store.writing(self.bank) as view:
            if key and self._reported(view, key):
                return False
            body = {
                "report": to_body(report),
                "independent": independent,
                "marked": self._rests_on_marked(view, report, actor),
                "known_at": report.known_at or stamp(self._clock()),
                "happened_at": stamp(happened_at) if happened_at else "",
                "links": report_links(report, key),
            }
            written = self._pen(view).write("corroborate", id, body, actor)
        must_pass(written)
        return True

    def reported(self, key: str) -> str:
        """Give the id of the event that one place of one page was taken into; empty where none."""
        with self._store.reading() as view:
            return self._reported(view, key)

    def _reported(self, view: Reads, key: str) -> str:
        links = view.links_to(self.bank, [key])
        return next((one.subject for one in links if one.relation == "report"), "")

    def correct(
        self,
        id: str,
        relation: str,
        other: str,
        why: str,
        actor: Actor,
        *,
        impact: float | None = None,
        wrong: Sequence[float] = (),
    ) -> None:
        """Link an event to what corrects or contradicts it. Raises GateRefused.

        `relation`: superseded or contradicted. `impact` replaces the event's impact, 0 to 10.
        `wrong`: amounts that were said before and are withdrawn.
        """
        with self._store.reading() as view:
            told = view.exhibit(self.bank, other)
        body: Body = {
            "relation": relation, "why": why, "impact": impact, "wrong": list(wrong),
            "links": [[relation, other]], "known_at": told.known_at if told else "",
        }  # fmt: skip
        self._append("correct", id, body, actor)

    def revise(self, id: str, body: Finding, why: str, actor: Actor) -> None:
        """Give a strategy its next state, with the reason. Raises GateRefused."""
        self._append("revise", id, {"filed": to_body(body), "why": why}, actor)

    def judge_exhibit(self, action: str, ref: str, why: str, actor: Actor) -> Exhibit:
        """Release, drop or retract one, as a person. Raises GateRefused, NotFound or WrongUse."""
        with self._store.reading() as view:
            row = self._exhibit_row(view, ref)
            held = view.held(self.bank, row.id)
        if action in {"release", "drop"} and not held:
            raise WrongUse(f"nothing of {row.id} is in quarantine")
        self._append(action, row.id, {**why_body(why), "proposals": []}, actor)
        return self.exhibit(row.id)

    def grade(self, id: str, grade: Body, actor: Actor) -> None:
        """Keep how a prediction ended. Raises GateRefused."""
        self._append("grade", id, {"grade": grade}, actor)

    def _append(self, action: str, id: str, body: Body, actor: Actor) -> None:
        with self._store.writing(self.bank) as view:
            row = self._exhibit_row(view, id)
            written = self._pen(view).write(action, row.id, body, actor)
        must_pass(written)

    def _exhibit_row(self, view: Reads, ref: str) -> ExhibitRow:
        return resolve_exhibit(view, self.bank, ref)

    def exhibit(self, ref: str) -> Exhibit:
        """Give one by its id or the start of it. Raises NotFound or Ambiguous."""
        with self._store.reading() as view:
            return next(unfolded(view, self.bank, [self._exhibit_row(view, ref)]))

    def exhibits(self, sought: Sought) -> Iterator[Exhibit]:
        """Give those of a kind, the newest first."""
        with self._store.reading() as view:
            found, size = view.exhibits(self.bank, sought), 1
            while rows := list(islice(found, size)):
                yield from unfolded(view, self.bank, rows)
                size = min(4 * size, TOGETHER)

    def exhibit_rows(self, sought: Sought) -> list[ExhibitRow]:
        """Give only what is listed of those of a kind, the newest first."""
        with self._store.reading() as view:
            return list(view.exhibits(self.bank, sought))

    def exhibit_counts(
        self, sought: Sought, recent: datetime | None = None, grave: float = 0.0
    ) -> list[Counted]:
        """Count by label and state those of one subject; how many since a time, and how grave.

        `grave`: an impact of 0 to 10.
        """
        since = stamp(recent) if recent else ""
        with self._store.reading() as view:
            return view.exhibit_counts(self.bank, sought, since, round(grave * 10))

    def exhibit_subjects(self, kind: Kind) -> dict[str, int]:
        """Count those of a kind for each subject."""
        with self._store.reading() as view:
            return view.exhibit_subjects(self.bank, kind.value)

    def last_filed(self, kind: Kind) -> datetime | None:
        """Tell when one of a kind was recorded last; none where there is none."""
        with self._store.reading() as view:
            last = view.exhibits_filed_last(self.bank, kind.value)
        return unstamp(last) if last else None

    def page_text(self, id: str) -> str:
        """Give a stored page's text. Raises NotFound."""
        body = self.exhibit(id).body
        return str(getattr(body, "text", ""))

    def search_exhibits(
        self, text: str, kind: Kind, limit: int, synonyms: Sequence[Sequence[str]] = ()
    ) -> list[tuple[Exhibit, float]]:
        """Find by words: the more and the rarer the words that fit, the better.

        `synonyms` holds further words for which one counts as the word it goes with.
        """
        words = words_of(text)[:12]
        groups = [[word, *_with(word, synonyms)] for word in words]
        with self._store.reading() as view:
            scores: dict[int, float] = {}
            for group in groups:
                for seq, weight in self._hits(view, group).items():
                    scores[seq] = scores.get(seq, 0.0) + weight
            best = sorted(scores, key=lambda seq: (-scores[seq], -seq))[: limit * 4]
            rows = {row.seq: row for row in view.exhibits_at(self.bank, best)}
            kept = [rows[seq] for seq in best if seq in rows and _shown(rows[seq], kind)]
            found = unfolded(view, self.bank, kept[:limit])
            return [
                (one, round(scores[row.seq], 3)) for one, row in zip(found, kept, strict=False)
            ]

    def _hits(self, view: Reads, group: list[str]) -> dict[int, float]:
        found: dict[int, float] = {}
        for word in group:
            seqs = view.words_seqs(self.bank, word, REACH)
            weight = 1.0 + math.log1p(REACH / (1 + len(seqs)))
            for seq in seqs:
                found[seq] = max(found.get(seq, 0.0), weight)
        return found


def _with(word: str, synonyms: Sequence[Sequence[str]]) -> list[str]:
    return [other for group in synonyms if word in group for other in group if other != word]


def _shown(row: ExhibitRow, kind: Kind) -> bool:
    return row.kind == kind.value and row.status not in {"quarantined", "retracted"}


def known_filing(view: Writes, bank: str, filing: Filing) -> Filed | None:
    """Say that a filing was seen before, or erased for good; None where it is new."""
    if not filing.known_as:
        return None
    erased = refuse_erased(view, bank, filing.known_as)
    if erased:
        return Filed("", False, erased)
    row = view.exhibit_known(bank, filing.known_as)
    return Filed(row.id, False) if row else None


def filing_body(filing: Filing, marked: bool) -> Body:
    """Give what the ledger keeps of a filing."""
    words = [word for word in words_of(filing.words)[:WORDS] if word]
    return {
        "kind": filing.body.kind.value,
        "filed": to_body(filing.body),
        "subject": filing.body.subject,
        "label": filing.body.label,
        "known_as": filing.known_as,
        "happened_at": stamp(filing.happened_at),
        "known_at": stamp(filing.known_at),
        "words": words,
        "links": [list(link) for link in filing.links],
        "findings": [short("a finding", one) for one in filing.findings],
        "marked": marked,
    }


def report_links(report: Report, key: str) -> list[list[str]]:
    """Give the links by which a report is found: by its place, and by the page it quotes."""
    links = [["quotes", report.snapshot]]
    return [["report", key], *links] if key else links


def resolve_exhibit(view: Reads, bank: str, ref: str) -> ExhibitRow:
    """Give the row that an id or its beginning names. Raises NotFound or Ambiguous."""
    name = ref.strip()
    row = view.exhibit(bank, name) if name else None
    if row:
        return row
    fits = view.exhibits_named(bank, name) if len(name) >= LEAST else []
    if len(fits) > 1:
        raise Ambiguous(f"{quoted(ref)} fits {len(fits)} records")
    if not fits:
        stone = view.tombstone(bank, name)
        words = erased_words(stone) if stone else f"no record is named {quoted(name)}"
        raise NotFound(words, hint="`caselore intel history NAME` lists what is there.")
    return fits[0]


def unfolded(view: Reads, bank: str, rows: Sequence[ExhibitRow]) -> Iterator[Exhibit]:
    """Give the whole exhibits of rows, with one question to the ledger for all of them."""
    said: dict[str, list[Said]] = {row.id: [] for row in rows}
    for entry, payload in view.entries_of_some(bank, list(said)):
        if payload is not None:
            said[entry.subject].append((entry, json.loads(payload.body)))
    for row in rows:
        yield _exhibit(row, said[row.id])


def _exhibit(row: ExhibitRow, entries: list[Said]) -> Exhibit:
    first = next((body for entry, body in entries if entry.seq == row.seq), None)
    if first is None:
        raise BadInput(f"the content of {row.id} is gone")
    later = [(entry, body) for entry, body in entries if entry.action in ABOUT | FOLLOWING]
    revised = [body["filed"] for entry, body in later if entry.action == "revise"]
    kind = Kind(row.kind)
    return Exhibit(
        id=row.id,
        kind=kind,
        body=of_body(kind, revised[-1] if revised else first["filed"]),
        status=Status(row.status),
        actor=Actor.parse(row.actor),
        happened_at=unstamp(row.happened_at),
        known_at=unstamp(row.known_at),
        recorded_at=unstamp(row.recorded_at),
        counts=bool(row.counts),
        trusted=bool(row.trusted),
        origins=row.origins,
        reports=row.reports,
        said=tuple(verdict(entry, body) for entry, body in later),
        findings=tuple(first["findings"]),
    )
