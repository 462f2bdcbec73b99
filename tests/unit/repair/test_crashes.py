"""A crash before or after any write of the loop changes nothing of what it comes to."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager

import pytest

from caselore.errors import StoreBusy
from caselore.memory.loops import Hint
from caselore.memory.stores.sqlite import SqliteStore
from caselore.repair.account import PEOPLE, WORKER
from caselore.repair.observations import Rearm
from fakes.failures import ANA
from fakes.forge import failing_log
from fakes.recordings import CHANGE
from fakes.repair_world import ID, World


class Crash(BaseException):
    """The process is gone; no handler of the product can see it."""


class Fuse:
    """Burns through at one write: before it is kept, or right after."""

    def __init__(self, write=-1, kept=False, loss=Crash):
        self.write, self.kept, self.loss, self.seen = write, kept, loss, 0

    def burns(self):
        self.seen += 1
        return self.seen == self.write


class FragileStore(SqliteStore):
    """A store whose process crashes at one write."""

    fuse = Fuse()

    def _take(self):
        """Do not wait for the disk: here the process is lost, not the machine."""
        link = super()._take()
        link.execute("PRAGMA synchronous = OFF")
        return link

    @contextmanager
    def writing(self, bank=""):
        burns = self.fuse.burns()
        with super().writing(bank) as view:
            yield view
            if burns and not self.fuse.kept:
                raise self.fuse.loss
        if burns and self.fuse.kept:
            raise self.fuse.loss


class FragileWorld(World):
    """A world that goes on after a crash as a new process does: with what was kept."""

    make_store = FragileStore

    def surely(self, act):
        try:
            return act()
        except (Crash, StoreBusy) as error:
            if isinstance(error, Crash):
                self.restart()
            return act()

    def settle(self):
        """Look, and let the worker take what is there, as a watcher's rounds do."""
        for _ in range(2):
            self.surely(self.look)
            self.surely(self.take)


def story(world):
    """Two failures, a flake, a green; then a person, the target branch, and the way to the breaker."""
    forge = world.forge
    for move in (
        lambda: forge.run(CHANGE, log=failing_log("a")),
        lambda: (forge.push(CHANGE, "b1"), forge.run(CHANGE, log=failing_log("b"))),
        lambda: forge.retry(CHANGE, "success"),
        lambda: (forge.push(CHANGE, "b2", "bob"), forge.run(CHANGE)),
        lambda: forge.fail_on_target(failing_log("t")),
        lambda: (forge.push(CHANGE, "b3"), forge.run(CHANGE, log=failing_log("t"))),
        *(
            lambda n=n: (forge.push(CHANGE, f"c{n}"), forge.run(CHANGE, log=failing_log(f"c{n}")))
            for n in range(6)
        ),
    ):
        move()
        world.settle()


def outcome(world):
    """Give what is left: attempts, events and counts, whatever the times were."""
    found = world.account.tracked(ID).state
    attempts = [(a.key, a.number, a.delivered, a.decision, a.fingerprints) for a in found.attempts]
    events = [(e.id, e.target, e.type, e.status) for e in world.account.events(ID)]
    return attempts, events, proposed(world), found.count, found.phase, found.run


def proposed(world):
    """Give how often the resolution of each failure was proposed."""
    failures = [
        failure
        for event in world.account.events(ID)
        if event.target == WORKER
        for failure in event.event["evidence"].get("failures", ())
    ]
    cases = [(one["job"], world.account.memory.get(one["incident"])) for one in failures]
    return sorted(
        (job, case.record.body.signature.id, [said.kind for said in case.verdicts])
        for job, case in cases
    )


def told(path, fuse):
    FragileStore.fuse = Fuse()
    world = FragileWorld(path)
    FragileStore.fuse = fuse
    try:
        story(world)
        found = outcome(world)
        assert world.account.memory.ledger_verify().ok
        return found
    finally:
        FragileStore.fuse = Fuse()
        world.store.close()


@pytest.fixture(scope="module")
def untroubled(tmp_path_factory):
    fuse = Fuse()
    found = told(tmp_path_factory.mktemp("calm") / "lore.db", fuse)
    return found, fuse.seen


def test_the_story_comes_to_an_open_breaker(untroubled):
    (_, events, said, count, phase, _), writes = untroubled

    assert (count, phase.value) == (5, "open")
    assert Counter(kind for _, target, kind, _ in events if target == PEOPLE) == {
        "pipeline_failed": 7, "flake_observed": 1, "pipeline_passed": 1, "needs_human": 1,
        "baseline_red": 1, "circuit_breaker": 1,
    }  # fmt: skip
    assert {status for _, target, _, status in events if target == WORKER} == {"delivered"}
    assert [kinds for _, _, kinds in said].count(["propose"]) == 2
    assert writes > 100


# Some of the writes in the small form, each before and after it is kept; all of them in the soak.
@pytest.mark.parametrize("loss", [Crash, StoreBusy])
@pytest.mark.parametrize("kept", [False, True])
def test_a_process_or_connection_lost_at_a_write_changes_nothing(untroubled, tmp_path, kept, loss):
    expected, writes = untroubled
    for write in range(7 + 13 * kept, writes + 1, 29):
        assert told(tmp_path / f"{write}.db", Fuse(write, kept, loss)) == expected, write


@pytest.mark.soak
@pytest.mark.parametrize("loss", [Crash, StoreBusy])
@pytest.mark.parametrize("kept", [False, True])
def test_lost_at_every_write_changes_nothing(untroubled, tmp_path, kept, loss):
    expected, writes = untroubled
    for write in range(1, writes + 1):
        assert told(tmp_path / f"{write}.db", Fuse(write, kept, loss)) == expected, write


@pytest.mark.parametrize("way", ["hints", "polls", "both"])
def test_webhooks_polls_and_both_come_to_the_same(untroubled, tmp_path, way):
    class Heard(FragileWorld):
        def look(self, minutes=1):
            self.now += self.minute * minutes
            if way != "polls":
                key = f"d{self.now.timestamp()}"
                self.account.memory.hear([Hint("gitlab", key, ID, self.now)])
                self.rounds.once(everything=False)
            if way != "hints":
                return self.rounds.once()
            return None

    world = Heard(tmp_path / "lore.db")
    story(world)

    assert outcome(world) == untroubled[0]
    world.store.close()


def test_a_person_rearms_and_all_begins_again_at_one(tmp_path):
    world = FragileWorld(tmp_path / "lore.db")
    story(world)
    world.account.step(ID, Rearm(world.now, "human:ana", "mended"), ANA, "rearm")
    world.forge.push(CHANGE, "d1")
    world.forge.run(CHANGE, log=failing_log("d"))
    world.settle()

    assert world.account.tracked(ID).state.count == 1
    assert world.told[-1] == "pipeline_failed"
    world.store.close()
