"""Logs of tens of thousands of lines give the first result that was not expected, no summary."""

from __future__ import annotations

import pytest
from firefox_jobs import FAILURES, PREFIXES, job

from caselore.logs import read
from caselore.logs.signs import book


@pytest.mark.parametrize("tools", [True, False], ids=["readers on", "readers off"])
@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("kind", FAILURES)
def test_the_first_unexpected_result_is_found(kind: str, prefix: str, tools: bool) -> None:
    log, first = job(PREFIXES[prefix], FAILURES[kind])
    reading = read(log, name="x", using=book(tools))

    assert reading.failing_line == first
    assert reading.excerpt[0].first == first


def test_what_the_product_printed_in_passing_tests_names_no_failure_before_it() -> None:
    log, first = job(PREFIXES["task"], FAILURES["mochitest"], noise=20_000)
    reading = read(log, name="x")

    assert reading.lines > 100_000
    assert reading.failing_line == first
