"""Words are found again by what they say; values are never among them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.memory import terms
from caselore.memory.terms import KEY, alike, covered, grams_of, key_grams, key_text, masked


def grams(text):
    return grams_of(masked(text))


@pytest.mark.parametrize(
    ("text", "kept", "absent"),
    [
        ("PaymentServiceTest.testRefund", "paymentservicetest.testrefund", ()),
        ("relation tx_4711 after 900s at 2026-03-01T10:00", "relation 0 after 0s at", ("4711", "900", "2026")),
        ("commit 9f2c11d4e5 pod pay-7c9d8f6b5-x2x4z", "commit 0 pod pay-0-", ("9f2c", "7c9d")),
        ("GET https://ci.example/jobs/77?token=abc failed", "get 0 failed", ("http", "abc", "example")),
        ("größere  \n\tÜberweisung", "größere überweisung", ()),
        ("", "", ()),
    ],
)  # fmt: skip
def test_what_is_indexed_is_what_was_said_without_its_values(text, kept, absent):
    assert key_text(text).startswith(kept)
    assert not [one for one in absent if one in key_text(text)]


def test_the_same_failure_with_other_values_has_the_same_key():
    one = "canceling statement after 900 s in tx 0x7f00aa of build 4411"
    other = "canceling statement after 31 s in tx 0xdeadbeef of build 98"

    assert key_text(one) == key_text(other)
    assert alike(grams(one), grams(other)) == 1


@given(st.text(max_size=3000))
def test_any_text_gives_a_short_key_and_whole_runs_of_it(text):
    key = key_text(text)

    assert len(key) <= KEY
    assert all(len(gram) == 4 and gram in key for gram in key_grams(text))
    assert bool(key_grams(text)) == (len(key) > 3)


@given(st.text(max_size=200), st.text(max_size=200))
def test_likeness_is_even_bounded_and_whole_for_equals(one, other):
    a, b = grams(one), grams(other)

    assert alike(a, b) == alike(b, a)
    assert 0 <= alike(a, b) <= 1
    assert alike(a, a) == 1
    assert 0 <= covered(a, b) <= 1


@given(st.text("ab é9-", max_size=40), st.text("ab é9-", max_size=40))
def test_runs_are_compared_as_if_they_were_written_out(one, other):
    def written(text):
        plain = masked(text)
        return {plain[at : at + 4] for at in range(max(1, len(plain) - 3))}

    assert len(grams(one) & grams(other)) == len(written(one) & written(other))
    assert len(grams(one)) == len(written(one))


@given(st.text("aZx_0159. -\x1c\x1f\x0b\n", max_size=60) | st.text(st.characters(codec="ascii")))
def test_plain_text_is_masked_by_one_rule_as_by_the_two_that_hold_for_any(text):
    assert terms._quick(text) == terms._slow(text)
