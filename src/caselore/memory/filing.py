"""What an entry about an exhibit changes in the other tables: the same at writing and at replay.

An exhibit is a record that is no incident: a page, an event, a strategy, a prediction, a briefing.
Must not read storage, clock or randomness: entry and present row in, changes out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from caselore.memory.encoding import Body
from caselore.memory.evidence import PREFIXES
from caselore.memory.ledger import Entry
from caselore.memory.records import Kind, Status
from caselore.memory.rows import Change, ExhibitRow, Forget, HeldRow, LinkRow, Put, WordRow

OPENING: dict[str, Kind] = {
    "snapshot": Kind.SNAPSHOT, "observe_event": Kind.COMPETITOR_EVENT, "strategy": Kind.STRATEGY,
    "predict": Kind.PREDICTION, "brief": Kind.BRIEFING,
}  # fmt: skip
ACTION_OF = {kind: action for action, kind in OPENING.items()}
FOLLOWING = frozenset({"corroborate", "correct", "revise", "grade"})
ABOUT = FOLLOWING | {"retract", "release", "drop", "vouch"}
VERBS = {
    "observe_event": "record an event",
    "snapshot": "keep a page",
    "corroborate": "add a report to an event",
    "correct": "correct an event",
    "strategy": "propose a strategy",
    "revise": "revise a strategy",
    "predict": "predict",
    "grade": "grade a prediction",
    "brief": "keep a briefing",
}
OPINIONS = frozenset({Kind.STRATEGY, Kind.PREDICTION})
HEARD = frozenset({"primary", "press", "trade", "field"})  # tiers of which one report is enough
WORDS = 40  # words by which one exhibit can be found
_WORD = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*")


def is_exhibit(id: str) -> bool:
    """Say whether an id is that of an exhibit rather than of an incident."""
    return id.startswith(_BEGINNINGS)


_BEGINNINGS = tuple(PREFIXES.values())


def words_of(text: str) -> list[str]:
    """Give the words by which a text is found: folded, without a plural s, each once."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    found = (_stem(word) for word in _WORD.findall(folded))
    return list(dict.fromkeys(word[:60] for word in found if word))


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] not in "sui" else word


def project(entry: Entry, body: Body, row: ExhibitRow | None) -> list[Change]:
    """Give the changes that follow from an entry about an exhibit, `row` being its row before."""
    if entry.action in OPENING:
        return _open(entry, body)
    rule = _RULES.get(entry.action)
    return rule(entry, body, row) if rule and row else []


def _open(entry: Entry, body: Body) -> list[Change]:
    filed, held = body["filed"], bool(body["findings"])
    kind = Kind(body["kind"])
    stands = Status.PROPOSED if kind in OPINIONS else Status.OBSERVED
    report = filed.get("report") or {}
    row = ExhibitRow(
        bank=entry.bank,
        id=entry.subject,
        seq=entry.seq,
        kind=kind.value,
        subject=body["subject"],
        label=_flat(body["label"]),
        known_as=body["known_as"],
        title=_flat(filed.get("title") or filed.get("statement") or filed.get("topic") or ""),
        url=_flat(filed.get("url") or report.get("url") or ""),
        happened_at=body["happened_at"],
        known_at=body["known_at"],
        recorded_at=entry.at,
        actor=(body.get("origin") or {}).get("actor") or f"{entry.role}:{entry.actor}",
        impact=_tenths(filed.get("impact_floor", 0.0) + filed.get("impact_added", 0.0)),
        private=int(filed.get("private", False)),
        status=Status.QUARANTINED.value if held else stands.value,
        beneath=stands.value,
        counts=int(not body["marked"]),
        trusted=int(report.get("tier") in HEARD),
        origins=1,
        reports=1,
        verdict_seq=0,
        said_seq=entry.seq,
    )
    hold: list[Change] = [Put(HeldRow(entry.bank, entry.seq, entry.subject))] if held else []
    words = [Put(WordRow(entry.bank, word, entry.seq)) for word in body["words"]]
    return [Put(row), *hold, *words, *_links(entry, body)]


def _links(entry: Entry, body: Body) -> list[Change]:
    return [
        Put(LinkRow(entry.bank, entry.seq, place, entry.subject, relation, target))
        for place, (relation, target) in enumerate(body.get("links", ()))
    ]


def _flat(text: str) -> str:
    return text.replace("\0", "\ufffd")


def _tenths(impact: float) -> int:
    return round(min(10.0, impact) * 10)


def _corroborate(entry: Entry, body: Body, row: ExhibitRow) -> list[Change]:
    """Count one more report; an own origin counts, a copy does not."""
    own = bool(body["independent"])
    new = row._replace(
        reports=row.reports + 1,
        origins=row.origins + own,
        trusted=int(row.trusted or body["report"]["tier"] in HEARD or own),
        counts=int(row.counts or not body["marked"]),
        happened_at=body.get("happened_at") or row.happened_at,
        known_at=min(row.known_at, body["known_at"]),
        said_seq=entry.seq,
    )
    return [Put(new), *_links(entry, body)]


def _correct(entry: Entry, body: Body, row: ExhibitRow) -> list[Change]:
    """Note what a later report says of an event, which is then superseded or only disputed."""
    new = row._replace(said_seq=entry.seq)
    if body["relation"] == "superseded":
        new = _settle(new, Status.SUPERSEDED)
    if body.get("impact") is not None:
        new = new._replace(impact=_tenths(body["impact"]))
    return [Put(new), *_links(entry, body)]


def _said(entry: Entry, body: Body, row: ExhibitRow) -> list[Change]:
    title = _flat(body["filed"]["statement"]) if "filed" in body else row.title
    return [Put(row._replace(said_seq=entry.seq, title=title)), *_links(entry, body)]


def _settle(row: ExhibitRow, status: Status) -> ExhibitRow:
    held = row.status == Status.QUARANTINED.value
    return row._replace(status=row.status if held else status.value, beneath=status.value)


def _retract(entry: Entry, body: Body, row: ExhibitRow) -> list[Change]:
    return [Put(_settle(row, Status.RETRACTED)._replace(verdict_seq=entry.seq))]


def _vouch(entry: Entry, body: Body, row: ExhibitRow) -> list[Change]:
    return [Put(row._replace(counts=1))]


def _release(entry: Entry, body: Body, row: ExhibitRow) -> list[Change]:
    free = row._replace(status=row.beneath, verdict_seq=entry.seq)
    return [Put(free), Forget("held", entry.subject)]


def _drop(entry: Entry, body: Body, row: ExhibitRow) -> list[Change]:
    gone = row._replace(
        status=Status.RETRACTED.value, beneath=Status.RETRACTED.value, verdict_seq=entry.seq
    )
    return [Put(gone), Forget("held", entry.subject)]


_RULES: dict[str, Callable[[Entry, Body, Any], list[Change]]] = {
    "corroborate": _corroborate,
    "correct": _correct,
    "revise": _said,
    "grade": _said,
    "retract": _retract,
    "vouch": _vouch,
    "release": _release,
    "drop": _drop,
}
