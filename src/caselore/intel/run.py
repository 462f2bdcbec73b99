"""One run over sources: Discovery, Research, Memory, Analyst, Strategy Evolution, Prediction, Writer.

Each stage works by rules alone; what is stored stays when a later stage fails.
Must not choose an adapter or read a clock: both are given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from caselore.intel import briefing, grading, strategy
from caselore.intel.advice import Adviser
from caselore.intel.aliases import learn
from caselore.intel.briefing import Brief
from caselore.intel.collect.folder import Brought
from caselore.intel.corrections import corrected_amounts
from caselore.intel.dossier import Dossier, put_together
from caselore.intel.entities import Book, Entity
from caselore.intel.intake import RESOLVER, Intake, LeftOut, Reported
from caselore.intel.page_events import page_events
from caselore.intel.pages import Page
from caselore.intel.price_pages import changes, is_price_page
from caselore.intel.profile import profile
from caselore.intel.screening import screen
from caselore.intel.stages import Audit, Budget
from caselore.intel.stored_pages import Citing, reread, snapshot_filing
from caselore.intel.trust import Trust
from caselore.memory.api import Memory
from caselore.memory.encoding import stamp
from caselore.memory.evidence import Briefing, Snapshot, key_of_name
from caselore.memory.exhibit_ports import Sought
from caselore.memory.exhibits import Exhibit, Filing
from caselore.memory.records import Actor, Kind, Role

ANALYST = Actor("analyst", Role.AGENT)
Source = Callable[[], Brought]


@dataclass(frozen=True)
class Asked:
    """What a run is asked for."""

    topic: str
    competitors: tuple[Entity, ...]
    sources: tuple[tuple[str, Source], ...]
    now: datetime
    as_of: datetime | None
    """The moment that the run looks from; none: from now, or from its newest page if that is later."""
    actor: Actor
    run: str
    trust: Trust
    since: str = ""
    """A day from which on events are told, or `last` for those since the last briefing."""
    budget: Budget = field(default_factory=Budget)
    adviser: Adviser | None = None
    """A language model's part; without one every stage works from rules."""


@dataclass(frozen=True)
class Ran:
    """What a run made."""

    run: str
    status: str
    briefing: str
    brief: Brief
    events: tuple[Dossier, ...]
    quarantined: tuple[tuple[str, str], ...]
    audit: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """Give the shape of CONTRACT."""
        return {
            "run": self.run, "status": self.status, "briefing": self.briefing,
            "events": [one.to_json() for one in self.events],
            "claims": [one.to_json() for one in self.brief.claims],
            "left_out": self.brief.to_json()["left_out"],
            "quarantined": [{"url": url, "rule": rule} for url, rule in self.quarantined],
            "brief": {k: v for k, v in self.brief.to_json().items() if k not in {"claims", "left_out"}},
            "audit": list(self.audit),
        }  # fmt: skip


