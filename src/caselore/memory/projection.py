"""What an entry of the ledger changes in the other tables: the same at writing and at replay.

Must not read storage, clock or randomness: entry and present row in, changes out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caselore.memory import filing
from caselore.memory.encoding import Body, digest
from caselore.memory.ledger import Entry
from caselore.memory.records import Role, Status
from caselore.memory.rows import (
    AttemptRow,
    CaseRow,
    Change,
    ChangeRow,
    ErasedRow,
    ExhibitRow,
    Forget,
    GreenRow,
    HeldRow,
    LinkRow,
    OutboxRow,
    Put,
    TokenRow,
)

UNTRUSTED = frozenset({Role.AGENT.value})
LOOP = ("track", "loop", "rearm", "untrack")
OPEN = frozenset({Status.OBSERVED.value, Status.PROPOSED.value})


def _loop(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    """Take over what the repair loop wrote of one change, as it is."""
    own = (entry.bank, entry.subject)
    return [
        Put(ChangeRow(entry.bank, entry.subject, entry.seq, **body["change"])),
        *(Put(AttemptRow(*own, seq=entry.seq, **one)) for one in body["attempts"]),
        *(
            Put(OutboxRow(entry.bank, seq=entry.seq, change=entry.subject, **one))
            for one in body["outbox"]
        ),
    ]


def project(entry: Entry, body: Body, case: CaseRow | ExhibitRow | None) -> list[Change]:
    """Give the changes that follow from an entry, `case` being its subject's row before it."""
    if isinstance(case, ExhibitRow) or entry.action in filing.OPENING:
        filed = case if isinstance(case, ExhibitRow) else None
        is_erasure = entry.action == "erase"
        return _erase(entry, body, None) if is_erasure else filing.project(entry, body, filed)
    rule = _RULES.get(entry.action)
    return rule(entry, body, case) if rule and body.get("late") is not True else []


SPOKEN = ("observe", "confirm")  # the actions whose words an index holds


def spoken(entry: Entry, body: Body) -> str:
    """Give the text by which an entry's subject is found; empty for what no index holds."""
    if body.get("late") is True:
        return ""
    if entry.action == "observe":
        incident = body["incident"]
        head = (incident["service"], incident["signature"]["unit"], incident["title"])
        block = incident["block"]
        return "\n".join((block, *(one for one in head if one not in block)))
    return f"{body['cause']}\n{body['resolution']}" if entry.action == "confirm" else ""


def spoken_line(entry: Entry, body: Body) -> str:
    """Give the words of an entry whose codes find its subject as they stand."""
    if entry.action == "observe":
        return str(body["incident"]["title"])
    return spoken(entry, body)


def fix_key(resolution: str) -> str:
    """Give one key for a resolution, however it is spaced and capitalised."""
    return digest(" ".join(resolution.casefold().split()))[:20]


def spoken_by(entry: Entry, body: Body) -> tuple[str, str]:
    """Give who said it and when: of an imported verdict, the person that the row names."""
    origin = body.get("origin") or {}
    return origin.get("actor") or f"{entry.role}:{entry.actor}", origin.get("at") or entry.at


