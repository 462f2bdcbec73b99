"""A row of an export that somebody changed is refused with its reason, never taken in halfway."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caselore.memory import read_lines
from caselore.memory.ledger import Head
from caselore.memory.stores.ledger_mark import LedgerMark
from fakes.exhibits import event, page
from fakes.failures import ANA, BATCHES, CI, IMPORT, failure, signed
from fakes.histories import fresh


def rows_of_each_kind() -> dict[str, dict]:
    """Give one exported row a kind, sealed for its own bank only, so without seals."""
    memory = fresh()
    memory.observe(failure("1"), CI)
    memory.observe(failure("2", signature=signed("other")), CI)
    memory.observe(failure("3", signature=signed("third")), CI)
    memory.confirm("1", **BATCHES, actor=ANA)
    memory.merge("1", "2", "one cause", ANA)
    memory.file(event(memory.file(page(), CI).id), CI)
    memory.erase("3", "asked to", ANA)
    rows = [json.loads(json.dumps(row)) for row in memory.export(private=True)]
    for row in rows:
        row.pop("previous")
        row.pop("seal")
    return {row["kind"]: row for row in rows}


ROWS = rows_of_each_kind()


def changed(kind: str, path: str, value: object) -> str:
    """Give a row as JSON, one value of it exchanged; a number in the path names a place."""
    row = json.loads(json.dumps(ROWS[kind]))
    *way, last = (int(one) if one.isdigit() else one for one in path.split("."))
    at = row
    for step in way:
        at = at[step]
    assert repr(at[last]) != repr(value)  # a place that is not there would test nothing
    at[last] = value
    return json.dumps(row)


TIMES = ["2026-11-01T10:00:00", "yesterday", "", 7, None, ["2026"], "9999-12-31T23:59:59-23:59"]
NUMBERS = [-1, 1.5, "7", True, 2**53, None]
FLAGS = ["false", 0, None]
WRONG = [
    *(("incident", "happened_at", one) for one in TIMES),
    *(("incident", "recorded_at", one) for one in TIMES),
    *(("incident", "verdicts.0.at", one) for one in TIMES),
    *(("merge", "at", one) for one in TIMES),
    *(("erased", "at", one) for one in TIMES),
    *(("snapshot", "body.known_at", one) for one in TIMES),
    *(("incident", "incident.log_lines", one) for one in NUMBERS),
    *(("incident", "incident.log_bytes", one) for one in NUMBERS),
    *(("incident", "incident.failing_line", one) for one in NUMBERS if one is not None),
    *(("incident", "incident.excerpt.0.first", one) for one in NUMBERS),
    *(("incident", "incident.excerpt.0.last", one) for one in NUMBERS),
    *(("incident", "incident.signature.generic", one) for one in FLAGS),
    *(("snapshot", "body.marked", one) for one in FLAGS),
    *(("incident", "verdicts.0.body", one) for one in ("", [], None)),
    *(("merge", "body", one) for one in ("", [], None)),
    *(("incident", "incident", one) for one in ("", [], None)),
]


@pytest.mark.parametrize(("kind", "path", "value"), WRONG)
def test_a_value_of_another_form_is_refused_and_nothing_of_its_row_is_kept(kind, path, value):
    memory = fresh()
    before = memory.ledger_verify().entries

    report = memory.import_incidents(
        read_lines([changed(kind, path, value)]), IMPORT, sign=lambda _: signed(), person=ANA
    )

    assert ["seal" in why for _, why in report.refused] == [False]
    assert (report.added, report.updated, report.erased) == (0, 0, 0)
    assert not list(memory.list())
    assert memory.ledger_verify().ok
    assert memory.ledger_verify().entries <= before + 1  # at most the account of the refusal


@pytest.mark.parametrize("kind", ROWS)
def test_the_rows_as_they_were_exported_are_taken(kind):
    memory = fresh()
    rows = [json.dumps(ROWS[one]) for one in ROWS]

    report = memory.import_incidents(read_lines(rows), IMPORT, sign=lambda _: signed(), person=ANA)

    assert report.refused == ()
    assert kind in {row["kind"] for row in memory.export(private=True)}


NO_MARKS = ["", "{", "[]", "{}", '{"seq": 1}', '{"seq": "x", "hash": ""}', "\x00", '{"seq": null, "hash": 1}']  # fmt: skip


@pytest.mark.parametrize("text", NO_MARKS)
def test_a_mark_that_cannot_be_read_means_the_beginning(tmp_path: Path, text):
    mark, view_of = LedgerMark(tmp_path / "mark.json", "default"), fresh()
    (tmp_path / "mark.json").write_text(text)

    with view_of.store.reading() as view:
        assert mark.reached(view, otherwise=9) == 0


def test_a_mark_counts_in_its_own_ledger_only(tmp_path: Path):
    mark, one, other = LedgerMark(tmp_path / "new" / "mark.json", "default"), fresh(), fresh()
    one.observe(failure("1"), CI)
    other.observe(failure("2"), CI)
    with one.store.reading() as view:
        assert mark.reached(view, otherwise=9) == 9
        mark.move(Head(1, view.hash_at("default", 1)))

    with one.store.reading() as view:
        assert mark.reached(view, otherwise=9) == 1
    with other.store.reading() as view:
        assert mark.reached(view, otherwise=9) == 0
