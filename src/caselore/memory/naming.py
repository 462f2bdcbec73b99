"""Finds the one record that a person means by an id, the start of one, or a deployment.

Must not guess: what fits several is refused with the list. Several failures of one deployment
of one service are runs of the same job: the newest is meant.
"""

from __future__ import annotations

from caselore.errors import Ambiguous, NotFound
from caselore.guards.names import quoted
from caselore.memory.past import known_at
from caselore.memory.ports import Evidence, Reads
from caselore.memory.rows import CaseRow, ErasedRow

LEAST = 6  # characters by which an id may be shortened


def resolve(view: Reads, bank: str, ref: str) -> CaseRow:
    """Give the row that `ref` names. Raises NotFound or Ambiguous."""
    row = sought(view, bank, ref)
    if row is None:
        raise _missing(view, bank, ref.strip())
    return row


def told(view: Reads, bank: str, ref: str, until: str) -> tuple[CaseRow, str]:
    """Give what `ref` names, as it was known at a time if it was, with what it said first.

    Raises NotFound or Ambiguous.
    """
    name = ref.strip()
    whole = view.opened(bank, name) if name.isascii() and name and not until else None
    if whole:
        return whole
    row = sought(known_at(view, bank, until)[0], bank, ref) or resolve(view, bank, ref)
    return row, view.bodies(bank, [row.seq])[row.seq]


def sought(known: Evidence, bank: str, ref: str) -> CaseRow | None:
    """Give the row that `ref` names, if there is one. Raises Ambiguous."""
    name = ref.strip()
    if any("\ud800" <= letter <= "\udfff" for letter in name):  # no store holds half characters
        return None
    row = known.case(bank, name) if name else None
    if row:
        return row
    bare = name.removeprefix("#")
    fits = [one for one in known.named(bank, bare) if _fits(one, bare)] if bare else []
    fits = _newest(fits, bare)
    if len(fits) > 1:
        raise Ambiguous(
            f"{quoted(ref)} fits {len(fits)} incidents: " + "; ".join(map(_label, fits[:8]))
        )
    return fits[0] if fits else None


def reference(view: Reads, bank: str, ref: str) -> str:
    """Give the id that `ref` names, or `ref` itself where only a later record may bear the name.

    Raises Ambiguous where several bear it.
    """
    try:
        return resolve(view, bank, ref).id
    except NotFound:
        return ref.strip().removeprefix("#")


def _fits(row: CaseRow, name: str) -> bool:
    return row.deployment == name or (len(name) >= LEAST and row.id.startswith(name))


def _newest(fits: list[CaseRow], name: str) -> list[CaseRow]:
    """Keep of the failures of a deployment the newest of each service."""
    found: dict[tuple[str, str], CaseRow] = {}
    for row in fits:
        key = (row.service, "") if row.deployment == name else ("", row.id)
        kept = found.get(key)
        if kept is None or (kept.happened_at, kept.seq) < (row.happened_at, row.seq):
            found[key] = row
    return list(found.values())


def _label(row: CaseRow) -> str:
    where = f"{row.service or 'unknown service'} #{row.deployment or '?'}"
    return f"{row.id} ({where}, {row.happened_at[:16]})"


def _missing(view: Reads, bank: str, name: str) -> NotFound:
    storable = not any("\ud800" <= letter <= "\udfff" for letter in name)
    stone = view.tombstone(bank, name) if storable else None
    words = erased_words(stone) if stone else f"no incident is named {quoted(name)}"
    return NotFound(words)


def erased_words(stone: ErasedRow) -> str:
    """Say that and when a record was erased."""
    return f"{stone.id} was erased on {stone.erased_at[:10]}"
