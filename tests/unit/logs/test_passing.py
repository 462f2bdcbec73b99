"""A log that says that the job ended well names no failure, whatever it printed on the way."""

from __future__ import annotations

import pytest

from caselore.logs import read

PASSING = {
    "gitlab": 'section_start:1:step_script\r\x1b[0KExecuting "step_script" stage of the job script\n'
    "$ make test\nERROR: could not connect to cache, using a local one\nok 12\n"
    "section_end:2:step_script\r\x1b[0K\nJob succeeded\n",
    "jenkins": "[Pipeline] sh\n+ make test\nERROR: cache gone\n12 tests\n[Pipeline] End of Pipeline\nFinished: SUCCESS\n",
    "travis": '$ npm test\nError: boom (expected)\n12 passing\nThe command "npm test" exited with 0.\n\n'
    "Done. Your build exited with 0.\n",
    "azure": "##[section]Starting: test\nError: connection refused (retrying)\nfatal: no tag\n##[section]Finishing: test\n",
    "pytest": "collected 3 items\nERROR: some log\n============ 3 passed in 0.10s ============\n",
    "jest": "console.error\n  TypeError: x is not a function\n    at y (a.js:1:1)\n\nTests:       12 passed, 12 total\nTime: 2 s\n",
    "unittest": "ERROR: shop: boom\n...\n-----------\nRan 3 tests in 0.001s\n\nOK\n",
}


@pytest.mark.parametrize("system", PASSING)
def test_a_log_that_says_it_passed_names_no_failure(system: str) -> None:
    reading = read(PASSING[system].encode(), name="x")

    assert reading.failing_line is None
    assert (reading.signature.family, reading.signature.generic) == ("unknown", True)


@pytest.mark.parametrize(
    ("log", "line"),
    [
        ("===== 3 passed in 0.1s =====\n./deploy: line 3: TOKEN: unbound variable\n", 2),
        ("12 passing\n1 failing\n\n  1) cart:\n     AssertionError: no\n", 5),
        ('The command "npm ci" exited with 0.\n$ npm test\nTypeError: x is not a function\n', 3),
        ("Error: boom\n12 passing\nERROR: Job failed: exit code 1\n", 1),
        ("##[section]Starting: a\n##[error]No such image: shop\n##[section]Finishing: a\n", 2),
        ("===== 1 failed, 3 passed in 0.1s =====\n===== 3 passed in 0.1s =====\nError: boom\n", 3),
    ],
)
def test_what_failed_beside_something_that_passed_is_still_named(log: str, line: int) -> None:
    assert read(log.encode(), name="x").failing_line == line
