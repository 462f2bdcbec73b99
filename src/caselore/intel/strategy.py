"""Forms hypotheses about what a competitor is after from its events, and revises them as events come.

Must not state one as a fact: each names the events for and against it, and stays a proposal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from caselore.intel.dossier import Dossier
from caselore.memory.api import Memory
from caselore.memory.evidence import Strategy, key_of_name
from caselore.memory.exhibit_ports import Sought
from caselore.memory.exhibits import Exhibit, Filing
from caselore.memory.records import Actor, Kind

WINDOW = 180  # days of events that a hypothesis rests on


class Theme(NamedTuple):
    """One kind of hypothesis: which events speak for it and which against."""

    topic: str
    words: str
    supports: frozenset[str]
    least: int
    down: bool | None = None
    """For prices: whether they fall."""


THEMES = (
    Theme("growth by acquisition", "{name} grows by buying other companies", frozenset({"acquisition"}), 2),
    Theme("product expansion", "{name} broadens its product quickly", frozenset({"feature_launch"}), 3),
    Theme("up-market pricing", "{name} asks higher prices", frozenset({"pricing_change"}), 2, False),
    Theme("price competition", "{name} competes on price", frozenset({"pricing_change"}), 2, True),
    Theme("growing the team", "{name} invests in its team", frozenset({"hiring"}), 2),
    Theme("reach through partners", "{name} reaches its market through partners", frozenset({"partnership"}), 2),
    Theme("funded growth", "{name} has fresh money to grow with", frozenset({"funding"}), 1),
)  # fmt: skip


def hypotheses(name: str, events: Sequence[Dossier], now: datetime) -> tuple[Strategy, ...]:
    """Give the hypotheses that enough standing events of the window speak for."""
    since = (now - timedelta(days=WINDOW)).date().isoformat()
    recent = [
        one for one in events if since <= one.date and one.status in {"observed", "confirmed"}
    ]
    found = []
    for theme in THEMES:
        supports = [one for one in recent if _speaks(theme, one)]
        opposes = [one for one in recent if _against(theme, one)]
        if len(supports) >= theme.least and len(supports) > len(opposes):
            found.append(_hypothesis(name, theme, supports, opposes))
    return tuple(found)


def _speaks(theme: Theme, one: Dossier) -> bool:
    if one.event.event_type not in theme.supports:
        return False
    return theme.down is None or (
        one.change_percent is not None and (one.change_percent < 0) is theme.down
    )


def _against(theme: Theme, one: Dossier) -> bool:
    if (
        theme.down is None
        or one.event.event_type not in theme.supports
        or one.change_percent is None
    ):
        return False
    return (one.change_percent < 0) is not theme.down


def _hypothesis(
    name: str, theme: Theme, supports: list[Dossier], opposes: list[Dossier]
) -> Strategy:
    events = "event" if len(supports) == 1 else "events"
    weight = sum(one.origins for one in supports) - sum(one.origins for one in opposes)
    return Strategy(
        competitor=name,
        topic=theme.topic,
        statement=theme.words.format(name=name),
        confidence=round(min(0.9, 0.3 + 0.1 * weight), 2),
        supports=tuple(sorted(one.id for one in supports)),
        opposes=tuple(sorted(one.id for one in opposes)),
        why=f"{len(supports)} {events} for it, {len(opposes)} against it in {WINDOW} days",
    )


def evolve(
    memory: Memory, name: str, events: Sequence[Dossier], now: datetime, actor: Actor
) -> tuple[str, ...]:
    """Propose new hypotheses and revise old ones where their evidence changed; give what changed."""
    standing = {
        one.body.topic: one for one in current(memory, name) if isinstance(one.body, Strategy)
    }
    changed = []
    for new in hypotheses(name, events, now):
        old = standing.pop(new.topic, None)
        if old is None:
            memory.file(Filing(new, "", now, now), actor)
            changed.append(f"new: {new.statement}")
        elif isinstance(old.body, Strategy) and (old.body.supports, old.body.opposes) != (
            new.supports,
            new.opposes,
        ):
            memory.revise(old.id, new, _difference(old.body, new), actor)
            changed.append(f"revised: {new.statement}")
    for old in standing.values():
        if isinstance(old.body, Strategy) and old.body.confidence > 0.1:
            memory.revise(
                old.id, replace(old.body, confidence=0.1), "no recent event speaks for it", actor
            )
            changed.append(f"faded: {old.body.statement}")
    return tuple(changed)


def _difference(old: Strategy, new: Strategy) -> str:
    more = len(set(new.supports) - set(old.supports))
    less = len(set(old.supports) - set(new.supports))
    against = len(set(new.opposes) - set(old.opposes))
    return f"{more} more for it, {less} fewer, {against} more against it"


def current(memory: Memory, name: str) -> Iterable[Exhibit]:
    """Give the hypotheses about a competitor as they stand."""
    return memory.exhibits(Sought(Kind.STRATEGY.value, key_of_name(name)))
