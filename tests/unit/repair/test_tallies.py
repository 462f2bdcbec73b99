"""How many tests ran, from what the common frameworks print at their end."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.repair.tallies import Tally, fewer, tally

ENDS = {
    "pytest": ("====== 1 failed, 40 passed, 2 skipped in 3.10s ======", Tally(41, 2)),
    "pytest, quiet": ("40 passed, 3 deselected, 1 xfailed, 2 warnings in 61.20s (0:01:01)", Tally(41, 3)),
    "pytest, nothing collected": ("= 1 error in 0.52s =", Tally(1, 0)),
    "unittest": ("Ran 41 tests in 0.101s\n\nOK (skipped=2)\n", Tally(39, 2)),
    "unittest, red, under a runner's clock": (
        "2026-11-01T10:00:00Z Ran 41 tests in 0.1s\n2026-11-01T10:00:00Z \n"
        "2026-11-01T10:00:00Z FAILED (failures=1, skipped=3)\n", Tally(38, 3),
    ),
    "unittest, nothing skipped": ("Ran 1 test in 0.000s\n\nOK\n", Tally(1, 0)),
    "jest": ("Tests:       1 failed, 2 skipped, 40 passed, 43 total", Tally(41, 2)),
    "jest, coloured": ("\x1b[1mTests:       \x1b[22m\x1b[1m\x1b[32m40 passed\x1b[39m\x1b[22m, 40 total", Tally(40, 0)),
    "vitest": ("      Tests  1 failed | 40 passed | 2 skipped (43)", Tally(41, 2)),
    "mocha": ("\n  40 passing (2s)\n  2 pending\n  1 failing\n", Tally(41, 2)),
    "go": ("--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n--- SKIP: TestC (0.00s)\n--- FAIL: TestD (0.1s)\n", Tally(3, 1)),
    "go packages": ("ok  \tex.org/pay/a\t0.012s\nFAIL\tex.org/pay/b\t0.1s\nok  \tex.org/pay/c\t(cached)\n?   \tex.org/d\t[no test files]\n", Tally(3, 0)),
    "gotestsum": ("DONE 45 tests, 1 skipped, 2 failures in 1.2s", Tally(44, 1)),
    "cargo": (
        "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.0s\n"
        "test result: FAILED. 7 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n", Tally(20, 1),
    ),
    "maven": (
        "[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 12, Time elapsed: 0.1 s -- in a.B\n"
        "[ERROR] Tests run: 41, Failures: 1, Errors: 0, Skipped: 2\n", Tally(39, 2),
    ),
    "dotnet": ("Passed!  - Failed:     0, Passed:    40, Skipped:     2, Total:    42, Duration: 1 s", Tally(40, 2)),
    "rspec": ("41 examples, 1 failure, 2 pending", Tally(39, 2)),
    "minitest": ("41 runs, 100 assertions, 1 failures, 0 errors, 2 skips", Tally(39, 2)),
    "phpunit, green": ("OK (41 tests, 100 assertions)", Tally(41, 0)),
    "phpunit": ("Tests: 41, Assertions: 100, Failures: 1, Skipped: 2.", Tally(39, 2)),
    "ctest": ("97% tests passed, 1 tests failed out of 41", Tally(41, 0)),
    "gtest": ("[==========] 41 tests from 3 test suites ran. (12 ms total)", Tally(41, 0)),
    "playwright": ("  40 passed (3.1s)", Tally(40, 0)),
    "node": ("# tests 41\n# pass 41\n", Tally(41, 0)),
    "exunit": ("41 tests, 0 failures, 2 skipped", Tally(39, 2)),
}  # fmt: skip
# What has no count, however it looks.
NONE = {
    "prose": "all tests passed in the end, 3 of us were there",
    "a step": "Step 40 of 41 passed",
    "a compiler": "12 errors generated.",
    "downloads": "Downloaded 12 packages in 3.4s",
    "a promise": "tests 3 things at once",
    "nothing": "",
}


@pytest.mark.parametrize("case", ENDS)
def test_a_frameworks_last_words_are_counted(case):
    text, expected = ENDS[case]
    tool = case.partition(",")[0]

    found = tally(io.BytesIO(b"building ...\n" + text.encode() + b"\ncleaning up\n"))
    assert found[tool] == expected
    assert set(found) == {tool}


@pytest.mark.parametrize("case", NONE)
def test_what_is_no_count_is_none(case):
    assert tally(io.BytesIO(NONE[case].encode())) == {}


def test_a_large_log_is_read_in_pieces():
    log = (
        b"x" * 3_000_000 + b"\n" + b"line\n" * 300_000 + b"40 passed in 1.0s\n" + b"y\n" * 600_000
    )

    assert tally(io.BytesIO(log)) == {"pytest": Tally(40, 0)}


@given(st.binary(max_size=3_000))
def test_any_bytes_are_read(data):
    for one in tally(io.BytesIO(data)).values():
        assert one.ran >= 0
        assert one.skipped >= 0


@pytest.mark.parametrize(
    ("green", "before", "least", "told"),
    [
        ({"pytest": (40, 0)}, {"pytest": (41, 0)}, 1.0, "pytest ran 40 tests instead of 41"),
        ({"pytest": (41, 0)}, {"pytest": (41, 0)}, 1.0, ""),
        ({"pytest": (50, 2)}, {"pytest": (41, 2)}, 1.0, ""),
        ({"pytest": (50, 3)}, {"pytest": (41, 2)}, 1.0, "pytest left out 3 tests instead of 2"),
        ({"jest": (1, 0)}, {"pytest": (41, 0)}, 1.0, ""),
        ({"pytest": (38, 0)}, {"pytest": (41, 0)}, 0.9, ""),
        ({"pytest": (30, 0)}, {"pytest": (41, 0)}, 0.9, "pytest ran 30 tests instead of 41"),
        ({"pytest": (0, 0)}, {"pytest": (41, 0)}, 1.0, "pytest ran 0 tests instead of 41"),
        ({}, {"pytest": (41, 0)}, 1.0, ""),
    ],
)
def test_fewer_is_said_only_of_what_both_counted(green, before, least, told):
    sides = [{name: Tally(*one) for name, one in side.items()} for side in (green, before)]

    assert "".join(fewer(*sides, least)) == told
