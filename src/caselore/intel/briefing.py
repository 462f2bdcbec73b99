"""Compiles a briefing from checked claims: what is new, changed, disputed, still open, gone quiet.

Must not state what is not verified, nor hide what was left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from caselore.intel.claims import VERIFIED, Checked, Evidence, check
from caselore.intel.days import apart
from caselore.intel.dossier import Dossier

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

    def to_json(self) -> dict[str, Any]:
        """Give the shape of CONTRACT."""
        return {
            "id": self.id, "section": self.section, "competitor": self.competitor,
            "event": self.event, "text": self.text, "shown": self.shown,
            "verdict": self.checked.verdict, "reason": self.checked.reason,
            "quote": self.checked.quote, "snapshot": self.snapshot, "url": self.url,
            "first": self.checked.first, "last": self.checked.last, "confidence": self.confidence,
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
    strategies: tuple[dict[str, Any], ...] = ()
    predictions: tuple[dict[str, Any], ...] = ()
    profiles: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = field(default=())

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
            "left_out": [{"text": text, "reason": reason} for text, reason in self.left_out],
            "quiet": list(self.quiet), "strategies": list(self.strategies),
            "predictions": list(self.predictions), "profiles": list(self.profiles),
            "notes": list(self.notes),
        }  # fmt: skip


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
    """Say what an event is in the words of its own quote."""
    quote = " ".join(dossier.best.quote.split())
    return quote if len(quote) <= 320 else quote[:317].rsplit(" ", 1)[0] + " …"


def claims_of(cited: Iterable[Cited], section: str, run: str, start: int) -> list[Claim]:
    """Check one claim for each event."""
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
            claims += claims_of([one], told, run, len(claims) + 1)
    kept = tuple(one for one in claims if one.checked.verdict == VERIFIED)
    dropped = [
        (one.text, one.checked.reason or one.checked.verdict) for one in claims if one not in kept
    ]
    return Brief(
        topic, until, since, tuple(competitors), kept, (*dropped, *left_out),
        quiet=_quiet(competitors, [*new, *changed, *standing], until), **more,
    )  # fmt: skip


def _quiet(competitors: Sequence[str], cited: Sequence[Cited], until: str) -> tuple[str, ...]:
    last: dict[str, str] = {}
    for one in cited:
        name = one.dossier.event.competitor
        last[name] = max(last.get(name, ""), one.dossier.date)
    return tuple(
        name for name in competitors if name not in last or apart(last[name], until) > QUIET
    )
