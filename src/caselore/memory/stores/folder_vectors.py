"""Vectors of what each ledger entry says, in folders beside the store and derived from it.

Must not let any trouble of a model or of these files reach a question: it is told, and the other
arms answer. Must not send a text out before its secrets and values are masked.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from caselore.errors import StoreBusy, Unavailable
from caselore.guards.secrets import redact
from caselore.memory.arm_ports import Brought, Embedder, Vector, VectorStatus
from caselore.memory.encoding import digest
from caselore.memory.ledger import Head, Stored
from caselore.memory.ports import ANYWHERE, Narrow, Reads, Store
from caselore.memory.projection import spoken
from caselore.memory.stores.embedding_thread import EmbeddingThread
from caselore.memory.stores.folder_lock import locked
from caselore.memory.stores.scan_index import fitting
from caselore.memory.stores.vector_rooms import LOCKS, room_of, sweep
from caselore.memory.stores.vector_shelf import (
    FORM,
    Places,
    VectorShelf,
    Written,
    added,
    begun,
    key_of,
    link_of,
    without,
)
from caselore.memory.terms import KEY_VERSION, key_text
from caselore.memory.yardstick import Yardstick, measured

TAKEN = 32  # texts that one question embeds beforehand; `caselore index rebuild` embeds the rest
BATCH = 64  # texts between two marks: what a kill loses
PIECE = 500  # entries whose cases are read at once
NEAR = 2.0  # deviations above unrelated texts from which on a record is brought
DEEPER = 20  # times as many texts are looked at where filters leave records out
PATIENCE = 30.0  # seconds to wait for another process's turn where it must be now
PROMPT = 0.3  # seconds that a question waits for the thread that embeds
_DAMAGE = (OSError, ValueError, KeyError, TypeError, IndexError)


class Ready(NamedTuple):
    """What a model said of a question before it was asked."""

    vector: Vector | None = None
    trouble: Exception | None = None


class Said(NamedTuple):
    """One ledger entry and what is embedded of it; empty for what says nothing."""

    stored: Stored
    text: str


def plain(text: str) -> str:
    """Mask what nobody else may see, then every value: so repeats have one vector."""
    whole = text.encode("utf-8", "replace").decode("utf-8")  # no request carries half a character
    return key_text(redact(whole).text)


def said_in(view: Reads, bank: str, rows: Iterable[Stored]) -> Iterator[Said]:
    """Give what is embedded of entries: a verdict goes with the failure that it is about."""
    source = iter(rows)
    while some := list(islice(source, PIECE)):
        cases = view.cases_of(bank, {row.entry.subject for row in some})
        told = [row for row in some if row.entry.action == "confirm" and row.payload]
        seqs = {cases[row.entry.subject].seq for row in told if row.entry.subject in cases}
        bodies = view.bodies(bank, sorted(seqs))
        for row in some:
            case = cases.get(row.entry.subject)
            text = spoken(row.entry, json.loads(row.payload.body)) if row.payload and case else ""
            if text and case and row.entry.action == "confirm" and case.seq in bodies:
                incident = json.loads(bodies[case.seq])["incident"]
                text = f"{text}\n{incident['title']}\n{incident['block']}"
            yield Said(row, plain(text) if text else "")


class FolderVectors:
    """One folder of vectors a bank; safe between threads."""

    def __init__(self, store: Store, root: Path, embedder: Embedder) -> None:
        """Keep derived folders beneath `root`; they are made when they are first needed."""
        self._store, self._root, self._embedder = store, root, embedder
        self._shelves: dict[str, VectorShelf] = {}
        self._ready = threading.local()  # a question is prepared and asked by one thread
        self._thread: EmbeddingThread | None = None
        self._lock = threading.RLock()
        self._name = f"{FORM}-{KEY_VERSION}-{digest('model', embedder.model)[:12]}"

    def behind(self) -> None:
        """Embed in a thread from now on: for a process that stays."""
        self._thread = self._thread or EmbeddingThread(self._step)

    def stir(self, bank: str) -> None:
        """Begin to embed what was written, where a thread does it; returns at once."""
        if self._thread:
            self._thread.stir(bank)

    def prepare(self, bank: str, text: str, limit: int) -> None:
        """Ask the model what a question needs, while no view of the store is held open for it."""
        asked = plain(text)
        if asked:
            self._ready.held = (bank, asked, self._prepared(bank, asked))

    def _held(self, bank: str, asked: str) -> Ready | None:
        held = self._ready.__dict__.pop("held", None)
        return held[2] if held and held[:2] == (bank, asked) else None

    def _prepared(self, bank: str, asked: str) -> Ready:
        try:
            if not self._freshened(bank):
                return Ready()
            (vector,) = self._embedder.questions([asked])
        except (Unavailable, *_DAMAGE) as error:
            return Ready(trouble=error)
        return Ready(vector)

    def ask(
        self, view: Reads, bank: str, text: str, limit: int, narrow: Narrow = ANYWHERE
    ) -> Brought:
        """Give the closest records, best first; trouble is told, never raised."""
        arm = f"vectors of {self._embedder.model}"
        try:
            return self._asked(view, bank, text, limit, narrow, arm)
        except Unavailable as error:
            return Brought(arm, trouble=str(error))
        except _DAMAGE as error:
            return Brought(arm, trouble=f"the vectors cannot be used: {error}")

    def _asked(
        self, view: Reads, bank: str, text: str, limit: int, narrow: Narrow, arm: str
    ) -> Brought:
        asked = plain(text)
        if not asked:
            return Brought(arm)
        ready = self._held(bank, asked) or self._prepared(bank, asked)
        if ready.trouble:
            raise ready.trouble
        late, shelf = self._late(view, bank), self._shelf(view, bank)
        if shelf is None or ready.vector is None:
            return Brought(
                arm, trouble=f"no entry has a vector here. {self._remedy()}" if late else ""
            )
        question = shelf.centred(ready.vector)
        most = limit if narrow == ANYWHERE else limit * DEEPER
        near = [one for one in shelf.nearest(question, most) if one.deviations >= NEAR]
        seqs = shelf.entries_of([one.number for one in near], narrow.last)
        names = view.subjects(bank, seqs)
        ids = list(dict.fromkeys(names[seq] for seq in seqs if seq in names))
        return Brought(
            arm,
            tuple(fitting(view, bank, ids, limit, narrow)),
            lambda seq: shelf.close(question, seq),
            f"{late:,} entries have no vector yet. {self._remedy()}" if late else "",
        )

    def _remedy(self) -> str:
        return _SOON if self._thread else _BUILD

    def _freshened(self, bank: str) -> bool:
        """Take in a few late texts, or let a thread do so; say whether there is any vector."""
        if self._behindhand(bank):
            if self._thread:
                self._thread.stir(bank)
                self._thread.wait(bank, PROMPT)
            else:
                # a folder that cannot be written is used as it is
                with suppress(OSError, StoreBusy), self._turn(bank, 0.0) as held:
                    if held:
                        self._taken(bank, TAKEN)
        with self._store.reading() as view:
            return self._shelf(view, bank) is not None

    def _behindhand(self, bank: str) -> bool:
        with self._store.reading() as view:
            return self._late(view, bank) > 0

    def _late(self, view: Reads, bank: str) -> int:
        shelf = self._shelf(view, bank)
        return sum(1 for _ in view.spoken(bank, shelf.reach.seq if shelf else 0))

    def _step(self, bank: str) -> int:
        with self._turn(bank, 0.0) as held:
            return self._taken(bank, TAKEN) if held else 0

    def _turn(self, bank: str, wait: float) -> AbstractContextManager[bool]:
        """Be the one that embeds; it is no other process's hindrance in changing the folder."""
        return locked(self._room(bank) / "turn", wait)

    @contextmanager
    def _changing(self, bank: str) -> Iterator[None]:
        with locked(self._room(bank) / "lock", PATIENCE) as held:
            if not held:
                raise StoreBusy("another process is changing the vectors")
            yield

    def catch_up(
        self, bank: str, progress: Callable[[int], None] | None = None, *, anew: bool = False
    ) -> None:
        """Embed all that has no vector yet. Raises: Unavailable; what was done is kept."""
        with self._turn(bank, PATIENCE) as held:
            if not held:
                raise StoreBusy("another process is embedding; what it has done is used already")
            if anew:
                with self._changing(bank):
                    self._shelves.pop(bank, None)
                    sweep(self._room(bank), LOCKS)
            done = 0
            while texts := self._taken(bank, BATCH):
                done += texts
                if progress:
                    progress(done)

    def _taken(self, bank: str, most: int) -> int:
        """Embed at most so many texts in its turn; give how many entries that took in.

        The model is asked while nothing is held: no view of the store, and not the folder.
        """
        stick = self._stick(bank)
        with self._changing(bank), self._store.reading() as view:
            shelf = self._shelf(view, bank) or self._begun(bank, stick or self._measured())
            newest = head = view.head(bank)
            rows = list[Said]()
            if shelf.reach.seq == head.seq:
                return 0
            places = Places(shelf)
            for one in said_in(view, bank, view.spoken(bank, shelf.reach.seq)):
                rows.append(one)
                if one.text and places.new(one.text) and len(places.fresh) == most:
                    head = Head(one.stored.entry.seq, one.stored.entry.hash)
                    break
            if any(one.stored.entry.action == "erase" for one in rows):
                shelf = self._cleared(view, bank, shelf)
                places = Places(shelf, (one.text for one in rows if one.text))
        vectors = self._vectors(list(places.fresh.values()))
        entries = [(one.stored.entry.seq, key_of(one.text)) for one in rows if one.text]
        batch = Written(entries, list(zip(places.fresh, vectors, strict=True)))
        with self._changing(bank), self._store.reading() as view:
            if self._is_still(view, bank, shelf, newest):
                added(shelf, batch, head, places.of)
        return max(1, len(rows))

    def _is_still(self, view: Reads, bank: str, shelf: VectorShelf, newest: Head) -> bool:
        """Say whether a batch may be added: the same folder, and nothing was erased meanwhile."""
        now = self._shelf(view, bank)
        if now is None or (now.folder, now.reach) != (shelf.folder, shelf.reach):
            return False
        return all(one.entry.action != "erase" for one in view.spoken(bank, newest.seq))

    def _vectors(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        found = self._embedder.records(texts)
        if len(found) != len(texts):
            raise Unavailable(
                f"{self._embedder.model} gave {len(found)} vectors for {len(texts)} texts."
            )
        return found

    def _room(self, bank: str) -> Path:
        return room_of(self._root, bank)

    def _shelf(self, view: Reads, bank: str) -> VectorShelf | None:
        """Open the bank's present folder; none if it is missing, damaged or of another model."""
        room = self._room(bank)
        try:
            name = (room / "current").read_text("utf-8")
            mark = (room / Path(name).name / "mark.json").read_text("utf-8")
            with self._lock:
                old = self._shelves.get(bank)
                if old and old.folder.name == name and json.loads(mark) == old.reach._asdict():
                    return old
                shelf = VectorShelf.of(room / Path(name).name)
        except _DAMAGE:
            return None
        if not name.startswith(self._name) or not self._follows(view, bank, shelf):
            return None
        with self._lock:
            self._shelves[bank] = shelf
        return shelf

    def _follows(self, view: Reads, bank: str, shelf: VectorShelf) -> bool:
        """Say whether they were made from this very ledger, which may have been replaced."""
        seq, link = shelf.reach.seq, shelf.reach.link
        if seq == 0:
            return True
        hash = view.hash_at(bank, seq)
        if not hash:  # the view may be older than the vectors
            with self._store.reading() as now:
                hash = now.hash_at(bank, seq)
        return bool(hash) and link_of(Head(seq, hash)) == link

    def _stick(self, bank: str) -> Yardstick | None:
        """Ask the model for its yardstick where a folder is to be begun; else there is one."""
        with self._store.reading() as view:
            there = self._shelf(view, bank)
        return None if there else self._measured()

    def _measured(self) -> Yardstick:
        try:
            return measured(self._embedder)
        except ValueError as error:
            raise Unavailable(f"{self._embedder.model} cannot be used: {error}.") from None

    def _begun(self, bank: str, stick: Yardstick) -> VectorShelf:
        return self._current(bank, begun(self._new_folder(bank), self._embedder.model, stick))

    def _new_folder(self, bank: str) -> Path:
        return self._room(bank) / f"{self._name}-{secrets.token_hex(4)}"

    def _current(self, bank: str, shelf: VectorShelf) -> VectorShelf:
        """Switch to a folder and remove the others."""
        room = self._room(bank)
        pointer = room / f"{shelf.folder.name}.new"
        pointer.write_text(shelf.folder.name, "utf-8")
        pointer.replace(room / "current")
        with self._lock:
            self._shelves[bank] = shelf
        sweep(room, {shelf.folder.name, "current", *LOCKS})
        return shelf

    def _cleared(self, view: Reads, bank: str, shelf: VectorShelf) -> VectorShelf:
        """Switch to a copy without what was erased; nothing is embedded again."""
        living = {row.entry.seq for row in view.spoken(bank, 0) if row.payload}
        mark = Head(shelf.reach.seq, view.hash_at(bank, shelf.reach.seq) or "0" * 64)
        return self._current(bank, without(shelf, self._new_folder(bank), living, mark))

    def forget(self, bank: str) -> None:
        """Keep no vector of what was erased. Raises StoreBusy where another process hinders it."""
        room = self._room(bank)
        if not room.exists():
            return
        with locked(room / "lock", PATIENCE) as held:
            if not held:
                raise StoreBusy("another process is changing the vectors")
            with self._store.reading() as view:
                shelf = self._shelf(view, bank)
                if shelf is not None:
                    shelf = self._cleared(view, bank, shelf)
            self._shelves.pop(bank, None)
            keep = {shelf.folder.name, "current", *LOCKS} if shelf else LOCKS
            sweep(room, keep)
            if any(one.name not in keep for one in room.iterdir()):
                raise StoreBusy(f"files beneath {room} cannot be removed")

    def status(self, bank: str) -> VectorStatus:
        """Say how far the vectors are."""
        room = self._room(bank)
        with self._store.reading() as view:
            head, shelf = view.head(bank).seq, self._shelf(view, bank)
        size = sum(one.stat().st_size for one in room.rglob("*") if one.is_file())
        entries, texts = (shelf.reach.seq, shelf.reach.texts) if shelf else (0, 0)
        return VectorStatus(
            self._embedder.model, str(room), entries, head, texts, size, shelf is not None
        )

    def close(self) -> None:
        """Let go of the files."""
        if self._thread:
            self._thread.close()
        self._shelves.clear()


_BUILD = "`caselore index rebuild` embeds them."
_SOON = "They are being embedded."
