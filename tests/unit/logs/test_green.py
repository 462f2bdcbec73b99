"""What passing runs printed, kept as hashes only."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.errors import BadInput
from caselore.logs import GreenLines

RUN = b"2026-01-01T00:00:00.1Z compiling 12 files\n\x1b[33mwarning: old api\x1b[0m\r\nsaved /tmp/ab12/out\n"


def test_a_line_is_known_whatever_its_numbers_colours_and_stamps() -> None:
    green = GreenLines.of(RUN)

    assert green.knows(b"compiling 311 files")
    assert green.knows(b"warning: old api")
    assert green.knows(b"saved /tmp/zz9/out")
    assert not green.knows(b"error: new api")


def test_blank_lines_are_always_known() -> None:
    assert GreenLines.of(b"").knows(b"   ")


def test_it_survives_storage() -> None:
    green = GreenLines.of(io.BytesIO(RUN), label="run 7 of müller/shop")

    assert GreenLines.from_bytes(green.to_bytes()) == green


@given(st.sets(st.integers(1, 2**64 - 1), max_size=20), st.text(max_size=20))
def test_any_set_survives_storage(hashes: set[int], label: str) -> None:
    green = GreenLines(frozenset(hashes), label)

    assert GreenLines.from_bytes(green.to_bytes()) == green


def test_runs_are_joined() -> None:
    both = GreenLines.of(b"one\n", label="a").merge(GreenLines.of(b"two\n", label="b"))

    assert (both.knows(b"one"), both.knows(b"two"), both.label) == (True, True, "a")


def test_no_text_is_kept() -> None:
    assert b"compiling" not in GreenLines.of(RUN, label="x").to_bytes()


@pytest.mark.parametrize(
    "data", [b"", b"rubbish", b"green1\n", GreenLines.of(RUN).to_bytes()[:-3]]
)
def test_what_is_no_green_run_is_refused(data: bytes) -> None:
    with pytest.raises(BadInput):
        GreenLines.from_bytes(data)