@dataclass
class Runner:
    """A run on its way."""

    memory: Memory
    asked: Asked
    audit: Audit = field(default_factory=Audit)
    left: list[LeftOut] = field(default_factory=list)
    quarantined: list[tuple[str, str]] = field(default_factory=list)
    _newest: datetime | None = None

    @property
    def as_of(self) -> datetime:
        """Give the moment that the run looks from."""
        return self.asked.as_of or max(self.asked.now, self._newest or self.asked.now)

    def go(self) -> Ran:
        """Run every stage."""
        no_pages: tuple[Page, ...] = ()
        nothing: tuple[Reported, ...] = ()
        no_words: tuple[str, ...] = ()
        no_grades: tuple[dict[str, Any], ...] = ()
        before = last_briefing(self.memory, self.asked.competitors)
        pages = self.audit.run("Discovery", self._discover, no_pages, len)
        book = Book(learn(self.asked.competitors, pages))
        kept = self.audit.run("Research", lambda: self._research(pages, book), no_pages, len)
        adviser = self.asked.adviser
        weigh = adviser.impact if adviser else (lambda said: 0.0)
        intake = Intake(self.memory, self.asked.actor, weigh)
        said = self.audit.run("Analyst", lambda: self._analyse(kept, book), nothing, len)
        self.audit.run("Memory", lambda: self._remember(intake, kept, said, book), 0, int)
        self.left += intake.left_out
        events = self._events()
        self.audit.run("Strategy Evolution", lambda: self._evolve(events), no_words, len)
        self.audit.run(
            "Prediction",
            lambda: grading.grade_due(self.memory, self.asked.competitors, self.as_of, RESOLVER),
            no_grades,
            len,
        )
        return self._write(events, book, before)

    def _discover(self) -> tuple[Page, ...]:
        pages: list[Page] = []
        for name, source in self.asked.sources:
            try:
                brought = source()
            except Exception as error:
                if len(self.asked.sources) == 1:
                    raise
                self.audit.failures.append(f"Discovery: {name}: {error}")
                continue
            for page in brought.pages:
                self.asked.budget.page()
                pages.append(page)
            self.left += [LeftOut(url, reason, url) for url, reason in brought.left_out]
        pages.sort(key=lambda one: (one.fetched_at or self.asked.now, one.url))
        self._newest = max((one.fetched_at for one in pages if one.fetched_at), default=None)
        return tuple(pages)

    def _research(self, pages: Sequence[Page], book: Book) -> tuple[Page, ...]:
        """Store every page as it is; hold those with words for machines."""
        kept, filings = [], []
        for page in pages:
            findings = screen(page)
            tiered = page.having(tier=self.asked.trust.tier(page, book), findings=findings)
            kept.append(tiered)
            filings.append(snapshot_filing(tiered))
        filed = self.memory.file_all(filings, self.asked.actor) if filings else []
        usable = []
        for page, one in zip(kept, filed, strict=True):
            stored = self.memory.exhibit(one.id) if one.id else None
            if one.refusal:
                self.left.append(LeftOut(page.url, one.refusal, page.url))
            elif stored is not None and stored.status.value in {"quarantined", "retracted"}:
                self.quarantined += [(page.url, rule) for rule in stored.findings or page.findings]
                self.left.append(
                    LeftOut(
                        page.title or page.url,
                        f"its page is held: {', '.join(stored.findings)}",
                        page.url,
                    )
                )
            else:
                usable.append(page.having(snapshot=one.id))
        return tuple(usable)

    def _analyse(self, pages: Sequence[Page], book: Book) -> tuple[Reported, ...]:
        """Read what each page reports, and what changed between versions of price pages."""
        said: list[Reported] = []
        older: dict[str, Page] = {}
        for page in pages:
            self.asked.budget.step()
            owner = book.owner_of(page)
            previous = older.get(page.url) or self._stored_version(page)
            if owner and previous and is_price_page(page, own=True):
                said += [Reported(page, one) for one in changes(previous, page, owner)]
            told = page_events(page, book)
            said += [Reported(page, one) for one in told]
            if self.asked.adviser is not None:
                more = self.asked.adviser.pointed(page, book, told)
                said += [Reported(page, one) for one in more]
            older[page.url] = page
        return tuple(said)

    def _stored_version(self, page: Page) -> Page | None:
        """Give the version of a page that an earlier run stored last."""
        if page.fetched_at is None:
            return None
        sought = Sought(
            Kind.SNAPSHOT.value,
            label=page.url,
            status="observed",
            until=stamp(page.fetched_at),
            limit=3,
        )
        for one in self.memory.exhibits(sought):
            if (
                isinstance(one.body, Snapshot)
                and one.id != page.snapshot
                and one.body.digest != page.digest
            ):
                return reread(one)
        return None

    def _remember(
        self, intake: Intake, pages: Sequence[Page], said: Sequence[Reported], book: Book
    ) -> int:
        ordered = sorted(said, key=lambda one: one.page.fetched_at or self.asked.now)
        intake.take(ordered)
        for page in pages:
            wrong = corrected_amounts(page)
            if wrong:
                about = [
                    one.said
                    for one in said
                    if one.page.url == page.url and one.page.digest == page.digest
                ]
                intake.correct_amounts(page, wrong, about)
        return len(intake.new)

    def _events(self) -> list[Dossier]:
        found: list[Dossier] = []
        for entity in self.asked.competitors:
            found += events_of(self.memory, entity.key, until=self.as_of)
        return sorted(found, key=lambda one: (one.date, one.event.competitor, one.id))

    def _evolve(self, events: Sequence[Dossier]) -> tuple[str, ...]:
        changed: list[str] = []
        for entity in self.asked.competitors:
            own = [one for one in events if one.event.competitor == entity.name]
            changed += strategy.evolve(self.memory, entity.name, own, self.as_of, ANALYST)
            if self.asked.adviser is not None:
                changed += self._advised(self.asked.adviser, entity, own)
        return tuple(changed)

    def _advised(self, adviser: Adviser, entity: Entity, own: Sequence[Dossier]) -> Iterable[str]:
        """Keep what a model supposes as proposals, each once."""
        standing = {
            getattr(one.body, "statement", "")
            for one in strategy.current(self.memory, entity.name)
        }
        for one in adviser.strategies(entity.name, own):
            if one.statement not in standing:
                self.memory.file(Filing(one, "", self.as_of, self.as_of), ANALYST)
                yield f"supposed: {one.statement}"
        for guess in adviser.predictions(entity.name, own, self.as_of):
            known = grading.key(guess)
            self.memory.file(Filing(guess, known, self.as_of, self.as_of), ANALYST)
            yield f"predicted: {guess.statement}"

    def _write(self, events: Sequence[Dossier], book: Book, before: Exhibit | None) -> Ran:
        asked = self.asked
        since = asked.since
        last_events = {one.event.competitor: one.date for one in events}
        if since == "last":
            since = before.body.until if before and isinstance(before.body, Briefing) else ""
            events = [one for one in events if before is None or one.told_at > before.recorded_at]
        elif since:
            events = [one for one in events if one.date >= since[:10]]
        at = before.recorded_at if before else None
        new = [one for one in events if at is None or one.recorded_at > at]
        changed = [one for one in events if at is not None and one.recorded_at <= at < one.told_at]
        standing = [one for one in events if one not in new and one not in changed]
        cite = Citing(self.memory, book)
        names = [one.name for one in asked.competitors]
        brief = briefing.compile_brief(
            asked.topic, names, asked.run, self.as_of.date().isoformat(), since,
            cite.all(new), cite.all(changed), cite.all(standing), _reasons(self.left),
            briefing.Before(last_events, at, told_before(before)),
            predictions=tuple(_predictions(self.memory, names, at)),
            profiles=tuple(profile(self.memory, name, self.as_of).to_json() for name in names),
            strategies=tuple(_strategies(self.memory, names, at)),
            notes=tuple(self.audit.failures),
        )  # fmt: skip
        self.audit.lines.append(
            {"stage": "Writer", "state": "completed", "made": len(brief.claims)}
        )
        status = self.audit.status()
        standing_events = tuple(one for one in events if one.status in {"observed", "confirmed"})
        adviser = asked.adviser
        summary = adviser.summary(brief.claims) if adviser else ()
        document = json.dumps(
            {
                **brief.to_json(),
                "summary": list(summary),
                "withheld": [list(one) for one in adviser.withheld] if adviser else [],
                "aliases": {one.name: list(one.names) for one in book.entities},
                "audit": self.audit.lines,
            }
        )
        body = Briefing(
            asked.topic,
            asked.run,
            status,
            tuple(names),
            since,
            self.as_of.date().isoformat(),
            document,
        )
        filed = self.memory.file(Filing(body, "", self.as_of, self.as_of), asked.actor)
        return Ran(
            asked.run,
            status,
            filed.id,
            brief,
            standing_events,
            tuple(dict.fromkeys(self.quarantined)),
            tuple(self.audit.lines),
        )


