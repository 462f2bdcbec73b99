"""Vectors: questions in other words find what people confirmed, and nothing ever depends on them."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_memory_as_of import HISTORIES, must_remember

from caselore.errors import Unavailable
from caselore.incidents.precedents import recalled_json
from caselore.memory import Filters, Weights, ranking
from caselore.memory.encoding import stamp
from caselore.memory.ledger import Head
from caselore.memory.measured import Candidate, Sought
from caselore.memory.ranking import Scale
from caselore.memory.rows import CaseRow
from caselore.memory.stores import vector_shelf
from caselore.memory.stores.folder_vectors import BATCH, TAKEN, FolderVectors
from caselore.memory.stores.vector_rooms import IdleVectors
from caselore.memory.stores.vector_shelf import VectorShelf, Written, added, begun
from caselore.memory.yardstick import Yardstick, probes
from fakes.embedder import TableEmbedder
from fakes.failures import (
    ANA,
    BATCHES,
    CI,
    START,
    failure,
    memory_at,
    missing_variable,
    signed,
)

DISK = "OSError: [Errno 28] No space left on device: '/var/lib/build/layer.tar'"
LOGIN = "denied: unauthorized: login required to push web"
CLEAN = {
    "cause": "Images are never pruned.",
    "resolution": "Prune each night.",
    "result": "succeeded",
}
ROBOT = {
    "cause": "The robot's password was rotated.",
    "resolution": "Renew it.",
    "result": "succeeded",
}
FAR = "storage volume is full"  # not a word of it stands in DISK


def with_vectors(place, beside=None, embedder=None, **more):
    """Open a memory whose questions are compared in meaning, too."""
    memory = memory_at(place, beside, **more)
    vectors = FolderVectors(memory._store, folder(beside or place), embedder or TableEmbedder())
    memory._arms, memory._vectors = (vectors,), vectors
    return memory


def folder(place):
    return place.with_name(f"{place.name}-vectors")


def told(memory):
    """Tell three failures with their fixes."""
    for number, block, outcome in (("1", DISK, CLEAN), ("2", LOGIN, ROBOT), ("3", "", BATCHES)):
        name = signed(f"s{number}", unit=f"u{number}")
        more = {"block": block} if block else {}
        memory.observe(failure(number, service=f"web-{number}", signature=name, **more), CI)
        memory.confirm(number, **outcome, actor=ANA)
    return memory


def names(hits):
    return [hit.case.record.body.deployment for hit in hits]


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    if request.param == "sqlite":
        return tmp_path / "lore.sqlite3", None
    return request.getfixturevalue("postgres_url"), tmp_path / "beside"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lore.sqlite3"


# What they are for


def test_a_question_in_other_words_finds_the_confirmed_fix(place):
    memory = told(with_vectors(*place))

    found = memory.recall(text=FAR)

    assert names(found.hits) == ["1"]
    assert found.hits[0].case.outcome.resolution == CLEAN["resolution"]
    reasons = {one.name: one.reason for one in found.hits[0].signals}
    assert reasons["close in meaning"].endswith("deviations above unrelated texts")
    assert reasons["brought"] == "place 1 by vectors of table 1"
    assert found.notes == ()
    memory._arms = ()
    assert memory.recall(text=FAR).hits == ()
    memory.close()


@pytest.mark.parametrize(
    "question",
    [
        "the vending machine refuses coins",
        "spell checker marks German",
        "satellite imagery is shifted",
    ],
)
def test_what_is_unknown_stays_unknown(path, question):
    memory = told(with_vectors(path))

    assert memory.recall(text=question).hits == ()


def test_what_is_close_but_below_the_floor_is_shown_as_no_answer(path):
    memory = told(with_vectors(path, weights=Weights(meaning_floor=50)))

    found = memory.recall(text=FAR)

    assert found.hits == ()
    assert names(found.nearest)[0] == "1"
    assert "below the floor" in found.nearest[0].why_not


def test_a_failure_is_compared_by_its_identity_and_words_alone(path):
    """Known-wrong: whoever asks the arms for a failure, too, pays for a model in every job."""
    embedder = TableEmbedder()
    memory = told(with_vectors(path, embedder=embedder))
    memory.recall(incident="1")

    assert embedder.seen == []


def test_filters_hold_for_what_vectors_bring(path):
    memory = told(with_vectors(path))

    assert names(memory.recall(text=FAR, filters=Filters(service="web-1")).hits) == ["1"]
    assert memory.recall(text=FAR, filters=Filters(service="web-2")).hits == ()


LIKENESS = st.floats(0, 0.87).map(lambda one: round(one, 3))
CLOSENESS = st.one_of(st.none(), st.floats(-5, 40).map(lambda one: round(one, 2)))
DAYS = st.integers(0, 400)


def scored(case, days, likeness, closeness):
    at = stamp(START - timedelta(days=days))
    row = SHAPE._replace(id=case, happened_at=at)
    one = Candidate(row, likeness, ("ana",), closeness=closeness, rareness=likeness)
    return Scale(Sought(text="x", question=True), Weights(), START).score(one)


SHAPE = CaseRow(
    **dict.fromkeys(CaseRow._fields, "")
    | {name: 0 for name, kind in get_type_hints(CaseRow).items() if kind is int}
    | {"status": "confirmed", "result": "succeeded", "confirmed_by": "human:ana"}
)


@given(LIKENESS, CLOSENESS, CLOSENESS, DAYS, DAYS)
def test_meaning_never_displaces_a_record_in_which_the_whole_question_stands(
    likeness, close, own, age, other_age
):
    whole = scored("b", age, 1.0, own)
    soft = scored("a", other_age, likeness, close)

    assert ranking.ordered([soft, whole])[0] is whole


@given(LIKENESS, CLOSENESS, DAYS)
def test_meaning_takes_no_point_away(likeness, close, days):
    assert scored("a", days, likeness, close).score >= scored("a", days, likeness, None).score


def test_without_vectors_every_answer_is_what_it_was_to_the_byte(path):
    """Nothing of the arms shows: neither in points, nor in reasons, nor as empty fields."""
    memory = told(with_vectors(path))
    with_them = recalled_json(memory.recall(text="statement timeout of payments"))
    plain = told(memory_at(path.with_name("plain.sqlite3")))
    memory._arms = ()

    off = json.dumps(recalled_json(memory.recall(text="statement timeout of payments")))

    assert off == json.dumps(recalled_json(plain.recall(text="statement timeout of payments")))
    assert "notes" not in off
    assert "meaning" not in off
    assert "meaning" in json.dumps(with_them)


LAW = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def must_remember_with_vectors(folders, history, every):
    memory = with_vectors(folders.mktemp("as-of") / "lore.sqlite3")
    must_remember(memory, history, every)
    memory.close()


@settings(LAW, max_examples=8)
@given(HISTORIES)
def test_a_recall_as_of_a_time_is_what_a_frozen_store_with_vectors_answered(
    tmp_path_factory, history
):
    must_remember_with_vectors(tmp_path_factory, history, every=6)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_the_law_holds_with_vectors_for_two_thousand_histories(tmp_path_factory):
    @settings(LAW, max_examples=int(os.environ.get("CASELORE_TEST_HISTORIES", "2000")))
    @given(HISTORIES)
    def law(history):
        must_remember_with_vectors(tmp_path_factory, history, every=3)

    law()


# What becomes of them


def test_a_text_is_embedded_once_and_with_it_neither_secret_nor_value(path):
    embedder = TableEmbedder()
    memory = with_vectors(path, embedder=embedder)
    token = "ghp_" + "A1b2C3d4E5" * 4
    for number in range(4):
        leaked = f"{DISK}\nat 10.0.0.{number} run {number}71 with token {token}"
        memory.observe(failure(str(number), block=leaked, signature=signed("a")), CI)
    memory.recall(text=f"what did 10.0.0.7 do with {token}")

    asked = embedder.seen[len(probes().records) + len(probes().questions) :]
    assert len(asked) == 2
    assert not any(token[4:14].lower() in text.lower() or "10.0.0" in text for text in asked)


def test_a_model_that_stops_in_the_middle_goes_on_there(path):
    embedder = TableEmbedder()
    memory = with_vectors(path, embedder=embedder)
    many(memory, 3 * BATCH)
    begin = len(probes().records) + len(probes().questions)
    embedder.breaks_after = begin + BATCH
    with pytest.raises(Unavailable):
        memory.vectors_catch_up()
    assert memory.vectors_status().texts == BATCH

    embedder.breaks_after, steps = None, []
    memory.vectors_catch_up(steps.append)

    assert memory.vectors_status().texts == 3 * BATCH
    assert len(embedder.seen) == len(set(embedder.seen)) == begin + 3 * BATCH
    assert steps == sorted(steps)
    assert steps


ANIMALS = ("aardvark", "badger", "caracal", "dingo", "ermine", "ferret", "gopher", "hyena")


def many(memory, most):
    for number in range(most):
        words = " ".join(ANIMALS[number // 8**at % 8] for at in range(4))
        memory.observe(failure(f"n{number}", block=f"lost {words}", signature=signed(words)), CI)


def test_a_question_embeds_a_few_late_texts_and_tells_of_the_rest(path):
    memory = with_vectors(path)
    many(memory, TAKEN + 20)

    first, second = memory.recall(text=FAR), memory.recall(text=FAR)

    assert "20 entries have no vector yet" in first.notes[0]
    assert second.notes == ()


def test_a_model_that_does_not_answer_leaves_the_words_to_answer(path):
    embedder = TableEmbedder()
    memory = told(with_vectors(path, embedder=embedder))
    memory.vectors_catch_up()
    embedder.breaks_after = 0

    found = memory.recall(text="no space left on device")

    assert names(found.hits) == ["1"]
    assert found.notes == ("vectors of table 1: The table does not answer.",)


def test_another_model_begins_anew_and_leaves_nothing_of_the_old_one(path):
    memory = told(with_vectors(path))
    memory.vectors_catch_up()
    (room,) = folder(path).iterdir()
    old = (room / "current").read_text()
    memory.close()

    memory = with_vectors(path, embedder=TableEmbedder("table 2"))
    assert not memory.vectors_status().sound
    assert names(memory.recall(text=FAR).hits) == ["1"]

    assert memory.vectors_status().model == "table 2"
    assert not (room / old).exists()


def spoil_mark(shelf):
    (shelf / "mark.json").write_text('{"seq": 99999}')


DAMAGE = {
    "no mark": lambda shelf: (shelf / "mark.json").unlink(),
    "a mark of other fields": spoil_mark,
    "no frame": lambda shelf: (shelf / "frame.json").unlink(),
    "a frame that is cut": lambda shelf: (shelf / "frame.json").write_text('{"form": 1'),
    "no vectors": lambda shelf: (shelf / "codes").unlink(),
    "vectors that are cut": lambda shelf: (shelf / "codes").write_bytes(b"\0" * 100),
    "entries that are cut": lambda shelf: (shelf / "numbers").write_bytes(b""),
    "no folder": shutil.rmtree,
    "a pointer to nowhere": lambda shelf: (shelf.parent / "current").write_text("../../etc"),
    "an empty pointer": lambda shelf: (shelf.parent / "current").write_text(""),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_heals_by_the_next_question(path, damage):
    memory = told(with_vectors(path))
    memory.vectors_catch_up()
    memory.close()
    (room,) = folder(path).iterdir()
    damage(room / (room / "current").read_text())

    memory = with_vectors(path)

    assert names(memory.recall(text=FAR).hits) == ["1"]
    assert memory.vectors_status().sound


def test_what_a_killed_writer_left_beyond_the_mark_is_cut_off(path):
    memory = told(with_vectors(path))
    memory.vectors_catch_up()
    (room,) = folder(path).iterdir()
    shelf = room / (room / "current").read_text()
    for name in ("seqs", "numbers", "keys", "codes", "signs"):
        with (shelf / name).open("ab") as file:
            file.write(b"\7" * 1_001)

    memory.observe(failure("4", block="denied: password rejected", signature=signed("x")), CI)
    memory.vectors_catch_up()

    assert names(memory.recall(text=FAR).hits) == ["1"]
    assert (shelf / "seqs").stat().st_size == 8 * VectorShelf.of(shelf).reach.entries


def test_vectors_of_another_history_are_not_believed(path):
    memory = told(with_vectors(path))
    memory.vectors_catch_up()
    memory.close()
    path.unlink()

    other = with_vectors(path)
    for number in range(9):
        other.observe(missing_variable(f"7{number}", url=f"https://ci/{number}"), CI)

    assert other.recall(text=FAR).hits == ()
    assert other.vectors_status().texts == 1


def test_a_folder_that_cannot_be_written_is_used_as_it_is(path, tmp_path):
    memory = told(with_vectors(path))
    memory.vectors_catch_up()
    (room,) = folder(path).iterdir()
    (room / "lock").unlink()
    (room / "lock").mkdir()  # root may write anywhere, but nobody opens a folder as a file
    memory.observe(failure("4", block="denied: password rejected", signature=signed("x")), CI)

    found = memory.recall(text=FAR)

    assert names(found.hits) == ["1"]
    assert "1 entries have no vector yet" in found.notes[0]


# Erasing


def codes_of(path, text):
    """Give the bytes by which a text's vector would be found in the files."""
    (room,) = folder(path).iterdir()
    shelf = VectorShelf.of(room / (room / "current").read_text())
    key = vector_shelf.key_of(text)
    at = shelf.keys.tolist().index(key)
    return key.to_bytes(8, "little"), shelf.codes[at].tobytes()


