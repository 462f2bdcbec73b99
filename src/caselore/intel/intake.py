"""Takes what pages report into the memory: a new event, one more report of a known one, or neither.

Must not take in what is denied or only a rumour, nor count a copy as an origin of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from caselore.intel.candidates import Candidate
from caselore.intel.days import apart
from caselore.intel.dossier import Dossier, as_candidate, day_of_reports, put_together
from caselore.intel.impact import impact_of
from caselore.intel.known_events import DENIED_FOR, Known, KnownEvents
from caselore.intel.lexicon import pattern
from caselore.intel.modality import Mode
from caselore.intel.origins import Sketch, is_copy, party_words, same_event, sketch
from caselore.intel.pages import Page
from caselore.intel.trust import WEIGHT
from caselore.memory.api import Memory
from caselore.memory.encoding import digest, stamp
from caselore.memory.evidence import CompetitorEvent, Report
from caselore.memory.exhibits import Filing
from caselore.memory.records import Actor, Role

RESOLVER = Actor("resolver", Role.SYSTEM)
ECHO = 10  # days behind a denial in which a report is still the rumour that it denies
LONG = 9  # shingles of a quote from which on its likeness says something: headlines resemble each other
REPEATING = frozenset({"aggregator", "forum"})  # tiers that repeat what others found out
SYNONYMS = {
    "acquisition": "acquisition acquire takeover merger buy", "funding": "funding investment round raise",
    "pricing_change": "pricing price cost plan", "hiring": "hiring hire jobs recruit",
    "partnership": "partnership partner alliance", "feature_launch": "launch feature product release",
    "market_signal": "market signal",
}  # fmt: skip


class Reported(NamedTuple):
    """One thing that one page says."""

    page: Page
    said: Candidate


class LeftOut(NamedTuple):
    """What was not taken in, and why."""

    text: str
    reason: str
    url: str


@dataclass
class Intake:
    """One run's taking in; it remembers what it looked up."""

    memory: Memory
    actor: Actor
    weigh: Callable[[Candidate], float] = lambda said: 0.0
    """What a model adds to the floor of an impact, 0 to 1.5."""
    vouched: bool = False
    """Somebody vouches for what is taken in: even what only a forum says."""
    left_out: list[LeftOut] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    _known: KnownEvents = field(init=False)
    _sketches: dict[str, Sketch] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin without having looked anything up."""
        self._known = KnownEvents(self.memory)

    def take(self, reported: Iterable[Reported]) -> None:
        """Take in everything, in the order in which it became known."""
        everything = list(reported)
        denials = [one for one in everything if one.said.mode is Mode.DENIED]
        for one in everything:
            reason = self._refusal(one, denials)
            if reason:
                self.left_out.append(LeftOut(one.said.quote, reason, one.page.url))
            else:
                self._take(one)
        for denial in denials:
            self._withdraw(denial)

    def _refusal(self, one: Reported, denials: list[Reported]) -> str:
        mode = one.said.mode
        if mode is not Mode.ASSERTED:
            return _WHY[mode]
        if one.page.tier == "forum" and not self.vouched and not self._known_already(one):
            return "only a forum says so"
        for denial in denials:
            if _answers(denial, one):
                return f"denied: {denial.page.url}"
        return ""

    def _known_already(self, one: Reported) -> bool:
        return any(same_event(one.said, other) for _, other in self._of(one.said).values())

    def _take(self, one: Reported) -> None:
        key = digest(
            "report",
            one.page.url,
            one.page.digest,
            str(one.said.first),
            one.said.event_type,
            one.said.entity.key,
            str(one.said.amount),
            one.said.plan,
        )
        known = self._of(one.said)
        if self.memory.reported(key):
            return
        match = self._match(one, known)
        report = self._report(one)
        if match is None:
            self._file(one, report, key)
            return
        dossier = match[0]
        independent = self._independent(one, dossier)
        origin = report.origin if independent else _origin_of(dossier, one.page)
        shared = replace(report, origin=origin)
        day = day_of_reports([*dossier.reports, shared], dossier.event)[0]
        self.memory.corroborate(
            dossier.id,
            shared,
            self.actor,
            independent=independent,
            key=key,
            happened_at=moment_of(day) if day != dossier.date else None,
        )
        self.touched.append(dossier.id)
        self._refresh(dossier.id, one.said)

    def _match(
        self, one: Reported, known: dict[str, tuple[Dossier, Candidate]]
    ) -> tuple[Dossier, Candidate] | None:
        # what one page tells as two things are two; its price list and its words may tell one
        others = [
            pair
            for pair in known.values()
            if one.said.event_type == "pricing_change"
            or all(report.snapshot != one.page.snapshot for report in pair[0].reports)
        ]
        fits = [pair for pair in others if same_event(one.said, pair[1])]
        if not fits:
            fits = [pair for pair in others if self._retold(one, *pair)]
        return min(
            fits,
            key=lambda pair: (_unlike(one.said, pair[1]), apart(one.said.date, pair[1].date)),
            default=None,
        )

    def _retold(self, one: Reported, dossier: Dossier, other: Candidate) -> bool:
        """Say whether a page is a copy, or a newer version, of one that reported the same type."""
        if apart(one.said.date, other.date) > 45 or one.said.event_type == "pricing_change":
            return False
        same_quote = any(report.quote == one.said.quote for report in dossier.reports)
        if same_quote:
            return True
        if not one.said.lead:
            return False
        words = sketch(one.said.quote).shingles
        return any(
            report.snapshot != one.page.snapshot  # a page repeats nothing by saying two things
            and len(words & self._sketch(report.snapshot).shingles) >= 0.6 * len(words)
            and self._alone(one, report)
            for report in dossier.reports[:8]
        )

    def _alone(self, one: Reported, report: Report) -> bool:
        """Say whether a page reports only this one thing of its type: then a copy means it."""
        return len(one.page.text) < 6_000 and len(self.memory.page_text(report.snapshot)) < 6_000

    def _of(self, said: Candidate) -> dict[str, Known]:
        return self._known.around(said)

    def _refresh(self, id: str, said: Candidate) -> None:
        dossier = put_together(self.memory.exhibit(id))
        old = self._known.held(id)
        fresh = as_candidate(dossier, said.entity)
        tokens = (
            fresh.tokens
            | (old[1].tokens if old else frozenset())
            | (said.tokens if old is None else frozenset())
        )
        names = fresh.names | (old[1].names if old else said.names)
        self._known.put(said, id, (dossier, fresh.having(tokens=tokens, names=names)))

    def _report(self, one: Reported) -> Report:
        said, page = one.said, one.page
        return Report(
            quote=said.quote, snapshot=page.snapshot, first=said.first, last=said.last, url=page.url,
            tier=page.tier, origin=digest("origin", page.host or page.url, page.digest)[:16],
            title=said.title[:400], date=said.date, date_from=said.date_from, amount=said.amount,
            currency=said.currency, before=said.before, known_at=_known_at(page),
        )  # fmt: skip

    def _file(self, one: Reported, report: Report, key: str) -> None:
        said, page = one.said, one.page
        impact = impact_of(
            said.event_type,
            f"{said.title} {said.quote}",
            said.amount,
            said.change_percent,
            said.count,
        )
        body = CompetitorEvent(
            competitor=said.entity.name, event_type=said.event_type, date=said.date,
            title=said.title[:400], report=report, date_from=said.date_from, amount=said.amount,
            currency=said.currency, before=said.before, change_percent=said.change_percent,
            unit=said.unit, plan=said.plan, count=said.count, party=said.party,
            impact_floor=impact.floor, impact_added=self.weigh(said), impact_rule=impact.why,
            private=page.private,
        )  # fmt: skip
        words = " ".join(
            (
                said.entity.name,
                *said.entity.names,
                said.title,
                said.party,
                SYNONYMS[said.event_type],
                said.quote,
            )
        )
        filing = Filing(
            body, key, moment_of(said.date), page.fetched_at or moment_of(said.date), words=words,
            links=(("report", key), ("quotes", page.snapshot)),
        )  # fmt: skip
        filed = self.memory.file_all([filing], self.actor)[0]
        if filed.refusal:
            self.left_out.append(LeftOut(said.quote, filed.refusal, page.url))
            return
        self.new.append(filed.id)
        self._refresh(filed.id, said)

    def nearest(self, said: Candidate) -> str:
        """Give the id of the event that a report belongs to; empty where none does."""
        known = self._of(said)
        fits = [id for id, (_, other) in known.items() if same_event(said, other)]
        return fits[0] if fits else ""

    def _independent(self, one: Reported, dossier: Dossier) -> bool:
        """Say whether a report is an origin of its own: another publisher, in its own words."""
        if one.page.tier in REPEATING or _contradicts(one.said, dossier):
            return False
        hosts = {_host(report.url) for report in dossier.reports}
        if _host(one.page.url) in hosts:
            return False
        own = self._sketch(one.page.snapshot, one.page.text)
        quote = sketch(one.said.quote)
        for report in dossier.reports:
            if is_copy(own, self._sketch(report.snapshot)):
                return False
            other = sketch(report.quote)
            if min(len(quote.shingles), len(other.shingles)) >= LONG and is_copy(quote, other):
                return False
        return True

    def _sketch(self, snapshot: str, text: str | None = None) -> Sketch:
        if snapshot not in self._sketches:
            self._sketches[snapshot] = sketch(
                self.memory.page_text(snapshot) if text is None else text
            )
        return self._sketches[snapshot]

    def _withdraw(self, denial: Reported) -> None:
        """Supersede what was taken in before and is now denied by who must know."""
        for dossier, known in list(self._of(denial.said).values()):
            told = Reported(
                denial.page.having(tier=dossier.best.tier, url=dossier.best.url), known
            )
            if (
                dossier.status == "observed"
                and _answers(denial, told)
                and not _from_primary(dossier)
            ):
                self.memory.correct(
                    dossier.id,
                    "superseded",
                    denial.page.snapshot,
                    f"denied: {denial.page.url}",
                    RESOLVER,
                )
                self.touched.append(dossier.id)
                self._refresh(dossier.id, known)

    def correct_amounts(
        self, page: Page, wrong: frozenset[float], about: Iterable[Candidate]
    ) -> None:
        """Withdraw the amounts that a page says were wrong."""
        for said in about:
            for dossier, known in list(self._of(said).values()):
                bad = sorted(
                    wrong & {one.amount for one in dossier.reports if one.amount is not None}
                )
                done = any(
                    "withdrawn" in note and page.url in note for note in dossier.contradictions
                )
                if bad and not done and same_event(said, known):
                    why = f"withdrawn by {page.url}: {', '.join(f'{one:,.10g}' for one in bad)}"
                    self.memory.correct(
                        dossier.id, "contradicted", page.snapshot, why, RESOLVER, wrong=bad
                    )
                    self.touched.append(dossier.id)
                    self._refresh(dossier.id, said)


_WHY = {
    Mode.DENIED: "it is denied",
    Mode.RUMOURED: "it is only a rumour",
    Mode.PLANNED: "it is only planned",
    Mode.PAST: "it looks back at something older",
    Mode.CORRECTED: "it tells what was wrongly said before",
}


def _answers(denial: Reported, one: Reported) -> bool:
    """Say whether a denial is about what another page says."""
    a, b = denial.said, one.said
    if (
        a.entity.name != b.entity.name
        or a.event_type != b.event_type
        or one.page.url == denial.page.url
    ):
        return False
    if one.page.tier == "primary" or WEIGHT[denial.page.tier] < WEIGHT[one.page.tier] - 1:
        return False
    if apart(a.date, b.date) > DENIED_FOR or _overtaken(denial, one):
        return False
    own = party_words(a.party) if a.party else frozenset()
    if own and (b.party or b.tokens):
        return bool(own & (party_words(b.party) | b.tokens)) or bool(a.tokens & b.names)
    return bool(a.tokens & b.tokens) or not a.tokens


def _overtaken(denial: Reported, one: Reported) -> bool:
    """Say whether a report is of later than a denial speaks for: plans change."""
    said, report = denial.page.day, one.page.day
    if _SO_FAR.search(denial.said.quote) and one.said.date > said:
        return True  # what `has not been raised` may be tomorrow
    newer = report > said and apart(report, said) > ECHO
    return newer and WEIGHT[one.page.tier] >= WEIGHT[denial.page.tier]


_SO_FAR = pattern("modality", "so_far", re.IGNORECASE)


def _contradicts(said: Candidate, dossier: Dossier) -> bool:
    """Say whether a report gives another amount than the one that holds: it speaks for something else."""
    if said.amount is None or dossier.amount is None:
        return False
    return abs(said.amount - dossier.amount) > 0.02 * max(abs(said.amount), abs(dossier.amount))


def _from_primary(dossier: Dossier) -> bool:
    return any(one.tier == "primary" for one in dossier.reports)


def _unlike(one: Candidate, other: Candidate) -> float:
    least = min(len(one.tokens), len(other.tokens)) or 1
    same = one.amount is not None and one.amount == other.amount
    return (0 if same else 1) - len(one.tokens & other.tokens) / least


def _origin_of(dossier: Dossier, page: Page) -> str:
    """Give the origin that a copy goes back to: that of its own publisher, else the first."""
    own = [one.origin for one in dossier.reports if _host(one.url) == _host(page.url)]
    return own[0] if own else dossier.reports[0].origin


def _host(url: str) -> str:
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    labels = host.split(".")
    keep = 3 if len(labels) > 2 and labels[-2] in {"co", "com", "org", "ac", "gov", "net"} else 2
    return ".".join(labels[-keep:]) if host else url


def _known_at(page: Page) -> str:
    return stamp(page.fetched_at) if page.fetched_at else ""


def moment_of(day: str) -> datetime:
    """Give the beginning of a day in UTC."""
    return datetime.fromisoformat(day[:10]).replace(tzinfo=UTC)
