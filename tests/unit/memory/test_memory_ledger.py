"""The chain holds exactly what was written, in the order in which it was written."""

from __future__ import annotations

from datetime import UTC

from hypothesis import given
from hypothesis import strategies as st

from caselore.memory.encoding import canonical, digest, stamp, unstamp
from caselore.memory.ledger import EMPTY, Entry, Head, Payload, Stored, extend, walk

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
