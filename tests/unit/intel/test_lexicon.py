"""The words by which sentences are read: each list serves some code, and each class of words some cue."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from pathlib import Path

import caselore.intel

HOUSE = Path(caselore.intel.__file__).parent
CODE = "\n".join(one.read_text(encoding="utf-8") for one in sorted(HOUSE.rglob("*.py")))


def table(name):
    """Give a file of words."""
    return tomllib.loads(
        resources.files("caselore.intel").joinpath(name).read_text(encoding="utf-8")
    )


def test_no_list_of_words_is_left_that_nothing_reads():
    idle = [
        f"{name}.{key}"
        for name, lists in table("lexicon.toml").items()
        for key in lists
        if not re.search(rf'"{name}",\s*"{key}"', CODE)
    ]
    assert idle == []


def test_no_class_of_words_is_left_that_no_cue_holds():
    cues = table("cues.toml")
    shapes = str(cues["cue"]) + str(list(cues["words"].values()))
    assert [one for one in cues["words"] if f"{{{one}}}" not in shapes] == []
