"""Any recorded history, told to `simulate` and to a second telling of the rules: both say the same."""

from __future__ import annotations

import random

import pytest

from fakes.loop_oracle import Oracle
from fakes.recordings import ALIVE, CLOSED, DEAD, after, error, green, job, of, red, tell

KINDS = ("new", "new", "new", "same", "same", "nameless", "green", "infra", "canceled", "human red",
         "human green", "running", "again", "again", "error", "miss", "stale", "skipped", "dead",
         "rearm", "agent rearm", "retry green")  # fmt: skip


class Story:
    """A random history in the order in which it happened, and what must come of it."""

    def __init__(self, seed, most=5):
        self.dice, self.rows, self.oracle = random.Random(seed), [], Oracle(most)
        self.number, self.print_, self.last, self.infra, self.deaths = 0, "sig1:0", None, 0, 0

    def write(self, length):
        for _ in range(length):
            self._one(self.dice.choice(KINDS))
        ending = self.dice.choice(("none", "none", "closed", "merged"))
        if ending == "closed":
            self._tell(CLOSED, self.oracle.closed)
            self._one("new")
        if ending == "merged":
            self._merge()
        return self.rows

    def _tell(self, row, act):
        self.rows.append(row)
        act()

    def _next(self):
        self.number += 1
        return f"c{self.number}", self.number

    def _one(self, kind):
        if kind == "infra" and self.oracle.infra >= 5:
            kind = "new"  # what is parked is another test's
        HOW[kind](self, kind)

    def _again(self, kind):
        if self.last is not None:
            self._tell(self.last, self.oracle.nothing)

    def _error(self, kind):
        row = error(self.dice.choice(("api", "rate_limited", "timeout", "what is that")))
        self._tell(row, self.oracle.nothing)

    def _miss(self, kind):
        if self.last is not None:
            for _ in range(self.dice.choice((1, 2))):
                self._tell(error("not_found"), self.oracle.nothing)
            self._tell(self.last, self.oracle.nothing)

    def _stale(self, kind):
        if self.number > 1:
            old = self.dice.randrange(1, self.number)
            row = of(f"c{self.number}", 900 + old, sha=f"c{old}")
            self._tell(row, self.oracle.nothing)

    def _rearm(self, kind):
        who = "agent" if kind == "agent rearm" else "human"
        row = {"rearm": {"by": f"{who}:ana", "why": "because"}}
        self._tell(row, lambda: self.oracle.rearmed(who))

    def _red(self, kind):
        head, number = self._next()
        if kind in ("new", "human red"):
            self.print_ = f"sig1:{number}"
        given = "" if kind == "nameless" else self.print_
        pusher = "human:bob" if kind == "human red" else "worker"
        self.last = red(head, number, given, pusher=pusher)
        who = "human" if kind == "human red" else "worker"
        self._tell(self.last, lambda: self.oracle.red(given, who))

    def _green(self, kind):
        head, number = self._next()
        pusher = "human:bob" if kind == "human green" else "worker"
        who = "human" if kind == "human green" else "worker"
        if kind == "retry green":
            # red by the runner's fault, then green in the same pipeline: no repair, a flake at most
            first = job(number * 10, "failed", reason="runner_system_failure", fingerprint="")
            self._tell(of(head, number, "failed", [first]), self.oracle.infrastructure)
            rows = [first, job(number * 10 + 1, "success")]
            self.last = of(head, number, "success", rows)
        else:
            self.last = green(head, number, pusher=pusher)
        self._tell(self.last, lambda: self.oracle.green(who))

    def _other(self, kind):
        head, number = self._next()
        if kind == "infra":
            failed = job(number * 10, reason="runner_system_failure", fingerprint="")
            self.last = of(head, number, "failed", [failed])
            self._tell(self.last, self.oracle.infrastructure)
        elif kind == "canceled":
            self.last = of(head, number, "canceled")
            self._tell(self.last, self.oracle.canceled)
        else:
            self.last = of(head, number, kind)
            self._tell(self.last, self.oracle.unsaid)

    def _death(self, kind):
        self.deaths += 1
        if self.deaths > 3:
            return  # a worker that dies more often is not started again: another test's
        self._tell(DEAD, self.oracle.dies)
        for _ in range(self.dice.choice((0, 1, 2))):
            self._one(self.dice.choice(("new", "same", "again", "green", "human red")))
        self._tell(ALIVE, self.oracle.lives)

    def _merge(self):
        self._tell({"state": "merged", "merge_sha": "mmm1"}, self.oracle.merges)
        self._one("new")
        self._tell(after("main", 7_001, "mmm1"), self.oracle.main_red)
        self._tell(after("main", 7_001, "mmm1"), self.oracle.nothing)
        self._tell(after("main", 7_002, "zzz9"), self.oracle.nothing)
        self._tell(after("main", 7_003, "mmm1", "success"), self.oracle.main_green)


HOW = {
    **dict.fromkeys(("new", "same", "nameless", "human red"), Story._red),
    **dict.fromkeys(("green", "human green", "retry green"), Story._green),
    **dict.fromkeys(("infra", "canceled", "running", "skipped"), Story._other),
    "again": Story._again,
    "error": Story._error,
    "miss": Story._miss,
    "stale": Story._stale,
    "dead": Story._death,
    **dict.fromkeys(("rearm", "agent rearm"), Story._rearm),
}


def check(seed, length):
    story = Story(seed)
    rows = story.write(length)
    if not rows:
        return
    events, status = tell(*rows)

    told = [one.type.value for one in events if one.type.value != "flake_observed"]
    assert told == story.oracle.events, f"seed {seed}"
    assert status["pipeline_fail_count"] == story.oracle.count, f"seed {seed}"
    assert (status["state"] == "open") == (
        story.oracle.open and not story.oracle.merged and not story.oracle.done
    ), f"seed {seed}"
    assert (status["state"] == "done") == story.oracle.done, f"seed {seed}"


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_the_reducer_says_what_a_second_telling_of_the_rules_says(start):
    for seed in range(start, start + 100):
        check(seed, 3 + seed % 30)


@pytest.mark.soak
@pytest.mark.parametrize("start", range(0, 20_000, 2_000))
def test_the_same_over_many_more_histories(start):
    for seed in range(1_000_000 + start, 1_000_000 + start + 2_000):
        check(seed, 3 + seed % 60)
