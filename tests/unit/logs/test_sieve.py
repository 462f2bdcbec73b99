"""What the sieve leaves out, no pattern matches: it is only quicker than asking each."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caselore.logs import families
from caselore.logs.sieve import Sieve

PATTERNS = tuple(one for family in families.shipped() for one in family.patterns)
SHIPPED = Sieve(PATTERNS)
PLAIN = re.compile(r"(?i)disk (?:is )?full")


def matching(line: str) -> set[int]:
    """Ask every pattern, the slow way."""
    return {number for number, pattern in enumerate(PATTERNS) if pattern.search(line)}


@settings(max_examples=600)
@given(st.data())
def test_a_pattern_that_matches_is_never_left_out(data):
    number = data.draw(st.integers(0, len(PATTERNS) - 1))
    text = data.draw(st.from_regex(PATTERNS[number]))
    assert matching(text) <= set(SHIPPED.may_match(text))


@settings(max_examples=100)
@given(st.lists(st.sampled_from(PATTERNS), min_size=2, max_size=4), st.data())
def test_lines_that_hold_what_several_patterns_want_keep_them_all(chosen, data):
    line = " ".join(data.draw(st.from_regex(one)) for one in chosen).replace("\n", " ")
    assert matching(line) <= set(SHIPPED.may_match(line))


@pytest.mark.parametrize(
    "text",
    [
        "DISK FULL",
        "di\u017f\u212a full",
        "D\u0131sk full",
        "D\u0130SK FULL",
        "\udc80 disk is full",
    ],
)
def test_letters_that_only_look_alike_are_matched_as_re_matches_them(text):
    sieve = Sieve([PLAIN])
    assert bool(PLAIN.search(text)) <= (sieve.may_match(text) == (0,))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"a{,3}b{,2}", "ab"),
        (r"[b[:alpha:]]ok", "a]ok"),
        (r"(?<!no )error", "an error"),
        (r"(\w)\1", "oops"),
        (r"fail(?!ed)", "fails"),
        (r"[(?!x)]y", "!y"),
        ("\u00fcber", "\u00dcBER"),
        (r"\u2717 failed", "\u2717 failed"),
    ],
)
def test_what_another_engine_reads_otherwise_may_always_match(pattern, text):
    compiled = re.compile(pattern, re.I)
    assert compiled.search(text)
    assert Sieve([PLAIN, compiled]).may_match(text)[-1] == 1


@pytest.mark.parametrize("text", ["not ok \u0665", "not\u00a0ok 1", "not\x0bok 1", "not\x1cok 1"])
def test_digits_and_blanks_of_other_scripts_are_matched_as_re_matches_them(text):
    pattern = re.compile(r"not\sok \d")
    assert pattern.search(text)
    assert Sieve([pattern]).may_match(text) == (0,)


def test_a_line_without_the_words_of_a_pattern_leaves_it_out():
    left = set(range(len(PATTERNS))) - set(SHIPPED.may_match("the spool of billing was refused"))
    assert len(left) > len(PATTERNS) * 0.9
    assert Sieve([PLAIN]).may_match("all is well") == ()
    assert Sieve([]).may_match("disk full") == ()
