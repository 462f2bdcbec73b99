"""Words are found again by what they say; values are never among them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.memory.terms import TERM_LIMIT, alike, covered, grams, hashed, words


@pytest.mark.parametrize(
    ("text", "found", "absent"),
    [
        ("PaymentServiceTest.testRefund", {"paymentservicetest", "payment", "service", "test", "refund"}, set()),
        ("psycopg.errors.QueryCanceled: HTTPServerError", {"query", "canceled", "http", "server", "error"}, set()),
        ("relation tx_4711 after 900s at 2026-03-01T10:00", {"relation", "after"}, {"900s", "tx", "4711"}),
        ("commit 9f2c11d4e5 pod pay-7c9d8f6b5-x2x4z", {"commit", "pod", "pay"}, {"9f2c11d4e5", "x2x4z"}),
        ("GET https://ci.example/jobs/77?token=abc failed", {"get", "failed"}, {"https", "abc", "example"}),
        ("größere Überweisung", {"größere", "überweisung"}, set()),
        ("", set(), {""}),
    ],
)  # fmt: skip
def test_words_and_parts_of_compounds_but_no_values(text, found, absent):
    assert found <= set(words(text))
    assert not absent & set(words(text))


def test_the_same_failure_with_other_values_has_the_same_words():
    one = "canceling statement after 900 s in tx 0x7f00 of build 4411"
    other = "canceling statement after 31 s in tx 0xdeadbeef of build 98"

    assert hashed(one) == hashed(other)
    assert alike(grams(one), grams(other)) > 0.85


@given(st.text(max_size=3000))
def test_any_text_has_few_distinct_words_that_fit_a_column(text):
    found = hashed(text)

    assert len(found) == len(set(found)) <= TERM_LIMIT
    assert all(-(2**63) <= one < 2**63 for one in found)


@given(st.text(max_size=200), st.text(max_size=200))
def test_likeness_is_even_bounded_and_whole_for_equals(one, other):
    a, b = grams(one), grams(other)

    assert alike(a, b) == alike(b, a)
    assert 0 <= alike(a, b) <= 1
    assert alike(a, a) == 1
    assert 0 <= covered(a, b) <= 1
