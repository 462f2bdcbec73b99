"""Text of unknown origin is safe, readable and within the width on a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.faces.terminal import Paper, one_line, safe


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", None),
        ("admin\u202etxt.exe", "admin\\u202etxt.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\x9b2J", "\\x9b2J"),
        ("back\x08space", "back\\x08space"),
        ("over\rwritten", "over\\x0dwritten"),
        ("a\u2028b", "a\\u2028b"),
        ("half \udcff", "half \\udcff"),
        ("tab\there", "tab here"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
        ("Grüße, 世界 🎉", "Grüße, 世界 🎉"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_instead(hostile, shown):
    if shown is not None:
        assert safe(hostile) == shown
    assert "\x1b" not in safe(hostile)


@given(st.text())
def test_safe_text_holds_nothing_that_is_obeyed_hidden_or_reordered(text):
    for character in safe(text):
        assert character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Cs")


@given(st.text(), st.integers(40, 100))
def test_a_wrapped_text_keeps_to_the_width(text, width):
    assert all(len(line) <= width for line in Paper(width).wrap(text))


@given(st.text(), st.integers(2, 100))
def test_a_cut_text_is_one_line_that_fits(text, room):
    shown = Paper().cut(text, room)

    assert len(shown) <= room
    assert "\n" not in shown


def test_one_line_joins_lines():
    assert one_line("a\n  b\r\nc") == "a b c"


def test_without_colour_there_is_no_escape():
    assert Paper(colour=False).ink("x", "red") == "x"
    assert Paper(colour=True).ink("x", "red", "bold") == "\x1b[31;1mx\x1b[0m"
