"""The text index: runs of characters of what each ledger entry says, derived from the store.

Must not let any trouble of the index reach a caller as long as the store can answer instead.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from caselore.errors import StoreBusy, StoreFull, StoreReadOnly
from caselore.memory.encoding import digest
from caselore.memory.ledger import GENESIS, Head, Stored
from caselore.memory.ports import ANYWHERE, IndexStatus, Narrow, Reads, Store
from caselore.memory.stores.folder_lock import locked
from caselore.memory.stores.scan_index import closest, fitting, holding, known_by
from caselore.memory.stores.tantivy_shelf import (
    HEAP,
    SMALL_HEAP,
    VERSION,
    Mark,
    Shelf,
    add,
    documents_of,
    guarded,
    link_of,
    opened,
)
from caselore.memory.terms import key_grams

LATE = 64  # entries that are read from the store before the index takes them in
BACK = frozenset({"erase", "resign"})  # actions by which a document is no longer right
PATIENCE = 30.0  # seconds to wait for another process's turn where an answer must not be late


class Outdated(Exception):
    """An entry above the watermark takes back what the index holds: only a new one is right."""


class TantivyIndex:
    """One index a bank, each in folders of its own beneath one root; safe between threads."""

    def __init__(self, store: Store, root: Path) -> None:
        """Keep derived folders beneath `root`; they are made when they are first needed."""
        self._store, self._root = store, root
        self._shelves: dict[str, Shelf] = {}
        self._written: dict[str, int] = {}
        self._lock = threading.RLock()

    def search(
        self,
        view: Reads,
        bank: str,
        text: str,
        limit: int,
        narrow: Narrow = ANYWHERE,
        *,
        broad: bool = False,
    ) -> Sequence[str]:
        """Give the ids of the closest records, best first, the same order every time.

        What the index does not hold yet is read from the store, so that no record is missed.
        """
        asked = key_grams(text)
        if not asked:
            return []
        seqs, late = self._found(view, bank, lambda shelf: shelf.find(asked, limit, narrow, broad))
        new = fitting(view, bank, closest(known_by(narrow, late), asked), limit, narrow)
        return _joined(new, view, bank, seqs)

    def coded(
        self, view: Reads, bank: str, code: str, limit: int, narrow: Narrow = ANYWHERE
    ) -> Sequence[str]:
        """Give the ids of the newest records whose line holds a word as it stands."""
        word = code.lower()
        seqs, late = self._found(view, bank, lambda shelf: shelf.named(word, limit, narrow))
        new = fitting(view, bank, holding(known_by(narrow, late), word), limit, narrow)
        return _joined(new, view, bank, seqs)

    def _found(
        self, view: Reads, bank: str, ask: Callable[[Shelf], list[int]]
    ) -> tuple[list[int], Iterable[Stored]]:
        for most in (LATE, None):  # what could not be taken in is read from the store
            with guarded() as trouble:
                shelf = self._shelf(bank)
                late = self._late(view, bank, shelf, most)
                if shelf is not None and late is not None:
                    return ask(shelf), late
            if most:
                self._work(bank, anew=bool(trouble), wait=PATIENCE)
        return [], view.spoken(bank, 0)

    def _late(
        self, view: Reads, bank: str, shelf: Shelf | None, most: int | None
    ) -> list[Stored] | None:
        """Give what the store has and the index lacks, if little and nothing is taken back."""
        if shelf is None or not self._follows(view, bank, shelf.mark):
            return None
        late = list(islice(view.spoken(bank, shelf.mark.seq), most and most + 1))
        outdated = any(row.entry.action in BACK for row in late)
        return None if outdated or (most and len(late) > most) else late

    def _follows(self, view: Reads, bank: str, mark: Mark) -> bool:
        """Say whether an index was made from this very ledger, which may have been replaced."""
        if mark.seq == 0:
            return mark.link == link_of(GENESIS)
        hash = view.hash_at(bank, mark.seq)
        if not hash:  # the view may be older than the index
            with self._store.reading() as now:
                hash = now.hash_at(bank, mark.seq)
        return bool(hash) and link_of(hash) == mark.link

    def _room(self, bank: str) -> Path:
        return self._root / digest("bank", bank)[:16]

    def _shelf(self, bank: str) -> Shelf | None:
        """Open the bank's present folder, or see whether another process added to it."""
        room = self._room(bank)
        try:
            name = (room / "current").read_text("utf-8")
        except FileNotFoundError:
            return None
        if not name.startswith(VERSION) or name != Path(name).name:
            return None
        with self._lock:
            old = self._shelves.get(bank)
            known = old is not None and old.folder.name == name
            self._shelves[bank] = old.fresh() if old and known else Shelf.of(room / name)
            return self._shelves[bank]

    def _work(self, bank: str, *, anew: bool, wait: float) -> bool:
        """Take in what the store has, or build anew; say whether it was this one's turn."""
        with guarded(), locked(self._room(bank) / "lock", wait) as held:
            if held:
                with self._store.reading() as view:
                    if anew or not self._added(view, bank):
                        self._build(view, bank)
            return held
        return False

    def _added(self, view: Reads, bank: str) -> bool:
        """Add to the present folder, if it is sound and holds nothing that was erased."""
        with guarded() as trouble:
            shelf = self._shelf(bank)
            if shelf is None or not self._follows(view, bank, shelf.mark):
                return False
            head, rows = view.head(bank), view.spoken(bank, shelf.mark.seq)
            if head.seq > shelf.mark.seq:
                heap = HEAP if head.seq - shelf.mark.seq > 20 * LATE else SMALL_HEAP
                documents = documents_of(view, bank, _new(rows), shelf.holds)
                add(shelf.index, documents, head, heap)
                return self._reached(bank, head)
        return not trouble

    def _reached(self, bank: str, head: Head) -> bool:
        """Say whether the mark moved, which a broken writer only claims."""
        shelf = self._shelf(bank)
        return shelf is not None and shelf.mark == Mark(head.seq, link_of(head.hash))

    def _build(self, view: Reads, bank: str) -> None:
        """Derive a new folder beside the old ones, switch to it and remove those."""
        room, name = self._room(bank), f"{VERSION}-{secrets.token_hex(4)}"
        (room / name).mkdir()
        try:
            head = view.head(bank)
            documents = documents_of(view, bank, view.spoken(bank, 0), lambda _: False)
            add(opened(room / name), documents, head, HEAP)
            pointer = room / f"{name}.new"
            pointer.write_text(name, "utf-8")
            pointer.replace(room / "current")
        except BaseException:  # what was begun would fill a disk that has no room for it
            shutil.rmtree(room / name, ignore_errors=True)
            raise
        _sweep(room, {name, "current", "lock"})

    def catch_up(self, bank: str, written: int = 1) -> None:
        """Hear that entries were written, and take them in when there are enough."""
        self._written[bank] = self._written.get(bank, 0) + written
        if self._written[bank] >= LATE:
            self._written[bank] = 0  # on a full disk, too: not each write is to build in vain
            self._work(bank, anew=False, wait=0.0)

    def forget(self, bank: str) -> None:
        """Keep no trace of what was erased. Raises StoreBusy where another process hinders it."""
        room = self._room(bank)
        if not room.exists():
            return
        with locked(room / "lock", PATIENCE) as held:
            if not held:
                raise StoreBusy("another process is writing the text index")
            self._shelves.pop(bank, None)
            _sweep(room, {"lock"})
            if any(one.name != "lock" for one in room.iterdir()):
                raise StoreBusy(f"files beneath {room} cannot be removed")
        self._work(bank, anew=True, wait=PATIENCE)

    def rebuild(self, bank: str) -> None:
        """Derive the whole index from the store again.

        Raises StoreBusy, StoreReadOnly or StoreFull.
        """
        if self._work(bank, anew=True, wait=PATIENCE):
            return
        trouble = self._trouble(bank)
        if trouble:
            kind = StoreFull if trouble.errno == errno.ENOSPC else StoreReadOnly
            raise kind(
                f"the text index could not be built: {_told(self._room(bank), trouble)}",
                hint=_MEND,
            )
        raise StoreBusy("another process is writing the text index; each search reads the store")

    def _trouble(self, bank: str) -> OSError | None:
        """Say why the folders of a bank cannot be written now; none where that works."""
        room = self._room(bank)
        probe = room / f"probe-{secrets.token_hex(4)}"
        try:
            room.mkdir(parents=True, exist_ok=True)
            probe.write_bytes(bytes(_PROBE))
        except OSError as error:
            return error
        finally:
            with suppress(OSError):
                probe.unlink(missing_ok=True)
        return None

    def status(self, bank: str) -> IndexStatus:
        """Say how far the index is."""
        with self._store.reading() as view:
            head, sound, shelf = view.head(bank).seq, False, None
            with guarded():
                shelf = self._shelf(bank)
                sound = shelf is not None and self._follows(view, bank, shelf.mark)
        room = self._room(bank)
        size = sum(one.stat().st_size for one in room.rglob("*") if one.is_file())
        entries = shelf.mark.seq if shelf else 0
        documents = shelf.searcher.num_docs - 1 if shelf else 0
        trouble = self._trouble(bank)
        return IndexStatus(
            "tantivy", str(room), VERSION, entries, head, documents, size, sound,
            f"It cannot be written here ({_told(room, trouble)}). {_MEND}" if trouble else "",
        )  # fmt: skip

    def close(self) -> None:
        """Let go of the folders."""
        self._shelves.clear()


_MEND = (
    "Give this user the folder, or remove it: it is derived, and built again where it can be. "
    "Until then what it lacks is read from the store at each search: right, but slow."
)


_PROBE = 64 * 1024  # bytes by which a full disk shows


def _told(room: Path, trouble: OSError) -> str:
    return f"{room}: {trouble.strerror or trouble}"


def _joined(new: Sequence[str], view: Reads, bank: str, seqs: Sequence[int]) -> list[str]:
    """Give the late records first, then those of the index, each once."""
    names = view.subjects(bank, seqs) if seqs else {}
    return list(dict.fromkeys((*new, *(names[seq] for seq in seqs if seq in names))))


def _new(rows: Iterable[Stored]) -> Iterator[Stored]:
    for row in rows:
        if row.entry.action in BACK:
            raise Outdated
        yield row


def _sweep(room: Path, keep: set[str]) -> None:
    for one in room.iterdir():
        if one.name not in keep:
            remove: Callable[[Path], object] = shutil.rmtree if one.is_dir() else os.unlink
            with suppress(OSError):  # a mapped file cannot be removed on some systems: next time
                remove(one)
