"""Turns a reading of a log into an incident that the memory can keep.

Must not judge the failure: its identity and family come from the reading.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

from caselore.guards import injection, names, secrets
from caselore.logs import Family, Reading, signature_of
from caselore.logs.reading import Signature
from caselore.memory.records import BLOCK_LIMIT, Incident, Quoted, Signed

TITLE_LIMIT = 200
SHORT, SHORT_KEPT = 2_000, 4_096  # characters of a text whose answer is kept, and how many
T = TypeVar("T")


def to_incident(
    reading: Reading,
    *,
    service: str = "",
    environment: str = "",
    branch: str = "",
    commit: str = "",
    deployment: str = "",
    stage: str = "",
    url: str = "",
) -> Incident:
    """Give the incident of a reading. Raises BadInput where a name of the run is not one."""
    return Incident(
        service=names.check_service(service) if service else "",
        environment=names.check_environment(environment) if environment else "",
        branch=names.check_branch(branch) if branch else "",
        commit=names.check_commit(commit) if commit else "",
        deployment=names.check_deployment(deployment) if deployment else "",
        stage=names.check_stage(stage) if stage else "",
        url=secrets.redact(names.check_url(url)).text if url else "",
        signature=signed(reading.signature),
        block=reading.block[:BLOCK_LIMIT],
        excerpt=tuple(Quoted(r.first, r.last, r.text, r.why) for r in reading.excerpt),
        failing_line=reading.failing_line,
        log_digest=reading.digest,
        log_lines=reading.lines,
        log_bytes=reading.bytes,
        title=title_of(reading),
    )


def title_of(reading: Reading) -> str:
    """Give the failing line, or what the signature says, as one line."""
    text = failing_text(reading) or reading.signature.message or reading.signature.error
    return " ".join(text.split())[:TITLE_LIMIT]


def failing_text(reading: Reading) -> str:
    """Give the text of the failing line where the excerpt holds it."""
    at = reading.failing_line
    for part in reading.excerpt:
        if at is not None and part.first <= at <= part.last:
            lines = part.text.split("\n")
            return lines[at - part.first] if at - part.first < len(lines) else ""
    return ""


def signed(signature: Signature) -> Signed:
    """Give what the memory keeps of a signature."""
    return Signed(
        id=signature.id,
        family=signature.family,
        tool=signature.tool,
        unit=signature.unit,
        error=signature.error,
        message=signature.message,
        frame=signature.frame,
        generic=signature.generic,
    )


def sign(text: str, families: Sequence[Family] = ()) -> Signed:
    """Compute the identity of an error that comes without its log, as in an import."""
    return signed(signature_of(text.encode("utf-8", "replace"), families))


def once(work: Callable[[str], T]) -> Callable[[str], T]:
    """Let the answers for short texts be given again: those of an import come many times."""
    kept = lru_cache(maxsize=SHORT_KEPT)(work)
    return lambda text: kept(text) if len(text) <= SHORT else work(text)


def screen(text: str) -> tuple[str, tuple[str, ...]]:
    """Give a text without its secrets, and the rules of the orders to a model found in it."""
    found = injection.scan(text)
    return secrets.redact(text).text, tuple(dict.fromkeys(one.rule for one in found))
