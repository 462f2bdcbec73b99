"""The Python interface gives the same answers as the commands."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys

import pytest
import scenes

import caselore
from caselore.errors import BadInput, GateRefused, NotFound, WrongUse
from caselore.settings import AGENT_MARKERS

FIX = dict(cause="one long transaction", resolution="chunks of 2,000 rows", result="succeeded")


@pytest.fixture
def app(tmp_path, monkeypatch):
    """Open a new memory as nobody in particular."""
    for name in caselore_variables():
        monkeypatch.delenv(name, raising=False)
    with caselore.open(tmp_path / "home") as opened:
        yield opened


def caselore_variables() -> list[str]:
    return [*AGENT_MARKERS, "CASELORE_TOKEN", "CASELORE_DATABASE_URL", "CASELORE_HOME"]


def test_the_whole_story_in_python(app):
    token, info = app.create_token("human", "ana")
    first = app.diagnose(scenes.FIRST.encode(), service="orders", deployment="204")
    assert not first.sufficient
    confirmed = app.confirm("204", **FIX, actor=token, proof=["https://ci.example/9"])
    again = app.diagnose(scenes.REPEAT.encode(), service="orders", deployment="#320")
    linked = app.confirm(again.case.id, **FIX, actor=token, precedents=["204"])
    found = app.recall(incident="320")

    assert info.name == "ana"
    assert confirmed.status == "confirmed"
    assert confirmed.outcome.confirmed_by == "ana"
    assert again.sufficient
    assert again.to_json()["fix"][0]["text"] == FIX["resolution"]
    assert linked.precedents == (confirmed.incident,)
    assert [hit.case.id for hit in found.precedents] == [confirmed.incident]
    assert found.to_json()["precedents"][0]["score"] == found.precedents[0].score


def test_a_diagnosis_has_the_fields_of_its_shape(app):
    found = app.diagnose(scenes.FIRST.encode(), service="orders", deployment="204")
    shape = found.to_json()

    assert (found.incident, found.deployment) == (shape["incident"], shape["deployment"])
    assert (found.sufficient, found.model) == (shape["sufficient"], shape["model"])
    for name in ("evidence", "diagnosis", "fix", "precedents", "nearest", "withheld"):
        assert len(getattr(found, name)) == len(shape[name])


def test_a_log_is_hashed_wherever_a_record_of_it_is_made(app):
    log = scenes.FIRST.encode()
    wanted = hashlib.sha256(log).hexdigest()

    assert app.diagnose(log, service="orders", deployment="204").reading.digest == wanted
    assert app.preview(log, service="orders").reading.digest == wanted
    assert app.repair.parts.read(io.BytesIO(log), "job", None).digest == wanted
    assert app.read(log).digest == ""


def test_a_time_may_be_a_text_but_must_be_a_time(app):
    assert app.recall(text="lock", as_of="2026-10-15T00:00:00Z").precedents == ()
    with pytest.raises(BadInput, match="is no date and time"):
        app.recall(text="lock", as_of="yesterday")


def test_reading_takes_paths_bytes_and_files(app, tmp_path):
    path = tmp_path / "x.log"
    path.write_text(scenes.PYTEST)
    with path.open("rb") as file:
        three = [app.read(path), app.read(scenes.PYTEST.encode()), app.read(file)]

    assert len({one.signature.id for one in three}) == 1
    assert app.read(str(path)).to_json()["log"] == str(path)


def test_an_import_takes_objects(app):
    rows = [
        {"deployment_id": 1, "service": "s", "error": "ERROR: a"},
        {"deployment_id": 2, "service": ""},
    ]
    report = app.import_incidents(rows)

    assert (report.added, report.known) == (1, 0)
    assert report.refused[0][0] == 2
    assert report.to_json()["refused"][0]["line"] == 2


def test_errors_are_ours(app, tmp_path):
    with pytest.raises(NotFound):
        app.recall(incident="inc_none")
    with pytest.raises(GateRefused):
        app.confirm("inc_none", **FIX, actor="human:ana")
    with pytest.raises(BadInput):
        app.confirm("inc_none", **FIX, actor="god:ana")
    with pytest.raises(WrongUse):
        app.recall()
    with pytest.raises(WrongUse, match="servise"):
        app.recall(text="a", filters={"servise": "x"})
    with pytest.raises(WrongUse):
        app.recall(text="a", incident="b")
    with pytest.raises(FileNotFoundError):
        app.read(tmp_path / "none.log")


def test_importing_the_package_imports_nothing_heavy():
    code = (
        "import sys, caselore; print(sorted(m for m in sys.modules if m.startswith('caselore')))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert shown.stdout.strip() == "['caselore']"


def test_what_was_closed_says_so_instead_of_opening_again(tmp_path):
    app = caselore.open(tmp_path / "home")
    app.read(b"ERROR: x failed")
    app.close()
    app.close()

    with pytest.raises(WrongUse, match="closed") as caught:
        app.recall("anything")
    assert "caselore.open" in caught.value.hint
    assert not (tmp_path / "home").exists()
