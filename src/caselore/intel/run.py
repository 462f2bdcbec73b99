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

from caselore.errors import BadInput
from caselore.intel import briefing, grading, strategy
from caselore.intel.advice import Adviser
from caselore.intel.aliases import learn
from caselore.intel.briefing import Brief
from caselore.intel.collect.folder import Brought
from caselore.intel.corrections import corrected_amounts
from caselore.intel.dossier import Dossier, put_together
from caselore.intel.entities import Book, Entity
from caselore.intel.given import Analysed, Found, Telling
from caselore.intel.intake import RESOLVER, Intake, LeftOut, Reported
from caselore.intel.page_events import page_events, unread, unsaid
from caselore.intel.pages import Page
from caselore.intel.price_pages import changes, is_price_page
from caselore.intel.profile import profile
from caselore.intel.screening import screen
from caselore.intel.stages import FAILED, Audit, Budget, LimitReached, NothingRead
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
        asked, run = self.asked, self.audit.run
        before = last_briefing(self.memory, asked.competitors)
        pages = run("Discovery", self._discover, asked.sources, no_pages, len)
        book = Book(learn(asked.competitors, pages))
        kept = run("Research", self._research, Found(pages, book), no_pages, len)
        said = run("Analyst", self._analyse, Found(kept, book), nothing, len)
        run("Memory", self._remember, Analysed(kept, said), 0, int)
        events = self._events()
        run("Strategy Evolution", self._evolve, events, no_words, len)
        run("Prediction", self._grade, asked.competitors, no_grades, len)
        told = self._to_tell(events, book, before)
        brief = run("Writer", self._write, told, told.brief(), lambda one: len(one.claims))
        return self._keep(brief, told)

    def _discover(self, sources: Sequence[tuple[str, Source]]) -> tuple[Page, ...]:
        pages: list[Page] = []
        failed: list[str] = []
        for name, source in sources:
            try:
                brought = source()
            except Exception as error:  # noqa: BLE001 whatever one source does, the others are read
                failed.append(f"{name}: {error}")
                continue
            pages += self._limited(brought.pages, self.asked.budget.page)
            self.left += [LeftOut(url, reason, url) for url, reason in brought.left_out]
        if failed and len(failed) == len(sources):
            raise NothingRead("; ".join(failed))
        self.audit.failures += [f"Discovery: {one}" for one in failed]
        pages.sort(key=lambda one: (one.fetched_at or self.asked.now, one.url))
        self._newest = max((one.fetched_at for one in pages if one.fetched_at), default=None)
        return tuple(pages)

    def _limited(self, pages: Iterable[Page], count: Callable[[], None]) -> Iterable[Page]:
        """Give pages up to the limit; that there are more is written down."""
        try:
            for page in pages:
                count()
                yield page
        except LimitReached as error:
            self.audit.stopped(error)

    def _research(self, given: Found) -> tuple[Page, ...]:
        """Store every page as it is; hold those with words for machines."""
        kept, filings = [], []
        for page in given.pages:
            findings = screen(page)
            tiered = page.having(tier=self.asked.trust.tier(page, given.book), findings=findings)
            try:
                filings.append(snapshot_filing(tiered))
            except BadInput as error:  # one page that cannot be kept must not cost the others
                self.left.append(
                    LeftOut(page.title[:200] or page.url[:200], str(error), page.url[:200])
                )
                continue
            kept.append(tiered)
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

    def _analyse(self, given: Found) -> tuple[Reported, ...]:
        """Read what each page reports, and what changed between versions of price pages."""
        pages, book = given
        said: list[Reported] = []
        older: dict[str, Page] = {}
        for page in self._limited(pages, self.asked.budget.step):
            owner = book.owner_of(page)
            previous = older.get(page.url) or self._stored_version(page)
            if owner and previous and is_price_page(page, own=True):
                said += [Reported(page, one) for one in changes(previous, page, owner)]
            told, adviser = unsaid(page_events(page, book), previous), self.asked.adviser
            more = adviser.pointed(page, book, told) if adviser else ()
            said += [Reported(page, one) for one in (*told, *more)]
            if why := unread(page):
                self.left.append(LeftOut(page.title[:200] or page.url, why, page.url))
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

    def _remember(self, given: Analysed) -> int:
        adviser = self.asked.adviser
        intake = Intake(
            self.memory, self.asked.actor, adviser.impact if adviser else lambda said: 0.0
        )
        try:
            self._take(intake, *given)
        finally:
            self.left += intake.left_out
        return len(intake.new)

    def _take(self, intake: Intake, pages: Sequence[Page], said: Sequence[Reported]) -> None:
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

    def _events(self) -> list[Dossier]:
        found: list[Dossier] = []
        for entity in self.asked.competitors:
            found += events_of(self.memory, entity.key, until=self.as_of)
        return sorted(found, key=lambda one: (one.date, one.event.competitor, one.id))

    def _grade(self, competitors: Sequence[Entity]) -> tuple[dict[str, Any], ...]:
        return grading.grade_due(self.memory, competitors, self.as_of, RESOLVER)

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

    def _to_tell(self, events: Sequence[Dossier], book: Book, before: Exhibit | None) -> Telling:
        """Part the events into what is new, changed and standing since the last briefing."""
        since = self.asked.since
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
        earlier = briefing.Before(last_events, at, told_before(before))
        names = tuple(one.name for one in self.asked.competitors)
        return Telling(
            self.asked.topic, names, self.asked.run, self.as_of.date().isoformat(), since,
            events, new, changed, standing, book, earlier,
        )  # fmt: skip

    def _write(self, told: Telling) -> Brief:
        names = told.competitors
        cite, at = Citing(self.memory, told.book), told.before.at
        return told.brief(
            cite.all(told.new), cite.all(told.changed), cite.all(told.standing), _reasons(self.left),
            predictions=tuple(_predictions(self.memory, names, at)),
            profiles=tuple(profile(self.memory, name, self.as_of).to_json() for name in names),
            strategies=tuple(_strategies(self.memory, names, at)),
            notes=tuple(self.audit.failures),
        )  # fmt: skip

    def _keep(self, brief: Brief, told: Telling) -> Ran:
        """File the briefing with the account of how it was made."""
        asked, adviser, status = self.asked, self.asked.adviser, self.audit.status()
        summary = adviser.summary(brief.claims) if adviser else ()
        document = json.dumps(
            {
                **brief.to_json(),
                "summary": list(summary),
                "withheld": [list(one) for one in adviser.withheld] if adviser else [],
                "aliases": {one.name: list(one.names) for one in told.book.entities},
                "audit": self.audit.lines,
            }
        )
        body = Briefing(
            told.topic, told.run, status, told.competitors, told.since, told.until, document
        )
        filing = Filing(body, "", self.as_of, self.as_of)
        # of a run that failed there is no briefing: "gone quiet" would be said of what nobody looked at
        filed = "" if status == FAILED else self.memory.file(filing, asked.actor).id
        return Ran(
            asked.run, status, filed, brief,
            tuple(one for one in told.events if one.status in {"observed", "confirmed"}),
            tuple(dict.fromkeys(self.quarantined)), tuple(self.audit.lines),
        )  # fmt: skip


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
