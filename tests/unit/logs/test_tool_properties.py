"""Laws of every reader: one failure has one signature however it was written down, in linear time.

Must not weaken a law for one reader: exceptions stand in known_wrong.json.
"""

from __future__ import annotations

import time

import pytest
from longer_jobs import LONGER
from reading_cases import (
    VARIANTS,
    Case,
    cases,
    failing,
    known_wrong,
    reading_of,
    shown,
    stands,
)

from caselore.logs import read
from caselore.logs.engine import ENGINES
from caselore.logs.signs import book
from caselore.logs.tools import Reader, readers

WIDE = 1_000_000
PIECES = ("a", " ", "-", "0", "a.b:1:", "Error: ", "at x (", "\t", "\u2502 ")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("case", failing(), ids=lambda case: case.name)
def test_the_signature_does_not_depend_on_how_a_log_is_written(case: Case, variant: str) -> None:
    same = (
        read(VARIANTS[variant](case.data), name=case.file).signature.id
        == reading_of(case).signature.id
    )
    known = f"{case.name}/{variant}" in known_wrong()
    assert same != known, "known_wrong.json is out of date" if known else "another signature"


@pytest.mark.parametrize("case", failing(), ids=lambda case: case.name)
def test_line_ends_and_colours_move_no_failing_line(case: Case) -> None:
    for variant in ("CRLF line ends", "colours added"):
        if f"{case.name}/{variant}" not in known_wrong():
            there = read(VARIANTS[variant](case.data), name=case.file)
            assert there.failing_line == reading_of(case).failing_line, variant


@pytest.mark.parametrize("kind", LONGER)
@pytest.mark.parametrize("case", failing(), ids=lambda case: case.name)
def test_other_steps_of_a_job_do_not_mislead(case: Case, kind: str) -> None:
    known = f"{case.name}/{kind}" in known_wrong()
    right = stands(case, LONGER[kind](case))
    assert right != known, "known_wrong.json is out of date" if known else "misled by other steps"


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_the_excerpt_holds_the_failing_line_within_the_budget(case: Case) -> None:
    reading = reading_of(case)
    assert sum(part.last - part.first + 1 for part in reading.excerpt) <= 40
    assert reading.failing_line is None or reading.failing_line in shown(reading)


@pytest.mark.parametrize("kind", ENGINES)
def test_every_matching_engine_gives_the_same_answers(kind: str) -> None:
    using = book(kind=kind)
    for case in cases():
        there, here = read(case.data, name=case.file, using=using), reading_of(case)
        assert (there.failing_line, there.signature, there.excerpt) == (
            here.failing_line,
            here.signature,
            here.excerpt,
        ), case.name


def _openings(reader: Reader) -> list[str]:
    """What a start pattern of a reader begins with, as far as it is fixed text."""
    fixed = []
    for pattern in reader.start:
        text = ""
        for char in pattern.lstrip("^"):
            if not (char.isalnum() or char in " :#=-_"):
                break
            text += char
        fixed.append(text)
    return sorted(set(fixed))


@pytest.mark.parametrize("piece", PIECES)
def test_a_hostile_line_costs_no_more_than_its_length(piece: str) -> None:
    openings = sorted({text for reader in readers() for text in _openings(reader)})
    body = piece * (WIDE // len(piece))
    log = "\n".join([body, *(text + body[: WIDE // 100] for text in openings), body]).encode()
    before = time.process_time()
    read(log, name="hostile")
    assert time.process_time() - before < 12 * len(log) / 1e6, (
        "more than 12 s of CPU for a megabyte"
    )


@pytest.mark.soak
@pytest.mark.parametrize("reader", readers(), ids=lambda reader: f"{reader.tool}: {reader.why}")
def test_no_reader_is_slow_on_a_line_of_ten_megabytes(reader: Reader) -> None:
    for text in _openings(reader):
        for piece in PIECES:
            log = (text + piece * (10_000_000 // len(piece)) + "\n").encode()
            before = time.process_time()
            read(log, name="hostile")
            assert time.process_time() - before < 20