def _observe(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    incident, signature = body["incident"], body["incident"]["signature"]
    held = bool(body["findings"])
    actor, _ = spoken_by(entry, body)
    counts = not UNTRUSTED & {entry.role, actor.partition(":")[0]}
    row = CaseRow(  # in the order of its columns: by their names it takes four times as long
        entry.bank,
        entry.subject,
        entry.seq,
        body["kind"],
        _shown(incident["service"]),
        _shown(incident["environment"]),
        _shown(incident["branch"]),
        incident["commit"],
        _shown(incident["deployment"]),
        _shown(incident["stage"]),
        _shown(incident["url"]),
        _shown(incident["title"]),
        signature["id"],
        signature["family"],
        signature["tool"],
        signature["unit"],
        int(signature["generic"]),
        _shown(incident["log_digest"]),
        body["known_as"],
        body["happened_at"],
        entry.at,
        actor,
        _QUARANTINED if held else _OBSERVED,
        _OBSERVED,
        int(counts),
        *_UNSAID,
    )
    return [Put(row), *_hold(entry, held)]


_OBSERVED, _QUARANTINED = Status.OBSERVED.value, Status.QUARANTINED.value
_UNSAID = (0, 0, "", "", "", "", 0)  # no verdict, outcome, result, fix, person, time or proposal


def _shown(text: str) -> str:
    """Give a text as every store can keep it in a column."""
    return text.replace("\0", "\ufffd")


def _hold(entry: Entry, held: bool) -> list[Change]:
    return [Put(HeldRow(entry.bank, entry.seq, entry.subject))] if held else []


def _settle(case: CaseRow, entry: Entry, status: Status, **more: Any) -> CaseRow:
    """Give a case its new status; what a guard holds stays held, with the status beneath."""
    held = case.status == Status.QUARANTINED.value
    return case._replace(
        status=case.status if held else status.value,
        beneath=status.value,
        verdict_seq=entry.seq,
        **more,
    )


def _confirm(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    if case is None:
        return []
    _, at = spoken_by(entry, body)
    row = _settle(
        case,
        entry,
        Status.CONFIRMED,
        counts=1,
        outcome_seq=entry.seq,
        result=body["result"],
        fix=fix_key(body["resolution"]),
        confirmed_by=body["confirmed_by"],
        confirmed_at=at,
    )
    links = [
        Put(LinkRow(entry.bank, entry.seq, place, entry.subject, "precedent", target))
        for place, target in enumerate(body["precedents"])
    ]
    return [Put(row), *links]


def _unsettle(case: CaseRow, entry: Entry, status: Status) -> list[Change]:
    row = _settle(case, entry, status)
    return [Put(row._replace(outcome_seq=0, result="", fix="", confirmed_by="", confirmed_at=""))]


def _refute(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    return _unsettle(case._replace(counts=1), entry, Status.REFUTED) if case else []


def _supersede(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    if case is None:
        return []
    link = LinkRow(entry.bank, entry.seq, 0, entry.subject, "superseded", body["by"])
    return [Put(_settle(case, entry, Status.SUPERSEDED)), Put(link)]


OWN = "own:"  # how the signature of an incident begins that a person took out of all groups


def _single_out(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    return [Put(case._replace(signature=OWN + case.id))] if case else []


def _merge(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    relation = _unless_late("merged", body, body["into"])
    return [Put(LinkRow(entry.bank, entry.seq, 0, entry.subject, relation, body["into"]))]


def _unless_late(relation: str, body: Body, other: str) -> str:
    """Name a link; one that was undone before it was brought here joins and parts nothing."""
    return "undone" if other in body.get("late", ()) else relation


def _split(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    return [
        Put(LinkRow(entry.bank, entry.seq, place, entry.subject, relation, other))
        for place, other in enumerate(body["from"])
        for relation in [_unless_late("parted", body, other)]
    ]


def _retract(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    return _unsettle(case, entry, Status.RETRACTED) if case else []


def _propose(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    if case is None:
        return []
    if body["findings"]:
        return _hold(entry, True)
    return [Put(_with_proposal(case, entry.seq))]


def _with_proposal(case: CaseRow, seq: int) -> CaseRow:
    beneath = Status.PROPOSED.value if case.beneath in OPEN else case.beneath
    status = Status.PROPOSED.value if case.status in OPEN else case.status
    return case._replace(proposal_seq=seq, beneath=beneath, status=status)


def _vouch(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    return [Put(case._replace(counts=1))] if case else []


def _resign(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    signed = body["signature"]
    names = ("family", "tool", "unit")
    row = case and case._replace(
        signature=case.signature if case.signature.startswith(OWN) else signed["id"],
        generic=int(signed["generic"]),
        **{name: signed[name] for name in names},
    )
    return [Put(row)] if row else []


def _unlike(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    row = LinkRow(entry.bank, entry.seq, 0, entry.subject, "unlike", body["other"])
    return [Put(row)] if case else []


def _release(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    if case is None:
        return []
    row = case._replace(status=case.beneath)
    proposals = body["proposals"]
    if proposals:
        row = _with_proposal(row, max(proposals))
    return [Put(row), Forget("held", entry.subject)]


def _drop(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    if case is None:
        return []
    changes: list[Change] = [Forget("held", entry.subject)]
    if case.status == Status.QUARANTINED.value:
        thawed = case._replace(status=Status.OBSERVED.value)
        changes += _unsettle(thawed, entry, Status.RETRACTED)
    return changes


def _erase(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    return [Forget("subject", entry.subject), *_bury(entry, body, case)]


def _bury(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    """Put up a stone for what was erased here, or elsewhere on the day that the row names."""
    _, at = spoken_by(entry, body)
    return [Put(ErasedRow(entry.bank, entry.subject, entry.seq, body["known_as"], at))]


def _expire(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    """Forget the content of calls, passing runs or held proposals, by a rule of retention."""
    return [Forget("expired", entry.subject, tuple(body["forgets"]))]


def _green(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    row = GreenRow(entry.bank, entry.seq, body["service"], body["stage"], body["label"])
    return [Forget("payloads", entry.subject, tuple(body["forgets"])), Put(row)]


def _token(entry: Entry, body: Body, case: CaseRow | None) -> list[Change]:
    row = TokenRow(
        bank=entry.bank,
        id=entry.subject,
        seq=entry.seq,
        name=body["name"],
        role=body["role"],
        hash=body["hash"],
        created_at=body["created_at"],
        created_by=body["created_by"],
        expires_at=body["expires_at"],
        revoked_at=entry.at if entry.action == "revoke" else "",
    )
    return [Put(row)]


_RULES: dict[str, Callable[[Entry, Body, CaseRow | None], list[Change]]] = {
    "observe": _observe,
    "vouch": _vouch,
    "propose": _propose,
    "confirm": _confirm,
    "refute": _refute,
    "unlike": _unlike,
    "resign": _resign,
    "supersede": _supersede,
    "merge": _merge,
    "split": _split,
    "single_out": _single_out,
    "retract": _retract,
    "release": _release,
    "drop": _drop,
    "erase": _erase,
    "bury": _bury,
    "expire": _expire,
    "green": _green,
    **dict.fromkeys(LOOP, _loop),
    "token": _token,
    "revoke": _token,
}
