"""The format of the tool readers: what is written wrong is refused with its name."""

from __future__ import annotations

import pytest

from caselore.errors import BadInput
from caselore.logs.families import shipped
from caselore.logs.tools import Reader, any_of, check, parse, readers

GOOD = """tool = "mytool"
[[reader]]
start = '^MYTOOL (?P<unit>\\S+) broke'
"""


@pytest.mark.parametrize("reader", readers(), ids=lambda r: f"{r.tool}: {r.why}")
def test_every_shipped_reader_is_sound(reader: Reader) -> None:
    check(reader)
    assert reader.tool
    assert 0 <= reader.weight <= 100
    assert reader.pick in {"first", "last"}
    assert reader.family in {"", *(f.name for f in shipped())}


def test_a_reader_needs_little() -> None:
    (reader,) = parse(GOOD, "mytool.toml")

    assert (reader.tool, reader.why, reader.weight) == ("mytool", "mytool failure", 50)
    assert reader.starts[0].search("MYTOOL a broke")
    assert reader.end is None


@pytest.mark.parametrize(
    "text",
    ['tool = "x"\n[[reader]]\nwhy = "no start"\n', GOOD + "colour = 'red'\n"],
)
def test_unknown_or_missing_fields_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"x\.toml"):
        parse(text, "x.toml")


def test_what_is_no_pattern_is_refused() -> None:
    (reader,) = parse(GOOD + "end = '('\n", "x.toml")
    with pytest.raises(BadInput, match="mytool, end"):
        check(reader)


def test_patterns_are_joined_without_their_names() -> None:
    joined = any_of([r"(?P<unit>a)", r"(?P<unit>b)"])

    assert joined
    assert joined.search("b")
    assert any_of([]) is None
