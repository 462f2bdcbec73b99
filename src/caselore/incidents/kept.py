"""Gives the reading of a stored incident back, as far as it was kept, to explain it again.

Must not read a log: what was not kept is not known.
"""

from __future__ import annotations

from caselore.guards import injection
from caselore.logs import Reading
from caselore.logs.reading import Range, Signature, Suspicion
from caselore.memory.records import Case

NOTE = "from what the memory keeps of the log"


def reading_of(case: Case) -> Reading:
    """Give the reading of a case; whether the log was cut is not kept."""
    body = case.record.body
    signed = body.signature
    return Reading(
        log=body.url,
        lines=body.log_lines,
        bytes=body.log_bytes,
        truncated=False,
        failing_line=body.failing_line,
        excerpt=tuple(Range(one.first, one.last, one.text, one.why) for one in body.excerpt),
        signature=Signature(
            id=signed.id,
            family=signed.family,
            tool=signed.tool,
            unit=signed.unit,
            error=signed.error,
            message=signed.message,
            frame=signed.frame,
            specificity=0.0 if signed.generic else 1.0,
            generic=signed.generic,
        ),
        redactions=(),
        injection=tuple(_suspicions(case)),
        digest=body.log_digest,
        block=body.block,
        notes=(NOTE,),
        green=None,
    )


def _suspicions(case: Case) -> list[Suspicion]:
    return [
        Suspicion(part.first + found.line - 1, found.rule, found.view)
        for part in case.record.body.excerpt
        for found in injection.scan(part.text)
    ]
