"""Explains a failure without recording it, and a recorded one again.

Must not write to the memory.
"""

from __future__ import annotations

from caselore.incidents import diagnosis, ingest, kept, service
from caselore.logs import Reading
from caselore.memory.api import Memory
from caselore.memory.records import Actor


def preview(memory: Memory, reading: Reading, actor: Actor, **facts: str) -> diagnosis.Diagnosis:
    """Write what the evidence supports for a failure that is not recorded.

    Raises BadInput for a name that is none.
    """
    incident = ingest.to_incident(reading, **facts)
    case, recalled = memory.preview(incident, actor, service.LIMIT)
    return diagnosis.write(case, reading, recalled, service.occurrences(memory, case))


def again(memory: Memory, ref: str) -> diagnosis.Diagnosis:
    """Write what the evidence supports now for a recorded failure. Raises NotFound, Ambiguous."""
    case = memory.get(ref)
    return service.explain(memory, case, kept.reading_of(case))
