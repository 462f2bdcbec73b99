"""Says whether a log that is given as a passing run reads as a failed one.

Must not read the log by itself: the reading says what stands in it.
"""

from __future__ import annotations

import re

from caselore.errors import NotGreen
from caselore.guards import names
from caselore.logs import GreenLines, Reading
from caselore.memory.api import Memory

SHOWN = 80  # characters of the failing line in a refusal
_ENDED = re.compile(
    r"(?i)\bjob failed\b|\bbuild failed\b|^FAILURE:|\bfinished: failure\b"
    r"|\bexit(?:ed|ing)?(?: with)?(?: code| status)?[ :=]{1,3}-?[1-9]\d{0,2}\b"
    r"|\breturned a non-zero code\b|\bmake(?:\[\d+\])?: \*\*\* .*\bError [1-9]",
    re.M,
)


def looks_failed(reading: Reading) -> str:
    """Say why a log can hardly be a passing run; empty where it may be one.

    A line that merely complains stands in many a passing log: a tool's own report of a failure,
    or an end with a code other than 0, must stand there as well.
    """
    if reading.failing_line is None:
        return ""
    signature = reading.signature
    ended = any(_ENDED.search(part.text) for part in reading.excerpt)
    reported = not signature.generic and bool(signature.tool or signature.error)
    if not (ended or reported):
        return ""
    said = names.quoted(" ".join((signature.message or signature.error).split())[:SHOWN])
    return f"line {reading.failing_line} reads as a failure: {said}"


def must_have_passed(reading: Reading) -> None:
    """Raise NotGreen for a log that reads as failed."""
    why = looks_failed(reading)
    if why:
        raise NotGreen(f"This is no passing run: {why}; nothing was remembered.")


def remembered(memory: Memory, service: str, stage: str) -> GreenLines | None:
    """Give what the remembered passing runs of a job printed; None where there is none."""
    runs = [GreenLines.from_bytes(data) for _, data in memory.green(service, stage)]
    return runs[0].merge(*runs[1:]) if runs else None


def check_job(service: str, stage: str, commit: str) -> None:
    """Hold a passing run's names to the rules of a failed one's. Raises BadInput."""
    for check, name in (
        (names.check_service, service),
        (names.check_stage, stage),
        (names.check_commit, commit),
    ):
        if name:
            check(name)
