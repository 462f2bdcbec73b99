"""The application as one value: what every face and every script calls.

Must not hold policy: it opens, names the caller, and passes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any

from caselore import settings as setting
from caselore.errors import WrongUse
from caselore.wiring import identity, models
from caselore.wiring.desks import Desks
from caselore.wiring.results import Found, Judged
from caselore.wiring.sources import (
    Log,
    filters_of,
    opened,
    spooled,
    time_of,
)
from caselore.wiring.transfer import Transfer

if TYPE_CHECKING:
    from caselore.incidents.diagnosis import Diagnosis
    from caselore.llm.ports import Model
    from caselore.logs import GreenLines, Signature
    from caselore.memory.api import Memory
    from caselore.memory.records import Actor, Filters, TokenInfo


@dataclass(frozen=True)
class App(Transfer, Desks):
    """caselore, wired: read, diagnose, recall, confirm, import. Close it or use it in a `with`."""

    opener: Callable[[setting.Settings], Memory]

    def __enter__(self) -> App:
        """Use it in a `with`."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close at the end of a `with`."""
        self.close()

    def close(self) -> None:
        """Close the store, if it was opened. Nothing is read or written with this value again."""
        self.__dict__["_closed"] = True
        for name in ("memory", "aside"):
            held = self.__dict__.pop(name, None)
            if held is not None:
                held.close()

    @cached_property
    def memory(self) -> Memory:
        """Open the memory at its first use. Raises: Unavailable; WrongUse where it was closed."""
        if "_closed" in self.__dict__:
            raise WrongUse("This application was closed.", hint="Open it anew: caselore.open(…).")
        return self.opener(self.settings)

    # Who calls

    @cached_property
    def _caller(self) -> identity.Caller:
        if self.settings.token is not None:
            return identity.bearer(self.memory.bearer(self.settings.token))
        return identity.unproven(self.settings, at_terminal=identity.interactive())

    def caller(self) -> Actor:
        """Tell who calls. Raises: Refused for a token that is unknown, expired or revoked."""
        return self._caller.actor

    def _acting(self, actor: Actor | str | None) -> Actor:
        """Take the caller, the owner of a given token, or what the caller may claim to be."""
        from caselore.memory.records import Actor  # noqa: PLC0415

        if actor is None:
            return self.caller()
        if isinstance(actor, str):
            if ":" not in actor:
                return self.memory.identify(actor)
            actor = Actor.parse(actor)
        return self._caller.claim(actor)

    def serving(self, caller: identity.Caller) -> App:
        """Give this application, its memory included, to a caller whom the door identified."""
        other = replace(self)
        other.__dict__.update(
            memory=self.memory, families=self.families, aside=self.aside, _caller=caller
        )
        return other

    # The main job

    def diagnose(  # noqa: PLR0913 - the named facts of one run
        self,
        log: Log,
        *,
        service: str = "",
        environment: str = "",
        branch: str = "",
        commit: str = "",
        deployment: str = "",
        stage: str = "",
        url: str = "",
        green: Log | GreenLines | None = None,
        model: str | None = None,
        name: str | None = None,
        actor: Actor | str | None = None,
        at: datetime | str | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Diagnosis:
        """Read a failed job's log, record it, recall, write what the evidence supports.

        `tell` hears how far a question to a model is, never what it says.

        Raises: BadInput for a name that cannot be kept; Unavailable for a model; OSError.
        """
        from caselore.incidents import service as incidents  # noqa: PLC0415

        asked = models.model_of(self.settings, model)
        who = self._acting(actor)
        passed = self._all_green(green, service, stage)
        with self._kept(log) as (file, keep):
            found = incidents.diagnose(
                self.memory,
                self._read(file, passed, name, 40, self._rarity, digest=True),
                actor=who,
                now=time_of(at) or self.now(),
                service=service,
                environment=environment,
                branch=branch,
                commit=commit,
                deployment=deployment.strip().removeprefix("#"),
                stage=stage,
                url=url,
                asking=self._asking(asked, who, tell) if asked else None,
            )
            keep(found.incident)
        return found

    @contextmanager
    def _kept(self, log: Log) -> Iterator[tuple[Log, Callable[[str], None]]]:
        """Give a log, and what keeps it under an incident: nothing, unless the settings ask."""
        if not self.settings.keep_logs:
            yield log, lambda incident: None
            return
        from caselore.wiring import shelf  # noqa: PLC0415

        with opened(log) as (given, _), spooled(given) as file:
            begin = file.tell()

            def keep(incident: str) -> None:
                file.seek(begin)
                now, days = self.now(), timedelta(days=self.settings.keep_logs)
                packed = shelf.taken(file).packed()
                self.aside.put_log(self.memory.bank, incident, packed, now + days, now)

            yield file, keep

    def _rarity(self, signature: Signature) -> float:
        return self.memory.rarity(signature.id)

    def _asking(
        self, model: Model, actor: Actor, tell: Callable[[str], None] | None
    ) -> Callable[[str], Model]:
        limits = models.limits_of(self.settings.model_limits)
        return models.metered(model, self.memory, actor, limits, self.now, tell)

    def _all_green(
        self, green: Log | GreenLines | None, service: str, stage: str
    ) -> GreenLines | None:
        """Join the given passing run with those that are remembered of the job."""
        from caselore.incidents import passing  # noqa: PLC0415

        kept = passing.remembered(self.memory, service, stage) if service and stage else None
        given = None if green is None else self.green_lines(green)
        return given.merge(kept) if given and kept else given or kept

    def recall(
        self,
        text: str | None = None,
        incident: str | None = None,
        limit: int = 5,
        filters: Filters | Mapping[str, Any] | None = None,
        as_of: datetime | str | None = None,
    ) -> Found:
        """Find confirmed precedents for words or for an incident.

        Raises: WrongUse for neither or both, or for more than is taken; NotFound for an unknown
        incident.
        """
        from caselore.guards import names  # noqa: PLC0415
        from caselore.memory.records import Filters  # noqa: PLC0415

        if (text is None) == (incident is None):
            raise WrongUse(
                "A recall is either for words or for an incident.",
                hint="Give a text, or the incident's id: `caselore recall --incident 1057`.",
            )
        names.check_count(limit, "limit", most=names.MOST_ANSWERS)
        if text is not None:
            names.check_text(text, "question")
        chosen = filters_of(Filters, filters) if isinstance(filters, Mapping) else filters
        return Found(
            self.memory.recall(
                text=text, incident=incident, limit=limit, filters=chosen, as_of=time_of(as_of)
            )
        )

    def whole(self, incident: str, *, model: str | None = "none") -> dict[str, Any]:
        """Give one incident with its chain, verdicts, occurrences and how fixes fared on it.

        `model` may tell a long chain. Raises: NotFound or Ambiguous; Unavailable for a model.
        """
        from caselore.wiring import documents  # noqa: PLC0415

        memory, case = self.memory, self.memory.get(incident)
        signature, chain = case.record.body.signature.id, memory.chain(case.id)
        told = self.model.summary((one for one, _ in chain), model)
        whole = documents.case_whole(
            case, chain, memory.occurrences(signature), memory.fixes(signature)
        )
        return {**whole, "summary": told.to_json() if told else None}

    def again(self, incident: str) -> Diagnosis:
        """Write what the evidence supports now for a recorded failure.

        Raises: NotFound or Ambiguous.
        """
        from caselore.incidents import preview  # noqa: PLC0415

        return preview.again(self.memory, incident)

    def preview(self, log: Log, *, green: Log | None = None, **facts: str) -> Diagnosis:
        """Write what the evidence supports for a failure, and record nothing.

        `facts` are those of `diagnose`. Raises: BadInput for a name that is none; OSError.
        """
        from caselore.incidents import preview  # noqa: PLC0415

        passed = self._all_green(green, facts.get("service", ""), facts.get("stage", ""))
        reading = self._read(
            log, passed, None, rarity=lambda one: self.memory.rarity(one.id), digest=True
        )
        return preview.preview(self.memory, reading, self.caller(), **facts)

    # Verdicts

    def confirm(
        self,
        incident: str,
        *,
        cause: str = "",
        resolution: str = "",
        result: str,
        actor: Actor | str | None = None,
        why_failed: str = "",
        precedents: Iterable[str] = (),
        proof: Iterable[str] = (),
        as_proposed: bool = False,
    ) -> Judged:
        """Say, as a person, what the cause was, what was done and whether it worked.

        `actor` is a token, or role:name where the process is that caller; by default the caller.
        `as_proposed` takes from the proposal what is not given.

        Raises: GateRefused unless a person; NotFound, Ambiguous or BadInput for what does not fit.
        """
        from caselore.incidents import service  # noqa: PLC0415

        case = service.confirm(
            self.memory,
            incident,
            cause=cause,
            resolution=resolution,
            result=result,
            actor=self._acting(actor),
            why_failed=why_failed,
            precedents=precedents,
            proof=proof,
            as_proposed=as_proposed,
        )
        return Judged(case)

    def refute(self, incident: str, why: str, actor: Actor | str | None = None) -> Judged:
        """Say, as a person, that it was wrong. Raises: GateRefused unless a person."""
        from caselore.incidents import service  # noqa: PLC0415

        return Judged(service.refute(self.memory, incident, why, self._acting(actor)))

    def unlike(
        self, incident: str, other: str, why: str, actor: Actor | str | None = None
    ) -> Judged:
        """Say, as a person, that two are not the same. Raises: GateRefused unless a person."""
        from caselore.incidents import service  # noqa: PLC0415

        return Judged(service.unlike(self.memory, incident, other, why, self._acting(actor)))

    def propose(
        self, incident: str, *, cause: str, resolution: str, actor: Actor | str | None = None
    ) -> Judged:
        """Say what it may have been; waits for a person. Raises: GateRefused for a CI identity."""
        from caselore.incidents import service  # noqa: PLC0415

        who = self._acting(actor)
        return Judged(service.propose(self.memory, incident, cause, resolution, who))

    def remember_green(
        self,
        log: Log,
        *,
        service: str,
        stage: str,
        label: str | None = None,
        commit: str = "",
        anyway: bool = False,
    ) -> tuple[int, tuple[str, ...]]:
        """Remember a passing run of a job.

        Gives the number of distinct lines, and the failures of the same job and commit, which
        left without a change. Raises: NotGreen for a log that reads as failed, unless `anyway`;
        OSError when the file cannot be opened.
        """
        from caselore.incidents import passing  # noqa: PLC0415

        passing.check_job(service, stage, commit)
        with opened(log) as (file, own_name), spooled(file) as kept:
            if not anyway:
                passing.must_have_passed(self.read(kept, name=label or own_name))
            kept.seek(0)
            lines, who = self.green_lines(kept, label or own_name), self.caller()
        flaky = self.memory.remember_green(
            service, stage, lines.to_bytes(), lines.label, who, commit
        )
        return len(lines.hashes), flaky

    # Tokens

    def create_token(
        self, role: str, name: str, expires: datetime | None = None
    ) -> tuple[str, TokenInfo]:
        """Make a token and give its text, once. Raises: GateRefused unless a person or set-up."""
        from caselore.memory.records import TokenRole  # noqa: PLC0415

        self._caller.must_keep_house(role)
        return self.memory.create_token(
            TokenRole(role), name, expires, self.caller(), setup=not self._caller.vouched
        )

    def revoke_token(self, token: str) -> None:
        """Make a token worthless. Raises: GateRefused unless a person; NotFound."""
        self.memory.revoke_token(token, self.caller())
