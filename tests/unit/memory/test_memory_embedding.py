"""Nobody waits for a slow model but who asks it: no write, no erasure, no other question."""

from __future__ import annotations

import threading
import time

import pytest
from test_memory_vectors import DISK, FAR, bytes_of, codes_of, names, told, with_vectors

from caselore.errors import Unavailable
from caselore.memory.stores.mirroring import MirrorArm
from fakes.embedder import TableEmbedder
from fakes.failures import ANA, CI, failure, memory_at, signed

LONG = 20.0  # seconds after which a test gives up


class SlowEmbedder(TableEmbedder):
    """A model that answers for texts to be kept when it is let go on, and does something first."""

    def __init__(self):
        super().__init__()
        self.asked, self.goes_on = threading.Event(), threading.Event()

    def records(self, texts):
        if any("oserror" in one for one in texts):
            self.asked.set()
            assert self.goes_on.wait(LONG)
        return super().records(texts)


@pytest.fixture
def slow(tmp_path):
    """A memory that embeds in a thread, by a model that does not answer yet."""
    embedder = SlowEmbedder()
    memory = with_vectors(tmp_path / "lore.sqlite3", embedder=embedder)
    memory.vectors_behind()
    told(memory)
    assert embedder.asked.wait(LONG)
    yield memory, embedder, tmp_path / "lore.sqlite3"
    embedder.goes_on.set()
    memory.close()


def until(holds):
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_what_is_written_is_embedded_with_nobody_asking(slow):
    memory, embedder, _ = slow
    embedder.goes_on.set()

    until(lambda: memory.vectors_status().entries == memory.ledger_head())

    assert names(memory.recall(text=FAR).hits) == ["1"]


def test_meanwhile_writes_and_questions_are_answered_and_what_is_missing_is_told(slow):
    memory, embedder, _ = slow

    memory.observe(failure("4", signature=signed("s4")), CI)
    found = memory.recall(text="statement timeout of payments")

    assert not embedder.goes_on.is_set()
    assert names(found.hits) == ["3"]
    assert "They are being embedded" in found.notes[0]


def test_an_erasure_meanwhile_leaves_no_vector_of_what_was_on_its_way(slow):
    memory, embedder, path = slow
    twin = told(with_vectors(path.with_name("twin.sqlite3")))
    twin.vectors_catch_up()
    (text,) = (one for one in twin._vectors._embedder.seen if one.startswith("oserror"))
    traces = codes_of(path.with_name("twin.sqlite3"), text)

    memory.erase("1", "a name stood in it", ANA)
    embedder.goes_on.set()
    until(lambda: memory.vectors_status().entries == memory.ledger_head())

    assert all(trace in bytes_of(path.with_name("twin.sqlite3")) for trace in traces)
    assert not any(trace in bytes_of(path) for trace in traces)
    assert names(memory.recall(text=FAR).hits) == []


def test_closing_does_not_wait_for_the_model(slow):
    memory, embedder, _ = slow
    began = time.monotonic()

    memory.close()

    assert time.monotonic() - began < LONG / 2
    assert not embedder.goes_on.is_set()


def test_a_model_that_fails_in_the_thread_is_told_by_the_question(tmp_path):
    memory = with_vectors(tmp_path / "lore.sqlite3", embedder=TableEmbedder(breaks_after=0))
    memory.vectors_behind()
    told(memory)

    found = memory.recall(text="statement timeout of payments")

    assert names(found.hits) == ["3"]
    assert "vectors of table 1" in found.notes[0]
    memory.close()


# No view of the store is open while a model or a mirror is asked: it would hinder an erasure.


class Scrubbing(TableEmbedder):
    """A model in whose time somebody else erases."""

    store = None

    def records(self, texts):
        self.store.scrub()
        return super().records(texts)

    def questions(self, texts):
        self.store.scrub()
        return super().questions(texts)


def test_a_question_holds_no_view_while_the_model_is_asked(tmp_path):
    embedder = Scrubbing()
    memory = with_vectors(tmp_path / "lore.sqlite3", embedder=embedder)
    embedder.store = memory._store
    told(memory)

    assert names(memory.recall(text=FAR).hits) == ["1"]
    memory.observe(failure("4", block=DISK, signature=signed("s4")), CI)
    assert memory.recall(text=FAR).notes == ()


class Mirror:
    """A mirror in whose time somebody else erases."""

    name = "a mirror"

    def __init__(self, store, ids):
        self.store, self.ids = store, ids

    def recall(self, question, limit):
        self.store.scrub()
        if not self.ids:
            raise Unavailable("The mirror does not answer.")
        return self.ids


@pytest.mark.parametrize("answers", [True, False])
def test_a_question_holds_no_view_while_a_mirror_is_asked(tmp_path, answers):
    memory = told(memory_at(tmp_path / "lore.sqlite3"))
    case = next(memory.list())
    ids = [f"caselore:default:{case.id}", "another's"] if answers else []
    memory._arms = (MirrorArm(Mirror(memory._store, ids)),)

    found = memory.recall(text=FAR)

    assert found.notes == (() if answers else ("a mirror: The mirror does not answer.",))
