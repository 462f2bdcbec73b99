"""Compiles a briefing from checked claims: what is new, changed, disputed, still open, gone quiet.

Must not state what is not verified, nor hide what was left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from caselore.intel.claims import VERIFIED, Checked, Evidence, check
from caselore.intel.days import apart, days
from caselore.intel.dossier import Dossier
from caselore.intel.figures import numbers
from caselore.intel.likeness import missing, telling

QUIET = 45  # days without an event after which a competitor is quiet
HEDGES = ((0.85, ""), (0.6, "Likely: "), (0.0, "Unconfirmed: "))


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of a briefing with its evidence and its verdict."""

    id: str
    section: str
    text: str
    shown: str
    """The text with the hedge that its confidence asks for."""
    event: str
    competitor: str
    snapshot: str
    url: str
    confidence: float
    checked: Checked
    date: str = ""
    event_type: str = ""
    impact: float = 0.0
    origins: int = 1
    detail: str = ""
    """A price before and after; empty for other events."""
    changes: tuple[str, ...] = ()
    """What was said of it since the last briefing."""

    def to_json(self) -> dict[str, Any]:
        """Give the shape of CONTRACT."""
        return {
            "id": self.id, "section": self.section, "competitor": self.competitor,
            "event": self.event, "text": self.text, "shown": self.shown,
            "verdict": self.checked.verdict, "reason": self.checked.reason,
            "quote": self.checked.quote, "snapshot": self.snapshot, "url": self.url,
            "first": self.checked.first, "last": self.checked.last, "confidence": self.confidence,
            "date": self.date, "event_type": self.event_type, "impact": self.impact,
            "origins": self.origins, "detail": self.detail or None, "changes": list(self.changes),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Brief:
    """A briefing as data; the faces and deliveries only lay it out."""

    topic: str
    until: str
    since: str
    competitors: tuple[str, ...]
    claims: tuple[Claim, ...]
    left_out: tuple[tuple[str, str], ...]
    quiet: tuple[str, ...] = ()
    quiet_since: tuple[tuple[str, str], ...] = ()
    """The quiet ones with the day of their last event; empty where none is known."""
    repeated: frozenset[tuple[str, str]] = frozenset()
    """What an earlier briefing left out for the same reason."""
    strategies: tuple[dict[str, Any], ...] = ()
    predictions: tuple[dict[str, Any], ...] = ()
    profiles: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = field(default=())
    withheld: int = 0
    """Claims that did not pass the check; they stand among those left out."""

    @property
    def empty(self) -> bool:
        """Say whether nothing material happened."""
        return not any(one.section in {"new", "changed", "disputed"} for one in self.claims)

    def to_json(self) -> dict[str, Any]:
        """Give the briefing as JSON values."""
        return {
            "topic": self.topic, "since": self.since or None, "until": self.until,
            "competitors": list(self.competitors), "empty": self.empty,
            "claims": [one.to_json() for one in self.claims],
            "left_out": [
                {"text": text, "reason": reason, "told_before": (text, reason) in self.repeated}
                for text, reason in self.left_out
            ],
            "quiet": list(self.quiet),
            "quiet_since": [{"competitor": a, "last_event": b or None} for a, b in self.quiet_since], "strategies": list(self.strategies),
            "predictions": list(self.predictions), "profiles": list(self.profiles),
            "notes": list(self.notes), "withheld_claims": self.withheld,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Before:
    """What was known before a briefing, by which it says what is new."""

    last_events: Mapping[str, str]
    """The day of each competitor's last event, whenever it was told."""
    at: datetime | None = None
    """When the last briefing was told."""
    left_out: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Cited:
    """A dossier with the page that its quote is from."""

    dossier: Dossier
    page_text: str
    page_title: str
    page_day: str
    names: tuple[str, ...]
    held: bool = False


def hedge(confidence: float) -> str:
    """Give the words that a confidence asks for: none, likely, unconfirmed."""
    return next(words for least, words in HEDGES if confidence >= least)


def claim_text(dossier: Dossier) -> str:
    """Say what an event is in the words of its own quote, without a headline that its text repeats."""
    lines = [one for one in map(str.strip, dossier.best.quote.split("\n")) if one]
    kept = [
        one for at, one in enumerate(lines)
        if len(lines) == 1 or not (_only_a_day(one) or _repeated(one, lines[at + 1 :]))
    ]  # fmt: skip
    quote = " ".join(" ".join(kept or lines).split())
    return quote if len(quote) <= 320 else quote[:317].rsplit(" ", 1)[0] + " …"


def _only_a_day(line: str) -> bool:
    return len(line) < 40 and bool(days(line)) and not [one for one in telling(line) if one]


def _repeated(line: str, later: Sequence[str]) -> bool:
    """Say whether the lines below say all that a line says."""
    rest = " ".join(later)
    return bool(rest) and not missing(line, rest)[0] and numbers(line) <= numbers(rest)


def detail_of(dossier: Dossier) -> str:
    """Give a price before and after, as far as it is known."""
    if dossier.event.event_type != "pricing_change" or None in (dossier.amount, dossier.before):
        return ""
    plan = f"{dossier.event.plan}: " if dossier.event.plan else ""
    percent = f" ({dossier.change_percent:+.1f} %)" if dossier.change_percent else ""
    return f"{plan}{dossier.before:,.10g} → {dossier.amount:,.10g} {dossier.currency}{percent}"


def claims_of(
    cited: Iterable[Cited], section: str, run: str, start: int, at: datetime | None = None
) -> list[Claim]:
    """Check one claim for each event; `at` is when the last briefing was told."""
    made = []
    for number, one in enumerate(cited, start):
        dossier = one.dossier
        text = claim_text(dossier)
        evidence = Evidence(
            dossier.best.quote, one.page_text, dossier.best.first, dossier.best.last,
            one.page_title, one.page_day, one.names, one.held,
        )  # fmt: skip
        made.append(
            Claim(
                f"{run}.{number}",
                section,
                text,
                hedge(dossier.confidence) + text,
                dossier.id,
                dossier.event.competitor,
                dossier.best.snapshot,
                dossier.best.url,
                dossier.confidence,
                check(text, evidence),
                dossier.date,
                dossier.event.event_type,
                dossier.impact_score,
                dossier.origins,
                detail_of(dossier),
                tuple(
                    dict.fromkeys(
                        why for when, why in dossier.later if at and when > at and section != "new"
                    )
                ),
            )
        )
    return made


def compile_brief(
    topic: str,
    competitors: Sequence[str],
    run: str,
    until: str,
    since: str,
    new: Sequence[Cited],
    changed: Sequence[Cited],
    standing: Sequence[Cited],
    left_out: Sequence[tuple[str, str]],
    before: Before,
    **more: Any,
) -> Brief:
    """Put the claims in order, the gravest first, and leave out what is not verified."""
    claims: list[Claim] = []
    for section, some in (("new", new), ("changed", changed), ("still open", standing)):
        ordered = sorted(
            some, key=lambda one: (-one.dossier.impact_score, one.dossier.date, one.dossier.id)
        )
        for one in ordered:
            told = "disputed" if one.dossier.status == "superseded" else section
            claims += claims_of([one], told, run, len(claims) + 1, before.at)
    kept = tuple(one for one in claims if one.checked.verdict == VERIFIED)
    dropped = [
        (one.text, one.checked.reason or one.checked.verdict) for one in claims if one not in kept
    ]
    quiet = _quiet(competitors, before.last_events, until)
    return Brief(
        topic, until, since, tuple(competitors), kept, (*dropped, *without_echoes(left_out)),
        repeated=before.left_out, withheld=len(dropped), quiet=quiet,
        quiet_since=tuple((name, before.last_events.get(name, "")) for name in quiet), **more,
    )  # fmt: skip


def without_echoes(left_out: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Drop a headline whose sentence is left out for the same reason."""
    return [
        (text, reason) for text, reason in left_out
        if not any(reason == why and text != other and text in other for other, why in left_out)
    ]  # fmt: skip


def _quiet(
    competitors: Sequence[str], last_events: Mapping[str, str], until: str
) -> tuple[str, ...]:
    return tuple(
        name
        for name in competitors
        if name not in last_events or apart(last_events[name], until) > QUIET
    )
