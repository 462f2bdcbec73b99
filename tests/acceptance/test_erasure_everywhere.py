"""What was erased is in no byte of any file and in no table, wherever the product had put it."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest

from caselore import settings, wiring
from caselore.memory.records import ModelCall
from caselore.memory.retention import read_rules
from caselore.memory.stores.tantivy_shelf import Shelf

WORD = "zebrablockquux"
LOG = f"""step 3 of 9: deploy
psycopg.errors.QueryCanceled: {WORD} canceling statement of wombatcolumn
CONTEXT: while updating narwhaltable in relation ocelotpayments
ERROR: deployment of lemurservice stopped after 900 s
"""
OTHER = """step 3 of 9: deploy
psycopg.errors.QueryCanceled: canceling statement due to statement timeout
CONTEXT: while updating tuple in relation payments
ERROR: deployment of payment-service stopped after 900 s
"""
SAID = {
    "cause": "a marmotcause held the lock",
    "resolution": "batches of okapirecords",
    "result": "succeeded",
}
WORDS = (WORD, "wombatcolumn", "narwhaltable", "ocelotpayments", "lemurservice", "marmotcause", "okapirecords")  # fmt: skip
GRAMS = sorted({word[at : at + 4] for word in WORDS for at in range(len(word) - 3)})
# hashes and packed bytes hold four letters of a word by chance now and then, and not six
PIECES = sorted({word[at : at + 6] for word in WORDS for at in range(len(word) - 5)})


def opened(home: Path, url="", token=""):
    environment = {
        "CASELORE_HOME": str(home),
        "CASELORE_KEEP_LOGS": "30",
        **({"CASELORE_DATABASE_URL": url} if url else {}),
        **({"CASELORE_TOKEN": token} if token else {}),
    }
    return wiring.build(settings.load(environment=environment))


@pytest.fixture(params=["sqlite", "postgres"])
def world(request, tmp_path):
    """A home in which the record went every way: store, index, backups, answers, whole log."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    if url:
        sql(url, "DROP SCHEMA IF EXISTS caselore_aside CASCADE")
    home = tmp_path / "world" / "home"
    with opened(home, url) as app:
        token, _ = app.memory.create_token("human", "ana", None, app.caller(), setup=True)
    with opened(home, url, token) as app:
        yield app, tmp_path / "world", url


@pytest.fixture
def twin(tmp_path):
    """A home with everything but the record: what stands there is not the record's own."""
    folder = tmp_path / "twin"
    with opened(folder / "home") as app:
        tell_others(app, folder)
        app.memory.index_rebuild()
    return folder


def tell_others(app, folder):
    for number in range(70):  # so that the index has taken them in
        text = OTHER.replace("900 s", f"{number} s")
        app.diagnose(text.encode(), service="pay", deployment=f"o{number}", name="o")
    app.backup(folder / "one.db")


def tell(app, folder):
    """Let a record be written, judged, answered for, backed up and asked about."""
    tell_others(app, folder)
    found = app.diagnose(LOG.encode(), service="lemurservice", deployment="80017", name="z")
    app.propose(found.incident, cause="marmotcause perhaps", resolution="okapirecords")
    app.confirm(found.incident, **SAID)
    app.memory.keep_call(
        ModelCall("m", "p", "h", "answered", 1, 1, None, 0.1, found.incident), app.caller()
    )
    now = app.now()
    app.aside.claim("key", f"POST {WORD}", now)
    app.aside.keep("key", 201, json.dumps(found.to_json()))
    app.backup(folder / "one.db")
    app.backup(folder / "two.db")
    app.memory.index_rebuild()
    app.recall(text=f"{WORD} wombatcolumn")
    return found.incident


def sql(url, text, *values):
    with psycopg.connect(url, autocommit=True) as link:
        found = link.execute(text.encode(), values or None)
        return found.fetchall() if found.description else []


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes().lower() for path in folder.rglob("*") if path.is_file()}


def indexes(folder: Path):
    return [Shelf.of(meta.parent).searcher for meta in folder.rglob("meta.json")]


