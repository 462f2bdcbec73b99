"""Every way in has a bound: sizes, counts, depths, ids and names; beyond it nothing is kept."""

from __future__ import annotations

import gzip
import json
import resource

import pytest
import scenes

import caselore
from caselore.errors import CaseloreError, WrongUse
from caselore.settings import AGENT_MARKERS

FIX = dict(cause="one long transaction", resolution="chunks of 2,000 rows", result="succeeded")
LOG = scenes.FIRST.encode()
HUGE = "x y " * 50_000


class Desk:
    """The application, and Ana's token beside it."""

    def __init__(self, app, ana):
        self._app, self.ana = app, ana

    def __getattr__(self, name):
        return getattr(self._app, name)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """Open a memory with one incident, and Ana's token."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [*AGENT_MARKERS, "CASELORE_TOKEN", "CASELORE_DATABASE_URL", "CASELORE_HOME"]:
            patch.delenv(name, raising=False)
        with caselore.open(tmp_path_factory.mktemp("bounds") / "home") as opened:
            ana = opened.create_token("human", "ana")[0]
            opened.diagnose(LOG, service="orders", deployment="204")
            opened.diagnose(scenes.PYTEST.encode(), service="orders", deployment="205")
            yield Desk(opened, ana)


NAMES = ["service", "environment", "branch", "commit", "deployment", "stage", "url"]
TOO_LONG = {name: "x" * 3_000 for name in NAMES} | {"url": "https://ci.example/" + "x" * 3_000}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_a_run_has_a_length(app, name):
    with pytest.raises(WrongUse):
        app.diagnose(LOG, **{"service": "orders", name: TOO_LONG[name]})


@pytest.mark.parametrize("name", ["service", "environment", "branch", "stage"])
@pytest.mark.parametrize("bad", ["a\x00b", "a\nb", "a\u202eb", "a\x1b[2J"])
def test_a_name_of_a_run_holds_nothing_that_no_screen_shows(app, name, bad):
    with pytest.raises(WrongUse):
        app.diagnose(LOG, **{"service": "orders", name: bad})


TOO_MUCH = {
    "a cause": lambda app: app.confirm("204", **{**FIX, "cause": HUGE}, actor=app.ana),
    "a resolution": lambda app: app.confirm("204", **{**FIX, "resolution": HUGE}, actor=app.ana),
    "a reason of failure": lambda app: app.confirm(
        "204", **{**FIX, "result": "failed"}, why_failed=HUGE, actor=app.ana
    ),
    "a result": lambda app: app.confirm("204", **{**FIX, "result": "x" * 99}, actor=app.ana),
    "an id": lambda app: app.confirm("9" * 5_000, **FIX, actor=app.ana),
    "a precedent": lambda app: app.confirm("204", **FIX, precedents=["9" * 5_000], actor=app.ana),
    "precedents": lambda app: app.confirm("204", **FIX, precedents=["205"] * 5_000, actor=app.ana),
    "a proof": lambda app: app.confirm(
        "204", **FIX, proof=["https://a.example/" + "x" * 5_000], actor=app.ana
    ),
    "proofs": lambda app: app.confirm(
        "204", **FIX, proof=[f"https://a.example/{n}" for n in range(5_000)], actor=app.ana
    ),
    "a proposal": lambda app: app.propose("204", cause=HUGE, resolution=HUGE, actor=app.ana),
    "a refutation": lambda app: app.refute("204", HUGE, app.ana),
    "a difference": lambda app: app.unlike("204", "205", HUGE, app.ana),
    "an erasure": lambda app: app.erase("204", HUGE, app.ana),
    "a question": lambda app: app.recall(text="word " * 500_000),
    "an empty question": lambda app: app.recall(text=" "),
    "answers": lambda app: app.recall(text="lock", limit=10**9),
    "no answers": lambda app: app.recall(text="lock", limit=0),
    "a budget": lambda app: app.read(LOG, budget=10**9),
    "a green run's job": lambda app: app.remember_green(
        scenes.PASSED.encode(), service="x" * 3_000, stage="test"
    ),
    "a token's name": lambda app: app.create_token("ci", "x" * 3_000),
    "a role": lambda app: app.create_token("owner", "bo"),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_what_is_too_much_is_refused_and_nothing_is_kept(app, what):
    before = app.memory.ledger_verify().head
    with pytest.raises((CaseloreError, ValueError)):
        TOO_MUCH[what](app)
    assert app.memory.ledger_verify().head == before


def _nested(depth):
    return "[" * depth + "]" * depth


ROWS = {
    "a deep row": b'{"service": "s", "error": ' + _nested(5_000).encode() + b"}",
    "a long line": b'{"service": "s", "error": "' + b"x" * 20_000_000 + b'"}',
    "a long field": json.dumps(
        {"service": "s", "deployment_id": "1", "error": HUGE * 40}
    ).encode(),
    "a long name": json.dumps({"service": "x" * 900, "deployment_id": "1", "error": "e"}).encode(),
    "a wrong type": b'{"service": ["s"], "deployment_id": "1", "error": {"a": 1}}',
    "no object": b"[1, 2, 3]",
    "no JSON": b"{{{{",
    "no text": b"\xff\xfe\x00",
    "a large number": b'{"service": "s", "deployment_id": ' + b"9" * 6_000 + b', "error": "e"}',
}


@pytest.mark.parametrize("what", ROWS)
def test_a_row_that_is_too_much_is_reported_and_the_next_one_taken(app, what):
    number = f"d{sorted(ROWS).index(what)}"
    good = json.dumps({"service": "s", "deployment_id": number, "error": f"ERROR: {what}"})
    report = app.import_incidents(app.rows([ROWS[what], good.encode()]), app.ana)

    assert [number for number, _ in report.refused] == [1]
    assert report.added == 1


def test_a_packed_log_that_would_fill_the_memory_is_read_within_bounds(app):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = app.read(gzip.compress(bytes(300 << 20), 1))

    assert found.truncated
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 200 << 10  # in KiB
