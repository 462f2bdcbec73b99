"""The three engines give the same answers, and a pattern never joins two lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caselore.logs import engine
from caselore.logs.engine import ENGINES, Engine, first_hits, one_line
from caselore.logs.page import Segment, build
from caselore.logs.signs import book

LINES = [
    "",
    "ok",
    "make: *** [all] Error 2",
    "src/a.c:10:5: error: expected ';'",
    "    at Object.<anonymous> (a.test.js:3:1)",
    "FAILED tests/test_a.py::test_x - assert 1 == 2",
    "E       AssertionError: no",
    'The command "make" exited with 2.',
    "##[error]Process completed with exit code 1.",
    "Fehler: Größe überschritten ✗",
    "\tdeep\tError: x",
    "--- FAIL: TestX (0.00s)",
    "panic: runtime error",
    "Tests: 3 failed, 2 passed",
    "error",
    ":",
    "\x00\x01\x02",
]


def offsets(data: bytes) -> list[int]:
    starts = [0]
    for line in data.split(b"\n")[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    return starts


def hits(kind: str, data: bytes) -> dict[int, set[int]]:
    return book(kind=kind).engine.lines(data, offsets(data))


@pytest.mark.parametrize("kind", ENGINES[1:])
def test_every_engine_finds_the_same_patterns_in_the_same_lines(kind: str) -> None:
    data = "\n".join(LINES).encode()

    assert hits(kind, data) == hits("hyperscan", data)


@given(
    st.lists(
        st.one_of(st.sampled_from(LINES), st.text("aE:. \t1(✗-=FAILrod", max_size=30)), max_size=12
    )
)
@settings(max_examples=60, deadline=None)
def test_engines_agree_on_lines_that_nobody_thought_of(lines: list[str]) -> None:
    data = "\n".join(line.replace("\n", " ") for line in lines).encode()

    assert hits("hyperscan", data) == hits("re2", data)


def test_all_shipped_patterns_fit_the_native_engine() -> None:
    patterns = book().engine.patterns

    assert engine.native_database(patterns, "check", single=False) is not None


@pytest.mark.parametrize(
    ("pattern", "data", "lines"),
    [
        (r"a\s+b", b"a\nb\na b", {2: {0}}),
        (r"a[^x]+b", b"a\nb\na.b", {2: {0}}),
        (r"a\Wb", b"a\nb\na-b", {2: {0}}),
        (r"a\Db", b"a\nb\na-b", {2: {0}}),
        (r"^b$", b"ab\nb\nbc", {1: {0}}),
        (r"a.*", b"xa\nb", {0: {0}}),
        (r"a[\s,]b", b"a\nb\na,b", {2: {0}}),
    ],
)
@pytest.mark.parametrize("kind", ENGINES)
def test_a_pattern_sees_one_line_only(
    kind: str, pattern: str, data: bytes, lines: dict[int, set[int]]
) -> None:
    assert Engine([pattern], "check", kind).lines(data, offsets(data)) == lines


@pytest.mark.parametrize(
    ("pattern", "rewritten"),
    [
        (r"error: .*$", "error: "),
        (r"a\.\*", r"a\.\*"),
        (r"(?P<unit>\w+) x", r"(?:\w+) x"),
        (r"[\]x]+", r"[\]x]+"),
        ("x+", "x"),
        (r"\s*", r"[ \t\r\f\x0b]*"),
    ],
)
def test_rewriting_changes_no_answer(pattern: str, rewritten: str) -> None:
    assert one_line(pattern) == rewritten


@pytest.mark.parametrize("kind", ENGINES)
def test_a_search_over_raw_text_gives_each_pattern_once_and_where_first(kind: str) -> None:
    data = b"quiet\nerror: one\nerror: two\n"

    (end, number), *rest = first_hits(["error: ", "never"], "check", kind)(data)

    assert (number, rest) == (0, [])
    assert data.count(b"\n", 0, end) == 1


def test_a_compiled_database_is_kept_and_a_damaged_one_replaced(tmp_path: Path) -> None:
    engine.use_cache(tmp_path)
    try:
        assert engine.native_database(["abc"], "kept", single=False) is not None
        (stored,) = tmp_path.iterdir()
        stored.write_bytes(b"rubbish")
        again = Engine(["abc"], "kept", "hyperscan")

        assert again.lines(b"x abc", [0]) == {0: {0}}
        assert stored.read_bytes() != b"rubbish"
    finally:
        engine.use_cache(None)


def test_a_cache_that_cannot_be_written_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    engine.use_cache(tmp_path / "file")
    try:
        assert Engine(["abc"], "lost", "hyperscan").lines(b"abc", [0]) == {0: {0}}
    finally:
        engine.use_cache(None)


def test_a_pattern_that_the_native_engine_refuses_is_left_to_the_next() -> None:
    assert Engine([r"a(?:$|b)c?"], "refused", "").lines(b"xa\nb", [0, 3]) == {0: {0}}


def test_engines_agree_on_every_line_of_every_case() -> None:
    folder = Path(__file__).resolve().parents[2] / "cases" / "logs"
    data = b"\n".join(path.read_bytes() for path in sorted(folder.glob("*.log")))
    pages = build([Segment(1, data)])

    assert hits("hyperscan", pages.data) == hits("re2", pages.data)


def test_white_space_at_the_start_of_a_line_hides_nothing() -> None:
    patterns = [r"^\s+at \S", r"^\s*Traceback \(most recent call last\):"]
    data = (
        b"Exception in thread main\n\tat Settle.run(Settle.java:12)\n\tat Settle.main(S.java:1)\n"
    )

    for kind in ENGINES:
        assert set(engine.Engine(patterns, "space", kind).lines(data, offsets(data))) == {1, 2}
