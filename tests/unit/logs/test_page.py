"""What a terminal would show, with the numbers of the log."""

from __future__ import annotations

import pytest

from caselore.logs.page import LINE_CAP, Segment, build, shown_lines


def lines(data: bytes) -> list[str]:
    return [line.decode() for line in shown_lines(data)[0]]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"plain", "plain"),
        (b"\x1b[31;1merror:\x1b[0m no", "error: no"),
        (b"\x1b]0;title\x07text", "text"),
        (b"\x1b_bk;t=1700000000000\x07$ make", "$ make"),
        (b"10%\r50%\rdone", "done"),
        (b"10%\r50%\r", "50%"),
        (b"ab\x08c", "ac"),
        (b"text\r", "text"),
        (b"^[[31merror^[[0m", "error"),
        (b"[31mred[0m", "red"),
        (b"2024-03-01T10:00:00.1234567Z ##[error]no", "##[error]no"),
        (b"2024-03-01T10:00:00.123456Z 00O $ make", "$ make"),
        (b"2024-03-01T10:00:00.123456Z 00O+x", "x"),
        (b"[2024-03-01T10:00:00.123Z] + make", "+ make"),
        (b"10:00:00 FAIL x", "FAIL x"),
        (b"[10:00:00] Starting", "Starting"),
        (b"12:00:01     INFO -  TEST-START | a", "TEST-START | a"),
        (b"12:00:01    ERROR - no", "   ERROR - no"),
        (b"[task 2019-01-01T00:00:00.000Z] 12:00:01     INFO -  x", "x"),
        (b"web-1  | Error: no", "Error: no"),
        (b"build\tRun make\t2024-03-01T10:00:00.1234567Z error: no", "error: no"),
        (b"#12 3.456 npm ERR! code E404", "npm ERR! code E404"),
        (b"2024-03-01 10:00:00.000000 | node-1 | fatal: no", "fatal: no"),
        (b"Mar  1 10:00:00 host app[12]: boom", "boom"),
        (b"travis_fold:start:script\r\x1b[0K$ make", "$ make"),
        (b"section_start:1700000000:step_script\r\x1b[0KRunning", "Running"),
    ],
)
def test_a_line_is_read_as_it_is_shown(raw: bytes, shown: str) -> None:
    assert lines(raw) == [shown]


@pytest.mark.parametrize(
    "line",
    [
        b"a.c:10:5: error: x",
        b"at 10:00 o'clock",
        b"tests | passed | failed",
        b"[1] first item",
        b"2024 was a good year",
        b"array[31] = m",
        b"value [0] m",
    ],
)
def test_text_that_only_looks_like_a_prefix_stays(line: bytes) -> None:
    assert lines(line) == [line.decode()]


def test_tokens_of_the_runner_are_kept_apart() -> None:
    _, marks = shown_lines(b"x\ntravis_time:start:ab\r\x1b[0K$ make\nsection_end:1:a\r\x1b[0K")

    assert [(line, text[:17]) for line, text in marks] == [
        (1, "travis_time:start"),
        (2, "section_end:1:a"),
    ]


def test_tokens_are_found_anywhere_and_one_inside_another_is_a_part_of_it() -> None:
    data = (
        b"a travis_wait b\nx\nsection_start:12:step_script\rgo\n\n"
        b"travis_fold:start:section_end:5:x\rtravis_time:end:1\rend section_end:9:\nsection_\n"
    )
    shown, marks = shown_lines(data)

    assert marks == [
        (2, "section_start:12:step_script"),
        (4, "travis_fold:start:section_end:5:x"),
        (4, "travis_time:end:1"),
        (4, "section_end:9:"),
    ]
    assert shown == [b"a travis_wait b", b"x", b"go", b"", b"end ", b"section_", b""]


@pytest.mark.parametrize("tab", [b"", b"\tand a tab"], ids=["no tab", "a tab"])
def test_a_prefix_is_stripped_alike_with_and_without_a_tab_behind_it(tab: bytes) -> None:
    text = b"2026-11-30T12:00:07.123Z one" + tab + b"\n[12:00:08] two" + tab
    assert lines(text) == ["one" + tab.decode(), "two" + tab.decode()]
    assert lines(b"build\tRun make\t2026-11-30T12:00:07.1Z one" + tab) == ["one" + tab.decode()]


def test_numbers_count_newlines_only() -> None:
    page = build([Segment(1, b"a\rb\r\nc\x0bd\x85e\ne")])

    assert list(page.numbers) == [1, 2, 3]


def test_blank_lines_between_all_lines_are_left_out_and_numbers_stay() -> None:
    page = build([Segment(1, b"\n\n".join(b"line %d" % n for n in range(60)))])

    assert page.lines[1] == "line 1"
    assert page.numbers[1] == 3


def test_windows_of_one_log_are_parted_by_a_gap() -> None:
    page = build([Segment(1, b"a\nb"), Segment(90, b"c")])

    assert (list(page.numbers), page.gaps) == ([1, 2, 90], frozenset({2}))
    assert page.index(90) == 2
    assert page.raw(90, 90) == ["c"]


def test_a_very_long_line_keeps_its_head_and_its_tail() -> None:
    (line,) = lines(b"head " + b"x" * 1_000_000 + b" tail")

    assert line.startswith("head ")
    assert line.endswith(" tail")
    assert len(line) <= LINE_CAP + 5


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    assert build([Segment(1, b"a\xff\xfeb")]).lines == ["a��b"]