def bytes_of(path):
    return b"".join(one.read_bytes() for one in folder(path).rglob("*") if one.is_file())


@pytest.mark.parametrize("left", ["the same model", "no model"])
def test_an_erasure_removes_vectors_and_embeds_nothing_again(path, left):
    embedder = TableEmbedder()
    memory = told(with_vectors(path, embedder=embedder))
    memory.vectors_catch_up()
    (text,) = (one for one in embedder.seen if one.startswith("oserror"))
    traces, asked = codes_of(path, text), len(embedder.seen)
    assert all(trace in bytes_of(path) for trace in traces)
    if left == "no model":
        memory._arms, memory._vectors = (), IdleVectors(folder(path))

    memory.erase("1", "a name stood in it", ANA)

    assert not any(trace in bytes_of(path) for trace in traces)
    if left == "the same model":
        assert names(memory.recall(text=FAR).hits) == []
        assert len(embedder.seen) == asked + 1
        assert memory.vectors_status().sound


def test_an_erasure_by_another_process_removes_them_at_the_next_question(path):
    memory = told(with_vectors(path))
    memory.vectors_catch_up()
    other = memory_at(path)  # it knows of no vectors, as an older version would not
    other.erase("1", "a name stood in it", ANA)

    memory.recall(text=FAR)

    assert VectorShelf.of(folder_now(path)).reach.texts == 4


