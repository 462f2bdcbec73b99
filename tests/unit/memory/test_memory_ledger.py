"""The chain holds exactly what was written, in the order in which it was written."""

from __future__ import annotations

import random
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.memory.encoding import canonical, digest, stamp, unstamp
from caselore.memory.ledger import EMPTY, Entry, Head, Payload, Stored, extend, walk
from fakes.failures import CI, failure, memory_at

texts = st.text(st.characters(codec="utf-8"), max_size=20)


def chain(bodies):
    head, stored = EMPTY, []
    for body in bodies:
        payload = Payload("a" * 32, canonical({"said": body}))
        entry = extend(
            head, Entry("b", 0, "t", "ana", "human", "observe", body, "", "", ""), payload
        )
        stored.append(Stored(entry, payload))
        head = Head(entry.seq, entry.hash)
    return stored


@given(st.lists(texts, max_size=8))
def test_what_was_written_holds(bodies):
    head, broken = walk(chain(bodies))

    assert broken is None
    assert head.seq == len(bodies)


@given(st.lists(texts, min_size=1, max_size=6), st.data())
def test_a_change_in_any_column_of_any_entry_breaks_the_chain_there(bodies, data):
    stored = chain(bodies)
    at = data.draw(st.integers(0, len(stored) - 1))
    column = data.draw(st.sampled_from(Entry._fields))
    entry, payload = stored[at]
    old = getattr(entry, column)
    new = old + 1 if isinstance(old, int) else old + data.draw(st.sampled_from([" ", "0", "\0"]))
    stored[at] = Stored(entry._replace(**{column: new}), payload)

    _, broken = walk(stored)

    assert broken is not None
    assert str(entry.seq if column != "seq" else entry.seq + 1) in broken.place


@given(st.lists(texts, min_size=2, max_size=6), st.data())
def test_a_missing_or_moved_entry_breaks_the_chain(bodies, data):
    stored = chain(bodies)
    at = data.draw(st.integers(0, len(stored) - 2))
    swapped = [*stored[:at], stored[at + 1], stored[at], *stored[at + 2 :]]

    assert walk(stored[:at] + stored[at + 1 :])[1] is not None
    assert walk(swapped)[1] is not None


@given(st.lists(texts, min_size=1, max_size=6))
def test_a_chain_without_its_payloads_still_holds(bodies):
    stored = chain(bodies)

    assert walk([Stored(entry, None) for entry, _ in stored]) == walk(stored)


def test_a_payload_that_was_changed_is_named():
    (one,) = chain(["x"])
    changed = Stored(one.entry, one.payload._replace(body=one.payload.body + " "))

    assert walk([changed])[1].reason == "its payload is not what was written"


def test_parts_of_a_digest_cannot_run_into_each_other():
    assert digest("a", "bc") != digest("ab", "c")


@given(*[st.datetimes(timezones=st.just(UTC))] * 2)
def test_times_sort_as_their_texts(one, other):
    assert unstamp(stamp(one)) == one
    assert (stamp(one) < stamp(other)) == (one < other)


def test_a_job_that_passes_over_and_over_leaves_a_sound_ledger(tmp_path):
    memory = memory_at(tmp_path / "lore.sqlite3")
    for number in range(14):  # five runs are kept: the ones that forgot the first are forgotten
        memory.remember_green("pay", "test", b"lines of a run", f"run {number}", CI)
    assert len(memory.green("pay", "test")) == 5
    assert memory.ledger_verify().ok
    memory.close()


FORMS = [600, pytest.param(10_000, marks=pytest.mark.soak)]
CHAIN = [f"what happened at step {number}" for number in range(12)]


@pytest.mark.parametrize("tries", FORMS)
def test_every_edit_deletion_and_reordering_is_found(tries):
    pick = random.Random(20261103)
    stored = chain(CHAIN)
    for _ in range(tries):
        assert walk(_tampered(list(stored), pick))[1] is not None


def _tampered(stored, pick):
    """Change one byte of one column or payload, leave an entry out, or let two change places."""
    at = pick.randrange(len(stored) - 1)  # the last one's loss is for the head to tell
    way = pick.choice(["column", "payload", "gone", "swapped"])
    if way == "gone":
        del stored[at]
    elif way == "swapped":
        other = pick.choice([place for place in range(len(stored)) if place != at])
        stored[at], stored[other] = stored[other], stored[at]
    elif way == "payload":
        entry, payload = stored[at]
        part = pick.choice(["salt", "body"])
        changed = _one_byte(getattr(payload, part), pick)
        stored[at] = Stored(entry, payload._replace(**{part: changed}))
    else:
        entry, payload = stored[at]
        column = pick.choice(Entry._fields)
        value = getattr(entry, column)
        new = value ^ (1 << pick.randrange(8)) if column == "seq" else _one_byte(value, pick)
        stored[at] = Stored(entry._replace(**{column: new}), payload)
    return stored


def _one_byte(text, pick):
    at = pick.randrange(len(text)) if text else 0
    return text[:at] + chr(ord(text[at]) ^ (1 << pick.randrange(6))) + text[at + 1 :]


def test_a_shortened_ledger_is_found_against_a_head_kept_elsewhere(tmp_path):
    path = tmp_path / "lore.sqlite3"
    memory = memory_at(path)
    for number in range(6):
        memory.observe(failure(str(number)), CI)
    kept = memory.ledger_verify().head
    memory.close()
    shorter = memory_at(tmp_path / "shorter.sqlite3")
    for number in range(5):
        shorter.observe(failure(str(number)), CI)
    assert shorter.ledger_verify().ok
    assert not shorter.ledger_verify(expected_head=kept).ok
    shorter.close()
