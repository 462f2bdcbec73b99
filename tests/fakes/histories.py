"""Histories of a bank as lists of deeds, for laws that must hold whatever was done."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import strategies as st

from caselore.errors import CaseloreError
from caselore.memory import read_lines
from fakes.failures import (
    AGENT,
    ANA,
    BATCHES,
    BO,
    CI,
    IMPORT,
    LONGER,
    VARIABLE,
    failure,
    memory_over,
    signed,
)
from fakes.memory_store import MemoryStore

NUMBERS = st.integers(0, 7)
NAMES = st.sampled_from(["lock", "index", "quota"])
SERVICES = st.sampled_from(["pay", "user"])
FAMILIES = st.sampled_from(["migration", "timeout"])
PEOPLE = st.sampled_from([ANA, BO])
OUTCOMES = st.sampled_from([BATCHES, LONGER])
KEPT = (
    st.tuples(st.just("observe"), NUMBERS, SERVICES, NAMES, st.sampled_from([CI, AGENT])),
    st.tuples(st.just("confirm"), NUMBERS, OUTCOMES, NUMBERS, PEOPLE),
    st.tuples(st.just("refute"), NUMBERS, PEOPLE),
    st.tuples(st.just("supersede"), NUMBERS, NUMBERS, PEOPLE),
    st.tuples(st.just("merge"), NUMBERS, NUMBERS),
    st.tuples(st.just("split"), NUMBERS),
    st.tuples(st.just("part"), NUMBERS, NAMES),
    st.tuples(st.just("retract"), NUMBERS, PEOPLE),
    st.tuples(st.just("unlike"), NUMBERS, NUMBERS, PEOPLE),
    st.tuples(st.just("propose"), NUMBERS),
    st.tuples(st.just("resign"), NUMBERS, NAMES, FAMILIES),
    st.tuples(st.just("hold"), NUMBERS, SERVICES),
    st.tuples(st.just("release"), NUMBERS),
    st.tuples(st.just("drop"), NUMBERS),
)
BROUGHT = (
    st.tuples(st.just("bring"), NUMBERS, SERVICES, PEOPLE),
    st.tuples(st.just("restore"), NUMBERS, st.integers(0, 99)),
)
GONE = (
    st.tuples(st.just("erase"), NUMBERS, PEOPLE),
    st.tuples(st.just("observe"), NUMBERS, SERVICES, NAMES, st.just(CI)),
)
HISTORIES = st.lists(st.one_of(*KEPT), min_size=4, max_size=24)
WHOLE = st.lists(st.one_of(*KEPT, *BROUGHT, *GONE), min_size=4, max_size=24)
LONG = st.lists(st.one_of(*KEPT, *BROUGHT, *GONE), min_size=20, max_size=160)


def do(memory, deed) -> None:
    """Do one thing, if it can be done now."""
    what, one, *rest = deed
    deeds = {
        "observe": lambda service, name, actor: memory.observe(
            failure(
                str(one),
                service=service,
                signature=signed(name),
                **({"block": VARIABLE} if name == "quota" else {}),
            ),
            actor,
        ),
        "hold": lambda service: memory.observe(
            failure(str(one), service=service), CI, findings=["override"]
        ),
        "release": lambda: memory.release(str(one), "harmless", ANA),
        "drop": lambda: memory.drop(str(one), "planted", ANA),
        "confirm": lambda outcome, other, actor: memory.confirm(
            str(one), **outcome, actor=actor, precedents=[str(other)]
        ),
        "refute": lambda actor: memory.refute(str(one), "it was not that", actor),
        "supersede": lambda other, actor: memory.supersede(str(one), str(other), "so", actor),
        "merge": lambda other: memory.merge(str(one), str(other), "one cause", ANA),
        "split": lambda: memory.split(str(one), "another cause", ANA),
        "part": lambda name: memory.split(signed(name).id, "two causes", ANA),
        "retract": lambda actor: memory.retract(str(one), "another project", actor),
        "unlike": lambda other, actor: memory.unlike(str(one), str(other), "no", actor),
        "propose": lambda: memory.propose(str(one), "a lock", "wait", AGENT),
        "resign": lambda name, family: memory.resign(
            str(one), signed(name + "2", family=family), ANA
        ),
        "erase": lambda actor: memory.erase(str(one), "asked to", actor),
        "bring": lambda service, person: bring(memory, str(one), service, person),
        "restore": lambda place: restore(memory, place),
    }
    with suppress(CaseloreError):
        deeds[what](*rest)


def bring(memory, deployment, service, person) -> None:
    """Import a closed incident of some years ago, and the rows of another bank about this one."""
    closed = {
        "deployment_id": deployment,
        "service": service,
        "error": "canceling statement due to statement timeout",
        "root_cause": BATCHES["cause"],
        "resolution": BATCHES["resolution"],
        "outcome": "succeeded",
        "confirmed_by": person.name,
        "confirmed_at": "2024-05-01T10:00:00Z",
    }
    memory.import_incidents([(1, closed)], IMPORT, sign=lambda _: signed(), person=ANA)


def restore(memory, place) -> None:
    """Bring back a row of this bank as it was when somebody exported it earlier."""
    kept = getattr(memory, "kept", [])
    if kept:
        rows = kept[place % len(kept)]
        memory.import_incidents(read_lines(rows), IMPORT, sign=lambda _: signed(), person=ANA)
    memory.kept = [*kept, lines(memory)][-6:]


def lines(memory, **more) -> list[bytes]:
    """Export a bank as the bytes of its lines."""
    import json

    return [json.dumps(row).encode() for row in memory.export(**more)]


def live(memory, history):
    """Do all of a history."""
    for deed in history:
        do(memory, deed)
    return memory


def fresh(**more):
    """Give an empty bank in memory."""
    return memory_over(MemoryStore(), **more)
