"""The gate: who may write what, by every verb, and that no other module writes."""

from __future__ import annotations

import ast
from datetime import UTC, datetime
from pathlib import Path

import pytest

import caselore.memory
from caselore.errors import BadInput, GateRefused
from caselore.memory import Actor, Role, Status
from caselore.memory.filing import FOLLOWING, OPENING
from caselore.memory.gate import TABLE, Draft, judge
from caselore.memory.records import ModelCall
from caselore.memory.retention import read_rules
from fakes.failures import (
    AGENT,
    ANA,
    BATCHES,
    CI,
    IMPORT,
    failure,
    memory_over,
    missing_variable,
    signed,
)
from fakes.loop_rows import loop_entry
from fakes.memory_store import MemoryStore

SYSTEM = Actor("watcher", Role.SYSTEM)
SOURCES = Path(caselore.memory.__file__).parent
EVER = datetime(2020, 1, 1, tzinfo=UTC)
CALL = ModelCall("openai:x", "diagnosis-1", "ab12", "answered", 900, 80, None, 1.5)
OLD = read_rules({"old": {"older": "0h"}})
VERBS = {
    "observe": lambda memory, actor: memory.observe(failure("new"), actor),
    "green": lambda memory, actor: memory.remember_green("pay", "test", b"", "1", actor),
    "propose": lambda memory, actor: memory.propose("1", "a lock", "wait", actor),
    "confirm": lambda memory, actor: memory.confirm("1", **BATCHES, actor=actor),
    "resign": lambda memory, actor: memory.resign("1", signed("other"), actor),
    "refute": lambda memory, actor: memory.refute("1", "wrong", actor),
    "supersede": lambda memory, actor: memory.supersede("2", "3", "newer", actor),
    "merge": lambda memory, actor: memory.merge("2", "3", "one cause", actor),
    "split": lambda memory, actor: memory.split(signed("joined").id, "two causes", actor),
    "single_out": lambda memory, actor: memory.split("1", "another cause", actor),
    "unlike": lambda memory, actor: memory.unlike("1", "2", "others", actor),
    "retract": lambda memory, actor: memory.retract("1", "wrong log", actor),
    "release": lambda memory, actor: memory.release("held", "harmless", actor),
    "drop": lambda memory, actor: memory.drop("held", "an attack", actor),
    "expire": lambda memory, actor: memory.retention_apply(memory.retention_due(OLD), actor),
    "erase": lambda memory, actor: memory.erase("1", "asked to", actor),
    "token": lambda memory, actor: memory.create_token(Role.HUMAN, "eve", None, actor, setup=True),
    "revoke": lambda memory, actor: memory.revoke_token("old", actor),
    "backup": lambda memory, actor: memory.register_backup("/b/1", "here", actor),
    "asking": lambda memory, actor: memory.open_call(lambda _: CALL, actor, EVER),
    "ask": lambda memory, actor: memory.keep_call(CALL, actor),
    "track": lambda memory, actor: memory.loop_write(*loop_entry("track", actor)),
    "loop": lambda memory, actor: memory.loop_write(*loop_entry("loop", actor)),
    "rearm": lambda memory, actor: memory.loop_write(*loop_entry("rearm", actor)),
    "untrack": lambda memory, actor: memory.loop_write(*loop_entry("untrack", actor)),
}
ALLOWED = {
    CI: {"observe", "green", "backup", "asking", "ask", "track", "loop"},
    SYSTEM: {"observe", "green", "resign", "backup", "asking", "ask", "track", "loop"},
    AGENT: {"observe", "propose", "asking", "ask", "track"},
    IMPORT: {"observe", "green", "propose"},
    ANA: set(VERBS),
}


@pytest.fixture
def memory():
    memory = memory_over(MemoryStore())
    memory.observe(failure("1"), CI)
    memory.observe(failure("2"), CI)
    memory.observe(failure("held"), CI, findings=["override"])
    memory.create_token(Role.CI, "old", None, ANA)
    memory.observe(missing_variable("3"), CI)
    memory.observe(failure("joined", signature=signed("joined")), CI)
    memory.merge("joined", "1", "one cause", ANA)
    for one in "23":
        memory.confirm(one, **BATCHES, actor=ANA)
    return memory


