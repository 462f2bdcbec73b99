"""One folder of vectors: flat files that are mapped, a mark that says how much of them counts.

A text has one vector, whatever number of ledger entries say it. What lies beyond the mark was
left by a writer that was killed, and is cut off by the next one.
Must not embed, choose folders or take turns; no other module reads or writes these files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caselore.memory.arm_ports import Vector
from caselore.memory.ledger import Head
from caselore.memory.yardstick import Yardstick, centred

FORM = 1  # goes up with any change of the files
WHOLE = 4_000  # texts up to which each is compared by all its numbers
SHORT = 1_000  # texts that are, of more, or one in PART; they are chosen by their signs alone
PART = 200
BLOCK = 65_536  # texts that are compared at once: a few megabytes of main memory
Array = NDArray[Any]


class Reach(NamedTuple):
    """How much of the files counts, and up to which ledger entry."""

    seq: int
    link: int
    entries: int
    texts: int


class Near(NamedTuple):
    """One text, and how far above unrelated ones it is."""

    number: int
    deviations: float


def link_of(head: Head) -> int:
    """Give the part of a hash by which a ledger is known again."""
    return int(head.hash[:15], 16)


def key_of(text: str) -> int:
    """Give the number under which a text is known."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of a folder: their kinds, and how many numbers a row has."""

    width: int

    @property
    def words(self) -> int:
        """Tell how many words of 64 signs a vector has."""
        return -(-self.width // 64)

    def files(self) -> dict[str, tuple[str, int, bool]]:
        """Give kind, numbers a row, and whether a row is an entry or else a text."""
        return {
            "seqs": ("<i8", 1, True),
            "numbers": ("<i4", 1, True),
            "keys": ("<i8", 1, False),
            "codes": ("<f2", self.width, False),
            "signs": ("<u8", self.words, False),
        }


@dataclass(slots=True)
class VectorShelf:
    """One opened folder, as it was when it was opened."""

    folder: Path
    model: str
    stick: Yardstick
    reach: Reach
    seqs: Array
    numbers: Array
    keys: Array
    codes: Array
    signs: Array

    @classmethod
    def of(cls, folder: Path) -> VectorShelf:
        """Open a folder. Raises: OSError, ValueError, KeyError, TypeError where it is damaged."""
        frame = json.loads((folder / "frame.json").read_text("utf-8"))
        reach = Reach(**json.loads((folder / "mark.json").read_text("utf-8")))
        stick = Yardstick(**frame["yardstick"])
        if frame["form"] != FORM or min(reach) < 0 or not stick.spread > 0:
            raise ValueError("this is no folder of this version")
        files = Layout(stick.width).files()
        mapped = {name: _mapped(folder / name, reach, *form) for name, form in files.items()}
        return cls(folder, frame["model"], stick, reach, **mapped)

    def centred(self, question: Vector) -> Array:
        """Prepare a question's vector. Raises: ValueError where it is of another length."""
        numbers = np.asarray(centred(question, self.stick.question), dtype=np.float16)
        return numbers.astype(np.float64)

    def nearest(self, question: Array, most: int) -> list[Near]:
        """Give the closest texts, best first, the same for the same files."""
        chosen = np.arange(self.reach.texts)
        if self.reach.texts > WHOLE:
            chosen = self._by_signs(question, max(most, SHORT, self.reach.texts // PART))
        cosines = np.concatenate([self._cosines(question, some) for some in _pieces(chosen)])
        best = sorted(zip((-cosines).round(4).tolist(), chosen.tolist(), strict=True))[:most]
        return [Near(number, self._deviations(-cosine)) for cosine, number in best]

    def close(self, question: Array, seq: int) -> float | None:
        """Tell how close one ledger entry is; none where it has no vector."""
        at = int(np.searchsorted(self.seqs, seq))
        if at >= len(self.seqs) or self.seqs[at] != seq:
            return None
        return self._deviations(float(self._cosines(question, self.numbers[at : at + 1])[0]))

    def entries_of(self, texts: Sequence[int], last: int) -> list[int]:
        """Give the newest entry of each text up to a ledger entry, in the order of the texts."""
        known = len(self.seqs) if not last else int(np.searchsorted(self.seqs, last, "right"))
        numbers = self.numbers[:known]
        places = np.flatnonzero(np.isin(numbers, np.asarray(texts, dtype=np.int32)))
        newest = dict(zip(numbers[places].tolist(), self.seqs[places].tolist(), strict=True))
        return [newest[one] for one in texts if one in newest]

    def _deviations(self, cosine: float) -> float:
        return round(self.stick.deviations(cosine), 2)

    def _cosines(self, question: Array, texts: Array) -> Array:
        # products of halves add up in a double without any rounding: so a text is as close as
        # it is whatever lies beside it, on every machine
        return np.asarray(self.codes[texts].astype(np.float64) @ question)

    def _by_signs(self, question: Array, most: int) -> Array:
        """Choose texts whose numbers have the same signs as the question's in most places."""
        asked = signs_of(question[None, :])
        apart = np.empty(self.reach.texts, dtype=np.uint16)
        for at in range(0, len(apart), BLOCK):
            differ = np.bitwise_xor(self.signs[at : at + BLOCK], asked)
            apart[at : at + BLOCK] = np.bitwise_count(differ).sum(axis=1, dtype=np.uint16)
        # all that are as near as the last one: which of them a partition gives is by chance
        least = np.partition(apart, most)[most]
        return np.flatnonzero(apart <= least)[: 2 * most]


def _pieces(chosen: Array) -> Iterable[Array]:
    return [chosen[at : at + BLOCK] for at in range(0, max(1, len(chosen)), BLOCK)]


def _mapped(path: Path, reach: Reach, kind: str, width: int, of_entries: bool) -> Array:
    rows = reach.entries if of_entries else reach.texts
    shape = (rows,) if width == 1 else (rows, width)
    if not rows:
        return np.empty(shape, dtype=kind)
    return np.memmap(path, dtype=kind, mode="r", shape=shape)


def signs_of(vectors: Array) -> Array:
    """Pack the signs of vectors into words."""
    packed = np.packbits(vectors > 0, axis=1)
    padded = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(padded).view("<u8")


def begun(folder: Path, model: str, stick: Yardstick) -> VectorShelf:
    """Make an empty folder for a model's vectors."""
    folder.mkdir(parents=True)
    frame = {"form": FORM, "model": model, "yardstick": asdict(stick)}
    (folder / "frame.json").write_text(json.dumps(frame), "utf-8")
    for name in Layout(stick.width).files():
        (folder / name).touch()
    _mark(folder, Reach(0, 0, 0, 0))
    return VectorShelf.of(folder)


class Written(NamedTuple):
    """What one batch adds: entries with the keys of their texts, and vectors of new texts."""

    entries: Sequence[tuple[int, int]]
    vectors: Sequence[tuple[int, Vector]]


def added(shelf: VectorShelf, batch: Written, head: Head, number: Callable[[int], int]) -> Reach:
    """Add a batch and move the mark, in this order; `number` gives the place of a text's key."""
    vectors = [centred(one, shelf.stick.record) for _, one in batch.vectors]
    table = np.asarray(vectors, dtype=np.float32).reshape(-1, shelf.stick.width)
    return _stored(
        shelf,
        {
            "seqs": np.asarray([seq for seq, _ in batch.entries]),
            "numbers": np.asarray([number(key) for _, key in batch.entries]),
            "keys": np.asarray([key for key, _ in batch.vectors]),
            "codes": table,
            "signs": signs_of(table),
        },
        head,
    )


def without(shelf: VectorShelf, folder: Path, living: set[int], head: Head) -> VectorShelf:
    """Copy a folder, leaving out what only entries had that are no longer living."""
    kept = np.fromiter((one in living for one in shelf.seqs.tolist()), bool, len(shelf.seqs))
    texts = np.unique(shelf.numbers[kept])
    copy = begun(folder, shelf.model, shelf.stick)
    rows = {
        "seqs": shelf.seqs[kept],
        "numbers": np.searchsorted(texts, shelf.numbers[kept]),
        "keys": shelf.keys[texts],
        "codes": shelf.codes[texts],
        "signs": shelf.signs[texts],
    }
    _stored(copy, rows, head)
    return VectorShelf.of(folder)


def _stored(shelf: VectorShelf, rows: dict[str, Array], head: Head) -> Reach:
    reach = shelf.reach
    for name, (kind, width, of_entries) in Layout(shelf.stick.width).files().items():
        known = reach.entries if of_entries else reach.texts
        data = np.ascontiguousarray(rows[name], dtype=kind).tobytes()
        _appended(shelf.folder / name, known * width * np.dtype(kind).itemsize, data)
    moved = Reach(
        head.seq,
        link_of(head),
        reach.entries + len(rows["seqs"]),
        reach.texts + len(rows["keys"]),
    )
    _mark(shelf.folder, moved)
    return moved


def _appended(path: Path, known: int, data: bytes) -> None:
    """Cut off what a killed writer left, add, and see it on the disk before the mark moves."""
    with path.open("r+b") as file:
        file.truncate(known)
        file.seek(known)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _mark(folder: Path, reach: Reach) -> None:
    new = folder / "mark.new"
    with new.open("w", encoding="utf-8") as file:
        json.dump(reach._asdict(), file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / "mark.json")


class Places:
    """Gives each text its number: those of a folder, then new ones in order."""

    def __init__(self, shelf: VectorShelf, texts: Iterable[str] = ()) -> None:
        """Know the texts of a folder, and take in some more."""
        self._order = np.argsort(shelf.keys, kind="stable")
        self._keys = shelf.keys[self._order]
        self._known = shelf.reach.texts
        self._number: dict[int, int] = {}
        self.fresh: dict[int, str] = {}
        """The new texts by their keys, in the order of their numbers."""
        for one in texts:
            self.new(one)

    def new(self, text: str) -> bool:
        """Take in a text, and say whether it has no vector."""
        key = key_of(text)
        at = int(np.searchsorted(self._keys, key))
        if at < len(self._keys) and self._keys[at] == key:
            self._number[key] = int(self._order[at])
            return False
        if key in self.fresh:
            return False
        self._number[key] = self._known + len(self.fresh)
        self.fresh[key] = text
        return True

    def of(self, key: int) -> int:
        """Give the number of a text that was taken in."""
        return self._number[key]
