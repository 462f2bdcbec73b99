"""Chunks of a log: they join to the log, end at line ends, and their line ends are counted right."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from caselore.logs.line_ends import fastest, one_by_one
from caselore.logs.source import Source

LINES = st.lists(st.text("ab", max_size=9).map(str.encode), max_size=12).map(b"\n".join)


@given(LINES, st.integers(1, 12))
def test_chunks_join_to_the_log_and_end_at_line_ends(data: bytes, size: int) -> None:
    from_bytes = list(Source(data).chunks(size))

    assert b"".join(from_bytes) == data
    assert all(from_bytes)
    assert all(c.endswith(b"\n") or len(c) > 2 * size for c in from_bytes[:-1])
    assert list(Source(io.BytesIO(data)).chunks(size)) == from_bytes


@given(LINES, st.integers(1, 12))
def test_a_chunk_holds_no_more_than_three_pieces(data: bytes, size: int) -> None:
    assert all(len(chunk) <= 3 * size for chunk in Source(data).chunks(size))


def test_a_file_that_becomes_shorter_meanwhile_ends_there() -> None:
    file = io.BytesIO(b"one\ntwo\nthree\n" * 100)
    source = Source(file)
    file.truncate(30)

    assert b"".join(source.chunks(16)) == (b"one\ntwo\nthree\n" * 3)[:30]


@given(st.binary(max_size=3000))
def test_line_ends_are_counted_alike(data: bytes) -> None:
    assert fastest()(data) == one_by_one(data) == data.count(b"\n")


def test_the_fast_count_is_another_than_the_plain_one() -> None:
    assert fastest() is not one_by_one
