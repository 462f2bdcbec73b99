"""The intelligence desk: what the faces call for competitors, events, briefings and predictions.

Must not hold policy: it opens sources, names the caller, and passes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from caselore.errors import BadInput, NotFound, WrongUse
from caselore.guards.names import quoted
from caselore.wiring.intel_reports import IntelReports

if TYPE_CHECKING:
    from caselore.intel.advice import Adviser
    from caselore.intel.dossier import Dossier
    from caselore.intel.entities import Book, Entity
    from caselore.intel.prediction import Calibration
    from caselore.intel.profile import Profile
    from caselore.intel.run import Ran
    from caselore.intel.trust import Trust
    from caselore.jobs.ports import Jobs
    from caselore.memory.api import Memory
    from caselore.memory.exhibits import Exhibit
    from caselore.memory.records import Actor
    from caselore.settings import Settings
    from caselore.wiring.model_desk import ModelDesk
    from caselore.wiring.watching import Sources, Watch

Document = dict[str, Any]
_FIRST = "`caselore intel run TOPIC --competitor NAME --source FOLDER` writes one."


class Host(Protocol):
    """What the desk needs of the application that it belongs to."""

    @property
    def settings(self) -> Settings: ...
    @property
    def now(self) -> Callable[[], datetime]: ...
    @property
    def memory(self) -> Memory: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def model(self) -> ModelDesk: ...
    def caller(self) -> Actor: ...
    def _acting(self, actor: Actor | str | None) -> Actor: ...


class IntelDesk(IntelReports):
    """Competitive intelligence of one application."""

    def __init__(self, app: Host) -> None:
        """Work for an application."""
        self._app = app

    # Runs

    def run(
        self,
        topic: str,
        competitors: Iterable[str],
        sources: Iterable[str] = (),
        *,
        as_of: datetime | str | None = None,
        since: str = "",
        sources_of_settings: bool = True,
        actor: Actor | None = None,
        model: str | None = None,
    ) -> Ran:
        """Run every stage over the sources; with a model, named or set, it advises.

        Raises: BadInput, NotFound, Unavailable, WrongUse.
        """
        from caselore.intel.run import Asked, Runner  # noqa: PLC0415

        names = tuple(competitors)
        if not names:
            raise WrongUse("A run needs at least one competitor.", hint="Give --competitor NAME.")
        now = self._app.now()
        when = self.moment(as_of) if as_of else None
        given = tuple(sources) or (self._sources.standing if sources_of_settings else ())
        run = self._run_id()
        asked = Asked(
            topic=topic, competitors=tuple(self._entity(name) for name in names),
            sources=tuple(
                one
                for name in given
                for one in self._sources.opened(name, (topic, names), now, when)
            ),
            now=now, as_of=when, actor=actor or self._collecting(given), run=run,
            trust=self._trust, since=since, budget=self._sources.budget,
            adviser=self._adviser(run, model),
        )  # fmt: skip
        try:
            return Runner(self._app.memory, asked).go()
        finally:
            self.__dict__.pop("_learned", None)

    def _adviser(self, run: str, model: str | None) -> Adviser | None:
        phraser = self._app.model.phraser(run, model)
        if phraser is None:
            return None
        from caselore.intel.advice import Adviser  # noqa: PLC0415

        return Adviser(phraser)

    def _run_id(self) -> str:
        from caselore.wiring import new_id  # noqa: PLC0415

        return "run_" + new_id().partition("_")[2][:12]

    def _collecting(self, sources: Iterable[str]) -> Actor:
        """Name who vouches for pages: the fetcher for the web, the caller for a folder."""
        from caselore.memory.records import Actor, Role  # noqa: PLC0415

        caller = self._app.caller()
        web = all(one.startswith(("http://", "https://")) for one in sources)
        return Actor("collector", Role.SYSTEM) if caller.role is Role.AGENT and web else caller

    @property
    def _own(self) -> Mapping[str, Any]:
        own: Mapping[str, Any] = self._app.settings.intel
        return own

    @cached_property
    def _sources(self) -> Sources:
        from caselore.wiring.watching import Sources  # noqa: PLC0415

        return Sources(dict(self._own), lambda: self._app.memory)

    # Schedule

    def register(self, jobs: Jobs) -> tuple[Watch, ...]:
        """Put the watches of the settings on the schedule of an engine. Raises: WrongUse."""
        from caselore.memory.records import Actor, Role  # noqa: PLC0415
        from caselore.wiring.watching import register  # noqa: PLC0415

        clerk = Actor("schedule", Role.SYSTEM)

        def run(topic: str, competitors: tuple[str, ...], sources: tuple[str, ...]) -> Ran:
            return self.run(topic, competitors, sources, since="last", actor=clerk)

        return register(jobs, self._own, run)

    def due(self) -> Document:
        """Run every watch that is due, those that were missed once; give what was done."""
        watched = self.register(self._app.jobs)
        ran = self._app.jobs.round()
        return {
            "done": ran.done, "again": ran.again, "errors": ran.errors,
            "watches": [one.to_json() for one in watched],
        }  # fmt: skip

    @property
    def _trust(self) -> Trust:
        from caselore.intel.trust import Trust  # noqa: PLC0415

        return Trust(dict(self._own.get("trust", {})))

    def _entity(self, name: str) -> Entity:
        """Give a competitor with the names that settings and earlier runs know of it."""
        from caselore.intel.entities import make  # noqa: PLC0415

        given = self._own.get("aliases", {}).get(name, ())
        return make(name, (*given, *self._learned.get(name, ())))

    @cached_property
    def _learned(self) -> dict[str, tuple[str, ...]]:
        from caselore.memory.evidence import Briefing  # noqa: PLC0415
        from caselore.memory.exhibit_ports import Sought  # noqa: PLC0415

        found: dict[str, tuple[str, ...]] = {}
        for one in self._app.memory.exhibits(Sought("briefing", limit=20)):
            if isinstance(one.body, Briefing):
                for name, names in json.loads(one.body.document).get("aliases", {}).items():
                    found.setdefault(name, tuple(names[1:]))
        return found

    def _book(self) -> Book:
        from caselore.intel.entities import Book  # noqa: PLC0415

        names = dict.fromkeys(
            [*self._own.get("aliases", {}), *self._learned, *self._stored_names()]
        )
        return Book(tuple(self._entity(name) for name in names))

    def _stored_names(self) -> list[str]:
        return [one["competitor"] for one in self.competitors()]

    def _named(self, name: str) -> str:
        """Give the name under which a competitor is kept, by any of its names."""
        from caselore.guards.names import check_competitor  # noqa: PLC0415

        check_competitor(name)
        known = self._book().by_name(name)
        return known.name if known else name

    @staticmethod
    def moment(value: datetime | str) -> datetime:
        """Read a day or a time; a day means its end. Raises: BadInput."""
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=UTC)
        try:
            at = datetime.fromisoformat(value.strip())
        except ValueError:
            raise BadInput(
                f"{quoted(value)} is no day or time; it reads like 2026-10-03"
            ) from None
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return at + timedelta(days=1, microseconds=-1) if len(value.strip()) == 10 else at

    # The six operations

    def store_event(self, given: Mapping[str, Any], actor: Actor | str | None = None) -> Document:
        """Keep one event. Raises: BadInput, GateRefused, NotFound."""
        from caselore.intel.storing import store_event  # noqa: PLC0415

        who = self._app._acting(actor)
        id, new = store_event(
            self._app.memory, given, who, self._app.now(), self._book(), self._trust
        )
        return {**self.event(id), "new": new}

    def event(self, id: str) -> Document:
        """Give one event. Raises: NotFound."""
        from caselore.intel.dossier import put_together  # noqa: PLC0415
        from caselore.memory.evidence import CompetitorEvent  # noqa: PLC0415

        one = self._app.memory.exhibit(id)
        if not isinstance(one.body, CompetitorEvent):
            raise NotFound(
                f"{quoted(id)} is no event", hint="`caselore intel history NAME` lists events."
            )
        return put_together(one).to_json()

    def history(
        self,
        name: str,
        *,
        event_type: str = "",
        since: str = "",
        limit: int | None = None,
        as_of: datetime | str | None = None,
    ) -> list[Document]:
        """Give a competitor's events, the newest first; with `as_of` what was believed then."""
        found = [
            one for one in self.dossiers(name, as_of)
            if (not event_type or one.event.event_type == event_type) and one.date >= since[:10]
        ]  # fmt: skip
        return [one.to_json() for one in reversed(found)][:limit]

    def dossiers(self, name: str, as_of: datetime | str | None = None) -> list[Dossier]:
        """Give a competitor's events as values, the oldest first."""
        from caselore.intel.run import events_of  # noqa: PLC0415
        from caselore.memory.evidence import key_of_name  # noqa: PLC0415

        known = self.moment(as_of) if as_of else None
        return events_of(self._app.memory, key_of_name(self._named(name)), known=known)

    def profile(self, name: str, as_of: datetime | str | None = None) -> Profile:
        """Sum a competitor up, as of now or of what was known by a moment."""
        from caselore.intel.profile import profile  # noqa: PLC0415

        known = self.moment(as_of) if as_of else None
        return profile(self._app.memory, self._named(name), known or self._app.now(), known=known)

    def search(self, text: str, limit: int = 10) -> list[Document]:
        """Find events by words, the best first."""
        from caselore.intel.dossier import put_together  # noqa: PLC0415
        from caselore.intel.intake import SYNONYMS  # noqa: PLC0415
        from caselore.memory.records import Kind  # noqa: PLC0415

        groups = [words.split() for words in SYNONYMS.values()]
        found = self._app.memory.search_exhibits(text, Kind.COMPETITOR_EVENT, limit, groups)
        return [{**put_together(one).to_json(), "score": score} for one, score in found]

    def strategy(self, name: str) -> list[Document]:
        """Give the hypotheses about a competitor with their revisions."""
        from caselore.intel.strategy import current  # noqa: PLC0415
        from caselore.memory.evidence import to_body  # noqa: PLC0415

        return [
            {
                "id": one.id, **to_body(one.body), "status": one.status.value,
                "by": str(one.actor),
                "since": one.recorded_at.isoformat(),
                "revisions": [
                    {
                        "at": said.at.isoformat(),
                        "why": said.body["why"],
                        "confidence": said.body["filed"]["confidence"],
                    }
                    for said in one.said if said.kind == "revise"
                ],
            }
            for one in current(self._app.memory, self._named(name))
        ]  # fmt: skip

    def predictions(self, name: str | None = None) -> list[Document]:
        """Give predictions, the oldest first."""
        from caselore.intel import grading  # noqa: PLC0415
        from caselore.memory.evidence import key_of_name  # noqa: PLC0415

        key = key_of_name(self._named(name)) if name else ""
        return [grading.to_json(one) for one in grading.predictions(self._app.memory, key)]

    # Predictions

    def predict(self, given: Mapping[str, Any], actor: Actor | str | None = None) -> Document:
        """Keep a prediction. Raises: BadInput, GateRefused."""
        from caselore.intel import grading  # noqa: PLC0415
        from caselore.memory.exhibits import Filing  # noqa: PLC0415

        body = grading.read_prediction(given, self._app.now().date().isoformat())
        now = self._app.now()
        who = self._app._acting(actor)
        return grading.to_json(
            self._app.memory.file(Filing(body, grading.key(body), now, now), who)
        )

    def grade(self, as_of: datetime | str | None = None) -> list[Document]:
        """Grade what is due and give every prediction."""
        from caselore.intel import grading  # noqa: PLC0415
        from caselore.intel.intake import RESOLVER  # noqa: PLC0415

        when = self.moment(as_of) if as_of else self._app.now()
        grading.grade_due(self._app.memory, None, when, RESOLVER)
        return self.predictions()

    def calibration(self) -> Calibration:
        """Score every decided prediction."""
        from caselore.intel import grading  # noqa: PLC0415

        return grading.calibration(self._app.memory)

    # Briefings

    def brief(self, run: str = "", as_of: datetime | str | None = None) -> Document:
        """Give the briefing of a run, else one of all that is known by now. Raises: NotFound.

        The last briefing is given as it is unless something was told since; with `as_of` the last
        one that was written by then, whatever is known today.
        """
        from caselore.memory.encoding import stamp  # noqa: PLC0415
        from caselore.memory.evidence import Briefing  # noqa: PLC0415
        from caselore.memory.exhibit_ports import Sought  # noqa: PLC0415

        known = stamp(self.moment(as_of)) if as_of else ""
        found = self._app.memory.exhibits(Sought("briefing", label=run, known=known, limit=1))
        last = next(found, None)
        if not run and not known and self._told_since(last):
            names = [one["competitor"] for one in self.competitors()]
            topic = last.body.topic if last and isinstance(last.body, Briefing) else "briefing"
            return self.brief(self.run(topic, names, (), sources_of_settings=False).run)
        if last is None or not isinstance(last.body, Briefing):
            raise NotFound("there is no briefing yet", hint=_FIRST)
        document: Document = json.loads(last.body.document)
        return {"id": last.id, "run": last.body.run, "status": last.body.status, **document}

    def _told_since(self, last: Exhibit | None) -> bool:
        """Say whether an event was recorded after a briefing was."""
        from caselore.memory.records import Kind  # noqa: PLC0415

        newest = self._app.memory.last_filed(Kind.COMPETITOR_EVENT)
        return newest is not None and (last is None or newest > last.recorded_at)

    def why(self, claim: str) -> Document:
        """Open the stored page at a claim's or event's quote. Raises: NotFound."""
        from caselore.intel.answers import why  # noqa: PLC0415

        return why(self, self._app.memory, claim)

    def snapshot(self, id: str) -> Document:
        """Give one stored page. Raises: NotFound."""
        from caselore.intel.answers import page_json  # noqa: PLC0415

        return page_json(self._app.memory.exhibit(id))

    def competitors(self) -> list[Document]:
        """Give every competitor of the bank with the number of its events."""
        from caselore.memory.evidence import CompetitorEvent  # noqa: PLC0415
        from caselore.memory.exhibit_ports import Sought  # noqa: PLC0415
        from caselore.memory.records import Kind  # noqa: PLC0415

        memory = self._app.memory
        found = []
        for key, count in memory.exhibit_subjects(Kind.COMPETITOR_EVENT).items():
            newest = next(memory.exhibits(Sought("competitor_event", key, limit=1)), None)
            if newest is not None and isinstance(newest.body, CompetitorEvent):
                found.append({"competitor": newest.body.competitor, "key": key, "events": count})
        return found
