"""Rules of what is kept for how long: read from the settings, and asked of each record.

Must not remove anything, nor read a clock or storage.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import get_close_matches
from typing import Any, Literal, cast

from caselore.errors import WrongUse
from caselore.memory.encoding import unstamp
from caselore.memory.records import RESULTS, Status
from caselore.memory.rows import CaseRow

What = Literal["incidents", "quarantine", "calls", "greens", "pages", "briefings"]
WHAT: dict[str, str] = {
    "incidents": "incidents",
    "quarantine": "what guards hold",
    "calls": "calls of models",
    "greens": "passing runs but the newest of each job",
    "pages": "stored pages",
    "briefings": "briefings",
}
UNCONFIRMED = tuple(
    one.value
    for one in Status
    if one not in {Status.CONFIRMED, Status.SUPERSEDED, Status.QUARANTINED}
)
_FILTERS = ("service", "environment", "branch", "family")
_KNOWN = ("what", "older", "untouched", "status", "result", "cited", *_FILTERS)
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_SPAN = re.compile(r"(\d{1,5})([hdw])")
_A_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what goes when it is how old."""

    name: str
    what: What
    older: timedelta
    """Since it happened; a page or a briefing, since it was known; a call or a run, since then."""
    untouched: timedelta | None = None
    """For so long, too, nothing was said of it."""
    statuses: tuple[str, ...] = UNCONFIRMED
    result: str = ""
    service: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    branch: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    cited: bool = False
    """It goes even where a record that stays names it."""

    def words(self) -> str:
        """Say the rule as a sentence would."""
        said = [WHAT[self.what]]
        if self.what == "incidents":
            said = [f"incidents that are {' or '.join(self.statuses)}"]
        said += [f"whose fix {self.result}"] if self.result else []
        for name in _FILTERS:
            values = getattr(self, name)
            said += [f"of {name} {' or '.join(values)}"] if values else []
        said.append(f"older than {spelt(self.older)}")
        said += [f"untouched for {spelt(self.untouched)}"] if self.untouched else []
        said += ["even if cited"] if self.cited else []
        return ", ".join(said)

    def fits(self, row: CaseRow, now: datetime) -> bool:
        """Say whether an incident is due, as far as its row tells."""
        named = ((name, getattr(self, name)) for name in _FILTERS)
        return (
            row.status in self.statuses
            and (not self.result or row.result == self.result)
            and all(getattr(row, name) in values for name, values in named if values)
            and self.aged(row.happened_at, now)
        )

    def aged(self, at: str, now: datetime) -> bool:
        """Say whether something of a time is old enough."""
        return unstamp(at) <= now - self.older

    def rested(self, at: str, now: datetime) -> bool:
        """Say whether nothing was said for long enough, `at` being the last time."""
        return self.untouched is None or unstamp(at) <= now - self.untouched


def read_rules(given: Mapping[str, Any]) -> tuple[Rule, ...]:
    """Read `[retention.NAME]` tables in their order. Raises WrongUse."""
    return tuple(_rule(name, table) for name, table in given.items())


def _rule(name: str, table: Any) -> Rule:
    where = f"[retention.{name}]"
    if not isinstance(table, Mapping):
        raise WrongUse(f"[retention] {name} is no table.", hint=f"Begin a rule with {where}.")
    for key in table:
        if key not in _KNOWN:
            near = get_close_matches(key, _KNOWN, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else "Known are: " + ", ".join(_KNOWN)
            raise WrongUse(f"{where} has no {key!r}.", hint=hint)
    what = _one_of(where, "what", table.get("what", "incidents"), tuple(WHAT))
    if "older" not in table:
        raise WrongUse(f"{where} does not say how old.", hint='For example older = "180d".')
    rule = Rule(
        name=name,
        what=cast("What", what),
        older=_span(where, "older", table["older"]),
        untouched=_span(where, "untouched", table["untouched"]) if "untouched" in table else None,
        statuses=_statuses(where, table.get("status")),
        result=_one_of(where, "result", table.get("result", ""), ("", *RESULTS)),
        cited=_one_of(where, "cited", table.get("cited", "keep"), ("keep", "remove")) == "remove",
        **{one: _words(where, one, table.get(one, ())) for one in _FILTERS},
    )
    _must_make_sense(where, rule, table)
    return rule


def _must_make_sense(where: str, rule: Rule, table: Mapping[str, Any]) -> None:
    only = {"status", "result", *_FILTERS}
    asked = sorted(only & set(table))
    if asked and rule.what != "incidents":
        raise WrongUse(f"{where} {asked[0]} is asked of incidents only, not of {rule.what}.")
    if rule.what == "calls" and rule.older < _A_DAY:
        raise WrongUse(
            f"{where} older must be a day at least: the limits of a day count those calls."
        )


def _statuses(where: str, given: Any) -> tuple[str, ...]:
    if given is None:
        return UNCONFIRMED
    known = tuple(one.value for one in Status if one is not Status.QUARANTINED)
    return tuple(_one_of(where, "status", one, known) for one in _words(where, "status", given))


def _one_of(where: str, key: str, value: Any, known: tuple[str, ...]) -> str:
    if value not in known:
        words = ", ".join(one or "(none)" for one in known)
        raise WrongUse(f"{where} {key} is {value!r}.", hint=f"Known are: {words}.")
    return str(value)


def _words(where: str, key: str, given: Any) -> tuple[str, ...]:
    values = [given] if isinstance(given, str) else given
    if not isinstance(values, list | tuple) or not all(isinstance(one, str) for one in values):
        raise WrongUse(f"{where} {key} must be a text or a list of texts.")
    return tuple(values)


def _span(where: str, key: str, given: Any) -> timedelta:
    found = _SPAN.fullmatch(given) if isinstance(given, str) else None
    if found is None:
        raise WrongUse(
            f"{where} {key} is {given!r}, which is no span of time.", hint="12h, 180d or 26w."
        )
    return int(found[1]) * _UNITS[found[2]]


def spelt(span: timedelta) -> str:
    """Write a span as it is read."""
    hours = span // _UNITS["h"]
    return f"{hours // 24}d" if hours % 24 == 0 else f"{hours}h"
