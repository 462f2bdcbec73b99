"""The few words that an index reads of a payload are those that the whole payload says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.memory.encoding import canonical
from caselore.memory.ledger import Entry
from caselore.memory.projection import spoken, spoken_line
from caselore.memory.stores.said_words import words_of

NASTY = [
    '"block":"x"', '\\"service":"x', '","title":"', '\\', '\\\\"unit":"', '"late":true', "\n\t\0\x1f",
    "größer\u2028✓", '"cause":"a","resolution":"b"', "", '"', '{"block":"', "\\u0041", "\x7f",
]  # fmt: skip
TEXT = st.sampled_from(NASTY) | st.text(max_size=8) | st.lists(st.sampled_from(NASTY)).map("".join)


def entry(action):
    return Entry("b", 1, "t", "ana", "human", action, "inc_1", "", "", "")


def observed(block, service, title, unit, name, value):
    incident = {
        "attributes": [[name, value], ["block", block], ['"block":"', title]],
        "block": block, "branch": value, "excerpt": [{"first": 1, "text": block, "why": unit}],
        "service": service, "title": title, "url": value,
        "signature": {"error": value, "id": name, "message": block, "unit": unit},
    }  # fmt: skip
    return {"kind": "incident", "incident": incident, "sources": [name], "findings": [value]}


def must_agree(action, body):
    payload = canonical(body)
    whole, few = json.loads(payload), words_of(entry(action), payload)
    assert spoken(entry(action), few) == spoken(entry(action), whole)
    assert spoken_line(entry(action), few) == spoken_line(entry(action), whole)
    return few


@given(TEXT, TEXT, TEXT, TEXT, TEXT, TEXT)
def test_of_an_incident(block, service, title, unit, name, value):
    few = must_agree("observe", observed(block, service, title, unit, name, value))
    assert set(few) == {"incident"}


@given(TEXT, TEXT, TEXT, st.booleans())
def test_of_an_outcome_that_may_have_come_late(cause, resolution, why, late):
    more = {"late": True} if late else {}
    body = {"cause": cause, "resolution": resolution, "why_failed": why, "proof": [why], **more}
    few = must_agree("confirm", body)
    assert ("late" in few) is late


@pytest.mark.parametrize("action", ["erase", "resign", "propose"])
def test_what_has_no_words_has_none(action):
    assert spoken(entry(action), words_of(entry(action), '{"why":"asked to"}')) == ""


def test_a_payload_that_lacks_a_name_is_read_whole():
    body = {"incident": {"block": "a", "title": "t", "service": "s", "signature": {"unit": 5}}}
    assert words_of(entry("observe"), canonical(body)) == body
