"""Holds one recorded history under two policies: which runs of workers, and which repairs, differ.

Must not guess what a worker would have done: a repair is lost where one of the attempts that led
to it would not have been handed over, and what would have come instead is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from caselore.repair.events import Event, EventType
from caselore.repair.policy import Policy
from caselore.repair.recorded import Told
from caselore.repair.simulation import Simulation

SAVED, ADDED, KEPT, LOST = "run saved", "run added", "repair kept", "repair lost"
_NAMES = {SAVED: "runs_saved", ADDED: "runs_added", KEPT: "repairs_kept", LOST: "repairs_lost"}
Key = tuple[str, str, str]


@dataclass
class Course:
    """What left for one change under one policy."""

    handed: dict[Key, Event] = field(default_factory=dict)
    stopped: dict[Key, Event] = field(default_factory=dict)
    repairs: list[tuple[Event, tuple[Key, ...]]] = field(default_factory=list)
    """Each green that followed repairs, with the attempts that led to it."""
    _series: list[Key] = field(default_factory=list)

    def take(self, event: Event) -> None:
        """Take in one event, in order."""
        if event.type is EventType.PIPELINE_FAILED:
            if event.attempt == 1:
                self._series.clear()
            self.handed[_key(event)] = event
            self._series.append(_key(event))
        elif event.type is EventType.CIRCUIT_BREAKER:
            self.stopped[_key(event)] = event
        elif event.type is EventType.PIPELINE_PASSED:
            if event.attempt and self._series:
                self.repairs.append((event, tuple(self._series)))
            self._series.clear()

    def of(self, key: Key) -> str:
        """Say what became of a failure."""
        if key in self.handed:
            return f"attempt {self.handed[key].attempt}/{self.handed[key].max}"
        return "circuit_breaker" if key in self.stopped else "not handed over"


@dataclass(frozen=True, slots=True)
class Difference:
    """One line: what became of a failure, or of a repair, under each policy."""

    event: Event
    recorded: str
    given: str
    effect: str

    def to_json(self) -> dict[str, Any]:
        """Give plain values."""
        told = self.event.to_json()
        evidence = self.event.evidence
        return {
            "at": told["at"],
            "change": self.event.change,
            "head": evidence.get("head", ""),
            "pipeline": evidence.get("pipeline", ""),
            "url": self.event.url,
            "recorded": self.recorded,
            "given": self.given,
            "effect": self.effect,
        }


@dataclass
class Comparison:
    """All differences of one history, in the order of their times."""

    recorded: Policy
    given: Policy
    courses: dict[str, tuple[Course, Course]] = field(default_factory=dict)

    @classmethod
    def of(cls, history: Iterable[Told], recorded: Policy, given: Policy) -> Comparison:
        """Tell a history twice, under each of the policies."""
        told, found = list(history), cls(recorded, given)
        for place, policy in enumerate((recorded, given)):
            for change, _ in told:
                found.courses.setdefault(change.url, (Course(), Course()))
            for event in Simulation(policy).tell(told):
                found.courses[event.change][place].take(event)
        return found

    def differences(self, change: str) -> list[Difference]:
        """Give the lines of one change."""
        before, after = self.courses[change]
        lines = [*_runs(before, after), *_repairs(before, after)]
        return sorted(lines, key=lambda one: one.event.at)

    def sums(self, change: str = "") -> dict[str, Any]:
        """Count the effects on one change; on all of them where none is named."""
        named = [change] if change else list(self.courses)
        effects = [one.effect for url in named for one in self.differences(url)]
        pairs = [self.courses[url] for url in named]
        return {
            "change": change or None,
            **{name: effects.count(effect) for effect, name in _NAMES.items()},
            "breakers": {
                "recorded": sum(len(one.stopped) for one, _ in pairs),
                "given": sum(len(one.stopped) for _, one in pairs),
            },
            "policy": _changed(self.recorded, self.given),
        }


def _runs(before: Course, after: Course) -> Iterable[Difference]:
    for key, event in {**after.handed, **before.handed}.items():
        if (key in before.handed) != (key in after.handed):
            effect = SAVED if key in before.handed else ADDED
            yield Difference(event, before.of(key), after.of(key), effect)


def _repairs(before: Course, after: Course) -> Iterable[Difference]:
    for event, led in before.repairs:
        missing = [key for key in led if key not in after.handed]
        words = f"green after {len(led)}"
        given = f"stopped after {len(led) - len(missing)}" if missing else words
        yield Difference(event, words, given, LOST if missing else KEPT)


def _key(event: Event) -> Key:
    evidence = event.evidence
    jobs: list[Mapping[str, str]] = evidence.get("jobs", [])
    return evidence["head"], evidence["pipeline"], " ".join(sorted(one["id"] for one in jobs))


def _changed(recorded: Policy, given: Policy) -> dict[str, Any]:
    old, new = recorded.to_json(), given.to_json()
    return {
        name: {"recorded": old[name], "given": new[name]} for name in old if old[name] != new[name]
    }
