"""Laws of the loop: whatever is shuffled, repeated, delayed or lost, an attempt is handled once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from caselore.repair.events import EventType, Restore, Withdraw
from caselore.repair.observations import (
    Delivered,
    Error,
    Reading,
    Rearm,
    Trouble,
    Worker,
)
from caselore.repair.pipelines import Job, Pipeline
from caselore.repair.reducer import reduce
from caselore.repair.state import Phase, State, from_json
from fakes.recordings import AT_ONCE, CHANGE, START

STATUSES = ("failed", "failed", "failed", "success", "running", "canceled", "skipped", "manual")
REASONS = ("script_failure", "script_failure", "script_failure", "runner_system_failure")
PRINTS = ("sig1:a", "sig1:b", "sig1:c", "")


class Forge:
    """A forge that only ever moves on; each change of it can be read."""

    def __init__(self):
        self.now, self.head, self.pusher, self.pipeline = START, "h0", "worker", None
        self.ids, self.pushes = 0, 0

    def tick(self):
        self.now += timedelta(minutes=1)

    def push(self, pusher):
        self.tick()
        self.pushes += 1
        self.head, self.pusher, self.pipeline = f"h{self.pushes}", pusher, None

    def run(self, status, print_, reason):
        self.tick()
        self.ids += 2
        job = Job(str(self.ids), "test", status, failure_reason=reason, fingerprint=print_)
        self.pipeline = Pipeline(
            str(self.ids + 1), self.head, status, "merge_request_event", jobs=(job,)
        )

    def retry(self, status, print_):
        if self.pipeline is None:
            return
        self.tick()
        self.ids += 2
        job = Job(str(self.ids), "test", status, fingerprint=print_)
        jobs = (*self.pipeline.jobs, job)
        self.pipeline = replace(self.pipeline, status=status, jobs=jobs)

    def read(self):
        self.tick()
        return Reading(self.now, self.head, self.pusher, self.pipeline)


class Loop(RuleBasedStateMachine):
    """The reducer between a forge that moves and a transport that loses, repeats and delays."""

    def __init__(self):
        super().__init__()
        self.forge, self.state = Forge(), State(CHANGE)
        self.readings, self.events, self.taken = [], [], set()
        self.breakers = 0

    def tell(self, seen):
        before = self.state
        step = reduce(before, seen, AT_ONCE)
        self.state = step.state
        ids = [one.id for one in self.events]
        for event in step.events:
            assert event.id not in ids, f"{event.type} left twice"
            self.events.append(event)
            self._check(before, event)
        if before.phase is Phase.OPEN and not isinstance(seen, Rearm):
            assert not any(isinstance(one, Restore) for one in step.commands)
        return step

    def _check(self, before, event):
        if event.type is EventType.CIRCUIT_BREAKER:
            self.breakers += 1
            assert self.breakers == 1, "a second breaker event in one trip"
        if event.type is EventType.PIPELINE_FAILED:
            assert before.phase not in (Phase.OPEN, Phase.DONE, Phase.POST_MERGE)
            assert 1 <= event.attempt <= AT_ONCE.attempts
            assert event.attempt == self.state.count + 1
        if event.type is EventType.PIPELINE_PASSED:
            assert self.state.count == 0
            assert not self.state.offered
            assert not self.state.held

    @rule(pusher=st.sampled_from(["worker", "worker", "worker", "human:bob"]))
    def push(self, pusher):
        self.forge.push(pusher)

    @rule(
        status=st.sampled_from(STATUSES),
        print_=st.sampled_from(PRINTS),
        reason=st.sampled_from(REASONS),
    )
    def run(self, status, print_, reason):
        self.forge.run(status, print_, reason)

    @rule(status=st.sampled_from(STATUSES), print_=st.sampled_from(PRINTS))
    def retry(self, status, print_):
        self.forge.retry(status, print_)

    @rule(taken=st.booleans())
    def fail_once_more(self, taken):
        """The worker pushes and it is red again, in another way: the road to the breaker."""
        self.forge.push("worker")
        self.forge.run("failed", f"sig1:{self.forge.pushes}", "script_failure")
        self.look()
        if taken and self.state.offered:
            self.take()

    @rule()
    def pass_once(self):
        self.forge.push("worker")
        self.forge.run("success", "", "")
        self.look()

    @precondition(lambda self: self.state.phase not in (Phase.OPEN, Phase.PAUSED))
    @rule(taken=st.booleans())
    def pass_in_place(self, taken):
        """It is red and its own retry is green: what no worker took is out of date."""
        self.fail_once_more(taken)
        offered = self.state.offered
        self.forge.retry("success", "")
        step = self.seen()
        if offered and self.state.phase is Phase.GREEN:
            assert Withdraw(offered) in step.commands
            assert self.state.series == ()

    @precondition(lambda self: self.state.phase not in (Phase.OPEN, Phase.PAUSED))
    @rule(way=st.sampled_from(["push", "person", "rearm", "cancel"]))
    def overtake(self, way):
        """What no worker took is taken back by whatever comes after it."""
        self.fail_once_more(False)
        offered = self.state.offered
        if way == "rearm":
            step = self.tell(Rearm(self.forge.now, "human:ana", "because"))
            self.breakers = 0
        elif way == "cancel":
            self.forge.run("canceled", "", "")
            step = self.seen()
        else:
            self.forge.push("worker" if way == "push" else "human:bob")
            step = self.seen()
        if offered:
            assert Withdraw(offered) in step.commands
            assert self.state.offered == self.state.held == ""

    @precondition(lambda self: self.state.phase not in (Phase.OPEN, Phase.PAUSED))
    @rule(data=st.data())
    def fail_by_the_infrastructure_until_parked(self, data):
        """The change is parked; what the worker pushes then does not wake the loop."""
        self.pass_once()
        before = self.state.count
        for turn in range(AT_ONCE.infra_limit):
            assert self.state.phase is not Phase.PAUSED
            self.forge.run("failed", f"sig1:infra{turn}", "runner_system_failure")
            self.look()
        assert self.state.phase is Phase.PAUSED
        for _ in range(data.draw(st.integers(1, 3))):
            self.forge.push("worker")
            step = self.seen()
            assert self.state.phase is Phase.PAUSED
            assert step.commands == ()
        assert self.state.count == before

    @rule()
    def look(self):
        self.seen()

    def seen(self):
        self.readings.append(self.forge.read())
        return self.tell(self.readings[-1])

    @rule()
    def lose(self):
        """A reading is taken and never arrives, or arrives much later."""
        self.readings.append(self.forge.read())

    @precondition(lambda self: self.readings)
    @rule(data=st.data())
    def hear_again(self, data):
        self.tell(data.draw(st.sampled_from(self.readings)))

    @rule(back=st.integers(1, 6))
    def hear_what_was_so_before(self, back):
        """A forge that lags tells again, as if it were now, what was so of this head before."""
        before = [one for one in self.readings if one.head == self.state.head][-back:]
        if before:
            self.tell(replace(before[0], at=self.forge.now))

    @rule(alive=st.booleans())
    def worker(self, alive):
        self.tell(Worker(self.forge.now, alive))

    @precondition(lambda self: self.state.offered)
    @rule()
    def take(self):
        self.taken.add(self.state.offered)
        self.tell(Delivered(self.forge.now, self.state.offered))

    @precondition(lambda self: self.taken)
    @rule(data=st.data())
    def take_again(self, data):
        before = self.state.count
        self.tell(Delivered(self.forge.now, data.draw(st.sampled_from(sorted(self.taken)))))
        assert self.state.count == before

    @rule(kind=st.sampled_from([Trouble.API, Trouble.RATE_LIMITED, Trouble.TIMEOUT]))
    def trouble(self, kind):
        before = self.state
        self.tell(Error(self.forge.now, kind))
        assert replace(self.state, errors=0) == replace(before, errors=0)

    @rule(by=st.sampled_from(["human:ana", "agent:coder", "ci:gitlab", "human:"]))
    def rearm(self, by):
        before = self.state
        self.tell(Rearm(self.forge.now, by, "because"))
        if by == "human:ana":
            self.breakers = 0
            assert self.state.count == 0
            assert self.state.phase is not Phase.OPEN
        else:
            assert self.state == before

    @rule()
    def restart(self):
        self.state = from_json(self.state.to_json(), self.state.attempts)

    @invariant()
    def each_attempt_is_handled_once(self):
        keys = [one.key for one in self.state.attempts]
        assert len(keys) == len(set(keys))

    @invariant()
    def what_is_offered_is_of_the_head_and_waits(self):
        """A worker is handed the newest failure or none, and nothing after a green."""
        if self.state.offered:
            offered = next(a for a in self.state.attempts if a.event == self.state.offered)
            assert (offered.head, offered.run) == (self.state.head, self.state.run)
            assert not offered.delivered
            assert self.state.phase in (Phase.REPAIRING, Phase.WAITING)
        if self.state.held:
            assert self.state.attempt(self.state.held).run == self.state.run

    @invariant()
    def no_more_is_counted_than_was_delivered(self):
        delivered = {one.event for one in self.state.attempts if one.delivered}
        assert delivered <= self.taken
        assert self.state.count <= min(AT_ONCE.attempts, len(self.taken))

    @invariant()
    def an_open_breaker_is_open_until_a_person_says_otherwise(self):
        assert self.state.latched == bool(self.breakers)
        if self.breakers:
            assert self.state.phase in (Phase.OPEN, Phase.DONE, Phase.POST_MERGE)


TestLoop = Loop.TestCase
TestLoop.settings = settings(
    max_examples=80, stateful_step_count=50, deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip

MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("push"), st.sampled_from(["worker", "worker", "human:bob"])),
        st.tuples(
            st.just("run"), st.sampled_from(STATUSES), st.sampled_from(PRINTS),
            st.sampled_from(REASONS),
        ),
        st.tuples(st.just("retry"), st.sampled_from(STATUSES), st.sampled_from(PRINTS)),
    ),
    max_size=25,
)  # fmt: skip


def history(moves):
    """Read the forge after each of its moves."""
    forge, found = Forge(), []
    for move, *about in moves:
        getattr(forge, move)(*about)
        found.append(forge.read())
    return found


def ledger(readings):
    """Give what is left of a history whose events a worker takes at once."""
    state, left = State(CHANGE), []
    for seen in readings:
        step = reduce(state, seen, AT_ONCE)
        state = step.state
        left += [(one.id, one.type, one.attempt) for one in step.events]
        if state.offered:
            state = reduce(state, Delivered(seen.at, state.offered), AT_ONCE).state
    decided = [(one.key, one.decision, one.number, one.delivered) for one in state.attempts]
    return decided, left, state.phase, state.count


@settings(max_examples=150, deadline=None)
@given(MOVES, st.data())
def test_hearing_anything_again_later_changes_nothing(moves, data):
    readings = history(moves)
    noisy = []
    for place, seen in enumerate(readings):
        noisy.append(seen)
        again = st.lists(st.integers(0, place), max_size=3)
        noisy += [readings[one] for one in data.draw(again)]

    assert ledger(noisy) == ledger(readings)


@settings(max_examples=150, deadline=None)
@given(MOVES, st.integers(1, 4))
def test_reading_often_is_reading_once(moves, times):
    """A webhook for each move, a poll every minute, or both: the same ledger."""
    once = history(moves)
    often = [
        replace(seen, at=seen.at + timedelta(seconds=n * 7)) for seen in once for n in range(times)
    ]

    assert ledger(often) == ledger(once)


@settings(max_examples=150, deadline=None)
@given(MOVES, st.data())
def test_after_a_shuffle_the_newest_reading_still_decides_the_head(moves, data):
    readings = history(moves)
    shuffled = data.draw(st.permutations(readings))
    state = State(CHANGE)
    for seen in shuffled:
        state = reduce(state, seen, AT_ONCE).state

    if readings:
        assert state.head == readings[-1].head
        assert len({one.key for one in state.attempts}) == len(state.attempts)