def _strategies(
    memory: Memory, names: Iterable[str], at: datetime | None
) -> Iterable[dict[str, Any]]:
    """Give the hypotheses, each with what it was at the last briefing where it changed since."""
    for name in names:
        for one in strategy.current(memory, name):
            body = one.body
            lately = [said for said in one.said if said.kind == "revise" and at and said.at > at]
            yield {
                "id": one.id, "competitor": name, "topic": getattr(body, "topic", ""),
                "statement": getattr(body, "statement", ""), "confidence": getattr(body, "confidence", 0.0),
                "status": one.status.value, "changed": at is None or one.recorded_at > at or bool(lately),
                "why": lately[-1].body["why"] if lately else getattr(body, "why", ""),
            }  # fmt: skip


def _predictions(
    memory: Memory, names: Iterable[str], at: datetime | None
) -> Iterable[dict[str, Any]]:
    """Give the predictions, each with whether an earlier briefing told how it ended."""
    for name in names:
        for one in grading.predictions(memory, key_of_name(name)):
            grades = [said.at for said in one.said if said.kind == "grade"]
            told = bool(at and grades and max(grades) <= at)
            yield {**grading.to_json(one), "told_before": told}


def told_before(before: Exhibit | None) -> frozenset[tuple[str, str]]:
    """Give what an earlier briefing left out, with its reasons."""
    body = before.body if before else None
    told = json.loads(body.document).get("left_out", ()) if isinstance(body, Briefing) else ()
    return frozenset((one["text"], one["reason"]) for one in told)


def _reasons(left: Iterable[LeftOut]) -> list[tuple[str, str]]:
    return list(
        dict.fromkeys(
            (one.text, f"{one.reason} ({one.url})" if one.url != one.text else one.reason)
            for one in left
        )
    )


def events_of(
    memory: Memory, key: str, *, until: datetime | None = None, known: datetime | None = None
) -> list[Dossier]:
    """Give a competitor's events, the oldest first; with `known`, what was believed then."""
    latest = known or until
    sought = Sought(Kind.COMPETITOR_EVENT.value, key, known=stamp(latest) if latest else "")
    found = [
        put_together(one, stamp(known) if known else "") for one in memory.exhibits(sought)
        if one.status.value not in {"quarantined", "retracted"}
    ]  # fmt: skip
    return sorted(found, key=lambda one: (one.date, one.id))


def last_briefing(memory: Memory, competitors: Sequence[Entity]) -> Exhibit | None:
    """Give the newest briefing about any of these competitors."""
    wanted = {one.name for one in competitors}
    for one in memory.exhibits(Sought(Kind.BRIEFING.value, limit=50)):
        if isinstance(one.body, Briefing) and (not wanted or wanted & set(one.body.competitors)):
            return one
    return None
