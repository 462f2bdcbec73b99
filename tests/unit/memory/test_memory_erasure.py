"""Erased content is in no file of the home: not in free pages, not in the write-ahead log."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from caselore.errors import GateRefused, StoreBusy
from caselore.memory import Quoted
from caselore.memory.stores.sqlite import SqliteStore
from caselore.memory.stores.tantivy_shelf import Shelf
from caselore.memory.terms import key_grams
from fakes.failures import AGENT, ANA, BO, CI, LOCK, VARIABLE, failure, memory_at, signed

BLOCK = "zebrablock exploded while quuxing the wombatcolumn"
SAID = {
    "cause": "the marmotcause held a lock",
    "resolution": "batches of 731 narwhalrecords",
    "result": "failed",
    "why_failed": "the okapiwhy was slow",
}
SECRETS = (
    "zebrablock", "wombatcolumn", "aardvarkexcerpt", "marmotcause", "narwhalrecords", "okapiwhy",
    "lemurservice", "tapirbranch", "ibexproof", "geckoproposal", "civetrefutation", "dingotitle",
    "pandaunit", "kiwimessage", "ocelotstage", "mooseurl", "yakcommit", "gnusource", "0badc0ffee",
)  # fmt: skip


def secret_failure():
    incident = failure(
        "80017",
        service="lemurservice",
        branch="tapirbranch",
        commit="yakcommit",
        stage="ocelotstage",
        url="https://ci.example/mooseurl",
        signature=replace(signed("kiwimessage", unit="pandaunit"), id="sig1:0badc0ffee"),
        block=BLOCK,
        title="dingotitle",
    )
    return replace(incident, excerpt=(Quoted(3, 3, "aardvarkexcerpt", "an error"),))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def told(home, **more):
    memory = memory_at(home / "lore.sqlite3", **more)
    for number in range(40):
        memory.observe(failure(str(number)), CI)
    secret = memory.observe(secret_failure(), CI, sources=["gnusource"])
    memory.propose(secret.id, "a geckoproposal", "no idea", AGENT)
    memory.confirm(secret.id, **SAID, actor=ANA, proof=["https://ci.example/ibexproof"])
    memory.refute(secret.id, "a civetrefutation", BO)
    memory.confirm(secret.id, **SAID, actor=ANA, precedents=["0"])
    for number in range(40, 60):
        memory.observe(failure(str(number)), CI)
    return memory, secret


def found_in(home, texts=SECRETS):
    files = {path: path.read_bytes().lower() for path in home.rglob("*") if path.is_file()}
    assert any(path.name == "lore.sqlite3" for path in files)
    return {
        (path.name, text)
        for path, data in files.items()
        for text in texts
        if text.encode() in data
    }


def own_grams():
    """Give runs of characters of the secret's block that nothing else in the store says."""
    common = set(key_grams(" ".join((LOCK, VARIABLE, "payment-service", "0042_totals"))))
    return [one for one in key_grams(BLOCK) if one not in common and one.isalpha()]


def indexed(home, texts):
    """Give which texts are terms of any index there is; they are packed, so bytes do not show them."""
    folders = [path.parent for path in (home / "lore.sqlite3-index").rglob("meta.json")]
    assert folders
    return {
        text
        for folder in folders
        for text in texts
        if Shelf.of(folder).searcher.doc_freq("grams", text)
    }


def test_the_search_finds_what_was_not_erased(home):
    memory, _ = told(home)

    assert {text for _, text in found_in(home)} == set(SECRETS)
    memory.close()


def test_no_byte_of_the_content_is_left_in_any_file_while_the_store_is_open(home):
    memory, secret = told(home)

    memory.erase(secret.id, "a customer asked", ANA)

    assert found_in(home) == set()
    assert memory.ledger_verify().ok
    memory.close()
    assert found_in(home) == set()


def test_another_process_that_is_open_but_idle_keeps_no_copy(home):
    memory, secret = told(home)
    other = memory_at(home / "lore.sqlite3")
    assert other.get(secret.id).outcome

    memory.erase(secret.id, "a customer asked", ANA)

    assert found_in(home) == set()
    other.close()
    memory.close()
    assert found_in(home) == set()


def test_the_words_of_the_content_are_not_in_the_index_either(home):
    memory, secret = told(home)
    assert len(own_grams()) > 10
    memory.index_rebuild()
    assert indexed(home, own_grams())

    memory.erase("80017", "a customer asked", ANA)

    assert secret.id not in {hit.case.id for hit in memory.recall(text=BLOCK).nearest}
    assert not indexed(home, own_grams())
    assert memory.index_status().sound
    memory.close()


def test_a_reader_that_holds_a_copy_is_named_and_a_later_call_finishes(home):
    memory, secret = told(home)
    memory.close()
    reader = sqlite3.connect(home / "lore.sqlite3", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM payloads").fetchone()
    memory = memory_at(home / "lore.sqlite3")
    memory._store = SqliteStore(home / "lore.sqlite3", busy=0.1)

    with pytest.raises(StoreBusy, match="old pages may still hold a copy") as caught:
        memory.erase(secret.id, "a customer asked", ANA)
    assert secret.id in caught.value.hint
    assert memory.ledger_verify().ok
    entries = memory.ledger_verify().entries
    reader.execute("COMMIT")
    reader.close()
    memory.erase(secret.id, "a customer asked", ANA)

    assert memory.ledger_verify().entries == entries
    assert found_in(home) == set()
    memory.close()


def test_an_erasure_that_was_killed_before_its_end_is_finished_at_the_next_opening(
    home, monkeypatch
):
    memory, secret = told(home)
    monkeypatch.setattr(SqliteStore, "scrub", lambda self: None)
    memory.erase(secret.id, "a customer asked", ANA)
    memory.close()
    monkeypatch.undo()
    assert (home / "lore.sqlite3-scrub").exists()

    memory_at(home / "lore.sqlite3").close()

    assert found_in(home) == set()
    assert not (home / "lore.sqlite3-scrub").exists()


def test_only_a_person_erases(home):
    memory, secret = told(home)

    for actor in (AGENT, CI):
        with pytest.raises(GateRefused):
            memory.erase(secret.id, "hide it", actor)
    assert memory.get(secret.id).outcome
    memory.erase(secret.id, "asked to", ANA)
    with pytest.raises(GateRefused):
        memory.erase(secret.id, "again", AGENT)
    memory.close()


def test_what_others_say_of_an_erased_record_stays_readable(home):
    memory, secret = told(home)
    memory.confirm("1", **{**SAID, "cause": "its own words"}, actor=ANA, precedents=[secret.id])
    memory.unlike("2", secret.id, "another failure", ANA)

    memory.erase(secret.id, "a customer asked", ANA)

    assert memory.get("1").precedents == ()
    assert memory.get("1").outcome.cause == "its own words"
    assert memory.recall(incident="2").considered
    assert memory.ledger_verify().ok
    memory.close()
