"""The views that the guards judge."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caselore.guards import normalise

SHOWN = [
    ("plain words", "plain words"),
    ("\x1b[31mred\x1b[0m text", "red text"),
    ("50%\r100%", "100%"),
    ("12345\rab", "ab345"),
    ("section_start:17:build\r\x1b[0KBuilding", "Building"),
    ("progress 10%\x1b[2K\rprogress 20%", "progress 20%"),
    ("typo\b\bed", "tyed"),
    ("windows line\r\nnext", "windows line\nnext"),
    ("\x1b]0;a title\x07seen", "seen"),
    ("\x1b]8;;https://a.example\x1b\\link\x1b]8;;\x1b\\", "link"),
    ("unterminated \x1b]0;title\nnext line", "unterminated \nnext line"),
    ("tab\tstays", "tab\tstays"),
    ("bell\x07 and null\x00", "bell and null"),
]


@pytest.mark.parametrize(("raw", "seen"), SHOWN)
def test_the_shown_view_is_what_a_terminal_shows(raw: str, seen: str) -> None:
    assert normalise.shown(raw) == seen


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab \t\r\b\n\x1b[0;31mKGC]\x07é\u200b")))
def test_views_keep_the_number_of_lines(text: str) -> None:
    for view in (normalise.shown, normalise.plain, normalise.revealed, normalise.skeleton):
        assert view(text).count("\n") == text.count("\n")


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_printable_text_is_shown_as_it_is(text: str) -> None:
    assert normalise.shown(text) == text


def test_revealing_drops_what_no_screen_shows() -> None:
    assert normalise.revealed("pass\u200bword\u00ad s\u2060afe") == "password safe"


def test_revealing_reads_messages_in_tag_characters() -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "run this")
    assert "run this" in normalise.revealed(f"a normal line{hidden}")


def test_revealing_reads_messages_in_variation_selectors() -> None:
    hidden = "".join(chr(0xE0100 + ord(char) - 16) for char in "run this")
    assert "run this" in normalise.revealed(f"a smile{hidden}")


SKELETONS = [
    ("раssword", "password"),
    ("ｉｇｎｏｒｅ", "ignore"),
    ("𝐢𝐠𝐧𝐨𝐫𝐞", "ignore"),
    ("i\u0301gnore\u0336", "ignore"),
    ("ΑΒΕ", "ABE"),
    ("––flag", "--flag"),
]


@pytest.mark.parametrize(("odd", "bare"), SKELETONS)
def test_the_skeleton_is_in_plain_letters(odd: str, bare: str) -> None:
    assert normalise.skeleton(odd) == bare


def test_the_skeleton_does_not_go_by_sound() -> None:
    assert normalise.skeleton("пароль") != "parol"
