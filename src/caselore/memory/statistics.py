"""Counts what happened to a signature and how each fix fared on it.

Must not count what no ci or person vouched for.
"""

from __future__ import annotations

import json
import math
from itertools import groupby

from caselore.memory.encoding import Body, unstamp
from caselore.memory.groups import groups
from caselore.memory.ports import Fixed, Reads, Tally
from caselore.memory.records import FixStat, Occurrences


def occurrences(view: Reads, bank: str, signature: str) -> Occurrences:
    """Give how often a signature was seen and how often it was resolved."""
    each = [view.seen(bank, one) for one in groups(view, bank).of(signature)]
    times = [unstamp(at) for one in each for at in (one.first, one.last) if at]
    return Occurrences(
        sum(one.times for one in each),
        min(times, default=None),
        max(times, default=None),
        sum(one.resolved for one in each),
        sum(one.flaky for one in each),
    )


FEW = 3  # services that may share a failure before it is worth a look at how many do
ENOUGH = 10  # services that a bank needs to tell what is common in it


def rarity(view: Reads, bank: str, signature: str) -> float:
    """Give how much a signature tells here: 1 if few services show it, near 0 if all do."""
    shared = view.services(bank, groups(view, bank).of(signature))
    if shared < FEW:
        return 1.0
    known = view.services(bank)
    return 1.0 if known < ENOUGH else 1 - (shared - 1) / known


def fixes(view: Reads, bank: str, signature: str) -> tuple[FixStat, ...]:
    """Give each resolution's record on a signature, the best first."""
    signatures = groups(view, bank).of(signature)
    found = view.tallies(bank, signatures)
    tallies = sorted(tally for some in found.values() for tally in some)
    newest = {one.fix: one for one in view.newest_fixes(bank, signatures)}
    bodies = view.bodies(bank, [one.outcome_seq for one in newest.values()])
    stats = [
        _stat(newest[fix], json.loads(bodies[newest[fix].outcome_seq]), list(some))
        for fix, some in groupby(tallies, lambda tally: tally.fix)
    ]
    return tuple(sorted(stats, key=lambda one: (-one.low, -one.worked, one.resolution)))


def _stat(newest: Fixed, body: Body, tallies: list[Tally]) -> FixStat:
    worked = sum(one.times for one in tallies if one.result == "succeeded")
    tried = sum(one.times for one in tallies)
    people = {one.confirmed_by.casefold(): one.confirmed_by for one in tallies}
    low, high = interval(worked, tried)
    return FixStat(
        resolution=body["resolution"],
        worked=worked,
        tried=tried,
        by=tuple(people[name] for name in sorted(people)),
        last=unstamp(newest.last),
        low=low,
        high=high,
    )


def interval(worked: int, tried: int) -> tuple[float, float]:
    """Give the 90 % interval of a Beta(1+worked, 1+failed), by its inverse."""
    a, b = 1 + worked, 1 + tried - worked
    return round(_quantile(0.05, a, b), 3), round(_quantile(0.95, a, b), 3)


def _quantile(part: float, a: int, b: int) -> float:
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _cumulative(middle, a, b) < part else (low, middle)
    return (low + high) / 2


def _cumulative(x: float, a: int, b: int) -> float:
    """Give the Beta distribution at x; a and b are whole, so it is a binomial tail."""
    n = a + b - 1
    if n > 400:
        return _normal(x, a, b)
    return sum(math.comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1))


def _normal(x: float, a: int, b: int) -> float:
    mean = a / (a + b)
    deviation = math.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))
    return 0.5 * (1 + math.erf((x - mean) / (deviation * math.sqrt(2))))
