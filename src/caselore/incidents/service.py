"""The use cases of incidents over a memory: diagnose, and take in what people and agents say.

Must not choose adapters, read files or print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from caselore.errors import GuardRefused, WrongUse
from caselore.guards import injection, names, secrets
from caselore.incidents import diagnosis, ingest, precedents
from caselore.llm.ports import Model
from caselore.logs import Reading
from caselore.memory.api import Memory
from caselore.memory.records import Actor, Case, Incident, Occurrences, Role

LIMIT = 5
Asking = Callable[[str], Model]
"""Gives the model that may phrase an incident's diagnosis, within that incident's limits."""


def diagnose(  # noqa: PLR0913 - the named facts of one run
    memory: Memory,
    reading: Reading,
    *,
    actor: Actor,
    now: datetime,
    service: str = "",
    environment: str = "",
    branch: str = "",
    commit: str = "",
    deployment: str = "",
    stage: str = "",
    url: str = "",
    sources: Iterable[str] = (),
    asking: Asking | None = None,
) -> diagnosis.Diagnosis:
    """Record a failure as observed, recall, write and check; `asking` gives a model to phrase it.

    An incident whose kept lines give orders to a model is quarantined: its diagnosis is written
    and shown as any other, but until a person releases it, it is cited nowhere.
    Raises BadInput for a name that is none, GateRefused where the gate refuses the incident.
    """
    incident = ingest.to_incident(
        reading,
        service=service,
        environment=environment,
        branch=branch,
        commit=commit,
        deployment=deployment,
        stage=stage,
        url=url,
    )
    case = memory.observe(
        incident, actor, happened_at=now, sources=tuple(sources), findings=findings(incident)
    )
    return explain(memory, case, reading, asking)


def explain(
    memory: Memory, case: Case, reading: Reading, asking: Asking | None = None
) -> diagnosis.Diagnosis:
    """Recall for a case that is stored, write and check."""
    recalled = memory.recall(incident=case.id, limit=LIMIT)
    model = asking(case.id) if asking else None
    return diagnosis.write(case, reading, recalled, occurrences(memory, case), model)


def occurrences(memory: Memory, case: Case) -> Occurrences:
    """Count a signature; a generic one names no failure, so only this one is counted."""
    signature, at = case.record.body.signature, case.record.happened_at
    if signature.generic:
        return Occurrences(1, at, at, int(precedents.succeeded(case)))
    return memory.occurrences(signature.id)


def findings(incident: Incident) -> tuple[str, ...]:
    """Give the rules of the orders to a model that an incident would keep."""
    kept = [incident.service, incident.environment, incident.branch, incident.stage, incident.url]
    kept += [incident.block, *(part.text for part in incident.excerpt)]
    return tuple(dict.fromkeys(found.rule for found in injection.scan("\n".join(kept))))


def confirm(
    memory: Memory,
    ref: str,
    *,
    cause: str,
    resolution: str,
    result: str,
    actor: Actor,
    why_failed: str = "",
    precedents: Iterable[str] = (),
    proof: Iterable[str] = (),
    as_proposed: bool = False,
) -> Case:
    """Keep a person's verdict, secrets masked; `as_proposed` takes what is proposed for the rest.

    Raises WrongUse where nothing is proposed, GateRefused, NotFound, Ambiguous; GuardRefused where
    a text gives orders to a model: a verdict is what later answers state, and nobody stands behind
    it to hold it back.
    """
    linked, shown = tuple(precedents), tuple(proof)
    names.check_count(len(linked), "the number of precedents", least=0, most=names.MOST_LINKS)
    names.check_count(len(shown), "the number of proofs", least=0, most=names.MOST_LINKS)
    if as_proposed:
        cause, resolution = _proposed(memory.get(ref), cause, resolution)
    if actor.role is Role.HUMAN:
        _without_orders(cause, resolution, why_failed)
    return memory.confirm(
        ref,
        cause=clean(cause),
        resolution=clean(resolution),
        result=result,
        why_failed=clean(why_failed),
        precedents=linked,
        proof=tuple(map(clean, shown)),
        actor=actor,
    )


def _proposed(case: Case, cause: str, resolution: str) -> tuple[str, str]:
    if case.proposed is None:
        raise WrongUse(
            "Nothing is proposed for this incident.",
            hint="Say it: --cause '…' --resolution '…', or draft it: `caselore draft`.",
        )
    return cause or case.proposed.cause, resolution or case.proposed.resolution


def _without_orders(*texts: str) -> None:
    found = injection.scan("\n".join(texts))
    if found:
        raise GuardRefused(
            f"The outcome holds text that gives orders to a model ({found[0].rule}).",
            hint="Say in your own words what the cause was and what was done.",
        )


def propose(memory: Memory, ref: str, cause: str, resolution: str, actor: Actor) -> Case:
    """Keep what an agent thinks, secrets masked; orders to a model in it are held by the guard."""
    found = injection.scan(f"{cause}\n{resolution}")
    rules = tuple(dict.fromkeys(one.rule for one in found))
    return memory.propose(ref, clean(cause), clean(resolution), actor, findings=rules)


def refute(memory: Memory, ref: str, why: str, actor: Actor) -> Case:
    """Keep that a diagnosis was wrong, secrets masked. Raises GateRefused."""
    return memory.refute(ref, clean(why), actor)


def unlike(memory: Memory, ref: str, other: str, why: str, actor: Actor) -> Case:
    """Keep for good that two incidents are not the same, secrets masked. Raises GateRefused."""
    return memory.unlike(ref, other, clean(why), actor)


def clean(text: str) -> str:
    """Give what a person or an agent says as it is kept: secrets masked, no outer blanks."""
    return secrets.redact(text).text.strip()
