"""The loop's work as jobs: what is due, what a hint brings, and what a sweep puts in again."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from caselore.errors import Unavailable
from caselore.jobs.embedded import EmbeddedJobs
from caselore.memory.loops import Hint
from caselore.repair.account import Account
from caselore.repair.delivery import Dispatched
from caselore.repair.kept import MEMORY, WORKER
from caselore.repair.observations import Outcome as Ended
from caselore.repair.observations import Rearm, Receipt
from caselore.repair.policy import Policy
from caselore.repair.rounds import Parts, Rounds
from caselore.repair.watcher import EVERY, HOOKED, Watcher
from fakes.failures import ANA
from fakes.forge import failing_log
from fakes.recordings import CHANGE
from fakes.repair_world import ID, WATCHER, World

MINUTE = timedelta(minutes=1)


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "lore.db")
    yield made
    assert made.account.memory.ledger_verify().ok
    made.store.close()


class Hands:
    """Takes whatever is brought, and remembers it; busy as long as it is told to be."""

    def __init__(self, world):
        self.world, self.brought, self.busy = world, [], False

    def runs(self):
        return []

    def dismiss(self):
        pass

    def bring(self, done, outgoing):
        assert isinstance(done, Dispatched)
        if self.busy:
            return False
        self.brought.append(outgoing.event["id"])
        self.world.account.taken(outgoing, WATCHER, self.world.now)
        return True


def due(world):
    return world.rounds.once(everything=False).looked


def other(world, **parts):
    """Give the work of another process on the same store."""
    jobs = EmbeddedJobs(world.account.memory, lambda: world.now, "other", threads=1, lease=30)
    return Rounds(jobs, world.account, Parts(**parts), place="there", interval=30)


def test_a_change_is_looked_at_when_it_is_due_and_by_one_process(world):
    assert due(world) == 1
    assert due(world) == 0
    assert other(world, watcher=world.watcher).once(everything=False).looked == 0
    world.now += timedelta(seconds=EVERY["tracking"] * 1.3)
    assert other(world, watcher=world.watcher).once(everything=False).looked == 1
    assert due(world) == 0


def test_a_hint_is_looked_at_though_nothing_is_due(world):
    due(world)
    world.forge.run(CHANGE)
    world.account.memory.hear([Hint("gitlab", "d1", ID, world.now)])

    found = world.rounds.once(everything=False)
    assert (found.looked, found.news) == (1, 1)
    assert world.account.memory.heard() == []


def test_a_hint_stands_until_the_forge_could_be_read(world):
    due(world)
    world.forge.run(CHANGE)
    world.account.memory.hear([Hint("gitlab", "d1", ID, world.now)])
    world.forge.trouble = [Unavailable("502")]

    (error,) = world.rounds.once(everything=False).errors
    assert error == f"{CHANGE}: 502"
    assert len(world.account.memory.heard()) == 1
    assert world.rounds.once(everything=False).news == 1
    assert world.account.memory.heard() == []


def test_a_verdict_is_looked_at_again_when_it_has_stood_long_enough(tmp_path):
    world = World(tmp_path / "lore.db")
    account = Account(world.account.memory, Policy(settle=20))
    world.watcher._account = world.rounds._account = account
    world.watcher._hooked = True
    world.forge.run(CHANGE)
    due(world)
    assert world.told == []
    world.now += timedelta(seconds=19)
    assert due(world) == 0
    world.now += timedelta(seconds=1)
    assert due(world) == 1
    assert world.told == ["pipeline_failed"]
    world.store.close()


def test_a_verdict_that_was_active_in_between_must_stand_anew(tmp_path):
    world = World(tmp_path / "lore.db")
    account = Account(world.account.memory, Policy(settle=60))
    world.watcher._account = world.rounds._account = account
    world.forge.run(CHANGE)
    world.look()
    for status in ("running", "failed"):
        last = world.forge.pipes[CHANGE][0]
        jobs = (replace(last.jobs[0], status=status),)
        world.forge.pipes[CHANGE][0] = replace(last, status=status, jobs=jobs)
        world.look()
    assert world.told == []
    world.look()
    assert world.told == ["pipeline_failed"]
    world.store.close()


def test_where_forges_hint_a_quiet_change_is_rarely_read(world):
    world.rounds = other(
        world,
        watcher=Watcher(
            world.account, lambda url: world.forge, None, WATCHER, lambda: world.now, hooked=True
        ),
    )
    assert due(world) == 1
    world.now += timedelta(seconds=EVERY["tracking"] * 10)
    assert due(world) == 0
    world.now += timedelta(seconds=HOOKED["tracking"] * 1.3)
    assert due(world) == 1


def test_what_is_new_reaches_the_worker_in_the_same_round(world):
    hands = Hands(world)
    rounds = other(world, watcher=world.watcher, dispatcher=hands)
    world.forge.run(CHANGE)
    world.now += MINUTE
    rounds.once()

    assert len(hands.brought) == 1
    assert world.account.tracked(ID).state.count == 1


def test_a_sweep_puts_in_again_what_was_lost(world):
    world.forge.run(CHANGE)
    world.look()
    memory = world.account.memory
    taken = memory.take_jobs(["repair.bring"], "", "lost", world.now, 30, 9)
    memory.leave_jobs(
        "lost", [(row.id, row.tries, "", world.now, "", True) for row in taken], world.now
    )
    assert memory.jobs("waiting") == []

    hands = Hands(world)
    other(world, watcher=world.watcher, dispatcher=hands).once(everything=False)
    assert len(hands.brought) == 1


def test_a_busy_worker_is_asked_again_after_a_round_and_gets_it_once(world):
    hands = Hands(world)
    hands.busy = True
    rounds = other(world, watcher=world.watcher, dispatcher=hands)
    world.forge.run(CHANGE)
    rounds.once()
    rounds.once()
    assert hands.brought == []
    hands.busy = False
    world.now += MINUTE
    for _ in range(3):
        rounds.once(everything=False)
    assert len(hands.brought) == 1


def test_a_rearmed_change_wakes_its_worker_once_with_what_opened_the_breaker(world):
    hands = Hands(world)
    rounds = other(world, watcher=world.watcher, dispatcher=hands)
    for number in range(6):
        world.forge.push(CHANGE, f"b{number}")
        world.forge.run(CHANGE, log=failing_log("abcdef"[number]))
        world.now += MINUTE
        rounds.once()
    assert world.status["state"] == "open"
    assert len(hands.brought) == 5
    world.account.step(ID, Rearm(world.now, "human:ana", "mended"), ANA, "rearm")
    world.now += MINUTE
    rounds.once()
    rounds.once()

    assert len(hands.brought) == 6
    assert hands.brought[-1].endswith("-r1")
    assert [one.status for one in world.account.events(ID) if one.target == WORKER] == (
        ["delivered"] * 6
    )
    assert world.account.tracked(ID).state.count == 0


def test_word_of_the_fifth_repair_that_comes_late_leaves_no_sixth(world):
    for letter in "abcd":
        world.forge.push(CHANGE, f"{letter}1")
        world.forge.run(CHANGE, log=failing_log(letter))
        world.look()
        world.take()
    world.forge.push(CHANGE, "e1")
    world.forge.run(CHANGE, log=failing_log("e"))
    world.look()
    (fifth,) = world.account.waiting(WORKER)
    world.forge.push(CHANGE, "f1")
    world.forge.run(CHANGE, log=failing_log("f"))
    world.look()
    assert [one.event["attempt"] for one in world.account.waiting(WORKER)] == [5]
    world.account.taken(fifth, WATCHER, world.now)

    assert world.account.waiting(WORKER) == []
    assert (world.status["state"], world.status["pipeline_fail_count"]) == ("open", 5)
    assert world.told.count("circuit_breaker") == 1


def test_the_end_of_a_run_that_is_told_of_twice_costs_once(world):
    world.forge.run(CHANGE)
    world.look()
    (event,) = world.take()
    for _ in range(2):
        word = Receipt(world.now, event.id, Ended.PUSHED, 250_000, run=f"{event.id}#1")
        world.account.step(ID, word, WATCHER)
    assert world.account.tracked(ID).state.spent == 250_000
    again = Receipt(world.now, event.id, Ended.PUSHED, 250_000, run=f"{event.id}#2")
    world.account.step(ID, again, WATCHER)
    assert world.account.tracked(ID).state.spent == 500_000


def test_a_proposal_that_was_not_written_waits_and_is_written_once(world):
    world.forge.run(CHANGE, log=failing_log("a"))
    world.look()
    (event,) = world.take()
    world.rounds._parts.proposer.propose, real = _killed, world.rounds._parts.proposer.propose
    world.forge.push(CHANGE, "aaa1")
    world.forge.run(CHANGE, "success")
    with pytest.raises(KeyboardInterrupt):
        world.look()
    (waiting,) = world.account.waiting(MEMORY)
    world.restart()
    real(waiting)
    real(waiting)
    world.look()

    incident = event.event["evidence"]["failures"][0]["incident"]
    said = world.account.memory.get(incident).verdicts
    assert [one.kind for one in said] == ["propose"]
    assert world.account.waiting(MEMORY) == []


def _killed(outgoing):
    raise KeyboardInterrupt


def test_a_long_history_is_read_in_part_and_forgets_nothing_that_counts(world):
    """An attempt is known again however old it is, and the count is that of the whole series."""
    names = (f"run-{number}" for number in range(1_000))  # not every forge numbers them
    world.forge._number = lambda: next(names)
    world.forge.run(CHANGE, log=failing_log("a"))
    world.look()
    world.take()
    made = []
    for _ in range(90):
        made.append(world.forge.run(CHANGE, log=failing_log("a"), reason="runner_system_failure"))
        world.look()
    assert len(world.account.attempts(ID)) == 91
    assert len(world.account.tracked(ID).state.attempts) < 70
    assert world.account.tracked(ID).state.count == 1
    before = world.account.attempts(ID), world.told
    world.forge.pipes[CHANGE] = [made[0]]
    world.look()

    assert (world.account.attempts(ID), world.told) == before
    assert [one.place for one in world.account.memory.loop_attempts(ID)] == list(range(91))


def test_a_working_process_looks_at_a_hint_within_a_moment(tmp_path):
    world, stop, told = World(tmp_path / "lore.db"), threading.Event(), []
    due(world)
    world.forge.run(CHANGE)
    thread = threading.Thread(target=world.rounds.work, args=(stop, told.append, 0.05))
    thread.start()
    try:
        world.account.memory.hear([Hint("gitlab", "d1", ID, world.now)])
        for _ in range(400):
            if world.told:
                break
            threading.Event().wait(0.05)
    finally:
        stop.set()
        thread.join(20)
    assert world.told == ["pipeline_failed"]
    world.store.close()
