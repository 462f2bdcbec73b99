"""Mirrors a bank's confirmed records elsewhere, and may ask there: ids go out and ids come back.

The ledger is the outbox. A mark says up to which entry all is delivered; what is delivered again
after a kill replaces itself. Must not believe a word of what the mirror holds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from caselore.errors import StoreBusy, Unavailable
from caselore.guards.secrets import redact
from caselore.memory.arm_ports import Brought
from caselore.memory.cases import assemble
from caselore.memory.encoding import stamp
from caselore.memory.ledger import Head, Stored
from caselore.memory.mirror_ports import Delivered, Kept, Mirror
from caselore.memory.ports import ANYWHERE, Narrow, Reads, Store
from caselore.memory.records import Case
from caselore.memory.stores.folder_lock import locked
from caselore.memory.stores.ledger_mark import LedgerMark
from caselore.memory.stores.scan_index import fitting

PIECE = 100  # ledger entries that are delivered at once
PATIENCE = 30.0
OURS = "caselore:"


def name_of(bank: str, id: str) -> str:
    """Give the name under which a record is kept elsewhere; the same each time."""
    return f"{OURS}{bank}:{id}"


class Mirroring:
    """One bank's mirror, with its mark in a file beside the store."""

    def __init__(self, store: Store, mirror: Mirror, bank: str, mark: Path) -> None:
        """Mirror `bank` of a store; `mark` belongs to this bank and this mirror alone."""
        self._store, self._mirror, self._bank = store, mirror, bank
        self._mark, self._turn = LedgerMark(mark, bank), mark.with_suffix(".lock")

    def deliver(self, progress: Callable[[int], None] | None = None) -> Delivered:
        """Bring the mirror up to the ledger's head. Raises: Unavailable; what is done is done."""
        kept = removed = 0
        with locked(self._turn, PATIENCE) as held:
            if not held:
                raise StoreBusy("another process is delivering to the mirror")
            while True:
                with self._store.reading() as view:
                    rows = view.entries_after(self._bank, self._mark.reached(view), PIECE)
                    records, gone = self._changed(view, rows)
                if not rows:
                    return self.status()._replace(kept=kept, removed=removed)
                self._mirror.retain(records)
                for id in gone:
                    self._mirror.remove(id)
                kept, removed = kept + len(records), removed + len(gone)
                self._mark.move(Head(rows[-1].entry.seq, rows[-1].entry.hash))
                if progress:
                    progress(rows[-1].entry.seq)

    def status(self) -> Delivered:
        """Say how far the mirror is."""
        with self._store.reading() as view:
            return Delivered(self._mark.reached(view), view.head(self._bank).seq)

    def _changed(self, view: Reads, rows: Iterable[Stored]) -> tuple[list[Kept], list[str]]:
        """Give what stands confirmed now, and what did once, of records that were spoken of."""
        subjects = list(dict.fromkeys(row.entry.subject for row in rows if row.entry.subject))
        cases = view.cases_of(self._bank, subjects)
        standing = [cases[id] for id in subjects if id in cases and _stands(cases[id].status)]
        others = {*subjects} - {row.id for row in standing}
        gone = [id for id in subjects if id in others and self._was_confirmed(view, id)]
        records = [_kept(self._bank, assemble(view, row)) for row in standing]
        return records, [name_of(self._bank, id) for id in gone]

    def _was_confirmed(self, view: Reads, id: str) -> bool:
        return any(row.entry.action == "confirm" for row in view.entries(self._bank, id))


def _stands(status: str) -> bool:
    return status == "confirmed"


def _kept(bank: str, case: Case) -> Kept:
    body, told = case.record.body, case.outcome
    said = (
        f"{body.service}: {body.title}",
        body.block,
        f"Cause: {told.cause}" if told else "",
        f"Resolution: {told.resolution}" if told else "",
        f"Result: {told.result}" if told else "",
        f"Why it failed: {told.why_failed}" if told and told.why_failed else "",
    )
    text = redact("\n".join(filter(None, said))).text
    result = told.result if told else ""
    at = stamp(case.record.happened_at)
    return Kept(name_of(bank, case.id), text, at, body.service, result)


class MirrorArm:
    """Asks a mirror for a question: of its answer the names of our own records count."""

    def __init__(self, mirror: Mirror) -> None:
        """Ask this mirror."""
        self._mirror = mirror
        self._ready = threading.local()  # a question is prepared and asked by one thread

    def prepare(self, bank: str, text: str, limit: int) -> None:
        """Ask the mirror, while no view of the store is held open for it."""
        self._ready.held = (text, limit, self._answer(text, limit))

    def _answer(self, text: str, limit: int) -> list[str] | Unavailable:
        try:
            return self._mirror.recall(redact(text).text, limit)
        except Unavailable as error:
            return error

    def ask(
        self, view: Reads, bank: str, text: str, limit: int, narrow: Narrow = ANYWHERE
    ) -> Brought:
        """Give the records that the mirror names; unknown names are dropped, trouble is told."""
        held = self._ready.__dict__.pop("held", None)
        named = held[2] if held and held[:2] == (text, limit) else self._answer(text, limit)
        if isinstance(named, Unavailable):
            return Brought(self._mirror.name, trouble=str(named))
        ours = name_of(bank, "")
        ids = [one.removeprefix(ours) for one in named if one.startswith(ours)]
        known = view.cases_of(bank, ids)
        found = fitting(view, bank, [id for id in ids if id in known], limit, narrow)
        return Brought(self._mirror.name, tuple(found))