def folder_now(path):
    (room,) = folder(path).iterdir()
    return room / (room / "current").read_text()


# Searching many


@pytest.mark.parametrize("asked", range(5))
def test_signs_alone_choose_well_among_many(tmp_path, monkeypatch, asked):
    chance = np.random.default_rng(asked)
    rows = chance.normal(size=(3_000, 384))
    shelf = begun(tmp_path / "many", "chance", Yardstick((0.0,) * 384, (0.0,) * 384, 0.0, 1.0))
    batch = Written([(n + 1, n) for n in range(3_000)], list(enumerate(rows.tolist())))
    added(shelf, batch, Head(3_000, "0" * 64), lambda key: key)
    shelf = VectorShelf.of(shelf.folder)
    question = shelf.centred((rows[asked * 7] + chance.normal(size=384)).tolist())
    exact = [one.number for one in shelf.nearest(question, 20)]

    monkeypatch.setattr(vector_shelf, "WHOLE", 100)
    monkeypatch.setattr(vector_shelf, "SHORT", 300)
    by_signs = [one.number for one in shelf.nearest(question, 20)]

    assert by_signs[0] == exact[0] == asked * 7
    assert len({*by_signs} & {*exact}) >= 15


# Kills


@pytest.mark.parametrize("kills", [3, pytest.param(60, marks=pytest.mark.soak)])
def test_a_killed_embedding_goes_on_and_has_every_text_once(path, kills):
    memory = with_vectors(path, embedder=TableEmbedder())
    many(memory, 200)
    chance = random.Random(kills)
    for _ in range(kills):
        memory.observe(failure(f"k{chance.random()}", block=f"denied {chance.random()}"), CI)
        if chance.random() < 0.3:
            shutil.rmtree(folder(path), ignore_errors=True)
        killed_within(path, chance.random() * 0.4)
        found = memory.recall(text="volume of storage is full")
        assert all(note.endswith("embeds them.") for note in found.notes)

    memory.vectors_catch_up()

    shelf = VectorShelf.of(folder_now(path))
    assert len(set(shelf.keys.tolist())) == len(shelf.keys) == 200 + 1
    assert len(shelf.seqs) == len(set(shelf.seqs.tolist())) == 200 + kills


def killed_within(path, seconds):
    """Let a process embed for a while, then kill it."""
    words = [sys.executable, str(WRITER), str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        process.kill()
        process.communicate()


WRITER = Path(__file__).resolve().parents[2] / "fakes" / "vector_writer.py"