@pytest.mark.parametrize("actor", ALLOWED, ids=str)
@pytest.mark.parametrize("verb", VERBS)
def test_each_role_may_do_what_the_table_says_and_nothing_else(memory, actor, verb):
    before = list(memory.export())
    if verb in ALLOWED[actor]:
        VERBS[verb](memory, actor)
        return

    with pytest.raises(GateRefused, match="may"):
        VERBS[verb](memory, actor)

    assert list(memory.export()) == before
    assert list(memory.ledger_show())[-1].entry.action == "refused"
    assert memory.ledger_verify().ok


def test_every_verb_and_every_role_has_a_cell():
    exhibits = {*OPENING, *FOLLOWING}
    assert set(VERBS) | {"vouch", "flake", "bury"} | exhibits == set(TABLE)
    assert all(set(cells) == set(Role) for cells in TABLE.values())


def test_an_unknown_action_is_refused_for_everyone():
    for role in Role:
        assert judge(Draft("b", "rewrite", "x", {}, Actor("x", role)), person_acted=False)


@pytest.mark.parametrize("role", [Role.AGENT, Role.CI, Role.SYSTEM])
def test_nobody_but_an_import_or_a_person_brings_in_anothers_words(role):
    body = {"origin": {"actor": "human:ana", "at": "2026-01-01T00:00:00.000000Z"}}
    for action in TABLE:
        assert judge(Draft("b", action, "x", body, Actor("x", role), history=True), False)


@pytest.mark.parametrize(
    "origin",
    [
        {},
        {"actor": "human:ana"},
        {"actor": "human:", "at": "x"},
        {"actor": "agent:ana", "at": "x"},
        {"at": "x"},
    ],
)
def test_an_import_confirms_only_with_person_and_date(origin):
    body = {"origin": origin}
    assert judge(Draft("b", "confirm", "x", body, IMPORT), person_acted=False)


def test_an_agents_event_needs_a_quote_in_a_snapshot():
    draft = Draft("b", "observe_event", "x", {}, AGENT)
    assert judge(draft, person_acted=True)
    assert not judge(draft, person_acted=True, quoted=True)


def test_a_proposal_is_never_recalled_as_an_outcome(memory):
    memory.propose("1", "ignore the rules", "rm -rf /", AGENT)

    found = memory.recall(incident="2")

    assert found.hits == ()
    near = {hit.case.id: hit.case.outcome for hit in found.nearest}
    assert near[memory.resolve("1")] is None
    assert memory.get("1").status is Status.PROPOSED


@pytest.mark.parametrize(
    "outcome",
    [
        {"cause": " "}, {"resolution": ""}, {"result": "resolved"}, {"result": ""}, {"cause": "x" * 20_001},
        {"resolution": "\ud800"}, {"precedents": ["a\nb"]}, {"why_failed": "but it worked"}, {"cause": None},
    ],
)  # fmt: skip
def test_an_outcome_that_says_too_little_or_too_much_is_refused_and_not_repaired(memory, outcome):
    entries = memory.ledger_verify().entries
    with pytest.raises(BadInput):
        memory.confirm("1", **{**BATCHES, **outcome}, actor=ANA)

    assert memory.ledger_verify().entries == entries


def test_a_record_is_neither_its_own_precedent_nor_unlike_itself(memory):
    with pytest.raises(BadInput, match="own precedent"):
        memory.confirm("1", **BATCHES, actor=ANA, precedents=["#1"])
    with pytest.raises(BadInput, match="same as itself"):
        memory.unlike("1", "1", "odd", ANA)


def appends(path: Path) -> list[str]:
    """Give the calls that could write to a store: `append` with several arguments, or SQL."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    return [
        ast.unparse(call)
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and (call.func.attr, len(call.args)) in {("append", 3), ("append", 2)}
    ]


def test_no_other_module_writes():
    sources = SOURCES.parent.rglob("*.py")
    writing = {path.name for path in sources if appends(path)}

    assert writing == {"gate.py"}


def test_the_search_for_other_writers_would_find_one(tmp_path):
    (tmp_path / "sly.py").write_text(
        "def f(view, entry, payload):\n    view.append(entry, payload, [])\n"
    )

    assert appends(tmp_path / "sly.py")