def own_grams(twin: Path) -> list[str]:
    """Give the 4-grams of the erased words that a home without the record does not hold by itself."""
    bytes_there, asked = files(twin).values(), indexes(twin)
    return [
        one
        for one in GRAMS
        if not set(one) <= set("0123456789abcdef")  # every id and hash may hold those
        and not any(one.encode() in data for data in bytes_there)
        and not any(searcher.doc_freq("grams", one) for searcher in asked)
    ]


def own_pieces(twin: Path) -> list[str]:
    """Give the pieces of the erased words that a home without the record does not hold by itself."""
    bytes_there = files(twin).values()
    return [one for one in PIECES if not any(one.encode() in data for data in bytes_there)]


def in_files(folder: Path, grams, pieces) -> set[tuple[str, str]]:
    """Search every byte for the words, as UTF-8 and UTF-16, and for pieces of them.

    The text index packs its terms: their 4-grams are asked of it, too.
    """
    found = set()
    for path, data in files(folder).items():
        found |= {(path.name, one) for one in (*WORDS, *pieces) if one.encode() in data}
        found |= {(path.name, one) for one in WORDS if one.encode("utf-16-le") in data}
    for searcher in indexes(folder):
        found |= {("index", one) for one in grams if searcher.doc_freq("grams", one)}
    return found


def in_tables(url, pieces) -> set[tuple[str, str]]:
    """Search every row of every table of every schema, and the bytes of its files, as stored."""
    tables = sql(
        url,
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    )
    assert {"caselore", "caselore_aside"} <= {schema for schema, _ in tables}
    found = set()
    for schema, table in tables:
        text = str(sql(url, f'SELECT t::text FROM "{schema}"."{table}" AS t')).lower()
        found |= {(table, one) for one in (*WORDS, *pieces) if one in text}
    sql(url, "CHECKPOINT")
    files = sql(
        url,
        "SELECT c.relname, pg_relation_filepath(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'i', 't')",
    )
    for name, path in files:
        data = bytes(sql(url, "SELECT pg_read_binary_file(%s, true)", path)[0][0] or b"").lower()
        found |= {(name, one) for one in WORDS if one.encode() in data}
    return found


@pytest.fixture
def found(world, twin):
    """Give the search for what is left of the erased record."""
    _, folder, url = world
    grams, pieces = own_grams(twin), own_pieces(twin)
    assert len(grams) > 30
    assert len(pieces) > 30
    return lambda: in_files(folder, grams, pieces) | (in_tables(url, pieces) if url else set())


def test_no_byte_of_an_erased_record_is_left_anywhere(world, found):
    app, folder, url = world
    id = tell(app, folder)
    before = found()
    assert {word for _, word in before} >= {*WORDS}
    assert {"one.db", "two.db", "index"} <= {name for name, _ in before}
    assert {"aside.db", "answers"} & {name for name, _ in before}
    assert app.whole_log(id, app.now()) is not None

    erased = app.erase_everywhere(id, "a customer asked")

    assert [one.rewritten for one in erased.swept.backups] == [True, True]
    assert ("write-ahead log" in erased.to_json().get("server", "")) is bool(url)
    assert found() == set()
    assert app.whole_log(id, app.now()) is None
    assert app.memory.ledger_verify().ok
    exported = json.dumps(list(app.memory.export(private=True)))
    assert not [word for word in WORDS if word in exported]
    app.close()
    assert found() == set()


class CutOff(Exception):
    """What ends a call in its middle, as a kill does."""


def cut_off(_):
    raise CutOff


def test_what_a_retention_that_was_cut_off_has_left_is_removed_by_the_next_call(world, found):
    app, folder, url = world
    tell(app, folder)
    rules = read_rules({"old": {"older": "0h", "status": "confirmed"}})
    app.retention.apply()  # nothing is due, and nothing is left to be swept
    with pytest.raises(CutOff):
        app.memory.retention_apply(app.memory.retention_due(rules), app.caller(), cut_off)
    left = {name for name, _ in found()}
    assert {"one.db", "two.db", "index", "aside.db" if not url else "answers"} <= left

    kept = app.retention.apply()

    assert kept.removed == 0
    assert found() == set()
